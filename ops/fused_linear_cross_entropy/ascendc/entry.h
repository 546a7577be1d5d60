// Declarations of the kernel entries, for host code that launches them. Argument order: input, weight, target, the six
// outputs, workspace, tiling data (FusedLinearOnlineMaxSumTiling).
#pragma once

#include <cstdint>

#include "ascendc/qualifiers.h"

extern "C" __global__ __aicore__ void fused_linear_online_max_sum(GM_ADDR input, GM_ADDR weight, GM_ADDR target,
                                                                  GM_ADDR logits_max, GM_ADDR sum_exp_logits,
                                                                  GM_ADDR predicted_logits, GM_ADDR target_mask,
                                                                  GM_ADDR masked_target, GM_ADDR vocab_parallel_logits,
                                                                  GM_ADDR workspace, GM_ADDR tiling);

/// The same without the barrier between TargetProcess and CVProcess.
extern "C" __global__ __aicore__ void fused_linear_online_max_sum_missing_sync(
    GM_ADDR input, GM_ADDR weight, GM_ADDR target, GM_ADDR logits_max, GM_ADDR sum_exp_logits, GM_ADDR predicted_logits,
    GM_ADDR target_mask, GM_ADDR masked_target, GM_ADDR vocab_parallel_logits, GM_ADDR workspace, GM_ADDR tiling);
