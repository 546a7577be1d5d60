// Stage 4 of fused_linear_online_max_sum: the partial max and sum of all blocks become those of the row, and predicted
// becomes relative to the max. A merge over the matrix cores of one device; no rank talks to another here.
// Rules: spec/operators.md 6.3 point 7 and 6.8. Partials lie in rows of 64 lanes, one per block, so "over the blocks"
// is a repeat over rows, summed in ascending order: the result is the same in every run. Included by
// fused_linear_online_max_sum.h.
#pragma once

#include "fused_linear_cross_entropy/ascendc/fused_linear_online_max_sum.h"

namespace flce::ascendc {

inline constexpr uint32_t kVectorBlocks = kRowVectorBytes / 32;  ///< 32-byte blocks of one row of 64 lanes

/// The buffers of the earlier stages are given up: the barrier before this stage has drained them.
template <typename InputT, typename TargetT, bool kMissingSync>
__aicore__ inline void FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync>::InitMergeBuffers() {
  constexpr uint32_t kBuffers = 2;
  pipe_.Reset();
  const uint32_t parts = tiling_.cube_cores * kRowVectorBytes;
  pipe_.InitBuffer(mergeInQue_, kBuffers, 2 * parts + kRowVectorBytes + kMergeTurnRows * sizeof(TargetT));
  pipe_.InitBuffer(mergeOutQue_, kBuffers, 3 * kRowVectorBytes);
  // max, safe max, sum, poison, work, local; low, high, clamped; pair offsets; owned, in-range and two compare masks
  pipe_.InitBuffer(mergeBuf_, 10 * kRowVectorBytes + 4 * 32);
  mergeMax_ = mergeBuf_.GetWithOffset<float>(kLanes, 0);
  mergeSafeMax_ = mergeBuf_.GetWithOffset<float>(kLanes, kRowVectorBytes);
  mergeSum_ = mergeBuf_.GetWithOffset<float>(kLanes, 2 * kRowVectorBytes);
  mergePoison_ = mergeBuf_.GetWithOffset<float>(kLanes, 3 * kRowVectorBytes);
  mergeWork_ = mergeBuf_.GetWithOffset<float>(kLanes, 4 * kRowVectorBytes);
  mergeLocal_ = mergeBuf_.GetWithOffset<int32_t>(kLanes, 5 * kRowVectorBytes);
  LocalTensor<int32_t> index = mergeBuf_.GetWithOffset<int32_t>(kLanes, 9 * kRowVectorBytes);
  pairOffset_ = index.ReinterpretCast<uint32_t>();
  mergeOwned_ = mergeBuf_.GetWithOffset<uint8_t>(32, 10 * kRowVectorBytes);
  mergeBits_ = mergeBuf_.GetWithOffset<uint8_t>(32, 10 * kRowVectorBytes + 32);
  Duplicate(mergeWork_, 0.0f, kLanes);
  if constexpr (sizeof(TargetT) == sizeof(int64_t)) {
    CreateVecIndex(index, int32_t{0}, kLanes);
    PipeBarrier<PIPE_V>();
    Muls(index, index, static_cast<int32_t>(sizeof(int64_t)), kLanes);
  }
  PipeBarrier<PIPE_V>();
}

template <typename InputT, typename TargetT, bool kMissingSync>
__aicore__ inline void FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync>::AllReduceProcess() {
  if (ASCEND_IS_AIC) return;
  const RowRange share = MyShare(tiling_.m);
  if (share.count == 0) return;
  InitMergeBuffers();
  for (uint32_t done = 0; done < share.count; done += kMergeTurnRows) {
    const uint32_t left = share.count - done;
    MergeInner({share.first + done, left < kMergeTurnRows ? left : kMergeTurnRows});
  }
}

template <typename InputT, typename TargetT, bool kMissingSync>
__aicore__ inline void FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync>::MergeInner(RowRange rows) {
  MergeCopyIn(rows);
  const uint32_t parts = tiling_.cube_cores * kLanes;
  LocalTensor<float> state = mergeInQue_.DeQue<float>();
  LocalTensor<float> result = mergeOutQue_.AllocTensor<float>();
  LocalTensor<TargetT> target = state[2 * parts + kLanes].template ReinterpretCast<TargetT>();

  TargetViews views;
  views.low = mergeBuf_.GetWithOffset<int32_t>(kLanes, 6 * kRowVectorBytes);
  views.high = mergeBuf_.GetWithOffset<int32_t>(kLanes, 7 * kRowVectorBytes);
  views.clamped = mergeBuf_.GetWithOffset<int32_t>(kLanes, 8 * kRowVectorBytes);
  views.bits = mergeBuf_.GetWithOffset<uint8_t>(32, 10 * kRowVectorBytes + 64);
  views.high_bits = mergeBuf_.GetWithOffset<uint8_t>(32, 10 * kRowVectorBytes + 96);
  PadTargets(target, rows.count, kLanes);
  SplitTargets(target, views, kLanes);
  FindOwned(views, mergeLocal_, mergeOwned_, kLanes);

  MergeMaxSum(state, state[parts], rows.count);
  Add(result, mergeMax_, mergePoison_, rows.count);
  Adds(result[kLanes], mergeSum_, 0.0f, rows.count);
  MergePredicted(state[2 * parts], result[2 * kLanes], rows.count);
  mergeInQue_.FreeTensor(state);
  mergeOutQue_.EnQue(result);
  MergeCopyOut(rows);
}

/// Partials of these rows from all blocks, one 64-lane row per block; raw predicted; targets.
template <typename InputT, typename TargetT, bool kMissingSync>
__aicore__ inline void FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync>::MergeCopyIn(RowRange rows) {
  const uint32_t bytes = rows.count * static_cast<uint32_t>(sizeof(float));
  const uint32_t parts = tiling_.cube_cores * kLanes;
  const DataCopyExtParams blocks(static_cast<uint16_t>(tiling_.cube_cores), bytes,
                                 (tiling_.m - rows.count) * static_cast<uint32_t>(sizeof(float)),
                                 kVectorBlocks - (bytes + 31) / 32, 0);
  LocalTensor<float> state = mergeInQue_.AllocTensor<float>();
  DataCopyPad(state, gmPartialMax_[rows.first], blocks, DataCopyPadExtParams<float>());
  DataCopyPad(state[parts], gmPartialSum_[rows.first], blocks, DataCopyPadExtParams<float>());
  DataCopyPad(state[2 * parts], gmPredictedLogits_[rows.first], DataCopyExtParams(1, bytes, 0, 0, 0),
              DataCopyPadExtParams<float>());
  DataCopyPad(state[2 * parts + kLanes].template ReinterpretCast<TargetT>(), gmTarget_[rows.first],
              DataCopyExtParams(1, rows.count * static_cast<uint32_t>(sizeof(TargetT)), 0, 0, 0),
              DataCopyPadExtParams<TargetT>());
  mergeInQue_.EnQue(state);
}

/// Max and sum over the blocks. mergePoison_: NaN where the sum is NaN although the max is finite, else 0. Whether the
/// max instruction keeps a NaN is not specified, that the sum does is; so this makes every output of such a row NaN.
template <typename InputT, typename TargetT, bool kMissingSync>
__aicore__ inline void FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync>::MergeMaxSum(
    const LocalTensor<float>& parts, const LocalTensor<float>& sums, uint32_t rows) {
  const uint8_t blocks = static_cast<uint8_t>(tiling_.cube_cores);
  const BinaryRepeatParams fold(1, 1, 1, 0, kVectorBlocks, 0);  // destination and second source stay: an accumulation
  const BinaryRepeatParams each(1, 1, 1, kVectorBlocks, kVectorBlocks, kVectorBlocks);
  Duplicate(mergeMax_, kMinusInfinity, rows);
  Duplicate(mergeSum_, 0.0f, rows);
  PipeBarrier<PIPE_V>();
  Max(mergeMax_, parts, mergeMax_, rows, blocks, fold);
  PipeBarrier<PIPE_V>();
  Maxs(mergeSafeMax_, mergeMax_, kLowestFloat, rows);
  PipeBarrier<PIPE_V>();
  Sub(parts, parts, mergeSafeMax_, rows, blocks, BinaryRepeatParams(1, 1, 1, kVectorBlocks, kVectorBlocks, 0));
  PipeBarrier<PIPE_V>();
  Exp(parts, parts, rows, blocks, UnaryRepeatParams(1, 1, kVectorBlocks, kVectorBlocks));
  PipeBarrier<PIPE_V>();
  Mul(parts, parts, sums, rows, blocks, each);
  PipeBarrier<PIPE_V>();
  Add(mergeSum_, parts, mergeSum_, rows, blocks, fold);
  PipeBarrier<PIPE_V>();
  Abs(mergeWork_, mergeMax_, rows);
  Sub(mergePoison_, mergeSum_, mergeSum_, rows);
  PipeBarrier<PIPE_V>();
  CompareScalar(mergeBits_, mergeWork_, __builtin_inff(), CMPMODE::LT, kLanes);
  PipeBarrier<PIPE_V>();
  Select(mergePoison_, mergeBits_, mergePoison_, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, rows);
  PipeBarrier<PIPE_V>();
}

/// predicted = owned ? raw - max : 0. A local target beyond the shard, possible only without validation, gives NaN.
template <typename InputT, typename TargetT, bool kMissingSync>
__aicore__ inline void FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync>::MergePredicted(
    const LocalTensor<float>& raw, const LocalTensor<float>& out, uint32_t rows) {
  LocalTensor<int32_t> clamped = mergeBuf_.GetWithOffset<int32_t>(kLanes, 8 * kRowVectorBytes);
  Sub(mergeWork_, raw, mergeSafeMax_, rows);
  Mins(clamped, mergeLocal_, static_cast<int32_t>(tiling_.n) - 1, kLanes);
  PipeBarrier<PIPE_V>();
  Compare(mergeBits_, clamped, mergeLocal_, CMPMODE::EQ, kLanes);
  Add(mergeWork_, mergeWork_, mergePoison_, rows);
  PipeBarrier<PIPE_V>();
  Select(mergeWork_, mergeBits_, mergeWork_, __builtin_nanf(""), SELMODE::VSEL_TENSOR_SCALAR_MODE, rows);
  PipeBarrier<PIPE_V>();
  Select(out, mergeOwned_, mergeWork_, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, rows);
  PipeBarrier<PIPE_V>();
}

template <typename InputT, typename TargetT, bool kMissingSync>
__aicore__ inline void FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync>::MergeCopyOut(RowRange rows) {
  LocalTensor<float> result = mergeOutQue_.DeQue<float>();
  const DataCopyExtParams floats(1, rows.count * static_cast<uint32_t>(sizeof(float)), 0, 0, 0);
  DataCopyPad(gmLogitsMax_[rows.first], result, floats);
  DataCopyPad(gmSumExpLogits_[rows.first], result[kLanes], floats);
  DataCopyPad(gmPredictedLogits_[rows.first], result[2 * kLanes], floats);
  mergeOutQue_.FreeTensor(result);
}

}  // namespace flce::ascendc
