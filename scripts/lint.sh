#!/bin/sh
# Format and clang-tidy: the core whole, of the rest what has changed since BASE (origin's main, or
# the last commit). Any warning is an error. FILES="…" looks at these alone.
set -eu
jobs=${JOBS:-2}
base=${BASE:-$(git merge-base HEAD origin/main 2> /dev/null || echo HEAD)}
git ls-files '*.cc' '*.h' | xargs clang-format --dry-run -Werror

cmake --preset lint > /dev/null
core='^src/bough/(base|text|tree|oracle|data|metrics|analysis)/'
files=${FILES:-$({
  git ls-files 'src/*.cc' | grep -E "$core"
  git diff --name-only --diff-filter=d "$base" -- 'src/*.cc' 'python/*.cc'
} | sort -u)}
echo "clang-tidy: $(echo "$files" | wc -w) files"
echo "$files" | xargs -n 1 -P "$jobs" clang-tidy -p build-lint --quiet \
  --extra-arg=-Wno-unknown-warning-option --warnings-as-errors='*' 2> build-lint/notes ||
  { echo "lint: see the warnings above" >&2; exit 1; }
echo "lint: nothing to mend"
