#!/bin/sh
# The table of docs/performance.md about busy machines: training and generating, with nothing beside
# it and with one busy process for each core, by how OpenMP's threads wait. Takes about eight minutes.
set -eu
bough=${BOUGH:-build/bough}
repeats=${REPEATS:-5}

# rate SETTING ARGUMENTS…: sentences a second
rate() {
  setting=$1
  shift
  env "$setting" "$bough" bench "$@" --json --quiet | awk '
    /"sentences_per_second"/ { inside = 1 }
    inside && /"median"/ { gsub(/[^0-9.e+-]/, "", $2); print $2; exit }'
}

measure() {
  for setting in GOMP_SPINCOUNT=300000 GOMP_SPINCOUNT=3000 GOMP_SPINCOUNT=1000 \
    OMP_WAIT_POLICY=passive; do
    printf '| %s | `%s` |' "$1" "$setting"
    printf ' %.0f |' "$(rate $setting train --preset small-lstm --oracle annealed \
      --seconds 1.5 --repeats "$repeats")"
    printf ' %.1f |' "$(rate $setting train --oracle annealed --seconds 2 --repeats "$repeats")"
    printf ' %.0f |\n' "$(rate $setting generate --preset small-lstm -n 300 --repeats "$repeats")"
  done
}

echo "| machine | waiting | training, small-lstm | training, paper-lstm | generating, small-lstm |"
echo "|---|---|---|---|---|"
measure idle
busy=""
trap 'kill $busy 2> /dev/null || true' EXIT
for _ in $(seq "$(nproc)"); do
  sha1sum /dev/zero &
  busy="$busy $!"
done
measure busy
