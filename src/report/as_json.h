// Runs as JSON. to_json writes schema 1 (docs/json-schema-1.md) for users: sorted keys, nothing outside "timing" varies
// between equal runs. to_raw_json and from_raw_json carry a RunResult between processes without loss; that form is
// private and may change with every version. Left out: deciding anything; the verdict comes from report/verdict.h.
#pragma once

#include <string>
#include <string_view>

#include "report/model.h"
#include "report/verdict.h"

namespace ascsan::report {

/// Schema 1, indented, with a newline at the end. Bytes that are no UTF-8 are replaced, never an error.
std::string to_json(const RunResult& run, const Conclusion& conclusion);

std::string to_raw_json(const RunResult& run);
/// Inverse of to_raw_json. False, with a text in *error and `run` unspecified, when `text` is not what to_raw_json
/// writes.
bool from_raw_json(std::string_view text, RunResult& run, std::string* error);

}  // namespace ascsan::report
