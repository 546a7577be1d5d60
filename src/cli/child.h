// A program started by `ascsan run`: found, started, watched and ended. Signals that ask us to stop (SIGINT, SIGTERM)
// are passed on, so that the program ends by itself and what was found until then is still reported.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ascsan::cli {

/// Path of the program to execute: `name` as given when it has a slash, else from PATH. Empty, with a text in `error`
/// that says what is wrong and what to type, when it cannot be executed.
std::string find_program(const std::string& name, std::string& error);

struct ChildRequest {
  std::string path;
  std::vector<std::string> args;                   ///< args[0] is the name the program sees
  std::map<std::string, std::string> environment;  ///< added to ours
  bool silent = false;                             ///< stdin, stdout and stderr are /dev/null
  std::optional<double> limit_seconds;             ///< killed when it takes longer
};

struct ChildResult {
  std::string start_error;  ///< not empty: it could not be started
  int status = 0;           ///< exit status, or 128 + signal
  int interrupted_by = 0;   ///< the signal that we were sent meanwhile, 0 = none
  bool timed_out = false;
  double seconds = 0;
};

ChildResult run_child(const ChildRequest& request);

}  // namespace ascsan::cli
