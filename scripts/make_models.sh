#!/bin/bash
# Makes the models that come with bough: trains the recipes of recipes/models on Tatoeba's
# German-English pairs, writes them to models/ in int8, and says on each card how good they are
# before and after.
#
#     scripts/make_models.sh TATOEBA [NAME…]
#
# TATOEBA is a folder with train, valid and test as .de and .en (docs/models.md says where they are
# from). Training goes on where it stopped, in build/models/NAME; hours of one core.
set -eu
bough=${BOUGH:-build/bough}
data=$1
shift
[ $# -gt 0 ] || set -- english order german-english

# shellcheck source=scripts/json.sh
. "$(dirname "$0")/json.sh"
rounded() { awk -v digits="$1" '{ printf "%." digits "f\n", $1 }'; }

source_of() {
  if [ "$1" = german-english ]; then echo "--source-train $data/train.de --source-valid $data/valid.de"; fi
}

# What keeps a model below 6 MB: `order` has two vectors a word.
small() { if [ "$1" = order ]; then echo "--max-vocab 5300"; fi; }

# Figures of a folder: a line each, `what it is|value`.
figures_english() {
  "$bough" generate --model "$1" -n 1000 --format jsonl -o "$1.samples.jsonl" --quiet
  local samples
  samples=$("$bough" eval samples --samples "$1.samples.jsonl" --train "$data/train.en" \
    --reference "$data/valid.en" --tokenizer european --quiet)
  echo "BLEU-4 of 1,000 samples against the validation sentences|$(echo "$samples" | number bleu-4 | rounded 3)"
  echo "of them not in the training data, in %|$(echo "$samples" | number novel | rounded 1)"
  echo "perplexity a word, 3,000 test sentences|$("$bough" score --model "$1" -i "$data/test.en" \
    --samples 16 --summary --quiet | number perplexity | rounded 1)"
}
figures_order() {
  "$bough" reorder --model "$1" --exact -i "$data/test.en" -o "$1.out" --quiet
  local scores
  scores=$("$bough" eval "$data/test.en" -i "$1.out" -m bleu em --quiet)
  echo "exact match, 3,000 test sentences, \`--exact\`|$(echo "$scores" | grep -A1 '"EM"' | number score | rounded 3)"
  echo "BLEU of the same|$(echo "$scores" | number score | rounded 1)"
}
figures_german_english() {
  local way
  for way in "" "--beam-size 5"; do
    # shellcheck disable=SC2086
    "$bough" translate --model "$1" $way -i "$data/test.de" -o "$1.out" --quiet
    echo "BLEU, 3,000 test sentences, \`${way:-greedy}\`|$("$bough" eval "$data/test.en" -i "$1.out" \
      -m bleu --quiet | number score | rounded 1)"
  done
}

title_of() {
  case $1 in
    english) echo "Writes, completes and scores everyday English sentences" ;;
    order) echo "Puts bags of English words in order" ;;
    german-english) echo "Translates everyday German sentences into English" ;;
  esac
}

for name in "$@"; do
  trained=build/models/$name
  mkdir -p build/models
  # shellcheck disable=SC2046
  "$bough" train -c "recipes/models/$name.toml" --train "$data/train.en" --valid "$data/valid.en" \
    $(source_of "$name") --out "$trained" --resume
  settings=recipes/models/$name.generation.json
  [ ! -f "$settings" ] || cp "$settings" "$trained/generation.json"
  # shellcheck disable=SC2046
  "$bough" export --model "$trained" --precision int8 $(small "$name") --out "models/$name" --force
  "figures_${name//-/_}" "$trained" > "$trained.figures"
  rm -rf "$trained.int8"
  cp -r "models/$name" "$trained.int8"
  "figures_${name//-/_}" "$trained.int8" | cut -d'|' -f2 > "$trained.int8.figures"
  rm -r "$trained.int8"
  {
    echo "# $(title_of "$name")"
    echo
    grep '^- ' "models/$name/README.md" | grep -v '^- licence'
    echo "- vocabulary in this folder: $(wc -l < "models/$name/vocab.txt")"
    echo "- recipe: recipes/models/$name.toml, by scripts/make_models.sh"
    echo "- data: Tatoeba's German-English sentence pairs (https://tatoeba.org), as collected at" \
      "https://www.manythings.org/anki/; CC BY 2.0 FR; none of the sentences are in this folder"
    echo "- licence: Apache-2.0, with the attribution above"
    echo
    echo "| | trained (float) | this folder (int8) |"
    echo "|---|---|---|"
    paste -d'|' "$trained.figures" "$trained.int8.figures" | sed 's/|/ | /g; s/^/| /; s/$/ |/'
  } > "models/$name/README.md.new"
  mv "models/$name/README.md.new" "models/$name/README.md"
done
