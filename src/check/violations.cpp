#include "check/violations.h"

#include <set>

#include "check/place.h"

namespace ascsan::check {

Rule rule_of_violation(const std::string& name) {
  struct Row {
    const char* name;
    Rule rule;
  };
  static constexpr Row kRows[] = {
      {"bounds", Rule::kASC2101},   {"extent", Rule::kASC2102},     {"rounded-load", Rule::kASC2104},
      {"stomp", Rule::kASC2301},    {"capacity", Rule::kASC2103},   {"alignment", Rule::kASC2201},
      {"path", Rule::kASC2202},     {"repeat", Rule::kASC2203},     {"mask", Rule::kASC2203},
      {"stride", Rule::kASC2204},   {"overlap", Rule::kASC2205},    {"length", Rule::kASC2206},
      {"type", Rule::kASC2207},     {"mode", Rule::kASC2208},       {"register", Rule::kASC2208},
      {"barrier", Rule::kASC2208},  {"wrong-core", Rule::kASC2209}, {"kernel-type", Rule::kASC2209},
      {"event-id", Rule::kASC4101}, {"flag", Rule::kASC4101},       {"pipe", Rule::kASC4201},
      {"queue", Rule::kASC4201},    {"cross-core", Rule::kASC4301}, {"waves", Rule::kASC4306},
  };
  for (const Row& row : kRows)
    if (name == row.name) return row.rule;
  return Rule::kASC2299;
}

void ViolationChecker::on_event(const event::Event& event) {
  switch (event.kind) {
    case event::Kind::kLaunchBegin:
      kernel_ = event.text != nullptr ? event.text : "";
      cores_ = {static_cast<uint32_t>(event.value[0]), static_cast<uint32_t>(event.value[1])};
      in_launch_ = true;
      return;
    case event::Kind::kLaunchEnd:
      launches_ended_ += in_launch_;
      in_launch_ = false;
      return;
    case event::Kind::kViolation:
      return add(event);
    case event::Kind::kUnchecked: {
      const auto* why = reinterpret_cast<const char*>(event.value[0]);
      unchecked_[{event.text != nullptr ? event.text : "", why != nullptr ? why : ""}] = true;
      return;
    }
    default:
      return;
  }
}

void ViolationChecker::add(const event::Event& event) {
  const auto* short_name = reinterpret_cast<const char*>(event.value[0]);
  const std::string rule_name = short_name != nullptr ? short_name : "";
  if (!checkers_.has(checker_of(info_of(rule_of_violation(rule_name)).id))) return;
  const gate::Site& site = sites_.at(event.site);
  Group& group = groups_[{kernel_, rule_name, site.file, site.line, site.function}];
  report::Finding& finding = group.finding;
  const auto severity = event.mode == 1 ? report::Severity::kError : report::Severity::kWarning;
  const std::string text = event.text != nullptr ? event.text : "";
  if (!finding.rule.empty()) {
    ++finding.merged;
    finding.severity = std::max(finding.severity, severity);
    // The text of the smallest launch and core stands, so that the schedule does not choose it.
    if (launches_ended_ + 1 != finding.launch || event.core > group.core ||
        (event.core == group.core && text >= group.text))
      return;
  } else {
    finding.rule = info_of(rule_of_violation(rule_name)).id;
    finding.severity = severity;
    finding.kernel = kernel_;
    finding.launch = launches_ended_ + 1;
  }
  group.core = event.core;
  group.text = text;
  finding.title = text;
  finding.detail = info_of(rule_of_violation(rule_name)).text;
  finding.accesses = {access_info(place_of("call", event, event.op), sites_, cores_)};
}

void ViolationChecker::red_zone(const std::string& tensor) {
  if (!checkers_.has(CheckerId::kBounds)) return;
  Group& group = groups_[{kernel_, "red zone", tensor, 0, ""}];
  report::Finding& finding = group.finding;
  if (!finding.rule.empty()) {
    ++finding.merged;
    return;
  }
  finding.rule = info_of(Rule::kASC2101).id;
  finding.severity = info_of(Rule::kASC2101).severity;
  finding.kernel = kernel_;
  finding.launch = launches_ended_;
  finding.space = "GM";
  finding.tensor = tensor;
  finding.title = "bytes next to " + tensor + " were overwritten";
  finding.detail =
      "The guard bytes around the allocation have changed: something wrote past its start or end by a raw pointer.";
}

std::vector<report::Finding> ViolationChecker::take_findings() {
  std::vector<report::Finding> findings;
  std::set<std::string> used;
  for (auto& [key, group] : groups_) {
    const auto& [kernel, rule_name, file, line, function] = key;
    const gate::Site site{file.c_str(), function.c_str(), line};
    group.finding.id = fingerprints_.id(group.finding.rule, kernel, {site}, rule_name);
    for (int n = 2; !used.insert(group.finding.id).second; ++n)
      group.finding.id = fingerprints_.id(group.finding.rule, kernel, {site}, rule_name + "#" + std::to_string(n));
    findings.push_back(std::move(group.finding));
  }
  groups_.clear();
  return findings;
}

std::vector<report::Unchecked> ViolationChecker::take_unchecked() {
  std::vector<report::Unchecked> entries;
  for (const auto& [entry, seen] : unchecked_) entries.push_back({entry.first, entry.second});
  unchecked_.clear();
  return entries;
}

}  // namespace ascsan::check
