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
  "$bough" bench "$@" --repeats "$repeats" --json --quiet | awk -v label="$label" '
    {
      gsub(/[",:]/, "")
      if ($2 == "{") section = $1
      else if ($1 == "}") section = ""
      else value[(section == "" ? "" : section ".") $1] = $2
      if (section == "phases" && $2 != "{") phases = phases (phases == "" ? "" : " / ") int($2 * 100 + 0.5)
    }
    END {
      rate = value["gemm_gflops.onednn"]
      if (value["gemm_gflops.blas"] > rate) rate = value["gemm_gflops.blas"]
      printf "| %s | %d | %.4g (%.4g … %.4g) | %.0f | %.0f | %.0f | %.2f | %d |", label,
        value["batch_size"], value["sentences_per_second.median"], value["sentences_per_second.low"],
        value["sentences_per_second.high"], value["steps_per_second.median"], value["gflops.median"],
        rate, value["gemm_share"], value["peak_memory_mb"]
      print (phases == "" ? "" : " " phases " |")
    }'
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

printf '\n### Translation\n\n'
"$bough" bench translate --repeats "$repeats" --quiet

printf '\n### Growth\n\n'
"$bough" bench growth -o docs --repeats "$repeats" --quiet

printf '\n### Evaluation\n\n'
"$bough" bench eval --pairs 100000 --repeats "$repeats" --quiet
