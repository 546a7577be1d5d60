// Runs one case: data, reference, launches, comparison. Knows the operator and the reference; prints nothing.
#pragma once

#include <functional>

#include "fused_linear_cross_entropy/batch/results.h"

namespace flce::batch {

/// Code and message of the host checks for this case, before any data exist.
ascendc::Status check_case(const CaseSpec& spec);
/// The same for its target values, if the case asks for that (validate = "values").
ascendc::Status check_case_targets(const CaseSpec& spec);

/// `tick` is called after each launch.
CaseResult run_case(const CaseSpec& spec, const Options& options, const std::function<void()>& tick);

}  // namespace flce::batch
