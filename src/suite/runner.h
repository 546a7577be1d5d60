// Runs the kernels of a suite: one process each, a few at a time, results by the private JSON of report/as_json.h. The
// program must answer to `PROGRAM --list` (lines "name type blocks") and `PROGRAM NAME`. Left out: call stacks and a
// terminal report per kernel; `ascsan run PROGRAM NAME` gives both.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "run/options.h"
#include "suite/spec.h"

namespace ascsan::suite {

struct Listed {
  std::string name, type;
  uint32_t blocks = 0;
};

/// Asks the program for its kernels. Empty on success, else what went wrong.
std::string list_kernels(const std::string& program, std::vector<Listed>& kernels);

struct Outcome {
  const Expectation* expectation = nullptr;
  std::string failure;  ///< empty: as expected
  double seconds = 0;
};

struct RunRequest {
  std::string program;
  run::Options options;  ///< of all kernels; those of an expectation come on top
  uint32_t jobs = 2;
  double limit_seconds = 60;  ///< per kernel
};

/// Runs all, in order of the list as far as jobs allow; outcomes have the order of `expectations`. `done` is called as
/// each one ends. False, with a text, when something else than a kernel fails.
std::string run_all(const RunRequest& request, const std::vector<const Expectation*>& expectations,
                    std::vector<Outcome>& outcomes);

/// A JUnit file: a suite per source file, a case per kernel.
std::string to_junit(const std::vector<Outcome>& outcomes);

}  // namespace ascsan::suite
