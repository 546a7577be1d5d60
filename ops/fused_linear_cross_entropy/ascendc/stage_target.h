// Stage 2 of fused_linear_online_max_sum: which targets this shard owns (target_mask) and their local index
// (masked_target). Rules: spec/operators.md 3, 4 and 6.3; integers are compared exactly, on A2/A3 the only integer
// compare is "equal", so a value is inside a window when clamping leaves it as it is. Included by
// fused_linear_online_max_sum.h.
#pragma once

#include "fused_linear_cross_entropy/ascendc/fused_linear_online_max_sum.h"

namespace flce::ascendc {

/// Targets beyond `rows` become the pad target, up to `padded_rows` (a multiple of 64). Instructions work on 64 lanes,
/// and the last mask byte shows what the mask test gives for the pad target.
template <typename InputT, typename TargetT, bool kMissingSync>
__aicore__ inline void FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync>::PadTargets(
    const LocalTensor<TargetT>& target, uint32_t rows, uint32_t padded_rows) {
  constexpr uint32_t kWords = sizeof(TargetT) / sizeof(int32_t);
  LocalTensor<int32_t> words = target.template ReinterpretCast<int32_t>();
  const uint32_t first = rows * kWords, end = padded_rows * kWords;
  for (uint32_t group = first / kLanes * kLanes; group < end; group += kLanes) {
    uint64_t mask[2] = {~uint64_t{0}, 0};
    if (group < first) mask[0] <<= first - group;
    Duplicate(words[group], tiling_.pad_target, mask, 1, 1, 8);  // both words of an int64 0 or -1
  }
  PipeBarrier<PIPE_V>();
}

/// 32-bit views of `rows` targets (a multiple of 64).
template <typename InputT, typename TargetT, bool kMissingSync>
__aicore__ inline void FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync>::SplitTargets(
    const LocalTensor<TargetT>& target, TargetViews& views, uint32_t rows) {
  LocalTensor<int32_t> words = target.template ReinterpretCast<int32_t>();
  if constexpr (sizeof(TargetT) == sizeof(int32_t)) {
    views.low = words;
  } else {
    Gather(views.low, words, pairOffset_, 0, rows);
    Gather(views.high, words, pairOffset_, sizeof(int32_t), rows);
    PipeBarrier<PIPE_V>();
  }
}

/// For each of `rows` targets (a multiple of 64): its bit in `owned`, and in `local` its index in the shard or 0.
template <typename InputT, typename TargetT, bool kMissingSync>
__aicore__ inline void FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync>::FindOwned(
    TargetViews& views, const LocalTensor<int32_t>& local, const LocalTensor<uint8_t>& owned, uint32_t rows) {
  constexpr uint32_t kBitsPerWord = 16;
  LocalTensor<uint16_t> owned_words = owned.template ReinterpretCast<uint16_t>();
  LocalTensor<uint16_t> bit_words = views.bits.template ReinterpretCast<uint16_t>();
  LocalTensor<uint16_t> high_words = views.high_bits.template ReinterpretCast<uint16_t>();
  // Select knows floats only; it moves bits, so indices pass through unchanged.
  LocalTensor<float> local_bits = local.template ReinterpretCast<float>();
  LocalTensor<float> clamped_bits = views.clamped.template ReinterpretCast<float>();
  Duplicate(local, int32_t{0}, rows);
  Duplicate(owned_words, uint16_t{0}, rows / kBitsPerWord);
  PipeBarrier<PIPE_V>();
  for (uint32_t i = 0; i < tiling_.window_count; ++i) {
    const TargetWindow& window = tiling_.windows[i];
    Maxs(views.clamped, views.low, window.first, rows);
    PipeBarrier<PIPE_V>();
    Mins(views.clamped, views.clamped, window.last, rows);
    PipeBarrier<PIPE_V>();
    Compare(views.bits, views.clamped, views.low, CMPMODE::EQ, rows);
    PipeBarrier<PIPE_V>();
    if constexpr (sizeof(TargetT) == sizeof(int64_t)) {
      CompareScalar(views.high_bits, views.high, window.high, CMPMODE::EQ, rows);
      PipeBarrier<PIPE_V>();
      And(bit_words, bit_words, high_words, rows / kBitsPerWord);
    }
    Adds(views.clamped, views.clamped, window.shift, rows);
    PipeBarrier<PIPE_V>();
    if (window.shift_rest != 0) {
      Adds(views.clamped, views.clamped, window.shift_rest, rows);
      PipeBarrier<PIPE_V>();
    }
    Select(local_bits, views.bits, clamped_bits, local_bits, SELMODE::VSEL_TENSOR_TENSOR_MODE, rows);
    Or(owned_words, owned_words, bit_words, rows / kBitsPerWord);
    PipeBarrier<PIPE_V>();
  }
}

/// One turn: targets of `units` mask bytes from `first_unit` on.
template <typename InputT, typename TargetT, bool kMissingSync>
__aicore__ inline void FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync>::TargetInnerProcess(uint32_t first_unit,
                                                                                                  uint32_t units) {
  const uint32_t first_row = first_unit * kUnitRows;
  const uint32_t rows_left = tiling_.m - first_row;
  const uint32_t rows = units * kUnitRows < rows_left ? units * kUnitRows : rows_left;
  const uint32_t padded_rows = (rows + kLanes - 1) / kLanes * kLanes;
  const uint32_t bytes = rows * sizeof(TargetT);

  LocalTensor<TargetT> loading = targetInQue_.AllocTensor<TargetT>();
  DataCopyPad(loading, gmTarget_[first_row], DataCopyExtParams(1, bytes, 0, 0, 0), DataCopyPadExtParams<TargetT>());
  targetInQue_.EnQue(loading);
  LocalTensor<TargetT> target = targetInQue_.DeQue<TargetT>();
  PadTargets(target, rows, padded_rows);

  constexpr uint32_t kVector = kTargetTurnRows * sizeof(int32_t), kBits = kTargetTurnRows / kUnitRows;
  TargetViews views;
  views.low = targetBuf_.GetWithOffset<int32_t>(kTargetTurnRows, 0);
  views.high = targetBuf_.GetWithOffset<int32_t>(kTargetTurnRows, kVector);
  views.clamped = targetBuf_.GetWithOffset<int32_t>(kTargetTurnRows, 2 * kVector);
  views.bits = targetBuf_.GetWithOffset<uint8_t>(kBits, 5 * kVector);
  views.high_bits = targetBuf_.GetWithOffset<uint8_t>(kBits, 5 * kVector + kBits);
  LocalTensor<uint8_t> owned = targetBuf_.GetWithOffset<uint8_t>(kBits, 5 * kVector + 2 * kBits);
  LocalTensor<int32_t> local = targetBuf_.GetWithOffset<int32_t>(kTargetTurnRows, 3 * kVector);
  SplitTargets(target, views, padded_rows);
  FindOwned(views, local, owned, padded_rows);
  targetInQue_.FreeTensor(target);

  LocalTensor<TargetT> result = targetOutQue_.AllocTensor<TargetT>();
  LocalTensor<uint8_t> mask = result[kTargetTurnRows].template ReinterpretCast<uint8_t>();
  if constexpr (sizeof(TargetT) == sizeof(int32_t))
    Adds(result, local, int32_t{0}, padded_rows);
  else
    Cast(result, local, RoundMode::CAST_NONE, padded_rows);
  Not(mask.template ReinterpretCast<uint16_t>(), owned.template ReinterpretCast<uint16_t>(), padded_rows / 16);
  targetOutQue_.EnQue(result);
  LocalTensor<TargetT> storing = targetOutQue_.DeQue<TargetT>();
  LocalTensor<uint8_t> storing_mask = storing[kTargetTurnRows].template ReinterpretCast<uint8_t>();
  DataCopyPad(gmTargetMask_[first_unit], storing_mask, DataCopyExtParams(1, units, 0, 0, 0));
  DataCopyPad(gmMaskedTarget_[first_row], storing, DataCopyExtParams(1, bytes, 0, 0, 0));
  targetOutQue_.FreeTensor(storing);
  PipeBarrier<PIPE_V>();  // the next turn writes the temporaries this one reads
}

template <typename InputT, typename TargetT, bool kMissingSync>
__aicore__ inline void FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync>::TargetProcess() {
  if (ASCEND_IS_AIC) return;
  const RowRange units = MyShare((tiling_.m + kUnitRows - 1) / kUnitRows);
  if (units.count == 0) return;
  if constexpr (sizeof(TargetT) == sizeof(int64_t)) {
    constexpr uint32_t kVector = kTargetTurnRows * sizeof(int32_t);
    LocalTensor<int32_t> index = targetBuf_.GetWithOffset<int32_t>(kTargetTurnRows, 4 * kVector);
    CreateVecIndex(index, int32_t{0}, kTargetTurnRows);
    PipeBarrier<PIPE_V>();
    Muls(index, index, static_cast<int32_t>(sizeof(int64_t)), kTargetTurnRows);
    PipeBarrier<PIPE_V>();
    pairOffset_ = index.template ReinterpretCast<uint32_t>();
  }
  constexpr uint32_t kTurnUnits = kTargetTurnRows / kUnitRows;
  for (uint32_t done = 0; done < units.count; done += kTurnUnits) {
    const uint32_t left = units.count - done;
    TargetInnerProcess(units.first + done, left < kTurnUnits ? left : kTurnUnits);
  }
  // This core reads its own rows of masked_target back in CVProcess; the rows of other cores are the barrier's
  // business.
  const TEventID stored = pipe_.FetchEventID<HardEvent::MTE3_MTE2>();
  SetFlag<HardEvent::MTE3_MTE2>(stored);
  WaitFlag<HardEvent::MTE3_MTE2>(stored);
}

}  // namespace flce::ascendc
