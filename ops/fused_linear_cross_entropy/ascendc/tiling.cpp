// Host tiling (see tiling.h).
#include "fused_linear_cross_entropy/ascendc/tiling.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "fused_linear_cross_entropy/ascendc/checks.h"

namespace flce::ascendc {
namespace {

constexpr uint64_t kSystemWorkspaceBytes = uint64_t{16} << 20;
/// On-chip bytes the kernel lays out (see the buffers in fused_linear_online_max_sum.h) and the reserved top of the UB.
constexpr uint64_t kNeededUbBytes = 184 * 1024, kReservedUbBytes = 8 * 1024;
/// The merge holds one row of partials per block in one reduction, and flags are counted for this many cores.
constexpr uint32_t kMaxCubeCores = 25;

uint64_t key_of(DType input, DType target) {
  if (input == DType::kFloat16) return target == DType::kInt32 ? kKeyHalfInt32 : kKeyHalfInt64;
  return target == DType::kInt32 ? kKeyBfloat16Int32 : kKeyBfloat16Int64;
}

Status check_platform(const Platform& platform) {
  if (platform.cube_cores == 0 || platform.cube_cores > kMaxCubeCores)
    return {kInvalidArgument,
            fmt::format("platform: {} matrix cores given, must be 1 to {}", platform.cube_cores, kMaxCubeCores)};
  if (platform.ub_bytes < kNeededUbBytes + kReservedUbBytes)
    return {kInvalidArgument, fmt::format("platform: {} bytes of UB given, must be at least {}", platform.ub_bytes,
                                          kNeededUbBytes + kReservedUbBytes)};
  return {};
}

uint32_t tiles(uint32_t size, uint32_t tile) {
  return size / tile + (size % tile != 0 ? 1 : 0);
}

/// One 128 x 256 tile in steps of 64: operands of eight steps in L1 (384 KiB), two steps in L0A and L0B, one tile in
/// L0C.
TCubeTiling matmul_tiling(const FusedLinearOnlineMaxSumTiling& kernel) {
  TCubeTiling tiling{};
  tiling.usedCoreNum = 1;
  tiling.M = static_cast<int32_t>(kernel.m);
  tiling.N = static_cast<int32_t>(kernel.n);
  tiling.Ka = tiling.Kb = tiling.singleCoreK = static_cast<int32_t>(kernel.k);
  tiling.singleCoreM = tiling.baseM = kTileRows;
  tiling.singleCoreN = tiling.baseN = kTileColumns;
  tiling.baseK = kDepthStep;
  tiling.stepM = tiling.stepN = 1;
  tiling.stepKa = tiling.stepKb = 4;
  tiling.depthA1 = tiling.depthB1 = 8;
  tiling.dbL0A = tiling.dbL0B = 2;
  tiling.dbL0C = 1;
  return tiling;
}

}  // namespace

uint32_t cut_target_windows(int64_t start, int64_t end, bool targets_are_int64, TargetWindow windows[2]) {
  constexpr int64_t kMaxInt32 = std::numeric_limits<int32_t>::max();
  if (!targets_are_int64) end = std::min(end, kMaxInt32 + 1);
  uint32_t count = 0;
  for (int64_t next = start; next < end && count < 2;) {
    const int64_t last = std::min(end - 1, next | kMaxInt32);  // up to the next multiple of 2^31
    TargetWindow& window = windows[count++];
    window.high = static_cast<int32_t>(next >> 32);
    window.first = static_cast<int32_t>(static_cast<uint32_t>(next));
    window.last = static_cast<int32_t>(static_cast<uint32_t>(last));
    // local = t - start. With t = high * 2^32 + (low mod 2^32) that is low + shift; |shift| may reach 2^31.
    const int64_t shift = (next - start) - window.first;
    const int64_t step = std::clamp<int64_t>(shift, -kMaxInt32, kMaxInt32);
    window.shift = static_cast<int32_t>(step);
    window.shift_rest = static_cast<int32_t>(shift - step);
    if (last == std::numeric_limits<int64_t>::max()) break;
    next = last + 1;
  }
  return count;
}

Status compute_tiling(const OpDesc& op, const Platform& platform, TilingData& tiling) {
  if (Status status = check_arguments(op); !status.ok()) return status;
  if (Status status = check_platform(platform); !status.ok()) return status;
  tiling = TilingData{};
  const int64_t m = op.input.shape[0], k = op.input.shape[1], n = op.weight.shape[0];
  if (m == 0) return {};  // success, nothing to launch, no workspace

  FusedLinearOnlineMaxSumTiling& kernel = tiling.kernel;
  kernel.m = static_cast<uint32_t>(m);
  kernel.k = static_cast<uint32_t>(k);
  kernel.n = static_cast<uint32_t>(n);
  kernel.row_tiles = tiles(kernel.m, kTileRows);
  kernel.column_tiles = tiles(kernel.n, kTileColumns);
  const uint64_t tasks = static_cast<uint64_t>(kernel.row_tiles) * kernel.column_tiles;
  kernel.cube_cores = static_cast<uint32_t>(std::min<uint64_t>(platform.cube_cores, tasks));
  kernel.return_logits = op.vocab_parallel_logits.present ? 1 : 0;
  kernel.window_count =
      cut_target_windows(op.vocab_start_index, exclusive_end(op), op.target.dtype == DType::kInt64, kernel.windows);
  kernel.pad_target = op.mask_pad == MaskPad::kDevice ? 0 : -1;  // a shard never owns -1
  kernel.matmul = matmul_tiling(kernel);

  tiling.tiling_key = key_of(op.input.dtype, op.target.dtype);
  tiling.block_dim = kernel.cube_cores;
  tiling.system_workspace_bytes = kSystemWorkspaceBytes;
  const uint64_t slots = uint64_t{2} * kernel.cube_cores * kTileRows * kTileColumns * sizeof(uint16_t);
  tiling.user_workspace_bytes = partials_bytes(kernel) + (kernel.return_logits != 0 ? 0 : slots);
  return {};
}

}  // namespace flce::ascendc
