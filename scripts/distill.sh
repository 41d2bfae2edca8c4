#!/bin/sh
# Distillation: a folder like DATA whose training targets are a model's own translations, which are more
# alike than people's, for another model to learn from. The validation and test parts stay people's.
#
#     scripts/distill.sh MODEL DATA OUT [option of bough translate…]
#
# DATA has train, valid and test as .de and .en. LINES=N takes N training sentences, drawn by a fixed
# seed; options may be `--beam-size 4`. What is there isn't made again.
set -eu
bough=${BOUGH:-build/bough}
model=$1 data=$2 out=$3
shift 3
lines=${LINES:-$(wc -l < "$data/train.de")}
mkdir -p "$out"
for part in valid test; do cp "$data/$part.de" "$data/$part.en" "$out"; done
[ ! -f "$out/train.en" ] || exit 0  # whole, and of the train.de beside it
shuf -n "$lines" --random-source="$data/train.en" "$data/train.de" > "$out/train.de"
"$bough" translate --quiet --model "$model" -i "$out/train.de" -o "$out/train.en" --batch-size 256 "$@"
