// The part of the session that repeats launches instead of checking them: roles of a program started by `ascsan`. The
// question is the file named in ASCSAN_TASK, the answer goes to ASCSAN_RESULT. Left out: the experiments themselves
// (witness.h, diagnose.h, lint.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "report/experiments.h"
#include "report/token.h"
#include "run/lab.h"
#include "run/options.h"

namespace ascsan::run {

class Experiments {
 public:
  enum class Next : uint8_t { kLaunch, kLaunched, kExit };
  /// Null when the role is none of ours. Ends the process with exit code 70 when the task is unreadable.
  static std::unique_ptr<Experiments> from_environment();
  virtual ~Experiments() = default;
  /// A launch is due: kLaunch = run it as usual, kLaunched = it has happened, kExit = nothing more is wanted.
  virtual Next at_launch(machine::Machine& machine, machine::GlobalMemory& memory, const event::SiteTable& sites,
                         const machine::LaunchPlan& plan, const Options& options) = 0;
  /// An ASCSAN_STAGE of the running core.
  virtual void mark(event::CoreId, const char*) {}
  /// The program came to its end by itself.
  virtual void at_end() {}
  /// The answer, as the file of ASCSAN_RESULT shall hold it.
  virtual std::string answer() const = 0;
};

}  // namespace ascsan::run
