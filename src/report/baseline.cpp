// Baselines. See baseline.h.
#include "report/baseline.h"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "report/verdict.h"

namespace ascsan::report {
namespace {

using Json = nlohmann::json;

/// False when the member is missing or no string.
bool take(const Json& object, const char* name, std::string& text) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) return false;
  text = found->get<std::string>();
  return true;
}

}  // namespace

std::string parse_baseline(std::string_view text, std::vector<FixedFinding>& findings) {
  findings.clear();
  const Json document = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded() || !document.is_object()) return "it is no JSON report; write one with --out json=FILE";
  const auto schema = document.find("schema");
  if (schema == document.end() || *schema != 1)
    return "it has no \"schema\": 1; a baseline is a JSON report written by --out json=FILE";
  const auto list = document.find("findings");
  if (list == document.end() || !list->is_array()) return "it has no list of findings";
  for (const Json& item : *list) {
    FixedFinding finding;
    const bool good = item.is_object() && take(item, "id", finding.id) && take(item, "rule", finding.rule) &&
                      take(item, "title", finding.title) && take(item, "kernel", finding.kernel);
    if (!good) return "finding " + std::to_string(findings.size() + 1) + " lacks id, rule, title or kernel";
    findings.push_back(std::move(finding));
  }
  const auto before = [](const FixedFinding& a, const FixedFinding& b) { return a.id < b.id; };
  const auto same = [](const FixedFinding& a, const FixedFinding& b) { return a.id == b.id; };
  std::stable_sort(findings.begin(), findings.end(), before);
  findings.erase(std::unique(findings.begin(), findings.end(), same), findings.end());
  return "";
}

void apply_baseline(RunResult& run, const std::vector<FixedFinding>& baseline) {
  std::set<std::string> seen;
  for (Finding& finding : run.findings) {
    const auto known = std::lower_bound(baseline.begin(), baseline.end(), finding.id,
                                        [](const FixedFinding& a, const std::string& id) { return a.id < id; });
    finding.baseline = known != baseline.end() && known->id == finding.id ? "known" : "new";
    seen.insert(finding.id);
  }
  run.fixed.clear();
  if (!run.unchecked.empty() || !run.crash.empty() || run.launches.empty() || !program_failure(run).empty()) return;
  for (const FixedFinding& finding : baseline)
    if (seen.count(finding.id) == 0) run.fixed.push_back(finding);
}

}  // namespace ascsan::report
