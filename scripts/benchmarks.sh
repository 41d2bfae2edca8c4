#!/bin/sh
# The measurements of docs/performance.md, as tables in Markdown. Takes about half an hour on two
# cores; nothing else should run beside it.
set -eu
bough=${BOUGH:-build/bough}
repeats=${REPEATS:-5}

# row LABEL ARGUMENTS…: one line of a table from a report in JSON
row() {
  label=$1
  shift
  "$bough" bench "$@" --repeats "$repeats" --json --quiet | python3 -c '
import json, sys
r = json.load(sys.stdin)
rate = max(r["gemm_gflops"].values())
s = r["sentences_per_second"]
cells = [sys.argv[1], r["batch_size"], "%.4g (%.4g … %.4g)" % (s["median"], s["low"], s["high"]),
         "%.0f" % r["steps_per_second"]["median"], "%.0f" % r["gflops"]["median"], "%.0f" % rate,
         "%.2f" % r["gemm_share"], "%.0f" % r["peak_memory_mb"]]
if "phases" in r:
    cells.append(" / ".join("%.0f" % (100 * v) for v in r["phases"].values()))
print("| " + " | ".join(str(c) for c in cells) + " |")
' "$label"
}

head_of() {
  printf '\n### %s\n\n| what | batch | sentences/s (low … high) | steps/s | GFLOP/s | GEMM | share | MB |%s\n' \
    "$1" "${2:-}"
  printf '|---|---|---|---|---|---|---|---|%s\n' "${2:+---|}"
}

date -u +'Measured on %Y-%m-%d, '
sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1

head_of "Training" " data / roll-in / forward / loss / backward / optimizer, % |"
for batch in 32 64 128; do
  for oracle in uniform left-right annealed; do
    row "$oracle" train --oracle $oracle --batch-size $batch
  done
done
head_of "Training, small-lstm" " data / roll-in / forward / loss / backward / optimizer, % |"
for oracle in uniform annealed; do
  row "$oracle" train --preset small-lstm --oracle $oracle --batch-size 32
done
head_of "Training by vocabulary" " data / roll-in / forward / loss / backward / optimizer, % |"
for words in 5000 20000 80000; do
  row "$words words" train --vocabulary $words --length 12
done
head_of "Training by length" " data / roll-in / forward / loss / backward / optimizer, % |"
for length in 6 12 24 48; do
  row "length $length" train --length $length
done
head_of "Generation"
for precision in float int8; do
  for batch in 1 64 256; do
    count=$((batch == 1 ? 30 : 2000))
    row "$precision" generate --precision $precision --batch-size $batch -n $count
  done
done
row "float, top-k 40" generate --batch-size 256 -n 2000 --top-k 40
