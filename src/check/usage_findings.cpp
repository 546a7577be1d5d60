#include "check/usage_findings.h"

#include <algorithm>
#include <set>

#include "base/text.h"

namespace ascsan::check {

void UsageFindings::on_event(const event::Event& event) {
  if (event.kind == event::Kind::kLaunchBegin) {
    kernel_ = event.text != nullptr ? event.text : "";
    cores_ = {static_cast<uint32_t>(event.value[0]), static_cast<uint32_t>(event.value[1])};
  } else if (event.kind == event::Kind::kLaunchEnd) {
    ++launches_ended_;
  }
}

std::string UsageFindings::where(event::SiteId site) const {
  if (site == 0) return "an unknown place";
  const std::string file = sites_.at(site).file;
  return base::place(file.substr(file.find_last_of('/') + 1), sites_.at(site).line);
}

void UsageFindings::add(const Usage& usage) {
  add(usage, info_of(usage.rule).severity);
}

void UsageFindings::add(const Usage& usage, report::Severity severity) {
  Key key{kernel_, usage.rule, usage.object, {}};
  for (size_t i = 0; i < std::min<size_t>(2, usage.places.size());
       ++i) {  // the others say more, but are no other cause
    const gate::Site& site = sites_.at(usage.places[i].site);
    std::get<3>(key).emplace_back(site.file, site.line, site.function);
  }
  Group& group = groups_[key];
  report::Finding& finding = group.finding;
  const event::CoreId core = usage.places.empty() ? event::CoreId{0} : usage.places.front().core;
  if (!finding.rule.empty()) {
    ++finding.merged;
    finding.severity = std::max(finding.severity, severity);
    if (finding.launch != launches_ended_ + 1) return;
    if (core > group.core || (core == group.core && usage.title >= finding.title)) return;
  }
  const uint64_t merged = finding.rule.empty() ? 1 : finding.merged;
  const report::Severity gravest = finding.rule.empty() ? severity : finding.severity;
  finding = {};
  group.core = core;
  finding.rule = info_of(usage.rule).id;
  finding.severity = gravest;
  finding.merged = merged;
  finding.kernel = kernel_;
  finding.launch = launches_ended_ + 1;
  finding.title = usage.title;
  finding.detail = usage.detail;
  finding.notes = usage.notes;
  finding.tensor = usage.object;
  finding.space = usage.space;
  finding.bytes[0] = usage.begin;
  finding.bytes[1] = usage.end;
  for (const Place& place : usage.places) finding.accesses.push_back(access_info(place, sites_, cores_));
}

std::vector<report::Finding> UsageFindings::take() {
  std::vector<report::Finding> findings;
  std::set<std::string> used;
  for (auto& [key, group] : groups_) {
    const auto& [kernel, rule, object, places] = key;
    std::vector<gate::Site> sites;
    for (const auto& [file, line, function] : places) sites.push_back({file.c_str(), function.c_str(), line});
    group.finding.id = fingerprints_.id(group.finding.rule, kernel, sites, object);
    for (int n = 2; !used.insert(group.finding.id).second; ++n)
      group.finding.id = fingerprints_.id(group.finding.rule, kernel, sites, object + "#" + std::to_string(n));
    findings.push_back(std::move(group.finding));
  }
  groups_.clear();
  return findings;
}

}  // namespace ascsan::check
