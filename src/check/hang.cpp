#include "check/hang.h"

#include "check/place.h"
#include "check/rules.h"

namespace ascsan::check {

void HangChecker::on_event(const event::Event& event) {
  switch (event.kind) {
    case event::Kind::kLaunchBegin:
      kernel_ = event.text != nullptr ? event.text : "";
      cores_ = {static_cast<uint32_t>(event.value[0]), static_cast<uint32_t>(event.value[1])};
      return;
    case event::Kind::kLaunchEnd:
      ++launches_ended_;
      stalled_ = nullptr;
      return;
    case event::Kind::kStall:
      return add(event);
    default:
      return;
  }
}

void HangChecker::add(const event::Event& event) {
  if (stalled_ != nullptr) {  // the same stall: others wait as well
    const report::AccessInfo waiter = access_info(place_of("waiter", event, event.op), sites_, cores_);
    for (const report::AccessInfo& known : stalled_->accesses)
      if (known.file == waiter.file && known.line == waiter.line) return;
    stalled_->accesses.push_back(waiter);
    return;
  }
  const gate::Site& site = sites_.at(event.site);
  report::Finding& finding = findings_[{kernel_, site.file, site.line, site.function}];
  stalled_ = &finding;
  if (!finding.rule.empty()) {
    ++finding.merged;
    return;
  }
  const RuleInfo& rule = info_of(Rule::kASC5001);
  const std::string api = event::api_name(event.op);
  finding.rule = rule.id;
  finding.severity = rule.severity;
  finding.title =
      "the launch hangs: " + cores_.name(event.core) + " waits for ever" + (api.empty() ? "" : " in " + api);
  finding.detail = event.text != nullptr ? event.text : "";
  finding.kernel = kernel_;
  finding.launch = launches_ended_ + 1;
  finding.accesses = {access_info(place_of("waiter", event, event.op), sites_, cores_)};
  finding.id = fingerprints_.id(finding.rule, kernel_, {site}, "");
}

std::vector<report::Finding> HangChecker::take_findings() {
  std::vector<report::Finding> findings;
  for (auto& [place, finding] : findings_) findings.push_back(std::move(finding));
  findings_.clear();
  stalled_ = nullptr;
  return findings;
}

}  // namespace ascsan::check
