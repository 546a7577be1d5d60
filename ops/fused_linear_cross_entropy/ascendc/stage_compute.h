// Stage 3 of fused_linear_online_max_sum: the block's matrix core and its two vector cores in lock-step over its tiles.
// Rules: spec/operators.md 6.3 point 5 and 6.4. The matrix core says "tile ready" from its store pipe; the vector cores
// say "slot free" once they have loaded their part, so the matrix core is at most two tiles ahead. The vector
// arithmetic is in stage_online.h. Included by fused_linear_online_max_sum.h.
#pragma once

#include "fused_linear_cross_entropy/ascendc/fused_linear_online_max_sum.h"

namespace flce::ascendc {

/// Tile `index` of the grid. The even vector core takes the first half of the rows, rounded down, so it may get none.
template <typename InputT, typename TargetT, bool kMissingSync>
__aicore__ inline typename FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync>::Tile
FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync>::TileOf(uint64_t index, uint32_t turn) const {
  const TilePosition position = tile_position(index, tiling_.row_tiles, tiling_.column_tiles);
  Tile tile;
  tile.row = position.row * kTileRows;
  tile.column = position.column * kTileColumns;
  tile.rows = tiling_.m - tile.row < kTileRows ? tiling_.m - tile.row : kTileRows;
  tile.columns = tiling_.n - tile.column < kTileColumns ? tiling_.n - tile.column : kTileColumns;
  tile.turn = turn;
  const uint32_t first_half = tile.rows / 2;
  tile.mine = GetSubBlockIdx() == 0 ? RowRange{0, first_half} : RowRange{first_half, tile.rows - first_half};
  return tile;
}

/// First element of the tile in gmLogits_: in the user's [m, n], or in the slot of the turn's parity.
template <typename InputT, typename TargetT, bool kMissingSync>
__aicore__ inline uint64_t FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync>::LogitsOffset(
    const Tile& tile) const {
  if (tiling_.return_logits != 0) return uint64_t{tile.row} * tiling_.n + tile.column;
  return uint64_t{tile.turn % 2} * kTileRows * kTileColumns;
}

template <typename InputT, typename TargetT, bool kMissingSync>
__aicore__ inline void FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync>::CVProcess() {
  const uint64_t tasks = uint64_t{tiling_.row_tiles} * tiling_.column_tiles;
  const uint64_t block = GetBlockIdx() / GetTaskRation();
  const uint32_t turns = static_cast<uint32_t>((tasks - block + tiling_.cube_cores - 1) / tiling_.cube_cores);
  if (ASCEND_IS_AIC) {
    Matmul matmul;
    matmul.Init(&tiling_.matmul, &pipe_);
    for (uint32_t turn = 0; turn < turns; ++turn) {
      if (turn >= 2) CrossCoreWaitFlag(turn % 2 == 0 ? kSlotFreePing : kSlotFreePong);
      MatmulProcess(matmul, TileOf(block + uint64_t{turn} * tiling_.cube_cores, turn));
      CrossCoreSetFlag<2, PIPE_FIX>(kTileReady);
    }
    matmul.End();
    return;
  }
  stored_event_ = pipe_.AllocEventID<HardEvent::MTE3_MTE2>();
  OnlineConstants();
  for (uint32_t turn = 0; turn < turns; ++turn) {
    const Tile tile = TileOf(block + uint64_t{turn} * tiling_.cube_cores, turn);
    CrossCoreWaitFlag(kTileReady);
    if (tile.mine.count > 0) OnlineCopyIn(tile);
    // Only if a third tile will ask for it, so that sets and waits balance at the end.
    if (turn + 2 < turns) CrossCoreSetFlag<2, PIPE_MTE2>(turn % 2 == 0 ? kSlotFreePing : kSlotFreePong);
    if (tile.mine.count == 0) continue;
    OnlineMaxSumProcess(tile);
    OnlineCopyOut(tile);
  }
  if (store_pending_) WaitFlag<HardEvent::MTE3_MTE2>(stored_event_);
  store_pending_ = false;
  pipe_.ReleaseEventID<HardEvent::MTE3_MTE2>(stored_event_);
}

/// input rows · weight rows^T of one tile, tails clipped, stored in the input type.
template <typename InputT, typename TargetT, bool kMissingSync>
__aicore__ inline void FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync>::MatmulProcess(Matmul& matmul,
                                                                                             const Tile& tile) {
  matmul.SetOrgShape(tiling_.m, tiling_.n, tiling_.k, tiling_.k, logits_pitch_);
  matmul.SetSingleShape(tile.rows, tile.columns, tiling_.k);
  matmul.SetTensorA(gmInput_[uint64_t{tile.row} * tiling_.k]);
  matmul.SetTensorB(gmWeight_[uint64_t{tile.column} * tiling_.k], true);
  matmul.IterateAll(gmLogits_[LogitsOffset(tile)]);
}

/// Loads this core's rows of the tile and the state of these rows. The partials were stored by an earlier tile of this
/// block, perhaps the one before: the load waits for that store.
template <typename InputT, typename TargetT, bool kMissingSync>
__aicore__ inline void FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync>::OnlineCopyIn(const Tile& tile) {
  const uint32_t rows = tile.mine.count, first_row = tile.row + tile.mine.first;
  const uint64_t block = GetBlockIdx() / 2;
  LocalTensor<InputT> logits = logitsQue_.AllocTensor<InputT>();
  const uint32_t row_bytes = tile.columns * sizeof(InputT);
  const uint32_t gap_blocks = kHalfRowBlocks - (row_bytes + 31) / 32;
  DataCopyPad(logits, gmLogits_[LogitsOffset(tile) + uint64_t{tile.mine.first} * logits_pitch_],
              DataCopyExtParams(static_cast<uint16_t>(rows), row_bytes,
                                static_cast<uint32_t>((logits_pitch_ - tile.columns) * sizeof(InputT)), gap_blocks, 0),
              DataCopyPadExtParams<InputT>());
  logitsQue_.EnQue(logits);

  LocalTensor<uint8_t> state = rowsInQue_.AllocTensor<uint8_t>();
  if (store_pending_) WaitFlag<HardEvent::MTE3_MTE2>(stored_event_);
  store_pending_ = false;
  const DataCopyExtParams floats(1, rows * static_cast<uint32_t>(sizeof(float)), 0, 0, 0);
  const DataCopyExtParams targets(1, rows * static_cast<uint32_t>(sizeof(TargetT)), 0, 0, 0);
  DataCopyPad(state.ReinterpretCast<float>(), gmPartialMax_[block * tiling_.m + first_row], floats,
              DataCopyPadExtParams<float>());
  DataCopyPad(state[kRowVectorBytes].ReinterpretCast<float>(), gmPartialSum_[block * tiling_.m + first_row], floats,
              DataCopyPadExtParams<float>());
  DataCopyPad(state[2 * kRowVectorBytes].template ReinterpretCast<TargetT>(), gmMaskedTarget_[first_row], targets,
              DataCopyPadExtParams<TargetT>());
  rowsInQue_.EnQue(state);
}

/// Stores the new state of the rows and adds the picked logits to predicted: exactly one tile of a row adds its
/// target's logit, all others add 0, so the order of the additions does not matter.
template <typename InputT, typename TargetT, bool kMissingSync>
__aicore__ inline void FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync>::OnlineCopyOut(const Tile& tile) {
  const uint32_t rows = tile.mine.count, first_row = tile.row + tile.mine.first;
  const uint64_t block = GetBlockIdx() / 2;
  LocalTensor<float> state = rowsOutQue_.DeQue<float>();
  const DataCopyExtParams floats(1, rows * static_cast<uint32_t>(sizeof(float)), 0, 0, 0);
  DataCopyPad(gmPartialMax_[block * tiling_.m + first_row], state, floats);
  DataCopyPad(gmPartialSum_[block * tiling_.m + first_row], state[kLanes], floats);
  SetAtomicAdd<float>();
  DataCopyPad(gmPredictedLogits_[first_row], state[2 * kLanes], floats);
  SetAtomicNone();
  rowsOutQue_.FreeTensor(state);
  SetFlag<HardEvent::MTE3_MTE2>(stored_event_);
  store_pending_ = true;
}

}  // namespace flce::ascendc
