#include "check/suite.h"

#include "check/hang.h"
#include "check/race.h"
#include "check/violations.h"

namespace ascsan::check {

struct Suite::Parts {
  explicit Parts(const event::SiteTable& sites) : race(order, sites, {}), violations(sites), hang(sites) {}

  order::Order order;
  RaceChecker race;
  ViolationChecker violations;
  HangChecker hang;
  uint64_t bytes_taken = 0;

  std::vector<Checker*> all() { return {&race, &violations, &hang}; }
  /// Those that are on, in the order they see an event. The order comes first, where somebody asks it.
  std::vector<event::Sink*> on{&order, &race, &violations, &hang};
};

Suite::Suite(const event::SiteTable& sites) : parts_(std::make_unique<Parts>(sites)) {}
Suite::~Suite() = default;

void Suite::configure(const SuiteOptions& options) {
  RaceOptions race;
  race.profile = options.strict_profile ? Profile::kStrict : Profile::kAuto;
  race.mte_in_order = options.mte_in_order;
  parts_->race.set_options(race);
  parts_->violations.set_checkers(options.checkers);
  const CheckerSet& checkers = options.checkers;
  parts_->on.clear();
  if (checkers.has(CheckerId::kRace)) parts_->on = {&parts_->order, &parts_->race};
  parts_->on.push_back(&parts_->violations);  // always: what was not modelled is told whatever is checked
  if (checkers.has(CheckerId::kHang)) parts_->on.push_back(&parts_->hang);
}

void Suite::on_event(const event::Event& event) {
  for (event::Sink* sink : parts_->on) sink->on_event(event);
}

void Suite::red_zone(const std::string& tensor) {
  parts_->violations.red_zone(tensor);
}

void Suite::take(std::vector<report::Finding>& findings, std::vector<report::Unchecked>& unchecked) {
  for (Checker* checker : parts_->all()) merge(findings, checker->take_findings());
  sort(findings);
  for (report::Unchecked& part : parts_->violations.take_unchecked()) {
    bool known = false;
    for (const report::Unchecked& other : unchecked)
      known = known || (other.what == part.what && other.why == part.why);
    if (!known) unchecked.push_back(std::move(part));
  }
}

uint64_t Suite::take_bytes_checked() {
  const uint64_t total = parts_->race.bytes_checked(), since = total - parts_->bytes_taken;
  parts_->bytes_taken = total;
  return since;
}

}  // namespace ascsan::check
