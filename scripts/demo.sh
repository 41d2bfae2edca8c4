#!/bin/sh
# The demo: WordNet's example sentences → a small annealed model → sentences, their trees, a
# report.
set -eu
bough=${BOUGH:-build/bough}
minutes=${DEMO_MINUTES:-2}
updates=${DEMO_UPDATES:-100}
folder=demo

echo "== WordNet's example sentences"
"$bough" data wordnet --lowercase --out "$folder/wordnet" --force

echo "== training for $minutes minutes"
"$bough" train --task lm --oracle annealed \
  --train "$folder/wordnet/train.txt" --valid "$folder/wordnet/valid.txt" --valid-limit 500 \
  --out "$folder/model" --force \
  --layers 1 --hidden-size 256 --embedding-size 128 --max-vocab 5000 \
  --batch-size 64 --learning-rate 3e-3 --lr-factor 0.6 --lr-every 6 \
  --epoch-updates "$updates" --beta-rate 0.1 --max-minutes "$minutes"

echo
echo "== ten sentences"
"$bough" generate --model "$folder/model" -n 10 --temperature 0.8 --quiet
echo
echo "== 1,000 sentences beside real ones: how novel, how varied, how alike"
"$bough" generate --model "$folder/model" -n 1000 --format jsonl -o "$folder/samples.jsonl" --quiet
"$bough" eval samples --samples "$folder/samples.jsonl" --train "$folder/wordnet/train.txt" \
  --reference "$folder/wordnet/valid.txt" --lowercase --format text
echo
echo "== three trees: a row for each depth; read the words from left to right"
"$bough" generate --model "$folder/model" -n 3 --seed 7 --temperature 0.8 --format tree --quiet
echo "== a report: the order in which it writes"
"$bough" analyze --model "$folder/model" -n 1000 --report "$folder/report.html" \
  --title "Trees of WordNet's sentences" --train "$folder/wordnet/train.txt" \
  --valid "$folder/wordnet/valid.txt" -o "$folder/analysis.json" --quiet
cat << END
Open $folder/report.html in a browser; its numbers are in $folder/analysis.json.

== next
The model is in $folder/model; two minutes teach it words and a little grammar. Try
  $bough info --model $folder/model
  $bough generate --model $folder/model -n 20 --top-k 20 --format jsonl
  $bough train --help
  make demo DEMO_MINUTES=20
END
