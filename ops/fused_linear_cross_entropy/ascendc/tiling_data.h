// What the host tells the kernel: sizes, how work is split, and the target range cut into windows of 32-bit compares.
// Split rules: spec/operators.md 6.1; workspace: 6.2. Shared by host and kernel, so plain C++17 data.
#pragma once

#include <cstdint>

#include "kernel_tiling/kernel_tiling.h"

namespace flce::ascendc {

/// The fixed tile of the logits and the depth of one matrix step.
inline constexpr uint32_t kTileRows = 128, kTileColumns = 256, kDepthStep = 64;
/// Rows of a tile one vector core works on at most.
inline constexpr uint32_t kHalfTileRows = kTileRows / 2;
/// Rows of one unit of the target stage: one byte of target_mask.
inline constexpr uint32_t kUnitRows = 8;
/// Rows per turn of the target stage (int64: 4 KiB of targets) and of the merge.
inline constexpr uint32_t kTargetTurnRows = 512, kMergeTurnRows = 64;
/// Floats per store of the init stage.
inline constexpr uint32_t kInitChunk = 1024;

/// A run of target values that share their high 32 bits and lie on one side of the sign of their low 32 bits, so that
/// signed 32-bit instructions decide exactly. local = low + shift + shift_rest (two steps, so that neither overflows).
struct TargetWindow {
  int32_t high;         ///< bits 32..63 of the targets of this window; unused for int32 targets
  int32_t first, last;  ///< low 32 bits, as signed numbers, first <= last
  int32_t shift, shift_rest;
};

struct FusedLinearOnlineMaxSumTiling {
  uint32_t m, k, n;
  uint32_t cube_cores;  ///< C: blocks of the launch; 2C vector cores
  uint32_t row_tiles, column_tiles;
  uint32_t return_logits;   ///< 1: tiles go to vocab_parallel_logits instead of the slots of the workspace
  uint32_t window_count;    ///< 0: no target is owned
  TargetWindow windows[2];  ///< a range of at most 2^31 - 1 values meets at most one multiple of 2^31
  int32_t pad_target;       ///< target of the rows beyond m in the last mask byte
  TCubeTiling matmul;       ///< of the matrix product of one tile
};

/// Bytes of the user part of the workspace before the slots: partial max and partial sum, C rows of m floats each.
inline uint64_t partials_bytes(const FusedLinearOnlineMaxSumTiling& tiling) {
  return uint64_t{2} * tiling.cube_cores * tiling.m * sizeof(float);
}

/// Tiling keys: tens digit 1 float16, 2 bfloat16 input; ones digit 1 int32, 2 int64 targets.
inline constexpr uint64_t kKeyHalfInt32 = 11, kKeyHalfInt64 = 12, kKeyBfloat16Int32 = 21, kKeyBfloat16Int64 = 22;

}  // namespace flce::ascendc
