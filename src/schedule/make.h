// The schedules by name, for options and tests.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "machine/scheduler.h"

namespace ascsan::schedule {

/// in_order, deferred, random (seed), pct (seed, depth 1..64). Null and a message in `error` (may be null) otherwise.
std::unique_ptr<machine::Scheduler> make_scheduler(std::string_view name, uint64_t seed, uint32_t depth,
                                                   std::string* error);

}  // namespace ascsan::schedule
