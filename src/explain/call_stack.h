// Call stacks of named instructions, with inlined frames (elfutils libdw). Used in the second, identical run only
// (design/architecture.md decision 6), and for the place of a crash, so cost does not matter here.
#pragma once

#include <cstdint>
#include <vector>

#include "report/model.h"

namespace ascsan::explain {

/// Return addresses of the running stack, innermost first; works on fibers.
std::vector<uint64_t> capture_addresses();

/// Functions and lines of the addresses, inlined frames expanded, innermost first. Frames without debug information
/// keep the symbol name and have no file. `exact`: the first address is an instruction (a crash), not a return address.
std::vector<report::Frame> symbolize(const std::vector<uint64_t>& addresses, bool exact);

/// The same for many return addresses at once, one list each.
std::vector<std::vector<report::Frame>> symbolize_each(const std::vector<uint64_t>& addresses);

}  // namespace ascsan::explain
