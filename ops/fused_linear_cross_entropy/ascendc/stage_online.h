// The vector arithmetic of stage 3 of fused_linear_online_max_sum: one half tile (at most 64 rows x 256 columns) is
// widened to float and folded into the running max and sum of its rows, and the logits of the targets are picked.
// Rules: spec/operators.md 6.4 and 6.8 (a row of -inf keeps sum 0). Included by fused_linear_online_max_sum.h.
#pragma once

#include "fused_linear_cross_entropy/ascendc/fused_linear_online_max_sum.h"

namespace flce::ascendc {

/// Views of the row buffers, and the values that stay: byte offset of each row in the widened tile. Lanes beyond the
/// rows of a tile are never used, but some instructions (Compare, Brcb) read whole blocks, so all start defined.
template <typename InputT, typename TargetT, bool kMissingSync>
__aicore__ inline void FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync>::OnlineConstants() {
  wide_ = wideBuf_.Get<float>();
  part_ = rowBuf_.GetWithOffset<float>(4 * kLanes, 0);
  safeMax_ = rowBuf_.GetWithOffset<float>(kLanes, 4 * kRowVectorBytes);
  scale_ = rowBuf_.GetWithOffset<float>(kLanes, 5 * kRowVectorBytes);
  picked_ = rowBuf_.GetWithOffset<float>(kLanes, 6 * kRowVectorBytes);
  local_ = rowBuf_.GetWithOffset<int32_t>(kLanes, 7 * kRowVectorBytes);
  clamped_ = rowBuf_.GetWithOffset<int32_t>(kLanes, 8 * kRowVectorBytes);
  offset_ = rowBuf_.GetWithOffset<int32_t>(kLanes, 9 * kRowVectorBytes);
  rowOffset_ = rowBuf_.GetWithOffset<int32_t>(kLanes, 10 * kRowVectorBytes);
  broadcast_ = rowBuf_.GetWithOffset<float>(8 * kLanes, 11 * kRowVectorBytes);
  inTile_ = rowBuf_.GetWithOffset<uint8_t>(32, 19 * kRowVectorBytes);
  CreateVecIndex(rowOffset_, int32_t{0}, kLanes);
  Duplicate(local_, int32_t{0}, kLanes);
  Duplicate(safeMax_, 0.0f, kLanes);
  PipeBarrier<PIPE_V>();
  Muls(rowOffset_, rowOffset_, static_cast<int32_t>(kTileColumns * sizeof(float)), kLanes);
  PipeBarrier<PIPE_V>();
}

/// 16-bit logits to float, 64 columns per instruction; columns beyond the tile become -inf, which adds nothing
/// anywhere.
template <typename InputT, typename TargetT, bool kMissingSync>
__aicore__ inline void FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync>::WidenTile(
    const LocalTensor<InputT>& logits, const Tile& tile) {
  const uint8_t rows = static_cast<uint8_t>(tile.mine.count);
  if (tile.columns == kTileColumns) {
    Cast(wide_, logits, RoundMode::CAST_NONE, rows * kTileColumns);
  } else {
    for (uint32_t group = 0; group < kTileColumns; group += kLanes) {
      const uint32_t left = tile.columns > group ? tile.columns - group : 0;
      const uint32_t lanes = left < kLanes ? left : kLanes;
      if (lanes > 0)
        Cast(wide_[group], logits[group], RoundMode::CAST_NONE, lanes, rows,
             UnaryRepeatParams(1, 1, kWideRowBlocks, kHalfRowBlocks));
      if (lanes == kLanes) continue;
      uint64_t mask[2] = {~uint64_t{0} << lanes, 0};
      Duplicate(wide_[group], kMinusInfinity, mask, rows, 1, kWideRowBlocks);
    }
  }
  PipeBarrier<PIPE_V>();
}

/// picked[row] = logit of the row's target if the target lies in this tile, else 0. Exact integers throughout.
template <typename InputT, typename TargetT, bool kMissingSync>
__aicore__ inline void FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync>::PickPredicted(
    const LocalTensor<TargetT>& target, const LocalTensor<float>& picked, const Tile& tile) {
  const uint32_t rows = tile.mine.count;
  const int32_t last = static_cast<int32_t>(tile.columns) - 1;
  if constexpr (sizeof(TargetT) == sizeof(int64_t)) {
    Cast(local_, target, RoundMode::CAST_NONE, rows);  // local targets are below n, so they fit
    PipeBarrier<PIPE_V>();
    Adds(local_, local_, -static_cast<int32_t>(tile.column), rows);
  } else {
    Adds(local_, target, -static_cast<int32_t>(tile.column), rows);
  }
  PipeBarrier<PIPE_V>();
  Maxs(clamped_, local_, int32_t{0}, kLanes);
  PipeBarrier<PIPE_V>();
  Mins(clamped_, clamped_, last, kLanes);
  PipeBarrier<PIPE_V>();
  Compare(inTile_, clamped_, local_, CMPMODE::EQ, kLanes);
  Muls(offset_, clamped_, static_cast<int32_t>(sizeof(float)), kLanes);
  PipeBarrier<PIPE_V>();
  Add(offset_, offset_, rowOffset_, kLanes);
  PipeBarrier<PIPE_V>();
  Gather(picked_, wide_, offset_.ReinterpretCast<uint32_t>(), 0, rows);
  PipeBarrier<PIPE_V>();
  Select(picked, inTile_, picked_, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, rows);
  PipeBarrier<PIPE_V>();
}

/// new_max = max(old_max, max of the row); then subtracts it from the tile, -inf counted as the lowest float.
template <typename InputT, typename TargetT, bool kMissingSync>
__aicore__ inline void FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync>::OnlineMax(
    const LocalTensor<float>& old_max, const LocalTensor<float>& new_max, uint32_t rows) {
  for (uint32_t group = 0; group < 4; ++group)
    WholeReduceMax(part_[group * kLanes], wide_[group * kLanes], kLanes, rows, 1, 1, kWideRowBlocks,
                   ReduceOrder::ORDER_ONLY_VALUE);
  PipeBarrier<PIPE_V>();
  Max(part_, part_, part_[kLanes], rows);
  Max(part_[2 * kLanes], part_[2 * kLanes], part_[3 * kLanes], rows);
  PipeBarrier<PIPE_V>();
  Max(part_, part_, part_[2 * kLanes], rows);
  PipeBarrier<PIPE_V>();
  Max(new_max, part_, old_max, rows);
  PipeBarrier<PIPE_V>();
  Maxs(safeMax_, new_max, kLowestFloat, rows);
  PipeBarrier<PIPE_V>();
  // One block of 8 copies per row; source block stride 0 below reuses it for the 64 columns of an instruction.
  Brcb(broadcast_, safeMax_, static_cast<uint8_t>((rows + 7) / 8), BrcbRepeatParams(1, 8));
  PipeBarrier<PIPE_V>();
  for (uint32_t group = 0; group < 4; ++group)
    Sub(wide_[group * kLanes], wide_[group * kLanes], broadcast_, kLanes, static_cast<uint8_t>(rows),
        BinaryRepeatParams(1, 1, 0, kWideRowBlocks, kWideRowBlocks, 1));
  PipeBarrier<PIPE_V>();
}

/// new_sum = old_sum * exp(old_max - new_max) + sum of exp(tile), with the tile relative to the new max already.
template <typename InputT, typename TargetT, bool kMissingSync>
__aicore__ inline void FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync>::OnlineSum(
    const LocalTensor<float>& old_max, const LocalTensor<float>& old_sum, const LocalTensor<float>& new_sum,
    uint32_t rows) {
  Exp(wide_, wide_, rows * kTileColumns);
  Sub(scale_, old_max, safeMax_, rows);
  PipeBarrier<PIPE_V>();
  for (uint32_t group = 0; group < 4; ++group)
    WholeReduceSum(part_[group * kLanes], wide_[group * kLanes], kLanes, rows, 1, 1, kWideRowBlocks);
  Exp(scale_, scale_, rows);
  PipeBarrier<PIPE_V>();
  Add(part_, part_, part_[kLanes], rows);
  Add(part_[2 * kLanes], part_[2 * kLanes], part_[3 * kLanes], rows);
  Mul(scale_, scale_, old_sum, rows);
  PipeBarrier<PIPE_V>();
  Add(part_, part_, part_[2 * kLanes], rows);
  PipeBarrier<PIPE_V>();
  Add(new_sum, part_, scale_, rows);
  PipeBarrier<PIPE_V>();
}

template <typename InputT, typename TargetT, bool kMissingSync>
__aicore__ inline void FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync>::OnlineMaxSumProcess(const Tile& tile) {
  const uint32_t rows = tile.mine.count;
  LocalTensor<InputT> logits = logitsQue_.DeQue<InputT>();
  WidenTile(logits, tile);
  logitsQue_.FreeTensor(logits);
  LocalTensor<uint8_t> state = rowsInQue_.DeQue<uint8_t>();
  LocalTensor<float> result = rowsOutQue_.AllocTensor<float>();
  LocalTensor<float> old_max = state.ReinterpretCast<float>();
  LocalTensor<float> old_sum = state[kRowVectorBytes].ReinterpretCast<float>();
  PickPredicted(state[2 * kRowVectorBytes].template ReinterpretCast<TargetT>(), result[2 * kLanes], tile);
  OnlineMax(old_max, result, rows);
  OnlineSum(old_max, old_sum, result[kLanes], rows);
  rowsInQue_.FreeTensor(state);
  rowsOutQue_.EnQue(result);
}

}  // namespace flce::ascendc
