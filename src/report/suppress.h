// The suppression file, ascsan.suppress (design/ux.md 3.4): findings that are known and accepted for a while. TOML, one
// table [[suppress]] per entry:
//   rule = "ASC1101"                      which rule, glob; needed
//   reason = "why this is accepted"       needed
//   kernel = "fused_*"                    glob
//   tensor = "masked_*"                   glob
//   functions = ["Writer", "Reader"]      globs of the functions of two sides, in any order; one glob: of any side
//   owner = "team"
//   expires = 2027-01-31                  from the day after it the entry suppresses nothing and is reported
// A glob knows * and ?. What is left out matches everything. Left out: suppressing by line numbers, which move.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/model.h"

namespace ascsan::report {

struct SuppressionEntry {
  std::string rule, reason, kernel, tensor, owner;
  std::vector<std::string> functions;  ///< none, one or two
  std::string expires;                 ///< "YYYY-MM-DD" or empty
  uint32_t line = 0;                   ///< of the entry in its file
};

/// Does `text` match `glob` as a whole?
bool glob_matches(std::string_view glob, std::string_view text);

/// Reads entries from TOML. Empty on success; else "FILE:LINE: what is wrong and what is expected", in one line.
[[nodiscard]] std::string parse_suppressions(std::string_view text, const std::string& file,
                                             std::vector<SuppressionEntry>& entries);

/// Marks findings that an entry covers, the first entry that does, and notes entries that are expired or match nothing.
/// `today` is "YYYY-MM-DD"; `file` names the entries in the notes.
void apply_suppressions(RunResult& run, const std::vector<SuppressionEntry>& entries, const std::string& file,
                        const std::string& today);

/// The calendar day in UTC. SOURCE_DATE_EPOCH, when set, takes the place of the clock, so that equal runs stay equal.
std::string today();

/// Commented-out entries for the findings that count, each once; those whose text already stands in `existing` are left
/// out. Empty when there is nothing to add.
std::string suggest_suppressions(const RunResult& run, std::string_view existing);

}  // namespace ascsan::report
