// Witness, effect and fix of a finding as sentences, shared by the report formats.
#pragma once

#include <string>
#include <vector>

#include "report/model.h"

namespace ascsan::report {

/// "read by the witness: masked_target[64] = 0"
std::string value_line(const WitnessValue& value);
/// "61 of 8192 elements differ, first: element 64, 1.0371 instead of -0.2188; largest relative error 5.7"
std::string impact_line(const Impact& impact);
/// "1 forced choice, 2 runs of the launch"
std::string cost_line(const Witness& witness);
/// "3.2e+04", or "unbounded" where the right value is 0 or one of the two is no number.
std::string relative_error_text(double error);
/// "verified: ...; needed: ..." of a fix.
std::string proof_line(const Fix& fix);

}  // namespace ascsan::report
