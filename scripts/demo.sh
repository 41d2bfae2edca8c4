#!/bin/sh
# The demo: what the shipped models do, then a small model of WordNet's example sentences, trained
# here and now, and a report that compares the two.
set -eu
bough=${BOUGH:-build/bough}
minutes=${DEMO_MINUTES:-2}
updates=${DEMO_UPDATES:-100}
folder=demo

# run COMMAND…: shows it, then what it says. Words that need quotes get them.
run() {
  printf '$ bough'
  for word; do
    case $word in
      *[!-A-Za-z0-9_./=]*) printf " '%s'" "$word" ;;
      *) printf ' %s' "$word" ;;
    esac
  done
  echo
  "$bough" "$@" --quiet
  echo
}

# ask LINES COMMAND…: shows the lines, then what the command makes of them.
ask() {
  lines=$1
  shift
  printf '%s\n' "$lines" | sed 's/^/< /'
  printf '%s\n' "$lines" | run "$@"
}

echo "== the models that come with bough"
"$bough" info --list
echo
echo "== ten sentences, and two with the trees that they grew as"
run generate --model english -n 10
run generate --model english -n 2 --seed 5 --min-length 7 --format tree
echo "== sentences around what is given"
ask "___ favorite ___ .
Why don't you ___ tomorrow?
Tom <blank:1-4> because he was ___ ." complete --model english
run complete --model english --must coffee,morning --length 9 --beam-size 8
echo "== a bag of words in order"
ask 'guitar . to the I play learn want to' reorder --model order --exact
echo "== three translations"
ask 'Wie geht es dir heute?
Ich habe keine Zeit, mit dir zu sprechen.
Der Zug fährt um acht Uhr ab.' translate --model german-english --beam-size 5
echo "== how likely sentences are: perplexity, log-probability"
ask 'I have to go to work now.
I go now to have work to.' score --model english --format text

echo "== training on WordNet's example sentences for $minutes minutes, to see how it is done"
"$bough" data wordnet --lowercase --out "$folder/wordnet" --force
"$bough" train --task lm --oracle annealed \
  --train "$folder/wordnet/train.txt" --valid "$folder/wordnet/valid.txt" --valid-limit 500 \
  --out "$folder/wordnet-model" --force \
  --layers 1 --hidden-size 256 --embedding-size 128 --max-vocab 5000 \
  --batch-size 64 --learning-rate 3e-3 --lr-factor 0.6 --lr-every 6 \
  --epoch-updates "$updates" --beta-rate 0.1 --max-minutes "$minutes"
echo
echo "== what $minutes minutes teach: some words, little grammar"
run generate --model "$folder/wordnet-model" -n 5 --temperature 0.8
echo "== 1,000 of its sentences beside real ones: how novel, how varied, how alike"
"$bough" generate --model "$folder/wordnet-model" -n 1000 --format jsonl -o "$folder/samples.jsonl" \
  --quiet
"$bough" eval samples --samples "$folder/samples.jsonl" --train "$folder/wordnet/train.txt" \
  --reference "$folder/wordnet/valid.txt" --lowercase --format text
echo
echo "== a report: the orders in which both write"
"$bough" analyze --model english --model "$folder/wordnet-model" -n 1000 \
  --report "$folder/report.html" --title "Two models and their trees" \
  -o "$folder/analysis.json" --quiet
cat << END
Open $folder/report.html in a browser; its numbers are in $folder/analysis.json.

== next
  $bough generate --model english -n 20 --temperature 0.8
  $bough complete --model english --help
  $bough train --help
  make demo DEMO_MINUTES=20
docs/models.md says how the models were made and how good they are.
END
