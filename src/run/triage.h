// What is known about findings before a run: the suppression file and the baseline (options suppressions, baseline,
// write_suppressions). Used by `ascsan run` and by programs started alone.
#pragma once

#include <string>
#include <vector>

#include "report/baseline.h"
#include "report/model.h"
#include "report/suppress.h"
#include "run/options.h"

namespace ascsan::run {

struct Triage {
  std::vector<report::SuppressionEntry> entries;
  std::vector<report::FixedFinding> baseline;
  bool has_baseline = false;
};

/// Reads the files. Empty on success, else one line; a missing file is an error unless nobody asked for it.
[[nodiscard]] std::string load_triage(const Options& options, Triage& triage);

/// Marks the findings of a run. Call when they are complete, before the verdict.
void apply_triage(const Options& options, const Triage& triage, report::RunResult& run);

/// Option write_suppressions: appends to the suppression file and says so on stderr. False when it cannot be written.
bool write_suppressions(const Options& options, const report::RunResult& run);

}  // namespace ascsan::run
