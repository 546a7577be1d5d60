#include "check/cross_use.h"

#include "base/text.h"

namespace ascsan::check {
namespace {
using event::CoreId;
using event::Kind;
using gate::Op;
constexpr int16_t kFirstReserved = 11, kLastReserved = 14;  ///< spec 5.1, ids of SyncAll

std::string id_name(int16_t id) {
  return "id " + std::to_string(id);
}
}  // namespace

void CrossChecker::on_event(const event::Event& event) {
  switch (event.kind) {
    case Kind::kLaunchBegin:
      findings_.on_event(event);
      known_.reset(findings_.cores().total());
      ratio_ = std::max<uint32_t>(1, event.mode);
      polled_ = false;
      counters_.clear();
      sets_.clear();
      sync_all_ids_.clear();
      user_ids_.clear();
      sync_all_program_.assign(findings_.cores().total(), 0);
      return;
    case Kind::kLaunchEnd:
      end(event);
      return findings_.on_event(event);
    case Kind::kFullBarrier:
      if (event.op == Op::kSyncAll) sync_all_program_[event.core] = event.program_index;
      return;
    case Kind::kCrossSet:
      return set(event);
    case Kind::kCrossRelease:
      return release(event);
    case Kind::kCrossWait:
      return wait(event);
    case Kind::kGroupArrive:
      if (event.op == Op::kSyncAllSoft) all_core_wait(event, event.op, "SyncAll");
      return known_.arrive(event);
    case Kind::kGroupPass:
      return known_.pass(event);
    case Kind::kCacheStep:
      polled_ = polled_ || event.mode == 1;  // a core makes a word visible to others by hand
      return;
    case Kind::kScalarAccess:
      polled_ = polled_ || event.op == Op::kStoreBypass;
      return;
    default:
      return;
  }
}

void CrossChecker::set(const event::Event& event) {
  Set now{event.site,    event.core,  event.pipe,
          event.mode,    event.index, event.program_index,
          event.ordinal, false,       std::make_shared<CrossKnown::Joins>(known_.at_issue(event))};
  now.sync_all =
      event.op == Op::kSyncAll || (event.program_index != 0 && sync_all_program_[event.core] == event.program_index);
  const SetKey key{event.core, event.id, event.mode};
  if (event.mode == 0)
    now.sync_all ? all_core_wait(event, Op::kSyncAll, "SyncAll")
                 : all_core_wait(event, Op::kCrossCoreSetFlag, "a cross-core flag of mode 0");
  mixed(key, now);
  Sets& sets = sets_[key];
  if (now.sync_all) {
    sync_all_ids_.try_emplace(event.id, event.site);
  } else if (event.id >= kFirstReserved && event.id <= kLastReserved) {
    user_ids_[event.id].emplace(event.site, now);
  }
  if (sets.newest.ordinal == 0 || sets.newest.program < now.program) sets.newest = now;
  sets.open.emplace(event.ordinal, std::move(now));
}

/// Is the traffic of the sets over when `later` is issued: all released, and every target known to have waited as
/// often?
bool CrossChecker::complete(const SetKey& key, const Sets& sets, const Set& later) const {
  if (!sets.open.empty()) return false;
  if (sets.targets == nullptr) return true;
  for (CoreId target : *sets.targets) {
    const auto counter = counters_.find({target, key.id});
    if (counter == counters_.end() || counter->second.waits.up_to((*later.known)[target]) < sets.newest.ordinal)
      return false;
  }
  return true;
}

void CrossChecker::mixed(const SetKey& key, const Set& now) {
  for (uint8_t mode = 0; mode <= 2; ++mode) {
    const auto other = mode == key.mode ? sets_.end() : sets_.find({key.core, key.id, mode});
    if (other == sets_.end()) continue;
    const Set& before = other->second.newest;
    if (before.program <= now.program && complete(other->first, other->second, now)) continue;
    Usage usage;
    usage.rule = Rule::kASC4304;
    usage.title = "cross-core " + id_name(key.id) + " is set in mode " + std::to_string(key.mode) +
                  " while sets in mode " + std::to_string(mode) + " may still be on their way";
    usage.detail = findings_.name(key.core) + " sets the id in mode " + std::to_string(mode) + " at " +
                   findings_.where(before.site) + " and in mode " + std::to_string(key.mode) + " at " +
                   findings_.where(now.site) +
                   ". Both raise the same counter, so a wait may take the wrong one. Use another id, or let every "
                   "receiver answer before the mode changes.";
    usage.places = {place("new set", now), place("old set", before)};
    findings_.add(usage);
  }
}

void CrossChecker::release(const event::Event& event) {
  auto joined = std::make_shared<CrossKnown::Joins>(findings_.cores().total(), 0);
  const auto targets = std::make_shared<const std::vector<CoreId>>(event.targets, event.targets + event.target_count);
  Set last;
  for (uint16_t m = 0; m < event.member_count; ++m) {
    Sets& sets = sets_[{event.members[m], event.id, event.mode}];
    sets.targets = targets;
    const auto found = sets.open.find(event.ordinal);
    if (found == sets.open.end()) continue;
    CrossKnown::raise(*joined, *found->second.known);
    // The member with the smallest number stands for the group, so that the schedule does not choose it.
    if (last.ordinal == 0) last = std::move(found->second);
    sets.open.erase(found);
  }
  for (uint16_t t = 0; t < event.target_count; ++t) {
    Counter& counter = counters_[{event.targets[t], event.id}];
    ++counter.releases;
    counter.last_set = last;
    counter.waits_known = std::max(counter.waits_known, counter.waits.up_to((*joined)[event.targets[t]]));
    const uint32_t lead = counter.releases - std::min(counter.releases, counter.waits_known);
    if (lead > counter.worst) {
      counter.worst = lead;
      if (lead == kCounterMax + 1) counter.worst_set = last;
    }
    if (counter.pending.size() < 4 * kCounterMax) counter.pending.push_back({event.ordinal, joined});
  }
}

void CrossChecker::wait(const event::Event& event) {
  Counter& counter = counters_[{event.core, event.id}];
  if (counter.first_wait == 0) counter.first_wait = event.site;
  counter.last_wait = event.site;
  counter.waits.add(event.scalar_version + 1);
  CrossKnown::Shared news;
  const auto lowest = std::min_element(counter.pending.begin(), counter.pending.end(),
                                       [](const Delivered& a, const Delivered& b) { return a.ordinal < b.ordinal; });
  if (lowest != counter.pending.end()) {
    news = std::move(lowest->known);
    counter.pending.erase(lowest);
  }
  known_.learn(event, news ? *news : CrossKnown::Joins(findings_.cores().total(), 0));
}

void CrossChecker::end(const event::Event& event) {
  for (const auto& [key, counter] : counters_) {
    if (counter.worst > kCounterMax && counter.waits.total() > 0 && !polled_) overflow(key.first, key.second, counter);
    if (event.mode == 0 && counter.releases > counter.waits.total()) left_over(key.first, key.second, counter);
  }
  if (event.mode == 0)
    for (const auto& [key, sets] : sets_)
      if (!sets.open.empty()) never_released(key, sets);
  for (const auto& [id, site] : sync_all_ids_) {
    const auto users = user_ids_.find(id);
    if (users == user_ids_.end()) continue;
    for (const auto& [where, set] : users->second) {
      Usage usage;
      usage.rule = Rule::kASC4305;
      usage.title = "cross-core " + id_name(id) + " is used by the kernel and by SyncAll";
      usage.detail = findings_.name(set.core) + " sets the id at " + findings_.where(where) + "; SyncAll at " +
                     findings_.where(site) +
                     " uses it as well (it takes 11 to 14). A wait of one may take a set of the other.";
      usage.places = {place("set", set), {"SyncAll", site, set.core, gate::Pipe::kS, Op::kSyncAll, 0}};
      findings_.add(usage);
    }
  }
  counters_.clear();
  sets_.clear();
}

void CrossChecker::overflow(CoreId core, int16_t id, const Counter& counter) {
  const Set& set = counter.worst_set;
  Usage usage;
  usage.rule = Rule::kASC4302;
  usage.title = "cross-core counter " + std::to_string(id) + " of " + findings_.name(core) + " may reach " +
                std::to_string(counter.worst) + "; it holds 15";
  usage.detail =
      findings_.name(set.core) + " sets the id at " + findings_.where(set.site) + ", and nothing tells it that " +
      findings_.name(core) + " has come to its waits (" + findings_.where(counter.first_wait) +
      "): if that core is slow, " + base::count(counter.worst, "set") +
      " arrive before the first of the waits that are left. Let the receiver signal back, at the latest every 15 sets.";
  usage.places = {place("set", set), {"wait", counter.first_wait, core, gate::Pipe::kS, Op::kCrossCoreWaitFlag, 0}};
  findings_.add(usage);
}

/// Host lint, schedule mode (bug class "schedule-mode hang").
void CrossChecker::all_core_wait(const event::Event& event, Op op, const char* what) {
  const event::CoreCounts& cores = findings_.cores();
  if (!normal_launch_ || (cores.is_aiv(event.core) ? cores.aiv : cores.aic) < 2) return;
  Usage usage;
  usage.rule = Rule::kASC4307;
  usage.title =
      std::string("all cores wait for each other by ") + what + ", but the host does not ask for batch scheduling";
  usage.detail =
      "Beside kernels of other streams some cores of this launch may start late or never, while the others hold "
      "the chip and wait. Set schedule mode 1: SetScheduleMode(1) in the tiling, or __schedmode__(1) at the "
      "kernel; then say launch_mode=batch.";
  usage.places = {place_of("call", event, op)};
  findings_.add(usage);
}

void CrossChecker::left_over(CoreId core, int16_t id, const Counter& counter) {
  const uint32_t left = counter.releases - counter.waits.total();
  Usage usage;
  usage.rule = Rule::kASC4303;
  usage.title = "cross-core counter " + std::to_string(id) + " of " + findings_.name(core) + " ends at " +
                std::to_string(left) + " instead of 0";
  usage.detail = base::count(counter.releases, "set") + " reached " + findings_.name(core) + ", which waited " +
                 base::count(counter.waits.total(), "time") + ". The last set stands at " +
                 findings_.where(counter.last_set.site) +
                 ". What is left lets the first waits of the next kernel pass too early.";
  usage.places = {place("last set", counter.last_set)};
  if (counter.last_wait != 0)
    usage.places.push_back({"last wait", counter.last_wait, core, gate::Pipe::kS, Op::kCrossCoreWaitFlag, 0});
  findings_.add(usage);
}

uint32_t CrossChecker::block_of(CoreId core) const {
  const event::CoreCounts& cores = findings_.cores();
  return cores.is_aiv(core) ? (core - cores.aic) / ratio_ : core;
}

std::string CrossChecker::members_missing(const SetKey& key, uint32_t ordinal) const {
  const event::CoreCounts& cores = findings_.cores();
  std::string names;
  size_t listed = 0;
  for (uint32_t other = 0; other < cores.total(); ++other) {
    const auto member = static_cast<CoreId>(other);
    if (cores.is_aiv(member) != cores.is_aiv(key.core)) continue;
    if (key.mode != 0 && block_of(member) != block_of(key.core)) continue;
    uint32_t done = 0;
    const auto sets = sets_.find({member, key.id, key.mode});
    if (sets != sets_.end())
      done = sets->second.open.empty() ? sets->second.newest.ordinal : sets->second.open.rbegin()->first;
    if (done >= ordinal) continue;
    if (++listed <= 4) names += (names.empty() ? "" : ", ") + cores.name(member);
  }
  return listed > 4 ? names + " and " + std::to_string(listed - 4) + " more" : names;
}

void CrossChecker::never_released(const SetKey& key, const Sets& sets) {
  const auto& [ordinal, set] = *sets.open.begin();
  const std::string missing = members_missing(key, ordinal);
  Usage usage;
  usage.rule = Rule::kASC4303;
  usage.title = "a cross-core set of " + id_name(key.id) +
                " has no effect: " + (missing.empty() ? "its group" : missing) + " never set it";
  usage.detail = findings_.name(key.core) + " sets the id in mode " + std::to_string(key.mode) + " for the " +
                 std::to_string(ordinal) +
                 (ordinal == 1   ? "st"
                  : ordinal == 2 ? "nd"
                  : ordinal == 3 ? "rd"
                                 : "th") +
                 " time at " + findings_.where(set.site) +
                 ". A set of this mode counts only when every member of the group has made it.";
  usage.places = {place("set", set)};
  findings_.add(usage);
}

}  // namespace ascsan::check
