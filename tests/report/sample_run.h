// A run with one finding and its timeline, made by the modelled chip: what the browser test looks at.
#pragma once

#include <cstdint>

#include "report/model.h"

namespace ascsan::sample {

/// The kernel of sample_kernel.h on `cores` vector cores (at least 2) under the deferred schedule.
report::RunResult sample_run(uint32_t cores);

}  // namespace ascsan::sample
