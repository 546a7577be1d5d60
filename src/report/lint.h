// What `ascsan lint --redundant` asks a program, and what it answers: which synchronisation its launches issue, which
// of it a race, a hang or another finding needs, and whether a given set may be left out. The question and the answer
// travel as JSON, as with the other experiments (experiments.h). Left out: how it is found out (src/run/lint.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/experiments.h"

namespace ascsan::report {

/// A line of source that issues synchronisation.
struct SyncLine {
  std::string file, function, operation;  ///< operation: "PipeBarrier<PIPE_ALL>", several joined by commas
  uint64_t line = 0, executions = 0;
};
/// Lines that belong together: the two halves of a flag, the sides of a barrier between cores.
struct SyncGroup {
  std::vector<SyncLine> lines;  ///< sorted by file and line
  std::vector<std::string> kernels;
  uint64_t weight = 0;    ///< how much it stops: 3 other cores, 2 the whole core, 1 one pipe
  std::string needed;     ///< why it cannot be left out, as far as is known; empty = nothing says so yet
  bool for_good = false;  ///< leaving out more cannot change that: a race, or not to be touched
};
struct LintTask {
  bool survey = false;             ///< find the groups; else try to leave out `drop`
  std::vector<SyncLine> drop;      ///< files and lines
  std::vector<SyncGroup> settled;  ///< survey: groups that need no try
  std::vector<std::string> known;  ///< ids that the program shows as it is: they say nothing about the change
  uint64_t schedules = 32;
};
struct LintLaunch {
  std::string kernel;
  uint64_t blocks = 0, launches = 0;  ///< launches in a row that are alike in both
};
struct LintAnswer {
  bool complete = false;  ///< false: the program ended in the middle of `trying`
  std::vector<SyncLine> trying;
  std::vector<SyncGroup> groups;  ///< survey
  std::vector<LintLaunch> launches;
  std::vector<std::string> errors;  ///< survey: errors of the program as it is, "id title"
  std::vector<std::string> known;   ///< survey: ids of all findings of the program as it is
  std::string refused;              ///< drop: why it cannot be left out; empty = it can
  bool for_good = false;
  uint64_t runs = 0;
  std::string trouble;  ///< nothing can be said: not deterministic by itself, too much memory
};

std::string lint_task_to_json(const LintTask& task);
bool lint_task_from_json(std::string_view text, LintTask& task, std::string* error);
std::string lint_answer_to_json(const LintAnswer& answer);
bool lint_answer_from_json(std::string_view text, LintAnswer& answer, std::string* error);

}  // namespace ascsan::report
