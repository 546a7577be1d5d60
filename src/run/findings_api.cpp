// The functions of ascsan/finding.h: findings of the session in the words of the reports.
#include "ascsan/finding.h"

#include "report/as_text.h"
#include "run/session.h"

namespace ascsan {
namespace {

Finding told(const report::Finding& finding, const report::TextStyle& style) {
  Finding result;
  result.id = finding.id;
  result.rule = finding.rule;
  result.severity = report::name_of(finding.severity);
  result.confidence = report::name_of(finding.confidence);
  result.title = finding.title;
  result.detail = finding.detail;
  result.kernel = finding.kernel;
  result.space = finding.space;
  result.tensor = finding.tensor;
  result.first_byte = finding.bytes[0];
  result.behind_byte = finding.bytes[1];
  result.count = finding.merged;
  for (const report::AccessInfo& access : finding.accesses)
    result.places.push_back(
        {access.role, access.core, access.pipe, access.operation, access.function, access.file, access.line});
  result.text = report::finding_text(finding, style);
  return result;
}

}  // namespace

void begin_findings() {
  run::Session::get().begin_capture();
}

Findings end_findings() {
  run::Session& session = run::Session::get();
  report::RunResult captured;
  Findings result;
  result.launches = session.end_capture(captured);
  result.second_run = session.repeats();
  result.checked = session.options().check;
  report::TextStyle style = report::file_style();
  style.width = 100;
  for (const report::Finding& finding : captured.findings) result.list.push_back(told(finding, style));
  for (const report::Unchecked& part : captured.unchecked) result.unchecked.push_back(part.what + ": " + part.why);
  return result;
}

std::string Findings::text() const {
  std::string text;
  for (const Finding& finding : list) text += (text.empty() ? "" : "\n") + finding.text;
  for (const std::string& part : unchecked) text += "left unchecked: " + part + "\n";
  return text;
}

}  // namespace ascsan
