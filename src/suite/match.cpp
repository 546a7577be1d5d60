#include "suite/match.h"

#include <algorithm>

#include "report/verdict.h"

namespace ascsan::suite {
namespace {
/// "MTE2 -> V" of "AIV 0 MTE2 -> AIV 0 V".
std::string pipes_of(const std::string& link) {
  const auto last_word = [](const std::string& text) { return text.substr(text.rfind(' ') + 1); };
  const size_t arrow = link.find(" -> ");
  if (arrow == std::string::npos) return link;
  return last_word(link.substr(0, arrow)) + " -> " + last_word(link.substr(arrow + 4));
}

bool same_sides(const ExpectedFinding& expected, const report::Finding& found) {
  if (expected.sides.size() > found.accesses.size()) return false;
  std::vector<const report::AccessInfo*> open;
  for (const report::AccessInfo& access : found.accesses) open.push_back(&access);
  for (const ExpectedSide& side : expected.sides) {
    const auto match = std::find_if(open.begin(), open.end(), [&](const report::AccessInfo* access) {
      return access->line == side.line && (side.role.empty() || side.role == access->role);
    });
    if (match == open.end()) return false;
    open.erase(match);
  }
  return true;
}

bool same(const ExpectedFinding& expected, const report::Finding& found) {
  if (expected.rule != found.rule) return false;
  if (!expected.tensor.empty() && expected.tensor != found.tensor) return false;
  if (!expected.missing.empty() && expected.missing != found.missing && expected.missing != pipes_of(found.missing))
    return false;
  if (!expected.severity.empty() && expected.severity != report::name_of(found.severity)) return false;
  if (expected.count != 0 && expected.count != found.merged) return false;
  return same_sides(expected, found);
}

std::string text_of(const ExpectedFinding& finding) {
  std::string text = finding.rule;
  if (!finding.tensor.empty()) text += " tensor=" + finding.tensor;
  for (const ExpectedSide& side : finding.sides)
    text += " " + (side.role.empty() ? "access" : side.role) + "=line " + std::to_string(side.line);
  if (!finding.missing.empty()) text += " missing=\"" + finding.missing + "\"";
  if (!finding.severity.empty()) text += " severity=" + finding.severity;
  if (finding.count != 0) text += " count=" + std::to_string(finding.count);
  return text;
}

std::string text_of(const report::Finding& finding) {
  std::string text = finding.rule;
  if (!finding.tensor.empty()) text += " tensor=" + finding.tensor;
  for (const report::AccessInfo& access : finding.accesses)
    text += " " + access.role + "=line " + std::to_string(access.line);
  if (!finding.missing.empty()) text += " missing=\"" + finding.missing + "\"";
  return text + " severity=" + report::name_of(finding.severity) + " count=" + std::to_string(finding.merged) +
         (finding.title.empty() ? "" : " (" + finding.title + ")");
}

std::string join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}
}  // namespace

std::string mismatch(const Expectation& expected, const report::RunResult& run) {
  std::vector<const report::Finding*> open;
  for (const report::Finding& finding : run.findings) open.push_back(&finding);
  std::vector<std::string> missing, extra;
  for (const ExpectedFinding& wanted : expected.findings) {
    const auto match =
        std::find_if(open.begin(), open.end(), [&](const report::Finding* found) { return same(wanted, *found); });
    if (match == open.end())
      missing.push_back(text_of(wanted));
    else
      open.erase(match);
  }
  if (expected.incomplete && run.unchecked.empty()) missing.emplace_back("an unchecked part");
  for (const report::Finding* found : open) extra.push_back(text_of(*found));
  if (!expected.incomplete)
    for (const report::Unchecked& part : run.unchecked)
      extra.push_back("unchecked: " + part.what + " (" + part.why + ")");
  if (!run.crash.empty()) extra.push_back("crash: " + run.crash);
  if (missing.empty() && extra.empty()) return "";
  return "expected " + (missing.empty() ? "nothing more" : join(missing)) + "; found " +
         (extra.empty() ? "nothing else" : join(extra));
}

}  // namespace ascsan::suite
