// Input, weight and targets of a case, from its distributions and its seed: the same on every machine.
#pragma once

#include <cstdint>
#include <vector>

#include "fused_linear_cross_entropy/batch/case_spec.h"
#include "fused_linear_cross_entropy/reference/number.h"

namespace flce::batch {

struct CaseData {
  std::vector<uint16_t> input, weight;  ///< [m, k], [n, k] bit patterns
  std::vector<int64_t> target;          ///< [m], representable in the target type
};

CaseData make_data(const CaseSpec& spec);
/// The targets alone.
std::vector<int64_t> make_targets(const CaseSpec& spec);

/// Storage of a case whose dtype the host checks accepted.
reference::Storage storage_of(const CaseSpec& spec);

}  // namespace flce::batch
