"""How OpenMP's threads wait for each other, set before anybody loads its library.

libgomp reads that once, when it is loaded, and numpy's BLAS may load it. Where cores are free,
threads that spin a little save waking each other; where others want the cores, spinning takes them
from the thread that is waited for (docs/performance.md). So the machine is looked at while the rest
of the package is imported. What the user has set stays, and programs that this process starts see
nothing of it.
"""

from __future__ import annotations

import ctypes
import os
import time

_LONG_ENOUGH = 0.04  # seconds: the kernel counts in hundredths


def _core_time() -> tuple[int, int]:
    """What all cores have done since the machine was started: nothing, and in all."""
    with open("/proc/stat") as file:
        ticks = [int(number) for number in file.readline().split()[1:9]]
    return ticks[3] + ticks[4], sum(ticks)


def _is_loaded() -> bool:
    with open("/proc/self/maps") as file:
        return any("libgomp" in line for line in file)


def _is_busy() -> bool:
    """Whether three quarters of the cores' time, or more, were taken since this was imported."""
    time.sleep(max(0.0, _begun + _LONG_ENOUGH - time.monotonic()))
    idle, in_all = (now - then for now, then in zip(_core_time(), _before))
    return idle < 0.25 * in_all


def set_up() -> None:
    """Loads libgomp with the policy that fits, unless it is there already."""
    if {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"} & os.environ.keys():
        return
    try:
        if _is_loaded():
            return
        name, value = ("OMP_WAIT_POLICY", "passive") if _is_busy() else ("GOMP_SPINCOUNT", "1000")
        os.environ[name] = value
        try:
            ctypes.CDLL("libgomp.so.1")
        finally:
            del os.environ[name]
    except OSError:
        pass  # without /proc or libgomp there is nothing to set


_begun = time.monotonic()
try:
    _before = _core_time()
except OSError:
    _before = (0, 0)
