#include "run/experiments.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <unistd.h>

#include <fmt/format.h>

#include "report/lint.h"
#include "report/verdict.h"
#include "run/diagnose.h"
#include "run/lint.h"
#include "run/outputs.h"
#include "run/witness.h"
#include "schedule/make.h"

namespace ascsan::run {
namespace {

/// Options that decide what a launch does, as far as no default does; the rest of the table is about reports.
std::string deciding_options(const Options& options) {
  std::string text;
  for (const OptionId id : {OptionId::chip, OptionId::profile, OptionId::schedule, OptionId::seed, OptionId::depth,
                            OptionId::mte_in_order, OptionId::queue_depth, OptionId::sat_mode, OptionId::gm_fill}) {
    const Origin origin = options.origin_of(id);
    if (origin == Origin::kDefault || origin == Origin::kProgram) continue;
    text += (text.empty() ? "" : ":") + std::string(option_table()[static_cast<size_t>(id)].name) + "=" +
            value_of(options, id);
  }
  return text;
}

/// Program and arguments of this process.
report::ReplayToken token_of_process(const Options& options) {
  report::ReplayToken token;
  token.options = deciding_options(options);
  report::digest_file("/proc/self/exe", token.program);
  std::string line;
  read_file("/proc/self/cmdline", line);
  std::vector<std::string> words;
  for (size_t begin = 0; begin < line.size();) {
    const size_t end = std::min(line.find('\0', begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  if (!words.empty()) words.erase(words.begin());
  token.arguments = report::digest_arguments(words);
  return token;
}

class WitnessRole : public Experiments {
 public:
  explicit WitnessRole(std::vector<WitnessWish> wishes) : wishes_(std::move(wishes)) {}

  Next at_launch(machine::Machine& machine, machine::GlobalMemory& memory, const event::SiteTable& sites,
                 const machine::LaunchPlan& plan, const Options& options) override {
    bool more = false, here = false;
    for (const WitnessWish& wish : wishes_) {
      more = more || wish.first.launch > plan.number;
      here = here || wish.first.launch == plan.number;
    }
    if (here && Lab::bytes_to_keep(memory) > Lab::kMaxBytes) {
      for (const WitnessWish& wish : wishes_)
        if (wish.first.launch == plan.number)
          answers_.push_back(
              {wish.finding, {}, {}, "no witness was looked for: the launch uses more than 4 GiB of global memory"});
    } else if (here) {
      Lab lab(machine, memory, sites, plan, options.scratch);
      WitnessSearch search(lab, token_of_process(options));
      for (const WitnessWish& wish : wishes_)
        if (wish.first.launch == plan.number) answers_.push_back(search.find(wish));
      lab.restore();
    }
    return more ? Next::kLaunch : Next::kExit;
  }
  std::string answer() const override { return report::witnesses_to_json(answers_); }

 private:
  std::vector<WitnessWish> wishes_;
  std::vector<WitnessAnswer> answers_;
};

class ReplayRole : public Experiments {
 public:
  explicit ReplayRole(report::ReplayToken token) : token_(std::move(token)) {}

  Next at_launch(machine::Machine& machine, machine::GlobalMemory& memory, const event::SiteTable& sites,
                 const machine::LaunchPlan& plan, const Options& options) override {
    if (plan.number != token_.launch) return Next::kLaunch;
    Lab lab(machine, memory, sites, plan, options.scratch);
    const auto scheduler = make_directed(token_.base, token_.choices);
    if (!scheduler) return Next::kLaunch;
    const RunOutcome run = lab.run(*scheduler);
    answer_ = {true,
               plan.kernel,
               run.ended() ? "" : run.outcome.text,
               lab.inputs_digest(),
               run.outputs_digest,
               run.record->digest()};
    return Next::kLaunched;
  }
  std::string answer() const override { return report::replay_to_json(answer_); }

 private:
  report::ReplayToken token_;
  report::ReplayAnswer answer_;
};

class DiagnoseRole : public Experiments {
 public:
  static constexpr uint32_t kLaunchesTried = 8;  // when nothing says which launch is wrong
  explicit DiagnoseRole(report::DiagnosisTask task) : task_(std::move(task)) {}

  Next at_launch(machine::Machine& machine, machine::GlobalMemory& memory, const event::SiteTable& sites,
                 const machine::LaunchPlan& plan, const Options& options) override {
    if (task_.launch != 0 && plan.number != task_.launch) return Next::kLaunch;
    Lab lab(machine, memory, sites, plan, options.scratch);
    running_ = std::make_unique<Diagnose>(lab, task_, plan);
    const bool done = running_->run();
    result_ = running_->result();
    running_.reset();
    lab.restore();
    return done || task_.launch != 0 || ++tried_ >= kLaunchesTried ? Next::kExit : Next::kLaunch;
  }
  void mark(event::CoreId core, const char* text) override {
    if (running_) running_->mark(core, text);
  }
  std::string answer() const override { return report::diagnosis_to_json(result_); }

 private:
  report::DiagnosisTask task_;
  report::Diagnosis result_;
  std::unique_ptr<Diagnose> running_;
  uint32_t tried_ = 0;
};

class LintRole : public Experiments {
 public:
  explicit LintRole(report::LintTask task) : lint_(std::move(task)) {}

  Next at_launch(machine::Machine& machine, machine::GlobalMemory& memory, const event::SiteTable& sites,
                 const machine::LaunchPlan& plan, const Options& options) override {
    if (Lab::bytes_to_keep(memory) > Lab::kMaxBytes) {
      lint_.refuse(
          fmt::format("launch {} uses more than 4 GiB of global memory, which is too much to repeat it", plan.number));
      return Next::kExit;
    }
    Lab lab(machine, memory, sites, plan, options.scratch);
    check::SuiteOptions checks;
    checks.strict_profile = options.profile == Profile::kStrict;
    checks.mte_in_order = options.mte_in_order;
    checks.normal_launch = options.launch_mode == LaunchMode::kNormal;
    return lint_.at_launch(lab, plan, checks) ? Next::kLaunched : Next::kExit;
  }
  void at_end() override { lint_.finish(); }
  std::string answer() const override { return report::lint_answer_to_json(lint_.answer()); }

 private:
  Lint lint_;
};

/// The proof of a fix: the witnesses in both orders, then late and random schedules, against the in-order run.
class VerifyRole : public Experiments {
 public:
  explicit VerifyRole(report::DiagnosisTask task) : task_(std::move(task)) {}

  Next at_launch(machine::Machine& machine, machine::GlobalMemory& memory, const event::SiteTable& sites,
                 const machine::LaunchPlan& plan, const Options& options) override {
    if (plan.number != task_.launch) return Next::kLaunch;
    Lab lab(machine, memory, sites, plan, options.scratch);
    const auto in_order = schedule::make_scheduler("in_order", 1, 1, nullptr);
    const auto observed = [&](machine::Scheduler& scheduler) {
      RunOutcome got = lab.run(scheduler, nullptr, [&](LaunchRecord& record) {
        if (!task_.wishes.empty())
          record.watch(point_of(task_.wishes[0].first), point_of(task_.wishes[0].second), nullptr);
      });
      note_order(lab, got);
      return got;
    };
    const RunOutcome reference = observed(*in_order);
    result_.inverted = result_.right.empty();
    result_.outputs = lab.outputs_digest(reference);
    const machine::KernelShape& shape = machine::shape_of(reference.outcome.type);
    result_.mixed = shape.aic_per_block != 0 && shape.aiv_per_block != 0;
    const RunOutcome again = lab.run(*in_order);
    if (!reference.ended()) result_.trouble = "the in-order run of the launch does not end: " + reference.outcome.text;
    if (reference.ended() && (again.record->digest() != reference.record->digest() || lab.differs(reference, again)))
      result_.trouble =
          "two equal runs of the launch differ: the kernel is not deterministic by itself (clock, random device, host "
          "state)";
    const auto count = [&](std::unique_ptr<machine::Scheduler> scheduler) {
      const RunOutcome got = observed(*scheduler);
      ++result_.schedules;
      result_.equal += lab.differs(reference, got) ? 0 : 1;
    };
    for (const WitnessWish& wish : task_.wishes)
      for (const char* base : {"in_order", "deferred"})
        for (const bool turned : {false, true}) {
          const report::AccessKey &held = turned ? wish.second : wish.first, &until = turned ? wish.first : wish.second;
          count(make_directed(base, {{held.core, held.pipe, held.index, until.core, until.pipe, until.index}}));
        }
    count(schedule::make_scheduler("deferred", 1, 1, nullptr));
    for (uint64_t seed = 1; result_.schedules < task_.schedules + 4 * task_.wishes.size(); ++seed) {
      count(schedule::make_scheduler("random", seed, 1, nullptr));
      count(schedule::make_scheduler("pct", seed, 3, nullptr));
    }
    lab.restore();
    return Next::kExit;
  }
  std::string answer() const override { return report::verification_to_json(result_); }

 private:
  /// Keeps the outputs of a run in which the side that must come first did.
  void note_order(const Lab& lab, const RunOutcome& got) {
    const auto& sides = got.record->sides();
    if (sides[0].seen && sides[1].seen && sides[1].turn < sides[0].turn) return;
    const std::string digest = std::to_string(lab.outputs_digest(got));
    if (std::find(result_.right.begin(), result_.right.end(), digest) == result_.right.end())
      result_.right.push_back(digest);
  }

  report::DiagnosisTask task_;
  report::Verification result_;
};

}  // namespace

std::unique_ptr<Experiments> Experiments::from_environment() {
  const char* role = std::getenv("ASCSAN_ROLE");
  const char* task = std::getenv("ASCSAN_TASK");
  if (role == nullptr || task == nullptr) return nullptr;
  const std::string name = role;
  std::string text, error = "the task cannot be read";
  const bool good = read_file(task, text);
  if (name == "witness") {
    std::vector<WitnessWish> wishes;
    if (good && report::parse_wishes(text, wishes)) return std::make_unique<WitnessRole>(std::move(wishes));
  } else if (name == "replay") {
    report::ReplayToken token;
    if (good && report::parse_token(text, token, &error)) return std::make_unique<ReplayRole>(std::move(token));
  } else if (name == "diagnose" || name == "verify") {
    report::DiagnosisTask wanted;
    if (good && report::task_from_json(text, wanted, &error)) {
      if (name == "verify") return std::make_unique<VerifyRole>(std::move(wanted));
      return std::make_unique<DiagnoseRole>(std::move(wanted));
    }
  } else if (name == "lint") {
    report::LintTask wanted;
    if (good && report::lint_task_from_json(text, wanted, &error)) return std::make_unique<LintRole>(std::move(wanted));
  } else {
    return nullptr;
  }
  std::fprintf(stderr, "ascsan: role %s: %s\n", role, error.c_str());
  _exit(report::kExitInternal);
}

}  // namespace ascsan::run
