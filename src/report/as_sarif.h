// A run as SARIF 2.1.0, for code scanning services and editors (design/ux.md 3.5): location = reader, related locations
// = the other sides and the last common point, one thread flow per actor with a shared execution order. Names that
// start with a slash become file URIs, all others are relative to %SRCROOT%. Left out until their data exist: fixes.
#pragma once

#include <string>

#include "report/catalogue.h"
#include "report/model.h"
#include "report/text_layout.h"
#include "report/verdict.h"

namespace ascsan::report {

/// Indented, with a newline at the end; equal runs give equal bytes. `style` is asked for its source roots only:
/// snippets are left out where a source file cannot be read.
std::string to_sarif(const RunResult& run, const Conclusion& conclusion, const Catalogue& rules,
                     const TextStyle& style);

}  // namespace ascsan::report
