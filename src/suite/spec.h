// Expectations of a folder of kernels, read from the comments in front of them (tests/litmus/README.md):
//   // ascsan: kernel=NAME cores=1 type=aiv expect=ASC1201 tensor=UB+0x0 writer=@load reader=@add missing="MTE2 -> V"
// Places are marks in comments at the end of a line ("// @load"), valid within their kernel, so no line number is
// written anywhere. Anything unknown, missing or given twice is an error that says where and what is allowed: an
// expectation that is half read would be a test that cannot fail.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ascsan::suite {

struct ExpectedSide {
  std::string role;  ///< as in reports; empty = any
  std::string mark;
  uint32_t line = 0;
};

struct ExpectedFinding {
  std::string rule, tensor, missing, severity;  ///< empty: not compared
  uint64_t count = 0;                           ///< merged occurrences, 0 = not compared
  std::vector<ExpectedSide> sides;
};

struct Expectation {
  std::string kernel, type, file;
  uint32_t line = 0, cores = 0;
  std::vector<std::string> rules;                            ///< the rules of hb-rules.md or classes it is about
  std::vector<std::pair<std::string, std::string>> options;  ///< of the run
  bool incomplete = false;
  std::vector<ExpectedFinding> findings;  ///< none and not incomplete: clean
  uint64_t schedules = 0, outcomes = 0;   ///< golden numbers of the exhaustive search, 0 = none
};

/// Expectations of one source text; `file` is its name in messages. Errors are appended, one sentence each.
std::vector<Expectation> parse_expectations(const std::string& text, const std::string& file,
                                            std::vector<std::string>& errors);

/// Of all *.cpp below `folder` (not its subfolders), in order of file names. Kernels named twice are errors.
std::vector<Expectation> read_folder(const std::string& folder, std::vector<std::string>& errors);

}  // namespace ascsan::suite
