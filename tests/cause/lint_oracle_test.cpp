// Lint against all schedules: on every clean litmus kernel the lines that may go together are found as `ascsan lint`
// finds them (run/lint.h, greedy), then checked without its help. The search over all schedules finds no racing pair
// with all of them left out, and for each line that stays, leaving it out as well makes a racing pair, a hang or a
// finding of the suite. Kernels too large for the search, or with polled words, are checked by the suite alone. Prints
// the counts.
#include <gtest/gtest.h>

#include <map>

#include "check/suite.h"
#include "event/fan_out.h"
#include "litmus_case.h"
#include "run/lint.h"
#include "schedule/exhaustive.h"
#include "schedule/make.h"
#include "suite/spec.h"

namespace {
using namespace ascsan;
using schedule::TinyLaunch;

constexpr size_t kMaxAccesses = 20;

class Recorder : public event::Sink {
 public:
  schedule::TinyRecorder tiny;
  void on_event(const event::Event& event) override { tiny.on_event(event); }
};

report::LintAnswer ask(test::LitmusCase& one, const report::LintTask& task) {
  run::Lint lint(task);
  run::Lab lab = one.lab();
  if (lint.at_launch(lab, one.plan(), {})) lint.finish();
  lab.restore();
  return lint.answer();
}

struct Seen {
  machine::LaunchOutcome outcome;
  std::vector<report::Finding> findings;
  TinyLaunch launch;
};

/// In order, with the lines left out, on memory as it was; no part of run/lint.
Seen look(test::LitmusCase& one, const std::vector<report::SyncLine>& drop) {
  run::Change change;
  for (const report::SyncLine& line : drop) change.drop.emplace_back(line.file, line.line);
  run::Lab lab = one.lab();
  run::WhatIf what_if(lab.memory(), nullptr, change);
  check::Suite suite(lab.sites());
  suite.configure({});
  Recorder recorder;
  event::FanOut both;
  both.add(&suite);
  both.add(&recorder);
  const auto scheduler = schedule::make_scheduler("in_order", 1, 1, nullptr);
  Seen seen;
  seen.outcome = lab.run(*scheduler, &what_if, {}, &both).outcome;
  std::vector<report::Unchecked> unchecked;
  suite.take(seen.findings, unchecked);
  seen.launch = recorder.tiny.take();
  lab.restore();
  return seen;
}

std::vector<report::SyncLine> lines_of(const std::vector<report::SyncGroup>& groups) {
  std::vector<report::SyncLine> lines;
  for (const report::SyncGroup& group : groups) lines.insert(lines.end(), group.lines.begin(), group.lines.end());
  return lines;
}

/// "" = no racing pair, "large" = not searched, else the pair.
std::string racing_pair(const TinyLaunch& launch) {
  if (launch.polled || launch.ops.size() > TinyLaunch::kMaxOps || launch.accesses() > kMaxAccesses) return "large";
  const schedule::Explored explored = schedule::explore(launch, {});
  if (!explored.complete) return "large";
  if (explored.hangs) return "hang";
  for (uint32_t s = 0; s < launch.segments.size(); ++s)
    for (uint32_t x = 0; x < launch.ops.size(); ++x)
      for (uint32_t y = x + 1; y < launch.ops.size(); ++y)
        if (schedule::races(launch, explored, x, y, s))
          return "operations " + std::to_string(x) + " and " + std::to_string(y);
  return "";
}

struct Tally {
  size_t kernels = 0, redundant = 0, needed = 0, alone = 0, searched = 0, by_search = 0, by_suite = 0, by_outputs = 0;
};

void check(const std::string& kernel, Tally& tally) {
  test::LitmusCase one(kernel);
  report::LintTask task;
  task.survey = true;
  const report::LintAnswer survey = ask(one, task);
  ASSERT_EQ(survey.trouble, "") << kernel;
  ASSERT_TRUE(survey.errors.empty()) << kernel << ": " << survey.errors[0];
  ++tally.kernels;
  std::vector<report::SyncGroup> out, stays;
  task.survey = false;
  task.known = survey.known;
  for (const report::SyncGroup& group : survey.groups) {
    std::vector<report::SyncGroup> more = out;
    more.push_back(group);
    task.drop = lines_of(more);
    const std::string why = group.needed.empty() ? ask(one, task).refused : group.needed;
    if (why.empty()) {
      out = more;
    } else {
      stays.push_back(group);
      stays.back().needed = why;
    }
  }
  tally.redundant += out.size();
  const Seen without = look(one, lines_of(out));
  EXPECT_EQ(without.outcome.end, machine::LaunchOutcome::End::kDone) << kernel;
  for (const report::Finding& finding : without.findings)
    EXPECT_TRUE(std::count(survey.known.begin(), survey.known.end(), finding.id)) << kernel << ": " << finding.title;
  const std::string pair = racing_pair(without.launch);
  if (pair != "large") {
    ++tally.searched;
    EXPECT_EQ(pair, "") << kernel << " without " << out.size() << " groups";
  }
  for (const report::SyncGroup& group : stays) {
    if (group.needed.rfind("left alone", 0) == 0) {
      ++tally.alone;
      continue;
    }
    ++tally.needed;
    std::vector<report::SyncGroup> more = out;
    more.push_back(group);
    const Seen seen = look(one, lines_of(more));
    const std::string racing = racing_pair(seen.launch);
    const bool by_search = racing != "" && racing != "large";
    const bool by_suite = seen.outcome.end != machine::LaunchOutcome::End::kDone || !seen.findings.empty();
    tally.by_search += by_search;
    tally.by_suite += !by_search && by_suite;
    const bool outputs = group.needed.rfind("another order changes", 0) == 0;
    tally.by_outputs += !by_search && !by_suite && outputs;
    EXPECT_TRUE(by_search || by_suite || outputs)
        << kernel << ": " << group.lines[0].operation << " at line " << group.lines[0].line << " stays ("
        << group.needed << "), but leaving it out changes nothing";
  }
}

TEST(LintOracle, CleanLitmusKernels) {
  std::vector<std::string> errors;
  std::map<std::string, suite::Expectation> expectations;
  for (suite::Expectation& one : suite::read_folder(LITMUS_FOLDER, errors)) expectations[one.kernel] = std::move(one);
  ASSERT_TRUE(errors.empty()) << errors[0];
  Tally tally;
  for (const std::string& kernel : test::LitmusCase::names()) {
    ASSERT_TRUE(expectations.count(kernel))
        << kernel << " has no expectation; is the program up to date with the sources?";
    const suite::Expectation& expectation = expectations.at(kernel);
    const bool clean = expectation.findings.empty() && !expectation.incomplete && expectation.options.empty();
    if (clean && test::LitmusCase(kernel).launches() == 1) check(kernel, tally);
  }
  std::printf(
      "%zu clean kernels: %zu groups redundant (%zu kernels searched over all schedules), %zu needed (%zu shown by the "
      "search, %zu by the suite, %zu by outputs), %zu left alone\n",
      tally.kernels, tally.redundant, tally.searched, tally.needed, tally.by_search, tally.by_suite, tally.by_outputs,
      tally.alone);
  EXPECT_GT(tally.kernels, 80u);
  EXPECT_GT(tally.redundant, 20u);
  EXPECT_GT(tally.needed, 80u);
  EXPECT_GT(tally.searched * 10, tally.kernels * 8);
}

}  // namespace
