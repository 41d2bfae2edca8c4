"""OpenMP's threads, set up before anybody loads its library.

libgomp reads how its threads wait once, when it is loaded, and numpy's BLAS may load it. To spin a
little saves waking them; to spin for long, as they do unless told, takes the cores from others
(docs/performance.md). What the user has set stays, and programs that this process starts see nothing
of it.
"""

from __future__ import annotations

import ctypes
import os

if not {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"} & os.environ.keys():
    os.environ["GOMP_SPINCOUNT"] = "1000"
    try:
        ctypes.CDLL("libgomp.so.1")
    except OSError:
        pass  # where it isn't there, nobody spins
    finally:
        del os.environ["GOMP_SPINCOUNT"]
