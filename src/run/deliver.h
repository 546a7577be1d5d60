// How a program started alone ends: its report on stderr, the files of option `out`, and the exit status.
#pragma once

#include "report/model.h"
#include "run/options.h"

namespace ascsan::run {

/// Prints and writes the result of a run. `status` is the program's own exit status; a run with findings or gaps turns
/// a status of 0 into the exit code of design/ux.md 3.2.
int deliver(const report::RunResult& result, const Options& options, int status);

}  // namespace ascsan::run
