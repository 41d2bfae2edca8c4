#!/bin/bash
# Rows of docs/experiments.md's table of orders: trains translators that differ in how they learn
# their order, and says of each what its sentences cost, in nats, and how well it translates.
#
#     scripts/order_trials.sh DATA OUT NAME…
#
# DATA has train, valid and test as .de and .en; each model goes to OUT/NAME, and a run that was
# stopped goes on. What any of them may gain by is added to a name: left-right-arity+cooled+smoothed.
# Rows after the first are tested against it: p is that of a difference by chance, by randomisation.
# A model of several orders writes in its usual one, and then in all of them, which have to agree.
# UPDATES (6400) and SEED (1) can be set; one thread, so that several can run.
set -eu
bough=${BOUGH:-build/bough}
data=$1 out=$2
shift 2
updates=${UPDATES:-6400} seed=${SEED:-1}

options_of() {
  local end=--end-head sides="--shape arity" tree=--tree-encoding
  case $1 in
    left-right) echo "--oracle left-right $end" ;;
    left-right-arity) echo "--oracle left-right $sides" ;;
    annealed) echo "--oracle annealed $tree $end" ;;
    annealed-arity) echo "--oracle annealed $tree $sides" ;;
    uniform-arity) echo "--oracle uniform $tree $sides" ;;
    uniform-rollin-arity) echo "--oracle annealed $tree $sides --rollin-beta-rate 0" ;;
    from-left-right-arity) echo "--oracle annealed $tree $sides --anneal-from left-right" ;;
    floor-left-right-arity)
      echo "--oracle annealed $tree $sides --anneal-from left-right --beta-floor 0.5" ;;
    content-first-arity) echo "--oracle content-first $tree $sides" ;;
    orders-arity) echo "--orders left-right,annealed $tree $sides" ;;
    orders-content-arity) echo "--orders left-right,content-first $tree $sides" ;;
    orders-ends-arity) echo "--orders left-right,right-left $sides" ;;
    *) echo "no such row: $1" >&2 && exit 2 ;;
  esac
}

# gain_of NAME: the options of one of the common gains.
gain_of() {
  case $1 in
    average) echo "--average 0.999" ;;
    cooled) echo "--cool-down $((updates * 3 / 8))" ;;
    frequent-*) echo "--frequent-words ${1#frequent-}" ;;
    whole) echo "--whole-words" ;;
    smoothed) echo "--label-smoothing 0.1" ;;
    *) echo "no such gain: $1" >&2 && exit 2 ;;
  esac
}

# shellcheck source=scripts/json.sh
. "$(dirname "$0")/json.sh"
# sum NAME: all of the costs by depth of that name together.
sum() { grep -o '"costs".*' | grep -o "\"$1\": *-\?[0-9.e+-]*" | cut -d: -f2 | awk '{ s += $1 } END { print s }'; }

bleu_of() { "$bough" eval "$data/valid.en" -i "$1" -m bleu --quiet | number score; }
# p_of WHAT FILE KIND: of its BLEU being another than that of the first row's file of that kind.
p_of() {
  [ "$name" = "$first" ] && return
  echo "$1 p $("$bough" eval "$data/valid.en" -i "$out/$first$3" --paired "$2" -m bleu --quiet \
    --paired-test randomisation | number p_value_randomisation)"
}

TIMEFORMAT=%U
first=$1
for name in "$@"; do
  model=$out/$name
  mkdir -p "$out"
  options=$(options_of "${name%%+*}")
  for gain in $(echo "$name" | tr + '\n' | tail -n +2); do options="$options $(gain_of "$gain")"; done
  # shellcheck disable=SC2086
  { time "$bough" train --quiet --resume --out "$model" --task translate --policy transformer \
    --source-train "$data/train.de" --train "$data/train.en" \
    --source-valid "$data/valid.de" --valid "$data/valid.en" --valid-limit 500 \
    --tokenizer european --bpe-merges 8000 --max-words 50 \
    --layers 3 --hidden-size 256 --embedding-size 256 --batch-size 32 \
    --learning-rate 8e-4 --lr-schedule inverse-sqrt --warmup 800 \
    --epoch-updates 800 --updates "$updates" --beta-burn-in 1 --beta-rate 0.34 \
    --samples 0 --threads 1 --seed "$seed" $options; } 2>> "$model.seconds"
  minutes=$(awk '/^[0-9.]+$/ { s += $1 } END { printf "%.0f", s / 60 }' "$model.seconds")
  "$bough" translate --quiet --model "$model" -i "$data/valid.de" --format jsonl -o "$model.jsonl" \
    --threads 1
  "$bough" translate --quiet --model "$model" -i "$data/valid.de" -o "$model.en" --threads 1
  "$bough" translate --quiet --model "$model" -i "$data/valid.de" -o "$model.beam.en" --threads 1 \
    --beam-size 8
  orders=$(echo "$options" | sed -n 's/.*--orders \([^ ]*\).*/\1/p')
  agreed=
  if [ -n "$orders" ]; then
    for order in ${orders#*,} "$orders"; do
      "$bough" translate --quiet --model "$model" -i "$data/valid.de" -o "$model.$order.en" \
        --threads 1 --beam-size 8 --order "$order" --rerank agreement
      agreed="$agreed $order agreed $(bleu_of "$model.$order.en") $(p_of agreed "$model.$order.en" .beam.en)"
    done
  fi
  shape=$("$bough" analyze --quiet --traces "$model.jsonl" --tagger none)
  nats=$("$bough" score --quiet --model "$model" --samples 16 --summary --threads 1 \
    --source <(head -n 500 "$data/valid.de") -i <(head -n 500 "$data/valid.en"))
  echo "$name bleu $(bleu_of "$model.en") beam $(bleu_of "$model.beam.en") minutes $minutes" \
    "nats $(echo "$nats" | number logprob | awk '{ printf "%.2f", -$1 / 500 }')" \
    "words $(echo "$nats" | sum words | awk '{ printf "%.2f", $1 / 500 }')" \
    "shape $(echo "$nats" | sum shape | awk '{ printf "%.2f", $1 / 500 }')" \
    "span $(echo "$shape" | number mean_span) depth score $(echo "$shape" | number depth_score)" \
    "$(p_of greedy "$model.en" .en) $(p_of beam "$model.beam.en" .beam.en)$agreed"
done
