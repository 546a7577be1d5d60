// The search behind `ascsan lint --redundant`: a survey of every case, then sets of lines left out in all cases until
// nothing more can go. Greedy, the heaviest synchronisation first, in halves: a set that can go as a whole goes as a
// whole, else its halves are tried. What a race needs stays; what was refused for another reason is tried again once
// more has gone. So the final set is proven as one, and each line that stays was refused with all of it left out. The
// program does the trying (src/run/lint.h).
#pragma once

#include <string>
#include <vector>

#include "cli/exchange.h"
#include "report/lint.h"

namespace ascsan::cli {

struct LintCase {
  ProgramCall call;
  std::vector<report::LintLaunch> launches;
};

struct LintResult {
  std::vector<report::SyncGroup> redundant, needed;  ///< in the order of their places
  uint64_t runs = 0, tries = 0;
  std::string trouble;              ///< not empty: nothing can be said, and why
  std::vector<std::string> errors;  ///< of the programs as they are
};

class LintSearch {
 public:
  LintSearch(std::vector<LintCase>& cases, const ExchangeFolder& folder, uint64_t schedules)
      : cases_(cases), folder_(folder), schedules_(schedules) {}
  LintResult run();

 private:
  bool survey(LintCase& one);
  void join(const std::vector<report::SyncGroup>& groups);
  /// True when the lines of `out` and of `more` can go together; else `why`.
  bool can_go(const std::vector<size_t>& more, std::string& why, bool& for_good);
  void thin(const std::vector<size_t>& candidates);
  bool put(const LintCase& one, const report::LintTask& task, report::LintAnswer& answer);

  std::vector<LintCase>& cases_;
  const ExchangeFolder& folder_;
  uint64_t schedules_;
  std::vector<report::SyncGroup> groups_;
  std::vector<size_t> out_;  ///< proven redundant together
  std::vector<std::string> known_;
  LintResult result_;
};

/// Text for the terminal, and the JSON of --out json=FILE (docs/diagnose.md).
std::string lint_text(const std::vector<LintCase>& cases, const LintResult& result, uint64_t schedules);
std::string lint_json(const std::vector<LintCase>& cases, const LintResult& result, uint64_t schedules, int exit_code);

}  // namespace ascsan::cli
