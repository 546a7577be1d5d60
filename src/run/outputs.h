// Reports besides the terminal: --out FORMAT=FILE. A file that cannot be written does not lose its report: it goes to a
// file in the temporary folder, and if that fails too, to stderr.
#pragma once

#include "report/model.h"
#include "report/verdict.h"
#include "run/options.h"

namespace ascsan::run {

/// Writes all outputs ("-" is stdout). False when one of them did not get where it should.
bool write_outputs(const OutputList& outputs, const report::RunResult& run, const report::Conclusion& conclusion,
                   uint64_t max_reports);

/// Does one of the formats draw RunResult::timelines?
bool wants_timeline(const OutputList& outputs);

/// Whole text into a file; empty on success, else what went wrong.
std::string write_file(const std::string& path, const std::string& text);
/// Whole file; false when it cannot be read.
bool read_file(const std::string& path, std::string& text);

}  // namespace ascsan::run
