// Kernel fused_linear_online_max_sum: statistics of one vocabulary shard without materialising the logits.
// Each block is one matrix core (AIC), which computes 128 x 256 tiles of input · weight^T, and two vector cores (AIV),
// which fold each tile into a running max and sum. Stages and their barriers: spec/operators.md 6.3; on-chip use: 6.4.
// Own choices: targets are compared as integers (target windows, tiling_data.h); consecutive tiles of a block are
// ordered by flags (6.4, last paragraph); every dependence has its own barrier, so the kernel needs no help from the
// compiler. Class and stage Init are here, the other stages in stage_target.h, stage_compute.h, stage_online.h and
// stage_merge.h.
#pragma once

#include "fused_linear_cross_entropy/ascendc/tile_order.h"
#include "fused_linear_cross_entropy/ascendc/tiling_data.h"
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

namespace flce::ascendc {

using namespace AscendC;

/// Counters between the cores of one block (11 to 14 belong to SyncAll).
inline constexpr int32_t kTileReady = 5, kSlotFreePing = 6, kSlotFreePong = 7;
/// Lanes of one vector instruction on 32-bit data, and 32-byte blocks of one row of a widened tile.
inline constexpr uint32_t kLanes = 64, kWideRowBlocks = kTileColumns * sizeof(float) / 32;
inline constexpr uint32_t kHalfRowBlocks = kTileColumns * sizeof(uint16_t) / 32;
inline constexpr float kMinusInfinity = -__builtin_inff();
/// Stands in for a max of -inf, so that -inf - max stays -inf (spec/operators.md 6.8).
inline constexpr float kLowestFloat = -3.402823466e+38f;

/// InputT: half or bfloat16_t. TargetT: int32_t or int64_t. kMissingSync: leaves out the barrier between TargetProcess
/// and CVProcess and changes nothing else; the demonstration of what a missing barrier does.
template <typename InputT, typename TargetT, bool kMissingSync>
class FusedLinearOnlineMaxSum {
 public:
  __aicore__ inline explicit FusedLinearOnlineMaxSum(const FusedLinearOnlineMaxSumTiling& tiling) : tiling_(tiling) {}

  /// Arguments as in the kernel's signature; `vocab_parallel_logits` is used only if the tiling says so.
  __aicore__ inline void Init(GM_ADDR input, GM_ADDR weight, GM_ADDR target, GM_ADDR logits_max, GM_ADDR sum_exp_logits,
                              GM_ADDR predicted_logits, GM_ADDR target_mask, GM_ADDR masked_target,
                              GM_ADDR vocab_parallel_logits, GM_ADDR workspace);
  __aicore__ inline void Process();

 private:
  using InputMatrix = matmul::MatmulType<TPosition::GM, CubeFormat::ND, InputT>;
  using WeightMatrix = matmul::MatmulType<TPosition::GM, CubeFormat::ND, InputT, true>;
  using LogitsMatrix = matmul::MatmulType<TPosition::GM, CubeFormat::ND, InputT>;
  using NoBias = matmul::MatmulType<TPosition::GM, CubeFormat::ND, float>;
  using Matmul = matmul::MatmulImpl<InputMatrix, WeightMatrix, LogitsMatrix, NoBias>;

  /// Consecutive rows of the batch.
  struct RowRange {
    uint32_t first, count;
  };
  /// One tile of the logits, and the part of it that belongs to this vector core.
  struct Tile {
    uint32_t row, column;    ///< first row and column
    uint32_t rows, columns;  ///< of the whole tile
    RowRange mine;           ///< rows of this vector core
    uint32_t turn;           ///< number of this tile within its block
  };
  /// 32-bit views of a batch of targets and what FindOwned needs besides.
  struct TargetViews {
    LocalTensor<int32_t> low, high, clamped;
    LocalTensor<uint8_t> bits, high_bits;
  };

  // Split of work.
  __aicore__ inline uint32_t VectorCores() const { return 2 * tiling_.cube_cores; }
  __aicore__ inline RowRange MyShare(uint32_t items) const;
  __aicore__ inline Tile TileOf(uint64_t index, uint32_t turn) const;
  __aicore__ inline void InitBuffers();

  // Stages.
  __aicore__ inline void InitOutputAndWorkspace();
  __aicore__ inline void EmptyHiddenProcess();
  __aicore__ inline void TargetProcess();
  __aicore__ inline void TargetInnerProcess(uint32_t first_unit, uint32_t units);
  __aicore__ inline void CVProcess();
  __aicore__ inline void MatmulProcess(Matmul& matmul, const Tile& tile);
  __aicore__ inline void OnlineCopyIn(const Tile& tile);
  __aicore__ inline void OnlineMaxSumProcess(const Tile& tile);
  __aicore__ inline void OnlineCopyOut(const Tile& tile);
  __aicore__ inline void AllReduceProcess();

  // Steps of the stages.
  template <typename T>
  __aicore__ inline void StoreConstant(const GlobalTensor<T>& dst, const LocalTensor<T>& constant, uint64_t count);
  __aicore__ inline void PadTargets(const LocalTensor<TargetT>& target, uint32_t rows, uint32_t padded_rows);
  __aicore__ inline void SplitTargets(const LocalTensor<TargetT>& target, TargetViews& views, uint32_t rows);
  __aicore__ inline void FindOwned(TargetViews& views, const LocalTensor<int32_t>& local,
                                   const LocalTensor<uint8_t>& owned, uint32_t rows);
  __aicore__ inline uint64_t LogitsOffset(const Tile& tile) const;
  __aicore__ inline void OnlineConstants();
  __aicore__ inline void WidenTile(const LocalTensor<InputT>& logits, const Tile& tile);
  __aicore__ inline void PickPredicted(const LocalTensor<TargetT>& target, const LocalTensor<float>& picked,
                                       const Tile& tile);
  __aicore__ inline void OnlineMax(const LocalTensor<float>& old_max, const LocalTensor<float>& new_max, uint32_t rows);
  __aicore__ inline void OnlineSum(const LocalTensor<float>& old_max, const LocalTensor<float>& old_sum,
                                   const LocalTensor<float>& new_sum, uint32_t rows);
  __aicore__ inline void InitMergeBuffers();
  __aicore__ inline void MergeInner(RowRange rows);
  __aicore__ inline void MergeCopyIn(RowRange rows);
  __aicore__ inline void MergeMaxSum(const LocalTensor<float>& parts, const LocalTensor<float>& sums, uint32_t rows);
  __aicore__ inline void MergePredicted(const LocalTensor<float>& raw, const LocalTensor<float>& out, uint32_t rows);
  __aicore__ inline void MergeCopyOut(RowRange rows);

  const FusedLinearOnlineMaxSumTiling& tiling_;
  TPipe pipe_;
  bool store_pending_ = false;  ///< a store of partials has been announced and not yet been waited for
  TEventID stored_event_ = INVALID_TEVENTID;

  GlobalTensor<InputT> gmInput_, gmWeight_;
  GlobalTensor<InputT> gmLogits_;  ///< vocab_parallel_logits, or the two slots of this block
  GlobalTensor<TargetT> gmTarget_, gmMaskedTarget_;
  GlobalTensor<uint8_t> gmTargetMask_;
  GlobalTensor<float> gmLogitsMax_, gmSumExpLogits_, gmPredictedLogits_;
  GlobalTensor<float> gmPartialMax_, gmPartialSum_;  ///< [C, m]
  uint32_t logits_pitch_ = 0;                        ///< elements from row to row of gmLogits_

  // UB of the stages up to Compute; they do not share a byte, so no stage waits for the buffers of another.
  TBuf<TPosition::VECCALC> initBuf_;
  TQue<TPosition::VECIN, 1> targetInQue_;
  TQue<TPosition::VECOUT, 1> targetOutQue_;
  TBuf<TPosition::VECCALC> targetBuf_;
  TQue<TPosition::VECIN, 1> logitsQue_, rowsInQue_;
  TQue<TPosition::VECOUT, 1> rowsOutQue_;
  TBuf<TPosition::VECCALC> wideBuf_, rowBuf_;
  // UB of Merge.
  TQue<TPosition::VECIN, 1> mergeInQue_;
  TQue<TPosition::VECOUT, 1> mergeOutQue_;
  TBuf<TPosition::VECCALC> mergeBuf_;

  LocalTensor<uint32_t> pairOffset_;  ///< int64 targets: byte offset 8 i of row i
  // Row vectors of the compute stage (64 lanes each) and of the merge.
  LocalTensor<float> wide_, part_, safeMax_, scale_, picked_, broadcast_;
  LocalTensor<int32_t> local_, clamped_, offset_, rowOffset_;
  LocalTensor<uint8_t> inTile_;
  LocalTensor<float> mergeMax_, mergeSafeMax_, mergeSum_, mergePoison_, mergeWork_;
  LocalTensor<int32_t> mergeLocal_;
  LocalTensor<uint8_t> mergeOwned_, mergeBits_;
};

/// Bytes of the parts of rowsInQue_ and rowsOutQue_ tensors: 64 floats each, targets last.
inline constexpr uint32_t kRowVectorBytes = kLanes * sizeof(float);

template <typename InputT, typename TargetT, bool kMissingSync>
__aicore__ inline void FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync>::Init(
    GM_ADDR input, GM_ADDR weight, GM_ADDR target, GM_ADDR logits_max, GM_ADDR sum_exp_logits, GM_ADDR predicted_logits,
    GM_ADDR target_mask, GM_ADDR masked_target, GM_ADDR vocab_parallel_logits, GM_ADDR workspace) {
  const uint64_t m = tiling_.m, k = tiling_.k, n = tiling_.n;
  gmInput_.SetGlobalBuffer(reinterpret_cast<__gm__ InputT*>(input), m * k);
  gmWeight_.SetGlobalBuffer(reinterpret_cast<__gm__ InputT*>(weight), n * k);
  gmTarget_.SetGlobalBuffer(reinterpret_cast<__gm__ TargetT*>(target), m);
  gmLogitsMax_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(logits_max), m);
  gmSumExpLogits_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(sum_exp_logits), m);
  gmPredictedLogits_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(predicted_logits), m);
  gmTargetMask_.SetGlobalBuffer(target_mask, (m + kUnitRows - 1) / kUnitRows);
  gmMaskedTarget_.SetGlobalBuffer(reinterpret_cast<__gm__ TargetT*>(masked_target), m);

  // Workspace (spec/operators.md 6.2): partial max [C, m], partial sum [C, m], two slots per block.
  const uint64_t partials = m * tiling_.cube_cores;
  GM_ADDR user = GetUserWorkspace(workspace);
  gmPartialMax_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(user), partials);
  gmPartialSum_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(user) + partials, partials);
  if (tiling_.return_logits != 0) {
    gmLogits_.SetGlobalBuffer(reinterpret_cast<__gm__ InputT*>(vocab_parallel_logits), m * n);
    logits_pitch_ = tiling_.n;
  } else {
    constexpr uint64_t kSlots = uint64_t{2} * kTileRows * kTileColumns;
    const uint64_t block = GetBlockIdx() / GetTaskRation();
    gmLogits_.SetGlobalBuffer(reinterpret_cast<__gm__ InputT*>(user + 2 * partials * sizeof(float)) + block * kSlots,
                              kSlots);
    logits_pitch_ = kTileColumns;
  }
  if (ASCEND_IS_AIV) InitBuffers();
}

template <typename InputT, typename TargetT, bool kMissingSync>
__aicore__ inline void FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync>::Process() {
  if (tiling_.k == 0) {  // no product: constants, and the targets as ever
    EmptyHiddenProcess();
    TargetProcess();
    return;
  }
  InitOutputAndWorkspace();
  SyncAll<false>();  // partials and predicted are initialised before any core adds to them
  TargetProcess();
  if constexpr (!kMissingSync) {
    SyncAll<false>();  // masked_target of all rows is stored before any core reads it
  }
  CVProcess();
  SyncAll<false>();  // partials and predicted are complete before the merge
  AllReduceProcess();
}

/// `items` split evenly over all vector cores, the first ones take one more (spec/operators.md 6.1).
template <typename InputT, typename TargetT, bool kMissingSync>
__aicore__ inline typename FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync>::RowRange
FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync>::MyShare(uint32_t items) const {
  const uint32_t core = static_cast<uint32_t>(GetBlockIdx());
  const uint32_t each = items / VectorCores(), rest = items % VectorCores();
  return {core * each + (core < rest ? core : rest), each + (core < rest ? 1 : 0)};
}

template <typename InputT, typename TargetT, bool kMissingSync>
__aicore__ inline void FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync>::InitBuffers() {
  constexpr uint32_t kBuffers = 2;
  pipe_.InitBuffer(initBuf_, 2 * kInitChunk * sizeof(float));
  pipe_.InitBuffer(targetInQue_, kBuffers, kTargetTurnRows * sizeof(TargetT));
  pipe_.InitBuffer(targetOutQue_, kBuffers, kTargetTurnRows * sizeof(TargetT) + kTargetTurnRows / kUnitRows);
  // low, high, clamped, local and the pair offsets; three bit masks
  pipe_.InitBuffer(targetBuf_, 5 * kTargetTurnRows * sizeof(int32_t) + 3 * kTargetTurnRows / kUnitRows);
  if (tiling_.k == 0) return;
  pipe_.InitBuffer(logitsQue_, kBuffers, kHalfTileRows * kTileColumns * sizeof(InputT));
  pipe_.InitBuffer(rowsInQue_, kBuffers, 2 * kRowVectorBytes + kHalfTileRows * sizeof(TargetT));
  pipe_.InitBuffer(rowsOutQue_, kBuffers, 3 * kRowVectorBytes);
  pipe_.InitBuffer(wideBuf_, kHalfTileRows * kTileColumns * sizeof(float));
  // part (4), safe max, scale, picked, local, clamped, offset, row offset; broadcast (8 per row); bits
  pipe_.InitBuffer(rowBuf_, (11 + 8) * kRowVectorBytes + 32);
}

/// Copies `count` elements of one value to GM, in chunks of the constant buffer.
template <typename InputT, typename TargetT, bool kMissingSync>
template <typename T>
__aicore__ inline void FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync>::StoreConstant(
    const GlobalTensor<T>& dst, const LocalTensor<T>& constant, uint64_t count) {
  const uint64_t chunk = kInitChunk * sizeof(float) / sizeof(T);
  for (uint64_t at = 0; at < count; at += chunk) {
    const uint64_t now = count - at < chunk ? count - at : chunk;
    DataCopyPad(dst[at], constant, DataCopyExtParams(1, static_cast<uint32_t>(now * sizeof(T)), 0, 0, 0));
  }
}

/// Stage 1: partial max -inf and partial sum 0 for the rows of this block, half of them by each of its vector cores;
/// the first block also clears predicted, which stage 3 adds to.
template <typename InputT, typename TargetT, bool kMissingSync>
__aicore__ inline void FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync>::InitOutputAndWorkspace() {
  if (ASCEND_IS_AIC) return;
  LocalTensor<float> minus_infinity = initBuf_.Get<float>(kInitChunk);
  LocalTensor<float> zero = initBuf_.GetWithOffset<float>(kInitChunk, kInitChunk * sizeof(float));
  Duplicate(minus_infinity, kMinusInfinity, kInitChunk);
  Duplicate(zero, 0.0f, kInitChunk);
  const TEventID filled = pipe_.FetchEventID<HardEvent::V_MTE3>();
  SetFlag<HardEvent::V_MTE3>(filled);
  WaitFlag<HardEvent::V_MTE3>(filled);
  const uint32_t first_half = tiling_.m / 2;
  const uint64_t block = GetBlockIdx() / 2;
  const uint64_t first = GetSubBlockIdx() == 0 ? 0 : first_half;
  const uint64_t count = GetSubBlockIdx() == 0 ? first_half : tiling_.m - first_half;
  if (count == 0) return;
  StoreConstant(gmPartialMax_[block * tiling_.m + first], minus_infinity, count);
  StoreConstant(gmPartialSum_[block * tiling_.m + first], zero, count);
  if (block == 0) StoreConstant(gmPredictedLogits_[first], zero, count);
}

/// k = 0: every logit is 0, so max 0, sum n, predicted 0 (spec/operators.md 6.6).
template <typename InputT, typename TargetT, bool kMissingSync>
__aicore__ inline void FusedLinearOnlineMaxSum<InputT, TargetT, kMissingSync>::EmptyHiddenProcess() {
  if (ASCEND_IS_AIC) return;
  LocalTensor<float> classes = initBuf_.Get<float>(kInitChunk);
  LocalTensor<float> zero = initBuf_.GetWithOffset<float>(kInitChunk, kInitChunk * sizeof(float));
  Duplicate(classes, static_cast<float>(tiling_.n), kInitChunk);
  Duplicate(zero, 0.0f, kInitChunk);
  const TEventID filled = pipe_.FetchEventID<HardEvent::V_MTE3>();
  SetFlag<HardEvent::V_MTE3>(filled);
  WaitFlag<HardEvent::V_MTE3>(filled);
  const RowRange rows = MyShare(tiling_.m);
  if (rows.count == 0) return;
  StoreConstant(gmLogitsMax_[rows.first], zero, rows.count);
  StoreConstant(gmSumExpLogits_[rows.first], classes, rows.count);
  StoreConstant(gmPredictedLogits_[rows.first], zero, rows.count);
  if (tiling_.return_logits == 0) return;
  const uint64_t n = tiling_.n;
  StoreConstant(gmLogits_[rows.first * n], zero.template ReinterpretCast<InputT>(), rows.count * n);
}

}  // namespace flce::ascendc

#include "fused_linear_cross_entropy/ascendc/stage_compute.h"
#include "fused_linear_cross_entropy/ascendc/stage_merge.h"
#include "fused_linear_cross_entropy/ascendc/stage_online.h"
#include "fused_linear_cross_entropy/ascendc/stage_target.h"
