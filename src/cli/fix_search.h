// The search for a proven cure. Candidates of the catalogue (fix_candidates.h) are written into a copy, compiled and
// run, the cheapest first. A candidate is proven when the finding is gone, no new finding has come, and the launch
// gives the outputs of the in-order run under the witness and 32 adversarial schedules. Where the finding goes and
// another race of the launch still changes outputs, a cure of that one is looked for on top: a cure at several places.
// Each step of such a cure is then left out once, and must be missed.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/exchange.h"
#include "cli/fix_build.h"
#include "cli/fix_candidates.h"
#include "report/experiments.h"

namespace ascsan::cli {

struct FixCall {
  ProgramCall program;
  BuildPlan plan;
  std::string id;
  bool apply = false, all = false;
};

class FixSearch {
 public:
  FixSearch(FixCall& call, const ExchangeFolder& folder) : call_(call), folder_(folder) {}
  /// The whole command, from the checked run of the program as it is to the patch. An exit code.
  int run(report::RunResult& run, const report::Finding& finding);

 private:
  /// What came of a changed program.
  struct Trial {
    std::string why;       ///< not proven; empty = proven
    bool partial = false;  ///< the findings aimed at are gone, but others of their kind are left or came up
    report::RunResult run;
    int next = -1;  ///< partial: the finding to go on with
    std::string next_key;
    report::Verification seen;
  };
  std::string verify(const ProgramCall& program, const report::DiagnosisTask& task, report::Verification& result);
  std::string prepare(report::RunResult& run, const report::Finding& finding, size_t first_side, bool hangs);
  /// A finding by its rule and the lines of its accesses before any change: ids follow the numbers of lines.
  using Origins = std::map<std::string, std::vector<uint32_t>>;
  static std::string key_of(const report::Finding& finding, const Origins& origins);
  Trial attempt(const std::vector<Candidate>& steps, const std::set<std::string>& gone);
  void judge(const ProgramCall& changed, const std::set<std::string>& gone, const Origins& origins, Trial& trial);
  bool compare_findings(const std::set<std::string>& gone, const Origins& origins, Trial& trial) const;
  bool extend(const std::vector<Candidate>& steps, const std::set<std::string>& gone, const report::Finding& finding);
  /// Steps that the others do without are dropped; all that stay are missed.
  void thin(std::vector<Candidate>& steps, const std::set<std::string>& gone, Trial& trial);
  void tell(const std::vector<Candidate>& steps, const Trial& trial);
  const Lines* original(const std::string& file);
  int apply(const std::vector<Candidate>& steps);

  FixCall& call_;
  const ExchangeFolder& folder_;
  report::DiagnosisTask task_;
  report::Verification before_;
  std::set<std::string> known_;  ///< keys of the findings of the program as it is
  std::map<std::string, Lines> sources_;
  std::map<std::string, std::string> paths_;  ///< of the sources, by the name the compiler saw
  std::vector<std::vector<Candidate>> proven_;
  bool same_outputs_ = true;  ///< the in-order run of the program as it is shows what is right
  size_t tried_ = 0;
};

}  // namespace ascsan::cli
