// Findings of several launches: one cause is one finding, in an order that does not depend on when it was found.
#include <algorithm>

#include "check/suite.h"

namespace ascsan::check {

void merge(std::vector<report::Finding>& findings, std::vector<report::Finding> more) {
  for (report::Finding& finding : more) {
    const auto known = std::find_if(findings.begin(), findings.end(),
                                    [&](const report::Finding& other) { return other.id == finding.id; });
    if (known == findings.end()) {
      findings.push_back(std::move(finding));
      continue;
    }
    known->merged += finding.merged;
    // A later launch may show the same cause more gravely.
    known->severity = std::max(known->severity, finding.severity);
    known->confidence = std::max(known->confidence, finding.confidence);
  }
}

void sort(std::vector<report::Finding>& findings) {
  std::stable_sort(findings.begin(), findings.end(), [](const report::Finding& a, const report::Finding& b) {
    if (a.severity != b.severity) return a.severity > b.severity;
    if (a.rule != b.rule) return a.rule < b.rule;
    return a.id < b.id;
  });
}

}  // namespace ascsan::check
