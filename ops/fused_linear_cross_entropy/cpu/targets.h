// The target stage: which rows this shard owns, the packed mask, the local targets (operator specification 3 and 4).
#pragma once

#include <vector>

#include "flce/operators.h"

namespace flce::cpu {

/// End of the half-open range after the vocab_range option; checks the bounds against n (n < 0: unknown).
int64_t checked_end(int64_t start, int64_t end, int64_t n, const MaxSumOptions& options);
/// With validate = kValues: targets nobody owns, and the tell-tale of a caller with inclusive bounds.
void check_target_values(const Vector& target, int64_t start, int64_t end, int64_t n, const MaxSumOptions& options);
/// Local column per row, -1 where not owned.
std::vector<int64_t> local_targets(const Vector& target, int64_t start, int64_t end);
/// An owned row whose local class is negative: no column, and an error or a poisoned row.
constexpr int64_t kBadTarget = -2;
/// Local column per row from a packed or bool mask, -1 where the mask says "not owned".
std::vector<int64_t> unmask_targets(const Vector& mask, const Vector& masked_target, int64_t m);

}  // namespace flce::cpu
