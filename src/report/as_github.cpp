// GitHub annotations. See as_github.h. Errors come before warnings, since a job shows only the first few of each kind.
#include "report/as_github.h"

#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "report/actors.h"
#include "report/escape.h"
#include "report/version.h"

namespace ascsan::report {
namespace {

const char* command_of(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kInfo:
      return "notice";
  }
  return "notice";
}

std::string annotation(const char* command, const std::string& file, uint32_t line, const std::string& title,
                       const std::string& text) {
  std::string properties;
  if (!file.empty()) properties += "file=" + github_property(file) + ",";
  if (!file.empty() && line > 0) properties += fmt::format("line={},", line);
  return fmt::format("::{} {}title={}::{}\n", command, properties, github_property(title), github_message(text));
}

std::string place(const AccessInfo& access) {
  return access.file.empty() ? "" : base::place(access.file, access.line);
}

std::string side_text(const AccessInfo& access) {
  const std::string action = actor_action(access, ", ");
  return access.role + (action.empty() ? "" : (access.role.empty() ? "" : ": ") + action);
}

void add_finding(std::string& result, const Finding& finding) {
  const char* command = command_of(finding.severity);
  const std::string title = finding.rule + " " + name_of(finding.confidence);
  const std::optional<size_t> primary = primary_access(finding);
  if (!primary) {
    result += annotation(command, "", 0, title, finding.title + " (" + finding.id + ")");
    return;
  }
  std::vector<size_t> order = {*primary};
  for (size_t i = 0; i < finding.accesses.size(); ++i)
    if (i != *primary) order.push_back(i);
  std::set<std::pair<std::string, uint32_t>> seen;
  for (const size_t i : order) {
    const AccessInfo& access = finding.accesses[i];
    if (!seen.emplace(access.file, access.line).second) continue;  // both sides on one line
    std::string text = finding.title;
    if (const std::string here = side_text(access); !here.empty()) text += "\nHere, " + here + ".";
    for (const size_t other : order)
      if (other != i && !place(finding.accesses[other]).empty())
        text += "\nOther side, " + side_text(finding.accesses[other]) + ", " + place(finding.accesses[other]) + ".";
    if (!finding.missing.empty()) text += "\nAbsent link: " + finding.missing + ".";
    text += "\nExplained by: ascsan rules " + finding.rule + " (finding " + finding.id + ")";
    result += annotation(command, access.file, access.line, title, text);
  }
}

}  // namespace

std::string to_github(const RunResult& run, const Conclusion& conclusion) {
  std::string result;
  for (const Severity severity : {Severity::kError, Severity::kWarning, Severity::kInfo})
    for (const Finding& finding : run.findings)
      if (finding.severity == severity && counts(finding)) add_finding(result, finding);
  for (const Unchecked& item : run.unchecked)
    result += annotation("warning", "", 0, std::string(kToolName) + " incomplete",
                         "left unchecked: " + item.what + ": " + item.why);
  for (const std::string& note : run.suppression_notes)
    result += annotation("warning", "", 0, std::string(kToolName) + " suppressions", note);
  if (!run.crash.empty()) result += annotation("error", "", 0, std::string(kToolName) + " crash", run.crash);
  result += annotation(conclusion.exit_code == kExitClean ? "notice" : "error", "", 0, kToolName,
                       verdict_line(run, conclusion, ", "));
  return result;
}

}  // namespace ascsan::report
