// A baseline: the findings of an earlier run, read from its JSON report (--out json=FILE). Findings of this run are
// then "new" or "known", those that are gone are listed as fixed (design/ux.md 3.4). Findings are the same when their
// ids are: the id is the rule and a fingerprint of kernel, functions, source text of the lines and tensor.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/model.h"

namespace ascsan::report {

/// Findings of a JSON report, sorted by id. Empty on success; else what is wrong with the text, in one line.
[[nodiscard]] std::string parse_baseline(std::string_view text, std::vector<FixedFinding>& findings);

/// Marks every finding and fills RunResult::fixed. What a run did not reach cannot be called fixed: `fixed` stays empty
/// when the run left something unchecked, crashed or launched nothing.
void apply_baseline(RunResult& run, const std::vector<FixedFinding>& baseline);

}  // namespace ascsan::report
