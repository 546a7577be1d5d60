// Reads case files (TOML). Every unknown key, wrong type, or value out of its limits is an error with file and line.
#pragma once

#include <string>
#include <vector>

#include "fused_linear_cross_entropy/batch/case_spec.h"

namespace flce::batch {

/// Cases of one file, in order, or one line "file:line: key: what was given, what is expected".
struct CaseFile {
  std::vector<CaseSpec> cases;
  std::string error;
};
CaseFile read_case_file(const std::string& path);

/// The same from text; `path` names it in messages.
CaseFile parse_case_file(const std::string& text, const std::string& path);

}  // namespace flce::batch
