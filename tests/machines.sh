#!/bin/sh
# The neural tests as other machines would run them: with lesser instruction sets, other kernels of
# the BLAS, one thread and two.
#
#     tests/machines.sh [--short] NN_TESTS [CLI_TESTS]
#
# SEEDS ("1 2 3 4 5") are those of the tiny models that tests train, on one thread; on two there is
# one. --short takes two machines and no trainings. Machines that this processor can't act are passed
# over; ONLY=avx2 takes those with these kernels alone, THREADS=2 those with two threads.
set -u
short=0
[ "$1" = --short ] && { short=1; shift; }
nn_tests=$1
cli_tests=${2:-}
seeds=${SEEDS:-1 2 3 4 5}
only=${ONLY:-}
logs=${TMPDIR:-/tmp}/bough-machines.$$
mkdir -p "$logs"
passed=0
failed=0

# Tests of our own kernels, or of promises that LibTorch's operators don't make.
not_plain='Kernels*:Int8*:Trainer.*'
# What is asked of models that were trained for it.
learned='Trainer.Learns*:Trainer.Writes*'
used='Train.EveryOracle*:Plain.*:Generate.Greedy*:Generate.Temp*:Generate.Bounds*:Generate.ALeft*'
used="$used:Generate.TheSame*:Reorder.Learns*:Reorder.IsJudged*:Translate.IsJudged*:Translate.ByAn*"

can() { # MACHINE'S BLAS: whether this processor has its instructions
  case $1 in
    SkylakeX) grep -qw avx512vl /proc/cpuinfo ;;
    Haswell | Zen) grep -qw avx2 /proc/cpuinfo ;;
  esac
}

# try NAME PROGRAM FILTER SETTINGS…
try() {
  what=$1 program=$2 filter=$3
  shift 3
  log=$logs/log
  if env "$@" "$program" --gtest_brief=1 "--gtest_filter=$filter" > "$log" 2>&1; then
    passed=$((passed + 1))
    echo "passed: $what: $(sed -n 's/^\[  PASSED  \] //p' "$log")"
  else
    failed=$((failed + 1))
    echo "FAILED: $what: env $* $program --gtest_filter='$filter'"
    grep -v '^Running main' "$log" | cut -c1-400 | head -60
  fi
}

# machine KERNELS oneDNN's BLAS LibTorch's THREADS
machine() {
  kernels=$1 onednn=$2 blas=$3 torch=$4 threads=$5
  name="$kernels kernels, oneDNN $onednn, BLAS $blas, LibTorch $torch, $threads threads"
  [ -z "$only" ] || [ "$only" = "$kernels" ] || return
  can "$blas" || { echo "passed over: $name: this processor can't"; return; }
  set -- "BOUGH_KERNELS=$kernels" "DNNL_MAX_CPU_ISA=$onednn" "OPENBLAS_CORETYPE=$blas" \
    "ATEN_CPU_CAPABILITY=$torch" "OMP_NUM_THREADS=$threads" "OMP_WAIT_POLICY=passive"
  all='*'
  [ "$kernels" = plain ] && all="-$not_plain"
  if [ "$short" = 1 ]; then
    [ "$kernels" = plain ] || all='-Trainer.*'
    try "$name" "$nn_tests" "$all" "$@"
    return
  fi
  try "$name" "$nn_tests" "$all" "$@"
  [ "$kernels" = plain ] && return
  own_seeds=$seeds
  [ "$threads" = 1 ] || own_seeds=${seeds%% *}
  for seed in $own_seeds; do
    try "$name, seed $seed" "$nn_tests" "$learned" "$@" "BOUGH_TEST_SEED=$seed"
    [ -z "$cli_tests" ] ||
      try "$name, seed $seed" "$cli_tests" "$used" "$@" "BOUGH_TEST_SEED=$seed"
  done
}

if [ "$short" = 1 ]; then
  machine base SSE41 Haswell default 1
  machine plain AVX2 Zen avx2 2
else
  for threads in ${THREADS:-1 2}; do
    machine base SSE41 Haswell default $threads
    machine avx2 AVX2 Haswell avx2 $threads
    machine avx2 AVX2 Zen avx2 $threads
    machine avx512 AVX512_CORE SkylakeX avx2 $threads
    machine plain SSE41 Haswell default $threads
    machine plain AVX2 Zen avx2 $threads
    machine plain AVX512_CORE SkylakeX avx2 $threads
  done
fi
rm -rf "$logs"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
