// Synchronisation that orders nothing, proven by leaving it out (`ascsan lint --redundant`). Two questions to a launch:
// a survey says which groups of lines there are and which of them a race, a hang or another finding needs; a try leaves
// a set of lines out, with all checkers on in several runs and the outputs compared with those of the program as it is
// under many schedules. Memory is left as the program left it. Left out: which sets to try, and the joining of cases
// (src/cli/lint_search.h).
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "check/suite.h"
#include "report/lint.h"
#include "run/lab.h"
#include "run/what_if.h"

namespace ascsan::run {

/// Schedule `n` of a proof: late, in order, then random and pct in turn.
std::unique_ptr<machine::Scheduler> adversary(uint64_t n);

class Lint {
 public:
  explicit Lint(report::LintTask task) : task_(std::move(task)) {}
  /// One launch. False: nothing more needs to be known.
  bool at_launch(Lab& lab, const machine::LaunchPlan& plan, const check::SuiteOptions& checks);
  void refuse(std::string why) { answer_.trouble = std::move(why); }
  /// The program came to its end.
  void finish() { answer_.complete = true; }
  const report::LintAnswer& answer() const { return answer_; }

 private:
  struct Seen {
    std::vector<report::Finding> findings;
    std::vector<report::Unchecked> unchecked;
  };
  RunOutcome checked(Lab& lab, uint64_t schedule, machine::Interposer* what_if, check::Suite& suite, Seen& seen);
  bool survey(Lab& lab, const machine::LaunchPlan& plan);
  void look_at(Lab& lab, report::SyncGroup& group, const std::set<std::string>& known);
  bool leave_out(Lab& lab, const machine::LaunchPlan& plan);
  bool judge(const RunOutcome& got, const Seen& seen, const std::set<std::string>& known, std::string& why,
             bool& for_good) const;
  bool is_settled(const report::SyncGroup& group) const;
  check::Suite& lasting(Lab& lab, uint64_t schedule);
  void note_launch(const machine::LaunchPlan& plan);

  report::LintTask task_;
  report::LintAnswer answer_;
  check::SuiteOptions checks_;
  std::vector<std::unique_ptr<check::Suite>> suites_;  ///< one per checked schedule, over all launches
};

}  // namespace ascsan::run
