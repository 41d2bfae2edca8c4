#!/bin/sh
# `make results-quick` with two updates a recipe: each recipe trains, is evaluated and stands on the
# page; a second call makes nothing again; recorded figures fill the page, and are what is expected of
# a row that is made again; what does not fit is refused. The figures in recipes/ make docs/results.md.
#
#     tests/results.sh RESULTS.PY FOLDER
set -eu
results=$1 folder=$2
recipes=$(dirname "$results")/../recipes
page=$folder/results.md
rm -rf "$folder"
run() { BOUGH=$BOUGH_PROGRAM python3 "$results" --quick --out "$folder" --page "$page" --lines 8 "$@"; }
fail() { echo "$*" && exit 1; }

run --updates 2 --jobs 2
for recipe in "$recipes"/*.toml; do
  grep -q "recipes/$(basename "$recipe"))" "$page" || fail "the page lacks $recipe"
done
for heading in "What the paper claims" "Unconditional samples" "Completion" "Samples by top-k" \
  "Word reordering" "Translation" "Likelihood" "Trees" "Entropy by depth" "Parts of speech by depth" \
  "What it cost"; do
  grep -qx "## $heading" "$page" || fail "the page lacks '$heading'"
done
grep -q '(46.3)' "$page" || fail "the page lacks the paper's figures"

run --updates 2 2> "$folder/again.txt"
! grep training "$folder/again.txt" || fail "a run that was finished is made again"
run --updates 2 --rows lm-uniform --seeds 1,2
grep -q ' ± ' "$page" || fail "two seeds have no standard deviation"

recorded=$folder/recorded
run --updates 2 --rows lm-uniform --recorded "$recorded" --record
test -f "$recorded/lm-uniform-seed-2.json" || fail "--record keeps no figures"
other() { run --updates 2 --rows lm-uniform --recorded "$recorded" --out "$folder/other"; }
other
grep -q 'reordering | left-right' "$page" || fail "the page lacks what is recorded"
grep -q 'language model | uniform | all .* as expected' "$page" || fail "the same is a surprise"
sed -i 's/"novel": [0-9.]*/"novel": 9999.0/' "$folder/other/lm-uniform/seed-1.json"
! other 2> "$folder/surprise.txt" || fail "other figures are no surprise"
grep -q 'lm-uniform is not as expected: samples, sampled, novel, %: 9999.0' "$folder/surprise.txt" ||
  fail "it doesn't say what is a surprise"
sed -i 's/"updates": 2/"updates": 5/' "$recorded/lm-uniform-seed-1.json"
! other 2> "$folder/refused.txt" || fail "figures of another recipe are taken"
grep -q "recorded of another recipe" "$folder/refused.txt" || fail "it doesn't say whose figures"

docs=$recipes/../docs/results.md
python3 "$results" --bough "$BOUGH_PROGRAM" --page-only --out "$folder/none" --page "$folder/docs/results.md"
# Links are as long as the way to the recipes, and lines are wrapped after them.
words() { sed 's#([^ )]*recipes#(recipes#' "$1" | tr -s ' \n' '\n'; }
words "$docs" > "$folder/is.txt"
words "$folder/docs/results.md" | diff - "$folder/is.txt" || fail "docs/results.md is old: make results PAGE=1"

! run --updates 3 --rows lm-uniform 2> "$folder/refused.txt" || fail "figures of other updates are taken"
grep -q "remove '" "$folder/refused.txt" || fail "it doesn't say what to do"
! run --updates 2 --rows lm-best 2> "$folder/refused.txt" || fail "a recipe that isn't there is taken"
grep -q "there are: lm-" "$folder/refused.txt" || fail "it doesn't say which recipes there are"
