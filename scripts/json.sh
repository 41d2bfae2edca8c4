# What scripts read of bough's JSON; to be sourced.

# number NAME: the first number of that name (null is none).
number() { grep -o "\"$1\": *-\?[0-9.e+-]\+" | head -n 1 | sed 's/.*: *//'; }
