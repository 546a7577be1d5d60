// A run as JUnit XML: one suite per kernel, one case per shape of its launches and class of faults (design/ux.md 3.5).
// A case fails when a finding that counts stands in it, and is skipped, with the reason, when the run was incomplete:
// never passed. Left out: times, which differ between equal runs.
#pragma once

#include <string>

#include "report/catalogue.h"
#include "report/model.h"
#include "report/verdict.h"

namespace ascsan::report {

/// Classes of faults are those of `rules`: a class without a rule gets no case, so nothing looks checked that is not.
std::string to_junit(const RunResult& run, const Conclusion& conclusion, const Catalogue& rules);

}  // namespace ascsan::report
