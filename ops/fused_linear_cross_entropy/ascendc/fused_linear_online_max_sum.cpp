// Entry points of the kernel: choose the types by the tiling key and run the stages.
// fused_linear_online_max_sum is the operator; the second entry is the same class without the barrier between
// TargetProcess and CVProcess. Launch: blockDim of the tiling, MIX 1:2, all blocks resident together (spec/operators.md
// 6).
#include "fused_linear_cross_entropy/ascendc/fused_linear_online_max_sum.h"

#include "fused_linear_cross_entropy/ascendc/entry.h"

namespace flce::ascendc {

template <typename InputT, typename TargetT, bool kMissingSync>
__aicore__ inline void run_online_max_sum(const FusedLinearOnlineMaxSumTiling& tiling, GM_ADDR input, GM_ADDR weight,
                                          GM_ADDR target, GM_ADDR logits_max, GM_ADDR sum_exp_logits,
                                          GM_ADDR predicted_logits, GM_ADDR target_mask, GM_ADDR masked_target,
                                          GM_ADDR vocab_parallel_logits, GM_ADDR workspace) {
  FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync> op(tiling);
  op.Init(input, weight, target, logits_max, sum_exp_logits, predicted_logits, target_mask, masked_target,
          vocab_parallel_logits, workspace);
  op.Process();
}

}  // namespace flce::ascendc

#define FLCE_RUN(InputT, TargetT, missing_sync)                                                                    \
  flce::ascendc::run_online_max_sum<InputT, TargetT, missing_sync>(tiling_data, input, weight, target, logits_max, \
                                                                   sum_exp_logits, predicted_logits, target_mask,  \
                                                                   masked_target, vocab_parallel_logits, workspace)

extern "C" __global__ __aicore__ void fused_linear_online_max_sum(GM_ADDR input, GM_ADDR weight, GM_ADDR target,
                                                                  GM_ADDR logits_max, GM_ADDR sum_exp_logits,
                                                                  GM_ADDR predicted_logits, GM_ADDR target_mask,
                                                                  GM_ADDR masked_target, GM_ADDR vocab_parallel_logits,
                                                                  GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  GET_TILING_DATA_WITH_STRUCT(flce::ascendc::FusedLinearOnlineMaxSumTiling, tiling_data, tiling);
  if (TILING_KEY_IS(flce::ascendc::kKeyHalfInt32))
    FLCE_RUN(half, int32_t, false);
  else if (TILING_KEY_IS(flce::ascendc::kKeyHalfInt64))
    FLCE_RUN(half, int64_t, false);
  else if (TILING_KEY_IS(flce::ascendc::kKeyBfloat16Int32))
    FLCE_RUN(bfloat16_t, int32_t, false);
  else if (TILING_KEY_IS(flce::ascendc::kKeyBfloat16Int64))
    FLCE_RUN(bfloat16_t, int64_t, false);
}

extern "C" __global__ __aicore__ void fused_linear_online_max_sum_missing_sync(
    GM_ADDR input, GM_ADDR weight, GM_ADDR target, GM_ADDR logits_max, GM_ADDR sum_exp_logits, GM_ADDR predicted_logits,
    GM_ADDR target_mask, GM_ADDR masked_target, GM_ADDR vocab_parallel_logits, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  GET_TILING_DATA_WITH_STRUCT(flce::ascendc::FusedLinearOnlineMaxSumTiling, tiling_data, tiling);
  if (TILING_KEY_IS(flce::ascendc::kKeyHalfInt32))
    FLCE_RUN(half, int32_t, true);
  else if (TILING_KEY_IS(flce::ascendc::kKeyHalfInt64))
    FLCE_RUN(half, int64_t, true);
  else if (TILING_KEY_IS(flce::ascendc::kKeyBfloat16Int32))
    FLCE_RUN(bfloat16_t, int32_t, true);
  else if (TILING_KEY_IS(flce::ascendc::kKeyBfloat16Int64))
    FLCE_RUN(bfloat16_t, int64_t, true);
}
