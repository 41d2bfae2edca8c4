#!/usr/bin/python3
"""How training would go on many machines, on paper, from what ranks.py measures on one:
benchmarks/scaling.py SECONDS MEGABYTES HIDDEN, where an update of 64 sentences takes SECONDS on a
machine, its gradients have MEGABYTES, and sums can go on during HIDDEN of it (the share of the
backward pass).

A machine's update of b sentences takes in proportion to b + 4 (bench train with batches of 32 and
64); a ring sends each machine's gradients 2 (W − 1) / W times, in two waves of W − 1 messages for
each of four buckets. In brackets: the share of an update that isn't waiting. What isn't hidden behind the backward pass is waited for; bfloat16 sends half, and
nothing of it is hidden.
"""

import sys

BYTES_A_SECOND = 10e9 / 8
LATENCY = 50e-6
BUCKETS = 4
FIXED = 4  # sentences' worth


def update(machines, batch, seconds, megabytes, hidden, rounded):
    """Seconds of an update: that a machine computes, and in all."""
    computing = seconds * (batch + FIXED) / (64 + FIXED)
    if machines == 1:
        return computing, computing
    sending = 2e6 * megabytes * (0.5 if rounded else 1.0) * (machines - 1) / machines / BYTES_A_SECOND
    sending += 2 * (machines - 1) * BUCKETS * LATENCY
    return computing, computing + (sending if rounded else max(0.0, sending - hidden * computing))


def main():
    seconds, megabytes, hidden = map(float, sys.argv[1:])
    print("| machines | 64 in all: sentences a second | bfloat16 | 32 on each: sentences a second | bfloat16 |")
    print("|---|---|---|---|---|")
    for machines in (1, 2, 4, 8, 16, 32, 64):
        cells = []
        for batch in (64 / machines, 32):
            for rounded in (False, True):
                _, whole = update(machines, batch, seconds, megabytes, hidden, rounded)
                alone, _ = update(1, batch, seconds, megabytes, hidden, rounded)
                cells.append(f"{machines * batch / whole:.0f} ({alone / whole:.2f})")
        print(f"| {machines} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
