// Collecting schedules that differ, and the experiments (a) to (d). See diagnose.h; (e) to (g) are in
// diagnose_order.cpp.
#include "run/diagnose.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/text.h"
#include "event/names.h"
#include "run/witness.h"
#include "schedule/make.h"

namespace ascsan::run {
namespace {

constexpr size_t kEnoughBad = 6;  // schedules that differ; more make no conclusion surer
constexpr uint64_t kRandomSeeds = 12;

std::string join(const std::set<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

Diagnose::Diagnose(Lab& lab, const report::DiagnosisTask& task, const machine::LaunchPlan& plan)
    : lab_(lab), task_(task), stages_(plan.kernel) {
  result_.kernel = plan.kernel;
  result_.launch = plan.number;
}

RunOutcome Diagnose::run_once(machine::Scheduler& scheduler, const Change& change, bool reads) {
  ++result_.runs;
  stages_.begin_run();
  WhatIf what_if(lab_.memory(), &stages_, change);
  return lab_.run(scheduler, &what_if, [&](LaunchRecord& record) {
    if (reads) record.keep_reads();
  });
}

RunOutcome Diagnose::run_in_order(const Change& change, bool reads) {
  const auto scheduler = schedule::make_scheduler("in_order", 1, 1, nullptr);
  return run_once(*scheduler, change, reads);
}

bool Diagnose::wrong_differs(const RunOutcome& expected, const RunOutcome& got) const {
  if (expected.outcome.end != got.outcome.end) return true;
  const std::vector<report::Impact> impacts = lab_.compare(expected, got);
  return std::any_of(impacts.begin(), impacts.end(),
                     [&](const report::Impact& i) { return wrong_.count(i.tensor) != 0; });
}

/// Compares with the in-order run under the same change, or, with `both` off, with the plain one.
size_t Diagnose::still_differing(const Change& change, bool both) {
  const RunOutcome expected = both ? run_in_order(change) : RunOutcome{};
  size_t count = 0;
  for (const Bad& bad : bad_) {
    const auto scheduler = bad.make();
    count += wrong_differs(both ? expected : reference_, run_once(*scheduler, change)) ? 1 : 0;
  }
  return count;
}

void Diagnose::add(const char* letter, std::string hypothesis, std::string experiment, std::string seen,
                   std::string verdict) {
  result_.rows.push_back({letter, std::move(hypothesis), std::move(experiment), std::move(seen), std::move(verdict)});
}

bool Diagnose::collect() {
  StageLearner learner(stages_);
  const auto in_order = schedule::make_scheduler("in_order", 1, 1, nullptr);
  reference_ = lab_.run(*in_order, &learner, [](LaunchRecord& record) { record.keep_reads(); });
  const RunOutcome again = lab_.run(*in_order, nullptr);
  result_.runs += 2;
  stages_.finish();
  for (const Stage& stage : stages_.all()) result_.stages.push_back(stage.name);
  if (again.record->digest() != reference_.record->digest() || again.outputs_digest != reference_.outputs_digest) {
    result_.trouble =
        "two equal runs of the launch differ: the kernel is not deterministic by itself (clock, random device, host "
        "state)";
    return true;
  }
  std::vector<Bad> candidates;
  for (const report::WitnessWish& wish : task_.wishes) {
    const auto choice = [&](const report::AccessKey& held, const report::AccessKey& until) {
      return report::ForcedChoice{held.core, held.pipe, held.index, until.core, until.pipe, until.index};
    };
    for (const auto& forced : {choice(wish.first, wish.second), choice(wish.second, wish.first)})
      candidates.push_back({fmt::format("finding {} in the other order", wish.finding + 1),
                            [=] { return make_directed("in_order", {forced}); }});
  }
  candidates.push_back({"deferred", [] { return schedule::make_scheduler("deferred", 1, 1, nullptr); }});
  for (uint64_t seed = 1; seed <= kRandomSeeds; ++seed)
    candidates.push_back(
        {fmt::format("random {}", seed), [=] { return schedule::make_scheduler("random", seed, 1, nullptr); }});
  for (uint64_t seed = 1; seed <= kRandomSeeds / 4; ++seed)
    candidates.push_back(
        {fmt::format("pct {}", seed), [=] { return schedule::make_scheduler("pct", seed, 3, nullptr); }});
  for (const Bad& candidate : candidates) {
    if (bad_.size() >= kEnoughBad) break;
    const auto scheduler = candidate.make();
    const RunOutcome got = run_once(*scheduler, {});
    ++result_.schedules;
    if (!lab_.differs(reference_, got)) continue;
    bad_.push_back(candidate);
    for (const report::Impact& impact : lab_.compare(reference_, got)) wrong_.insert(impact.tensor);
  }
  result_.differing = bad_.size();
  result_.wrong = join(wrong_);
  return !bad_.empty() || !reference_.ended();
}

void Diagnose::other_outputs() {
  Change change;
  std::set<std::string> kept;
  for (const auto& [number, use] : reference_.record->uses()) {
    const std::string name = lab_.name_of(number);
    if (use.written_by_type.empty() || !lab_.is_output(number) || wrong_.count(name) != 0) continue;
    (use.read ? kept : change.muted).insert(name);
  }
  const std::string others = kept.empty() ? "" : "; " + join(kept) + " is read by the launch itself and was kept";
  if (change.muted.empty())
    return add("a", "another output tramples it", "stores of the other outputs muted",
               "there is none that could be muted" + others, "not applicable");
  const size_t left = still_differing(change);
  add("a", "another output tramples it", "stores to " + join(change.muted) + " muted",
      fmt::format("still wrong in {} of {} schedules{}", left, bad_.size(), others),
      left == bad_.size() ? "excluded"
      : left == 0         ? "SUSPECT"
                          : "no part in it alone");
}

void Diagnose::bounds() {
  add("b", "a copy is out of range", "bounds of all accesses checked",
      task_.bounds.empty() ? "no access outside its tensor"
                           : fmt::format("{}: {}", base::count(task_.bounds.size(), "finding"), task_.bounds[0]),
      task_.bounds.empty() ? "excluded" : "SUSPECT");
}

/// Elements of the outputs that the launch stores and that follow what the memory held before, told as one sentence;
/// elements it never stores may belong to somebody else.
std::string Diagnose::followers(const RunOutcome& one, const RunOutcome& two) const {
  for (const auto& [number, bytes] : one.written) {
    const auto other = two.written.find(number);
    if (!lab_.is_output(number) || other == two.written.end() || other->second.size() != bytes.size()) continue;
    std::vector<bool> stored(bytes.size());
    for (const LaunchRecord::Write& write : one.record->uses().at(number).writes)
      std::fill(stored.begin() + static_cast<ptrdiff_t>(write.begin),
                stored.begin() + static_cast<ptrdiff_t>(write.end), true);
    const uint64_t size = gate::bytes_of(one.record->type_of(number));
    uint64_t count = 0, first = 0;
    for (uint64_t at = 0; at + size <= bytes.size(); at += size)
      if (stored[at] && std::memcmp(&bytes[at], &other->second[at], size) != 0 && count++ == 0) first = at / size;
    if (count > 0)
      return fmt::format("{}: {} of {} elements follow the fill, first element {}", lab_.name_of(number), count,
                         bytes.size() / size, first);
  }
  return "";
}

/// Fresh memory is filled with another value before the run: what follows the fill was never written. A tensor that is
/// read before it is written may hold input and keeps it.
void Diagnose::initialisation() {
  const auto filled = [&](int fill, uint16_t local) {
    lab_.before_run = [this, fill] {
      for (const auto& [number, use] : reference_.record->uses()) {
        const machine::Tensor* tensor = lab_.tensor(number);
        if (tensor == nullptr || use.written_by_type.empty() || use.read_first) continue;
        std::memset(reinterpret_cast<void*>(tensor->begin), fill, tensor->end - tensor->begin);
      }
    };
    lab_.machine().set_local_fill(local);
    RunOutcome got = run_in_order({});
    lab_.before_run = nullptr;
    lab_.machine().set_local_fill(0x7FC1);
    return got;
  };
  const RunOutcome one = filled(0x3C, 0x3C3C), two = filled(0x42, 0x4242);
  std::string seen = followers(one, two);
  uninitialised_ = !seen.empty() || one.outcome.end != two.outcome.end;
  if (seen.empty())
    seen = uninitialised_ ? "the launch ends with one fill only" : "outputs equal whatever the memory held before";
  add("c", "initialisation is missing", "outputs, scratch and on-chip memory filled with another value per run", seen,
      uninitialised_ ? "SUSPECT" : "excluded");
  if (!task_.cache.empty())
    add("f", "a scalar access takes an old cache line", "data cache followed line by line",
        fmt::format("{}: {}", base::count(task_.cache.size(), "finding"), task_.cache[0]), "CAUSE");
  if (bad_.empty() || stages_.all().empty()) return;
  // The stage that writes the wrong tensor first, and nothing behind it.
  Change change;
  change.muted = wrong_;
  for (size_t stage = 0; stage < stages_.all().size() && change.mute_after < 0; ++stage) {
    Change until;
    until.stop_after = static_cast<int>(stage);
    const RunOutcome got = run_in_order(until);
    for (const auto& [number, bytes] : got.written)
      if (wrong_.count(lab_.name_of(number)) != 0) change.mute_after = static_cast<int>(stage);
  }
  if (change.mute_after < 0 || change.mute_after + 1 == static_cast<int>(stages_.all().size())) return;
  const size_t left = still_differing(change);
  const std::string& name = stages_.all()[static_cast<size_t>(change.mute_after)].name;
  add("c", "initialisation is too late", fmt::format("stores to {} behind {} muted", join(wrong_), name),
      left == 0 ? fmt::format("the same bytes in {} schedules", bad_.size())
                : fmt::format("differs in {} of {} schedules", left, bad_.size()),
      left == 0 ? "excluded" : "SUSPECT");
}

void Diagnose::stages() {
  const auto& all = stages_.all();
  if (all.size() < 2)
    return add("d", "one stage brings it in", "outputs after each stage",
               "the kernel has no stages that could be told apart", "not applicable");
  size_t left = 0;
  for (size_t stage = 0; stage < all.size() && first_stage_ < 0; ++stage) {
    Change change;
    change.stop_after = static_cast<int>(stage);
    if (left = still_differing(change); left > 0) first_stage_ = static_cast<int>(stage);
  }
  if (first_stage_ < 0)
    return add("d", "one stage brings it in", "the launch ended after each stage", "no difference after any stage",
               "unclear");
  const std::string& name = all[static_cast<size_t>(first_stage_)].name;
  const std::string before =
      first_stage_ == 0 ? "" : fmt::format("equal after {}; ", all[static_cast<size_t>(first_stage_) - 1].name);
  add("d", "which stage brings it in", "the launch ended after each stage in turn",
      fmt::format("{}after {} wrong in {} of {} schedules", before, name, left, bad_.size()), "in " + name);
  if (first_stage_ + 1 < static_cast<int>(all.size()))
    add("d", fmt::format("{} is at fault", all.back().name), fmt::format("everything behind {} left out", name),
        fmt::format("still wrong in {} of {} schedules", left, bad_.size()), "excluded");
}

bool Diagnose::run() {
  const bool wrong = collect();
  if (!result_.trouble.empty()) return true;
  flow(reference_);
  if (!reference_.ended() || !task_.hang.empty()) {
    bounds();
    add("g", "the cores wait for each other", "in-order run",
        reference_.ended() ? "ends in order, " + task_.hang : reference_.outcome.text, "CAUSE");
    conclude();
    return true;
  }
  if (!wrong && task_.launch == 0) {
    initialisation();
    if (!uninitialised_) return false;
    result_.rows.clear();
  }
  if (!bad_.empty()) other_outputs();
  bounds();
  initialisation();
  if (!bad_.empty()) {
    stages();
    inside_stage();
    inputs();
    between_cores();
  }
  conclude();
  return true;
}

}  // namespace ascsan::run
