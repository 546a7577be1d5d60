// A run as text for people: the order of design/ux.md 3.3 and 4 (headline, what, accesses, ordering, notes, identity,
// verdict line last). The same text is printed by `ascsan run` and by a program started alone.
#pragma once

#include <cstdio>
#include <string>

#include "report/model.h"
#include "report/text_layout.h"
#include "report/verdict.h"

namespace ascsan::report {

std::string to_text(const RunResult& run, const Conclusion& conclusion, const TextStyle& style);

/// One finding as it stands in to_text.
std::string finding_text(const Finding& finding, const TextStyle& style);

/// to_text onto a stream, in one write.
void print_text(std::FILE* stream, const RunResult& run, const Conclusion& conclusion, const TextStyle& style);

}  // namespace ascsan::report
