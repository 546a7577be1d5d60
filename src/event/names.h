// Names of ids for people: pipes, memories, APIs, cores. One place, so that every report writes them alike.
#pragma once

#include <string>

#include "event/event.h"

namespace ascsan::event {

/// "S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX", "ALL".
const char* pipe_name(gate::Pipe pipe);
/// "GM", "UB", "L1", "L0A", "L0B", "L0C", "BT", "FB"; "" for kNone.
const char* space_name(gate::Space space);
/// Name of an operation as users write it; "" where the user never wrote one (Nop).
const char* api_name(gate::Op op);

/// Core counts of a launch; AICs come first, AIVs are numbered from 0 again.
struct CoreCounts {
  uint32_t aic = 0, aiv = 0;
  uint32_t total() const { return aic + aiv; }
  bool is_aiv(CoreId core) const { return core >= aic; }
  /// "AIC 2", "AIV 3".
  std::string name(CoreId core) const;
};

}  // namespace ascsan::event
