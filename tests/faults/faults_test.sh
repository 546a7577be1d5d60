#!/usr/bin/env bash
# usage: faults_test.sh ASCSAN FAULTY SOURCE. Every way a kernel can die or misbehave: exit code, place, nothing lost.
set -u
ascsan=$1 faulty=$2 source=$3
failures=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset ASCSAN_OPTIONS

line_of() { grep -n "// LINE $1\$" "$source" | cut -d: -f1; }
fail() { echo "FAIL $1"; sed 's/^/    /' "$work/out" "$work/err"; failures=$((failures + 1)); }

# check NAME EXPECTED_EXIT PATTERN [options...]: through `ascsan run`
check() {
  local name=$1 expected=$2 pattern=$3; shift 3
  timeout 60 "$ascsan" run "$@" --out "json=$work/$name.json" "$faulty" "$name" >"$work/out" 2>"$work/err"
  local code=$?
  [ "$code" = "$expected" ] || { fail "$name: exit $code, expected $expected"; return; }
  tr -s '\n ' ' ' <"$work/err" | grep -Eq "$pattern" || { fail "$name: no line matches $pattern"; return; }
  grep -q "^before the kernel" "$work/out" || { fail "$name: the program's own output is lost"; return; }
  [ -s "$work/$name.json" ] || { fail "$name: no JSON"; return; }
  echo "ok   $name: exit $code"
}

check clean   0 'clean|0 errors'
check null    4 "AIV 1 of null_kernel: .*null pointer.*:$(line_of null) "
check divide  4 "division by zero.*:$(line_of divide) "
check stack   4 "stack overflow.*faulty.cpp:"
check trap    4 "AIV 0 stopped at .*zero is 0"
check hang    1 "ASC5001.*|CrossCoreWaitFlag\\(4\\)" 
check outside 1 "256 bytes past the end of x \\(256 bytes\\)"
check big     5 "block_dim of kernel clean_kernel is 4000"
check loop    5 "runs without end.*:$(line_of loop) " --hang-seconds 1
check endless 5 "given up after 20000 steps" --max-steps 20000 --schedule random
check host    4 'SIGABRT|signal 6'
check status  4 'exit status 7|status 7'

# The same programs alone: report on stderr, status of their own or the verdict's.
alone() {
  local name=$1 expected=$2 pattern=$3
  ASCSAN_OPTIONS=${4:-} timeout 60 "$faulty" "$name" >"$work/out" 2>"$work/err"
  local code=$?
  [ "$code" = "$expected" ] || { fail "alone $name: exit $code, expected $expected"; return; }
  grep -Eq "$pattern" "$work/err" || [ -z "$pattern" ] || { fail "alone $name: no line matches $pattern"; return; }
  echo "ok   alone $name: exit $code"
}
alone clean   0   ''
alone status  7   ''
alone outside 1   '256 bytes past the end of x'
alone hang    1   'CrossCoreWaitFlag\(4\)'
alone null    139 'null pointer'
alone clean   2   "nearest|did you mean|unknown option" "schedul=random"

[ "$failures" = 0 ] || { echo "$failures failed"; exit 1; }
