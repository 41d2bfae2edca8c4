#!/usr/bin/python3
"""How noisy a trained model's gradients are, and so how large a batch still pays:
benchmarks/gradient_noise.py RUN [--train FILE …], where RUN is a folder of bough train with its
state, and BOUGH=build/bough.

The squared norm of a batch's gradient is that of the true one, plus the noise of one sentence's by
the batch's size: two sizes give both. Their ratio, the "simple noise scale" (McCandlish et al.,
2018), is the batch at which noise and gradient are equal; batches far above it take hardly fewer
updates. The run goes on from a copy, with a learning rate that changes nothing.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = os.environ.get("BOUGH", "build/bough")
SMALL, LARGE = 4, 128
UPDATES = {SMALL: 200, LARGE: 40}


def squared_norm(run, batch_size, options):
    """Of the gradient, on average over batches."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "run")
        shutil.copytree(run, copy)
        config = json.loads((copy / "config.json").read_text())
        config.pop("checksum", None)
        recipe = config["training"]
        recipe["batch-size"] = batch_size
        recipe["learning-rate"] = 1e-12
        (copy / "config.json").write_text(json.dumps(config))
        before = (copy / "metrics.jsonl").read_text().splitlines()
        done = max(json.loads(line)["step"] for line in before)
        subprocess.run(
            [PROGRAM, "train", "--resume", "--out", copy, "--updates", str(done + UPDATES[batch_size]),
             "--epochs", "1000000", "--log-every", "1", "--quiet", *options], check=True)
        after = (copy / "metrics.jsonl").read_text().splitlines()[len(before):]
    return statistics.mean(line["gradient_norm"] ** 2 for line in map(json.loads, after)
                           if "gradient_norm" in line)


def main():
    run, *options = sys.argv[1:]
    small, large = (squared_norm(run, size, options) for size in (SMALL, LARGE))
    noise = (small - large) / (1 / SMALL - 1 / LARGE)
    gradient = (LARGE * large - SMALL * small) / (LARGE - SMALL)
    print(f"squared norms: {small:.4g} with {SMALL} sentences, {large:.4g} with {LARGE}")
    print(f"gradient {gradient:.4g}, noise of a sentence {noise:.4g}: noise scale "
          f"{noise / gradient:.0f} sentences")


if __name__ == "__main__":
    main()
