#include "check/suite.h"

#include <set>

#include "check/cache_line.h"
#include "check/cross_use.h"
#include "check/flags.h"
#include "check/hang.h"
#include "check/init.h"
#include "check/queue_use.h"
#include "check/race.h"
#include "check/violations.h"

namespace ascsan::check {

struct Suite::Parts {
  explicit Parts(const event::SiteTable& sites)
      : race(order, sites, {}),
        violations(sites),
        hang(sites),
        flags(sites),
        queues(sites),
        cross(sites),
        cache(order, race, sites),
        init(sites) {}

  order::Order order;
  RaceChecker race;
  ViolationChecker violations;
  HangChecker hang;
  FlagChecker flags;
  QueueChecker queues;
  CrossChecker cross;
  CacheChecker cache;
  InitChecker init;
  uint64_t bytes_taken = 0;

  std::vector<Checker*> all() { return {&race, &violations, &hang, &flags, &queues, &cross, &cache, &init}; }
  /// Those that are on, in the order they see an event. The order comes first, where somebody asks it.
  std::vector<event::Sink*> on{&order, &race, &violations, &hang, &flags, &queues, &cross, &cache, &init};
  bool init_on = true, race_on = true;
  std::string kernel;
  std::set<std::string> polled;  ///< kernels whose order hangs on polled words
};

Suite::Suite(const event::SiteTable& sites) : parts_(std::make_unique<Parts>(sites)) {}
Suite::~Suite() = default;

void Suite::configure(const SuiteOptions& options) {
  RaceOptions race;
  race.profile = options.strict_profile ? Profile::kStrict : Profile::kAuto;
  race.mte_in_order = options.mte_in_order;
  parts_->race.set_options(race);
  parts_->violations.set_checkers(options.checkers);
  parts_->cross.set_normal_launch(options.normal_launch);
  const CheckerSet& checkers = options.checkers;
  parts_->on.clear();
  // The cache checker asks the race checker who wrote last; alone, it uses it and drops its findings.
  if (checkers.has(CheckerId::kRace) || checkers.has(CheckerId::kCache)) parts_->on = {&parts_->order, &parts_->race};
  parts_->race_on = checkers.has(CheckerId::kRace);
  if (checkers.has(CheckerId::kCache)) parts_->on.push_back(&parts_->cache);
  parts_->on.push_back(&parts_->violations);  // always: what was not modelled is told whatever is checked
  if (checkers.has(CheckerId::kHang)) parts_->on.push_back(&parts_->hang);
  parts_->init_on = checkers.has(CheckerId::kInit);
  parts_->init.set_poison(options.poison);
  if (parts_->init_on) parts_->on.push_back(&parts_->init);
  if (checkers.has(CheckerId::kCrossCore)) parts_->on.push_back(&parts_->cross);
  if (checkers.has(CheckerId::kFlags)) parts_->on.insert(parts_->on.end(), {&parts_->flags, &parts_->queues});
}

void Suite::on_event(const event::Event& event) {
  for (event::Sink* sink : parts_->on) sink->on_event(event);
  if (event.kind == event::Kind::kLaunchBegin) parts_->kernel = event.text != nullptr ? event.text : "";
  // Orders by polled words hang on the schedule that ran, so nothing is proven about the others.
  if (event.kind == event::Kind::kLaunchEnd && parts_->race_on && parts_->order.polled_joins() != 0)
    parts_->polled.insert(parts_->kernel);
}

bool Suite::wants_execution() const {
  return parts_->init_on || parts_->race_on;
}

void Suite::before_execution(const event::Event& event, event::Execution& execution) {
  if (parts_->race_on) parts_->race.before_execution(event, execution);
  if (parts_->init_on) parts_->init.before_execution(event, execution);
}

bool Suite::has_arbitrary_addresses(const event::Event& event, event::Execution& execution) {
  return parts_->init_on && parts_->init.has_arbitrary_addresses(event, execution);
}

void Suite::red_zone(const std::string& tensor) {
  parts_->violations.red_zone(tensor);
}

void Suite::take(std::vector<report::Finding>& findings, std::vector<report::Unchecked>& unchecked) {
  for (Checker* checker : parts_->all()) {
    std::vector<report::Finding> found = checker->take_findings();
    if (checker != &parts_->race || parts_->race_on) merge(findings, std::move(found));
  }
  sort(findings);
  std::vector<report::Unchecked> parts = parts_->violations.take_unchecked();
  for (const std::string& kernel : parts_->polled)
    parts.push_back(
        {"races of " + kernel,
         "cores wait for each other by polling words of global memory, so the order hangs on the schedule that "
         "ran; use cross-core flags, or declare the words with ASCSAN_RELEASE and ASCSAN_ACQUIRE"});
  parts_->polled.clear();
  for (report::Unchecked& part : parts) {
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
