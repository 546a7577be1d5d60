#include "run/lint.h"

#include <algorithm>

#include <fmt/format.h>

#include "run/sync_use.h"
#include "schedule/make.h"

namespace ascsan::run {
namespace {

constexpr uint64_t kLate = 0, kInOrder = 1;
constexpr uint64_t kChecked = 3;  ///< schedules that run with all checkers
/// A launch without some of its waits may never end; this much longer than the launch as it is, it is given up.
constexpr uint64_t kPatienceFactor = 100, kPatienceSteps = 200'000;

class StepLimit {
 public:
  StepLimit(machine::Machine& machine, uint64_t steps) : machine_(machine), before_(machine.max_steps()) {
    const uint64_t limit = steps * kPatienceFactor + kPatienceSteps;
    machine_.set_max_steps(before_ == 0 ? limit : std::min(before_, limit));
  }
  ~StepLimit() { machine_.set_max_steps(before_); }
  StepLimit(const StepLimit&) = delete;
  StepLimit& operator=(const StepLimit&) = delete;

 private:
  machine::Machine& machine_;
  uint64_t before_;
};

std::vector<SourceLine> places(const std::vector<report::SyncLine>& lines) {
  std::vector<SourceLine> list;
  for (const report::SyncLine& line : lines) list.emplace_back(line.file, static_cast<uint32_t>(line.line));
  return list;
}

std::set<std::string> ids(const std::vector<report::Finding>& findings) {
  std::set<std::string> list;
  for (const report::Finding& finding : findings) list.insert(finding.id);
  return list;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

std::unique_ptr<machine::Scheduler> adversary(uint64_t n) {
  if (n == kLate) return schedule::make_scheduler("deferred", 1, 1, nullptr);
  if (n == kInOrder) return schedule::make_scheduler("in_order", 1, 1, nullptr);
  return n % 2 == 0 ? schedule::make_scheduler("random", n / 2, 1, nullptr)
                    : schedule::make_scheduler("pct", n / 2, 3, nullptr);
}

RunOutcome Lint::checked(Lab& lab, uint64_t schedule, machine::Interposer* what_if, check::Suite& suite, Seen& seen) {
  suite.configure(checks_);
  const auto scheduler = adversary(schedule);
  RunOutcome got = lab.run(*scheduler, what_if, {}, &suite);
  ++answer_.runs;
  suite.take(seen.findings, seen.unchecked);
  return got;
}

/// A checker may remember what earlier launches left in global memory.
check::Suite& Lint::lasting(Lab& lab, uint64_t schedule) {
  while (suites_.size() <= schedule) suites_.push_back(std::make_unique<check::Suite>(lab.sites()));
  return *suites_[schedule];
}

/// True when the run shows nothing that the program as it is does not show.
bool Lint::judge(const RunOutcome& got, const Seen& seen, const std::set<std::string>& known, std::string& why,
                 bool& for_good) const {
  for (const report::Finding& finding : seen.findings) {
    if (known.count(finding.id) != 0) continue;
    const bool race = finding.rule.rfind("ASC1", 0) == 0 && finding.severity == report::Severity::kError;
    if (!why.empty() && (for_good || !race)) continue;  // a race says most
    why = finding.rule + " " + finding.title;
    for_good = race;
  }
  if (why.empty() && !got.ended()) why = "the launch does not end: " + first_line(got.outcome.text);
  if (why.empty() && !seen.unchecked.empty())
    why = fmt::format("not everything could be checked: {}, {}", seen.unchecked[0].what, seen.unchecked[0].why);
  return why.empty();
}

bool Lint::is_settled(const report::SyncGroup& group) const {
  const auto holds = [&](const std::vector<report::SyncGroup>& list) {
    return std::any_of(list.begin(), list.end(), [&](const report::SyncGroup& known) {
      return !known.needed.empty() &&
             std::all_of(known.lines.begin(), known.lines.end(), [&](const report::SyncLine& line) {
               return std::any_of(group.lines.begin(), group.lines.end(), [&](const report::SyncLine& mine) {
                 return mine.file == line.file && mine.line == line.line;
               });
             });
    });
  };
  return holds(task_.settled) || holds(answer_.groups);
}

void Lint::look_at(Lab& lab, report::SyncGroup& group, const std::set<std::string>& known) {
  if (!group.needed.empty() || is_settled(group)) return;
  Change change;
  change.drop = places(group.lines);
  WhatIf what_if(lab.memory(), nullptr, change);
  check::Suite suite(lab.sites());
  Seen seen;
  answer_.trying = group.lines;
  const RunOutcome got = checked(lab, kLate, &what_if, suite, seen);
  answer_.trying.clear();
  (void)judge(got, seen, known, group.needed, group.for_good);
}

bool Lint::survey(Lab& lab, const machine::LaunchPlan& plan) {
  SyncUse use(lab.sites());
  const auto in_order = adversary(kInOrder);
  const RunOutcome reference = lab.run(*in_order, &use, {}, &use), again = lab.run(*in_order);
  answer_.runs += 2;
  const std::string launch = fmt::format("launch {} ({})", plan.number, plan.kernel);
  if (!reference.ended())
    answer_.trouble =
        fmt::format("the in-order run of {} does not end: {}", launch, first_line(reference.outcome.text));
  else if (again.record->digest() != reference.record->digest() || again.outputs_digest != reference.outputs_digest)
    answer_.trouble = fmt::format(
        "two equal runs of {} differ: the kernel is not deterministic by itself (clock, random device, host state)",
        launch);
  if (!answer_.trouble.empty()) return false;
  Seen seen;
  for (uint64_t schedule = 0; schedule < kChecked; ++schedule)
    checked(lab, schedule, nullptr, lasting(lab, schedule), seen);
  for (const report::Finding& finding : seen.findings) {
    if (std::find(answer_.known.begin(), answer_.known.end(), finding.id) != answer_.known.end()) continue;
    answer_.known.push_back(finding.id);
    if (finding.severity == report::Severity::kError) answer_.errors.push_back(finding.id + " " + finding.title);
  }
  if (!seen.unchecked.empty())
    answer_.trouble = fmt::format("not everything in {} can be checked: {}, {}", launch, seen.unchecked[0].what,
                                  seen.unchecked[0].why);
  if (!answer_.trouble.empty() || !answer_.errors.empty()) return false;
  Seen alone;
  check::Suite suite(lab.sites());
  checked(lab, kLate, nullptr, suite, alone);
  const StepLimit limit(lab.machine(), reference.outcome.steps);
  for (report::SyncGroup& group : use.groups(plan.kernel)) {
    look_at(lab, group, ids(alone.findings));
    answer_.groups.push_back(std::move(group));
  }
  return true;
}

bool Lint::leave_out(Lab& lab, const machine::LaunchPlan& plan) {
  const auto in_order = adversary(kInOrder);
  const RunOutcome reference = lab.run(*in_order);
  Change change;
  change.drop = places(task_.drop);
  const std::set<std::string> known(task_.known.begin(), task_.known.end());
  const StepLimit limit(lab.machine(), reference.outcome.steps);
  for (uint64_t n = 0; n < std::max(task_.schedules, kChecked) && answer_.refused.empty(); ++n) {
    WhatIf what_if(lab.memory(), nullptr, change);
    RunOutcome got;
    if (n < kChecked) {
      Seen seen;
      got = checked(lab, n, &what_if, lasting(lab, n), seen);
      if (!judge(got, seen, known, answer_.refused, answer_.for_good)) break;
    } else {
      const auto scheduler = adversary(n);
      got = lab.run(*scheduler, &what_if);
      ++answer_.runs;
    }
    if (!lab.differs(reference, got)) continue;
    const std::vector<report::Impact> wrong = lab.compare(reference, got);
    answer_.refused = fmt::format("another order changes {} of launch {} ({})",
                                  wrong.empty() ? "the end" : wrong[0].tensor, plan.number, plan.kernel);
  }
  return answer_.refused.empty();
}

void Lint::note_launch(const machine::LaunchPlan& plan) {
  report::LintLaunch* last = answer_.launches.empty() ? nullptr : &answer_.launches.back();
  if (last != nullptr && last->kernel == plan.kernel && last->blocks == plan.block_dim)
    ++last->launches;
  else
    answer_.launches.push_back({plan.kernel, plan.block_dim, 1});
}

bool Lint::at_launch(Lab& lab, const machine::LaunchPlan& plan, const check::SuiteOptions& checks) {
  checks_ = checks;
  note_launch(plan);
  answer_.trying = task_.drop;
  const bool more = task_.survey ? survey(lab, plan) : leave_out(lab, plan);
  answer_.trying.clear();
  if (!more) {
    answer_.complete = true;
    return false;
  }
  const auto in_order = adversary(kInOrder);  // what the rest of the program shall find
  lab.run(*in_order);
  return true;
}

}  // namespace ascsan::run
