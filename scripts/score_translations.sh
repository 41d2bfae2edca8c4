#!/bin/sh
# A row of docs/experiments.md's tables of translations: BLEU with its brevity penalty, chrF, RIBES,
# METEOR and YiSi-0 of what a model makes of a file.
#
#     scripts/score_translations.sh SOURCE REFERENCE MODEL [options of bough translate…]
set -eu
bough=${BOUGH:-build/bough}
source=$1 reference=$2 model=$3
shift 3
translated=$(mktemp)
trap 'rm -f "$translated"' EXIT
"$bough" translate --quiet --model "$model" -i "$source" -o "$translated" "$@"
"$bough" eval "$reference" -i "$translated" -m bleu chrf ribes meteor yisi0 --format text --quiet |
  awk -F ' = ' '
    /^BLEU/ { split($2, part, " "); bleu = part[1]; split($3, penalty, " "); bp = penalty[1] }
    /^chrF/ { chrf = $2 }
    /^RIBES/ { ribes = $2 }
    /^METEOR/ { split($2, part, " "); meteor = part[1] }
    /^YiSi/ { yisi = $2 }
    END { printf "%.1f (%.2f) | %.1f | %.3f | %.3f | %.3f\n", bleu, bp, chrf, ribes, meteor, yisi }'
