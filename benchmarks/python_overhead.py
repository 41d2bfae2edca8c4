#!/usr/bin/python3
"""What Python costs beside the command line, in CPU-seconds, which other work on the machine
disturbs less than the clock: PYTHONPATH=build/python BOUGH=build/bough benchmarks/python_overhead.py

The program's seconds are those of its process, from start to end; Python's those of the call alone,
with the model loaded or the texts read. `--format jsonl` computes what a Sentence knows; text
doesn't.
"""

import os
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import bough

PROGRAM = os.environ.get("BOUGH", "build/bough")
GOLDEN = Path(__file__).resolve().parent.parent / "tests" / "golden" / "metrics"
REPEATS = 5


def of_program(*words):
    def used():
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return children.ru_utime + children.ru_stime

    before = used()
    subprocess.run([PROGRAM, *map(str, words)], check=True, stdout=subprocess.DEVNULL)
    return used() - before


def of_call(call):
    before = time.process_time()
    call()
    return time.process_time() - before


def compare(name, program, call):
    """Turn by turn: what disturbs one disturbs the other."""
    rows = [(program(), of_call(call)) for _ in range(REPEATS)]
    theirs, ours = (statistics.median(column) for column in zip(*rows))
    ratio = statistics.median(own / their for their, own in rows)
    print(f"| {name} | {theirs:.2f} | {ours:.2f} | {ratio:.2f} |", flush=True)


def many_lines(name, count):
    lines = (GOLDEN / name).read_bytes().decode().removesuffix("\n").split("\n")
    return [lines[i % len(lines)] for i in range(count)]


print("| | `bough` | Python | ratio |\n|---|---|---|---|")
hyps, refs = many_lines("hypA.txt", 100_000), many_lines("ref1.txt", 100_000)
with tempfile.TemporaryDirectory() as folder:
    files = [Path(folder) / name for name in ("hyp.txt", "ref.txt")]
    for file, lines in zip(files, (hyps, refs)):
        file.write_bytes("".join(f"{line}\n" for line in lines).encode())
    compare("`metrics.bleu`, 100,000 sentences",
            lambda: of_program("eval", files[1], "-i", files[0], "-m", "bleu"),
            lambda: bough.metrics.bleu(hyps, refs))
m = bough.load("english")
for form in ("text", "jsonl"):
    compare(f"`generate(10_000)`; `--format {form}`",
            lambda: of_program("generate", "--model", "english", "-n", 10_000, "--quiet",
                               "--format", form),
            lambda: m.generate(10_000))
compare("a start: `generate -n 1`; `generate()`",
        lambda: of_program("generate", "--model", "english", "--quiet"), lambda: m.generate())
