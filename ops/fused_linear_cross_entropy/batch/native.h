// The native CPU operator on the data of a case, in the shape of the kernel's outputs, so that both are judged alike.
#pragma once

#include "fused_linear_cross_entropy/ascendc/launch.h"
#include "fused_linear_cross_entropy/batch/values.h"

namespace flce::batch {

/// Throws what the operator throws: a case that passed the host checks must not be refused here.
ascendc::Outputs run_native(const CaseSpec& spec, const CaseData& data);

}  // namespace flce::batch
