// Schema 1 of the findings JSON. See as_json.h; the fields are explained in docs/json-schema-1.md. nlohmann::json keeps
// object keys sorted, which is the order the schema promises.
#include "report/as_json.h"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include "report/version.h"

namespace ascsan::report {
namespace {

using Json = nlohmann::json;

Json range(const uint64_t (&bounds)[2]) {
  return Json::array({bounds[0], bounds[1]});
}

Json to_json_value(const Frame& frame) {
  return {{"function", frame.function}, {"file", frame.file}, {"line", frame.line}};
}

Json to_json_value(const AccessInfo& access) {
  Json stack = Json::array();
  for (const Frame& frame : access.stack) stack.push_back(to_json_value(frame));
  return {{"role", access.role},           {"core", access.core}, {"pipe", access.pipe},
          {"operation", access.operation}, {"file", access.file}, {"function", access.function},
          {"line", access.line},           {"stack", stack},      {"bytes", range(access.bytes)},
          {"index", access.index}};
}

/// A number where the text is a finite one, else the text: JSON has no nan.
Json number_or_text(const std::string& text) {
  const Json value = Json::parse(text, nullptr, false);
  return value.is_number() ? value : Json(text);
}

Json to_json_value(const Witness& witness) {
  Json values = Json::array();
  for (const WitnessValue& value : witness.values)
    values.push_back({{"what", value.what},
                      {"tensor", value.tensor},
                      {"element", value.element},
                      {"value", number_or_text(value.value)}});
  return {{"token", witness.token},
          {"forced_choices", witness.forced_choices},
          {"runs", witness.runs},
          {"steps", witness.steps},
          {"values", values}};
}

Json to_json_value(const Impact& impact) {
  const bool bounded = impact.max_relative_error < std::numeric_limits<double>::max();
  return {{"tensor", impact.tensor},
          {"elements_differing", impact.elements_differing},
          {"elements", impact.elements},
          {"first",
           {{"index", impact.first_index},
            {"got", number_or_text(impact.got)},
            {"expected", number_or_text(impact.expected)}}},
          {"max_relative_error", bounded ? Json(impact.max_relative_error) : Json(nullptr)},
          {"stage", impact.stage}};
}

Json to_json_value(const Finding& finding) {
  Json accesses = Json::array();
  for (const AccessInfo& access : finding.accesses) accesses.push_back(to_json_value(access));
  Json last_common = nullptr;
  if (finding.last_common)
    last_common = {
        {"what", finding.last_common->what}, {"file", finding.last_common->file}, {"line", finding.last_common->line}};
  Json suppression = nullptr;
  if (finding.suppressed)
    suppression = {{"reason", finding.suppressed->reason},
                   {"owner", finding.suppressed->owner},
                   {"expires", finding.suppressed->expires}};
  const Json witness = finding.witness ? to_json_value(*finding.witness) : Json(nullptr);
  Json impact = nullptr, fix = nullptr;
  if (finding.witness) {
    impact = Json::array();
    for (const Impact& output : finding.impact) impact.push_back(to_json_value(output));
  }
  if (finding.fix)
    fix = {{"text", finding.fix->text},
           {"patch", finding.fix->patch},
           {"verified", finding.fix->verified},
           {"needed", finding.fix->needed}};
  return {{"id", finding.id},
          {"rule", finding.rule},
          {"severity", name_of(finding.severity)},
          {"confidence", name_of(finding.confidence)},
          {"title", finding.title},
          {"detail", finding.detail},
          {"kernel", finding.kernel},
          {"launch", finding.launch},
          {"merged", finding.merged},
          {"space", finding.space},
          {"tensor", finding.tensor},
          {"bytes", range(finding.bytes)},
          {"elements", range(finding.elements)},
          {"accesses", accesses},
          {"last_common", last_common},
          {"missing", finding.missing},
          {"notes", finding.notes},
          {"suppression", suppression},
          {"baseline", finding.baseline.empty() ? Json(nullptr) : Json(finding.baseline)},
          {"witness", witness},
          {"impact", impact},
          {"fix", fix}};
}

Json to_json_value(const Launch& launch) {
  return {{"kernel", launch.kernel},
          {"chip", launch.chip},
          {"block_dim", launch.block_dim},
          {"profile", launch.profile},
          {"schedule", launch.schedule},
          {"seed", launch.seed},
          {"instructions", launch.instructions},
          {"bytes_checked", launch.bytes_checked}};
}

/// Value of an option in the comparable part. Equal runs write their reports to different files, so of `out` only the
/// formats are kept.
std::string comparable_value(const OptionValue& option) {
  if (option.name != "out") return option.value;
  std::string formats;
  for (size_t begin = 0; begin < option.value.size();) {
    const size_t end = std::min(option.value.find(',', begin), option.value.size());
    const std::string item = option.value.substr(begin, end - begin);
    // An item without '=' is the rest of a file name with a comma.
    if (const size_t equals = item.find('='); equals != std::string::npos)
      formats += (formats.empty() ? "" : ",") + item.substr(0, equals);
    begin = end + 1;
  }
  return formats;
}

}  // namespace

std::string to_json(const RunResult& run, const Conclusion& conclusion) {
  Json document = {{"schema", 1},
                   {"tool", {{"name", kToolName}, {"version", kToolVersion}}},
                   {"verdict", name_of(conclusion.verdict)},
                   {"exit_code", conclusion.exit_code}};
  Json& options = document["options"] = Json::object();
  for (const OptionValue& option : run.options)
    options[option.name] = {{"value", comparable_value(option)}, {"origin", option.origin}};
  Json& launches = document["launches"] = Json::array();
  for (const Launch& launch : run.launches) launches.push_back(to_json_value(launch));
  Json& unchecked = document["unchecked"] = Json::array();
  for (const Unchecked& item : run.unchecked) unchecked.push_back({{"what", item.what}, {"why", item.why}});
  Json& findings = document["findings"] = Json::array();
  for (const Finding& finding : run.findings) findings.push_back(to_json_value(finding));
  Json& fixed = document["fixed"] = Json::array();
  for (const FixedFinding& finding : run.fixed)
    fixed.push_back({{"id", finding.id}, {"rule", finding.rule}, {"title", finding.title}, {"kernel", finding.kernel}});
  document["suppression_notes"] = run.suppression_notes;
  document["program"] = {{"status", run.program_status ? Json(*run.program_status) : Json(nullptr)},
                         {"crash", run.crash}};
  document["timing"] = {{"total_seconds", run.timing.total_seconds}, {"launch_seconds", run.timing.launch_seconds}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ascsan::report
