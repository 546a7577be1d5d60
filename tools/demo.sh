#!/usr/bin/env bash
# usage: tools/demo.sh [BUILD_FOLDER]. The story in four steps: a kernel that is wrong in some runs only, the one checked run that
# says why, the shipped kernel under the same schedules, and its clean verdict. Every step checks what it claims.
set -euo pipefail
folder=${1:-build}
batch=$folder/bin/flce_batch
ascsan=$folder/bin/ascsan
case=smoke/head
unset ASCSAN_OPTIONS
log=$(mktemp)
trap 'rm -f "$log"' EXIT

bold() { if [ -t 1 ] && [ -z "${NO_COLOR-}" ]; then printf '\n\033[1m%s\033[0m\n' "$*"; else printf '\n%s\n' "$*"; fi; }

# step EXPECTED_EXIT COMMAND...: shows the command, runs it, insists on its exit code.
step() {
  local expected=$1 code=0
  shift
  printf '$ %s\n' "$*"
  "$@" 2>&1 | tee "$log" || true
  code=${PIPESTATUS[0]}
  [ "$code" = "$expected" ] || { printf 'demo: exit code %s, expected %s\n' "$code" "$expected"; exit 70; }
}

bold "1. Without its barrier the kernel gives right numbers in some runs, wrong ones in others"
step 1 "$batch" --variant missing_sync --filter "$case" --schedule in_order,random --seeds 1..8 --progress none

bold "2. One checked run says why: the two lines, the bytes, the missing link"
step 1 "$ascsan" run "$batch" --variant missing_sync --filter "$case" --schedule in_order --progress none
grep -q 'ASC1101' "$log" || { echo "demo: the report does not name the race between cores"; exit 70; }

bold "3. The shipped kernel has the barrier: right in every run"
step 0 "$batch" --variant shipped --filter "$case" --schedule in_order,random --seeds 1..8 --progress none

bold "4. And its checked run is clean"
step 0 "$ascsan" run "$batch" --variant shipped --filter "$case" --schedule in_order --progress none

bold "Next: docs/guide.md, or ascsan run ./your_test"
