// Suppression files: entries or an error, and entries can be applied to a run.
#include <cstdint>
#include <string>

#include "report/suppress.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ascsan::report;
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::vector<SuppressionEntry> entries;
  if (!parse_suppressions(text, "ascsan.suppress", entries).empty()) return 0;
  RunResult run;
  Finding finding;
  finding.id = "ASC1101-abcdef";
  finding.rule = "ASC1101";
  finding.kernel = "fused_linear_online_max_sum<half, int>";
  finding.tensor = "masked_target";
  finding.accesses.resize(2);
  finding.accesses[0].function = "TargetProcess";
  finding.accesses[1].function = "CVProcess";
  run.findings.push_back(finding);
  apply_suppressions(run, entries, "ascsan.suppress", "2026-06-01");
  suggest_suppressions(run, text);
  return 0;
}
