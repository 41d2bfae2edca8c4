#!/bin/sh
# `make results-quick` with two updates a recipe: each recipe trains, is evaluated and stands on the
# page; a second call makes nothing again; what does not fit is refused.
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
  "What it cost" "As expected"; do
  grep -qx "## $heading" "$page" || fail "the page lacks '$heading'"
done
grep -q '(46.3)' "$page" || fail "the page lacks the paper's figures"

run --updates 2 2> "$folder/again.txt"
! grep training "$folder/again.txt" || fail "a run that was finished is made again"
run --updates 2 --rows lm-uniform --seeds 1,2
grep -q ' ± ' "$page" || fail "two seeds have no standard deviation"

! run --updates 3 --rows lm-uniform 2> "$folder/refused.txt" || fail "figures of other updates are taken"
grep -q "remove '" "$folder/refused.txt" || fail "it doesn't say what to do"
! run --updates 2 --rows lm-best 2> "$folder/refused.txt" || fail "a recipe that isn't there is taken"
grep -q "there are: lm-" "$folder/refused.txt" || fail "it doesn't say which recipes there are"
