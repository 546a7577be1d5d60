#!/usr/bin/env bash
# The story of the product on the real operator: a batch that is wrong now and then, one checked run that names the
# pair, its witness, the cause, a proven patch, and the repaired operator. usage: tools/demo.sh BUILD_FOLDER.
# Exit 0 if every step ended as the story says, else 1.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bin=${1:-build}/bin
cases=ops/fused_linear_cross_entropy/cases
bold=$'\e[1m' plain=$'\e[0m'
{ [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; } || { bold= plain=; }
wrong=0

step() { printf '\n%s== %s%s\n' "$bold" "$1" "$plain"; }
# run EXPECTED_EXIT COMMAND...
run() {
  local expected=$1; shift
  printf '%s$ %s%s\n\n' "$bold" "$*" "$plain"
  "$@"
  local code=$?
  [ "$code" = "$expected" ] && return
  printf '\ndemo: exit code %s, the story expects %s\n' "$code" "$expected"
  wrong=1
}

step "1. fused_linear_online_max_sum without one barrier, 10 runs a case: predicted_logits_local is flaky, the rest is right"
run 1 "$bin/flce_batch" --variant missing_sync --cases "$cases/smoke.toml" --schedule random --repeat 10 --progress none

step "2. one checked run of the same operator, in a schedule in which every number comes out right: the cause is named all the same"
run 1 "$bin/ascsan" run "$bin/flce_batch" --variant missing_sync --cases "$cases/smoke.toml" --schedule in_order --progress none

step "3. why: the experiments by which a team looks for such a fault, made by the machine"
run 1 "$bin/ascsan" diagnose "$bin/flce_batch" --variant missing_sync --cases "$cases/smoke.toml" --schedule in_order --progress none

step "4. the cure: written into a copy, compiled, and proven on the witness and 32 adversarial schedules"
found=$("$bin/ascsan" run --out json=- "$bin/flce_batch" --variant missing_sync --cases "$cases/smoke.toml" --schedule in_order --progress none 2>/dev/null |
  sed -n 's/^ *"id": "\(ASC[^"]*\)".*/\1/p' | head -n 1)
run 0 "$bin/ascsan" fix "$found" "$bin/flce_batch" --variant missing_sync --cases "$cases/smoke.toml" --schedule in_order --progress none

step "5. the shipped operator, with SyncAll<false>() between TargetProcess and CVProcess, checked under random schedules"
run 0 "$bin/ascsan" run "$bin/flce_batch" --variant shipped --cases "$cases/smoke.toml" --schedule random --repeat 5 --progress none

[ "$wrong" = 0 ] || exit 1
printf '\n%sThe demo went as the story says.%s Next: build/bin/ascsan run ./your_test\n' "$bold" "$plain"
