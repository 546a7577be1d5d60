// Does a run show what was expected, all of it and nothing else? Compared are rule, both lines, tensor, missing link
// and, where given, severity and count. Findings that nobody expects are failures, whatever their severity.
#pragma once

#include <string>

#include "report/model.h"
#include "suite/spec.h"

namespace ascsan::suite {

/// Empty when it does; else what was expected and what was found, in one line.
std::string mismatch(const Expectation& expected, const report::RunResult& run);

}  // namespace ascsan::suite
