// A run as one self-contained HTML file (design/ux.md 3.5): summary, every finding with its source lines, its place in
// a timeline of cores and pipes, light and dark, on paper too. No network: nothing is loaded from anywhere, and a
// content security policy forbids it. Without scripts everything but the timelines is there. Left out until their data
// exist: witness, values wrong and right.
#pragma once

#include <string>

#include "report/model.h"
#include "report/text_layout.h"
#include "report/verdict.h"

namespace ascsan::report {

/// Equal runs and equal source files give equal bytes. Of `style` the source roots and max_reports count: findings
/// beyond them are in the table only.
std::string to_html(const RunResult& run, const Conclusion& conclusion, const TextStyle& style);

}  // namespace ascsan::report
