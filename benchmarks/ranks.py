#!/usr/bin/python3
"""What training in two processes costs beside one: benchmarks/ranks.py --train FILE [options of
bough train], with BOUGH=build/bough. Medians over the updates from the 11th on; a rank's own share
of a batch, computed alone, is what two ranks would reach if talking cost nothing.
"""

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = os.environ.get("BOUGH", "build/bough")
WARM_UP = 10
UPDATES = 40


def train(options, batch_size):
    """Seconds an update, and the megabytes that each rank sends for it."""
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(
            [PROGRAM, "train", *options, "--batch-size", str(batch_size), "--updates", str(UPDATES),
             "--log-every", "1", "--samples", "0", "--out", f"{folder}/run"],
            check=True, capture_output=True, text=True)
        updates = map(json.loads, Path(folder, "run", "metrics.jsonl").read_text().splitlines())
        rates = [line["sentences_per_second"] for line in updates
                 if "sentences_per_second" in line and line["step"] > WARM_UP]
    sent = re.search(r"has sent about ([\d.]+) MB", run.stderr)
    return batch_size / statistics.median(rates), float(sent[1]) if sent else 0.0


def main():
    options = sys.argv[1:]
    batch_size = 64
    if "--batch-size" in options:
        at = options.index("--batch-size")
        batch_size = int(options[at + 1])
        del options[at:at + 2]
    ranks = ["--workers", "2", "--threads", "1"]
    rows = [("one process, one thread", ["--threads", "1"], batch_size),
            ("half the batch, one thread", ["--threads", "1"], batch_size // 2),
            ("one process, two threads", ["--threads", "2"], batch_size),
            ("two ranks", ranks, batch_size),
            ("two ranks, bfloat16", [*ranks, "--gradient-exchange", "bfloat16"], batch_size)]
    print("| | sentences a second | ms an update | sent by each rank, MB an update |")
    print("|---|---|---|---|")
    for name, more, size in rows:
        seconds, sent = train([*options, *more], size)
        megabytes = f"{sent:.1f}" if sent else ""
        print(f"| {name} | {size / seconds:.0f} | {1000 * seconds:.0f} | {megabytes} |", flush=True)


if __name__ == "__main__":
    main()
