#!/bin/sh
# Training on two machines: network namespaces with addresses of their own, a slow link between them,
# and then none. Skipped (77) where namespaces can't be made.
#
#     tests/ranks_network.sh PROGRAM
set -eu
program=$1
one=bough-$$-1
two=bough-$$-2
folder=$(mktemp -d)
clean_up() {
  status=$?
  kill $(jobs -p) 2> /dev/null || true
  for space in $one $two; do ip netns del $space 2> /dev/null || true; done
  rm -rf "$folder"
  exit $status
}
trap clean_up EXIT

if ! ip netns add $one 2> /dev/null; then
  echo "skipped: network namespaces need root and iproute2"
  exit 77
fi
ip netns add $two
ip link add b$$a netns $one type veth peer name b$$b netns $two
ip -n $one addr add 10.77.0.1/24 dev b$$a
ip -n $two addr add 10.77.0.2/24 dev b$$b
for space in $one $two; do ip -n $space link set lo up; done
ip -n $one link set b$$a up
ip -n $two link set b$$b up
slow="without a delay (no netem here)"
tc -n $one qdisc add dev b$$a root netem delay 2ms 2> /dev/null && slow="with a delay"

i=0
while [ $i -lt 60 ]; do
  echo "the $i dog sees a cat on day $((i % 7)) ."
  i=$((i + 1))
done > "$folder/text"

# train SPACE RANK OUT options…
train() {
  space=$1 rank=$2 out=$3
  shift 3
  ip netns exec $space env RANK=$rank WORLD_SIZE=2 MASTER_ADDR=10.77.0.1 MASTER_PORT=29511 \
    "$program" train --train "$folder/text" --out "$folder/$out" --layers 1 --hidden-size 16 \
    --embedding-size 8 --batch-size 8 --samples 0 --threads 1 "$@"
}

"$program" train --train "$folder/text" --out "$folder/here" --layers 1 --hidden-size 16 \
  --embedding-size 8 --batch-size 8 --samples 0 --threads 1 --updates 10 --workers 2 --quiet
train $two 1 nowhere --updates 10 --quiet &
train $one 0 there --updates 10 --quiet
wait $!
cmp "$folder/here/model.safetensors" "$folder/there/model.safetensors"
echo "two machines $slow learn what two processes do"

set -- --updates 1000000 --epochs 1000000 --epoch-updates 20 --rank-timeout 4
train $two 1 nowhere "$@" 2> "$folder/two" &
second=$!
train $one 0 cut "$@" 2> "$folder/one" &
first=$!
tries=0
until grep -q "^info: epoch" "$folder/one"; do
  sleep 0.1
  tries=$((tries + 1))
  [ $tries -lt 600 ] || { cat "$folder/one" "$folder/two"; exit 1; }
done
ip -n $two link set b$$b down
codes=0
wait $first || codes=$?
[ $codes -eq 1 ] || { echo "rank 0 ended with $codes"; cat "$folder/one"; exit 1; }
codes=0
wait $second || codes=$?
[ $codes -eq 1 ] || { echo "rank 1 ended with $codes"; cat "$folder/two"; exit 1; }
grep -q "no sign of life from rank 1 of 2" "$folder/one" || { cat "$folder/one"; exit 1; }
grep -q "no sign of life from rank 0 of 2" "$folder/two" || { cat "$folder/two"; exit 1; }
"$program" train --out "$folder/cut" --resume --max-minutes 0.01 --quiet
echo "without a link both end, and the run can go on"
