// Host tiling of fused_linear_online_max_sum: checks the call, splits the work, sizes the workspace.
// Rules: spec/operators.md 5 (checks) and 6.1 (tiling, workspace). m = 0 is success with nothing to launch.
#pragma once

#include <cstdint>

#include "fused_linear_cross_entropy/ascendc/op_desc.h"
#include "fused_linear_cross_entropy/ascendc/tiling_data.h"

namespace flce::ascendc {

struct Platform {
  uint32_t cube_cores = 24;  ///< matrix cores; twice as many vector cores
  uint64_t ub_bytes = 192 * 1024;
};

/// What a launch needs besides the arguments.
struct TilingData {
  FusedLinearOnlineMaxSumTiling kernel{};
  uint64_t tiling_key = 0;
  uint32_t block_dim = 0;               ///< 0: nothing to launch
  uint64_t system_workspace_bytes = 0;  ///< in front of the user part
  uint64_t user_workspace_bytes = 0;
};

/// 0, or code and message of the first failed check; `tiling` is written only on success.
Status compute_tiling(const OpDesc& op, const Platform& platform, TilingData& tiling);

/// The windows of the targets start <= t < end with end - start < 2^31; for int32 targets clipped to their type.
/// Returns their number, 0 to 2.
uint32_t cut_target_windows(int64_t start, int64_t end, bool targets_are_int64, TargetWindow windows[2]);

}  // namespace flce::ascendc
