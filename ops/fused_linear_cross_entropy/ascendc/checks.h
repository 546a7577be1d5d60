// The host checks of fused_linear_online_max_sum, in the documented order: the first that fails gives code and message.
// Order and codes: spec/operators.md 5. Beyond the documented ones, at the end: a range wider than the shard (unless
// validate is off) and sizes the kernel's 32-bit counters cannot hold.
#pragma once

#include <cstdint>
#include <span>

#include "fused_linear_cross_entropy/ascendc/op_desc.h"

namespace flce::ascendc {

inline constexpr int64_t kMaxHidden = 65534;
/// Strides of the merge are 32-bit byte counts.
inline constexpr int64_t kMaxRows = (int64_t{1} << 30) - 1;

/// Shapes, types and attributes.
Status check_arguments(const OpDesc& op);

/// validate = values: refuses a target equal to the end of a range that is one short of the shard, the mark of a caller
/// who thinks the end inclusive (spec/operators.md 4). Other modes, and other values, always pass.
Status check_target_values(const OpDesc& op, std::span<const int64_t> target);

}  // namespace flce::ascendc
