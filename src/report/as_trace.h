// A run as Chrome trace events (JSON), for Perfetto: process = core, thread = pipe, async slices where copies overlap,
// a flow for every set that is waited for, a red-named one for the absent link of each finding, counters for queues and
// buffers (design/ux.md 3.5). The machine has no clock: one step is 10 microseconds of the trace; launches follow each
// other.
#pragma once

#include <string>

#include "report/model.h"

namespace ascsan::report {

inline constexpr uint64_t kTicksPerStep = 10;

/// Equal runs give equal bytes. Slices of one thread are disjoint, so they nest by themselves.
std::string to_trace(const RunResult& run);

}  // namespace ascsan::report
