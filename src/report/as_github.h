// A run as GitHub workflow commands: an annotation on every line a finding names, the reader's first. Printed to the
// log of a job (--out=github=-), they appear beside the lines of a pull request. Suppressed and known findings give
// none.
#pragma once

#include <string>

#include "report/model.h"
#include "report/verdict.h"

namespace ascsan::report {

std::string to_github(const RunResult& run, const Conclusion& conclusion);

}  // namespace ascsan::report
