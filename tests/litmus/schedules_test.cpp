// One run decides (design/rigor.md C): a litmus kernel has the same findings under in_order, deferred, 20 random and 20
// pct schedules. Kernels whose control flow hangs on raced data (polled words) are outside that claim; they must say
// incomplete under every schedule, never clean. Also here: one cause is one report, however many cores and ranges show
// it.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "check/suite.h"
#include "in_process.h"
#include "suite/spec.h"

namespace {
using namespace ascsan;

std::vector<litmus::Run> all_runs(bool auto_sync) {
  std::vector<litmus::Run> runs = {{"in_order", 1, auto_sync}, {"deferred", 1, auto_sync}};
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    runs.push_back({"random", seed, auto_sync});
    runs.push_back({"pct", seed, auto_sync});
  }
  return runs;
}

struct Answer {
  std::set<std::string> ids;
  bool incomplete = false;
  std::vector<report::Finding> findings;
};

Answer answer(litmus::Bench& bench, const litmus::Run& run) {
  event::SiteTable sites;
  check::Suite suite(sites);
  suite.configure({.strict_profile = !run.auto_sync, .mte_in_order = false, .checkers = {}});
  const machine::LaunchOutcome outcome = bench.run(run, sites, suite);
  Answer result;
  std::vector<report::Unchecked> unchecked;
  suite.take(result.findings, unchecked);
  using End = machine::LaunchOutcome::End;
  result.incomplete = !unchecked.empty() || outcome.end == End::kRefused || outcome.end == End::kStepLimit;
  for (const report::Finding& finding : result.findings) result.ids.insert(finding.id);
  return result;
}

std::string text(const std::set<std::string>& ids) {
  std::string all;
  for (const std::string& id : ids) all += id + " ";
  return all;
}

TEST(Schedules, SameFindingsUnderAll) {
  std::vector<std::string> errors;
  std::map<std::string, suite::Expectation> expectations;
  for (suite::Expectation& one : suite::read_folder(LITMUS_FOLDER, errors)) expectations[one.kernel] = std::move(one);
  ASSERT_TRUE(errors.empty()) << errors[0];
  size_t same = 0, incomplete = 0, runs = 0;
  for (const litmus::Kernel& kernel : litmus::registry()) {
    const suite::Expectation& expectation = expectations.at(kernel.name);
    bool auto_sync = true;
    for (const auto& [option, value] : expectation.options)
      if (option == "profile") auto_sync = value == "auto";
    litmus::Bench bench(kernel);
    Answer first;
    bool started = false;
    for (const litmus::Run& run : all_runs(auto_sync)) {
      const Answer now = answer(bench, run);
      ++runs;
      ASSERT_EQ(now.incomplete, expectation.incomplete)
          << kernel.name << ", schedule " << run.schedule << ", seed " << run.seed;
      if (expectation.incomplete) continue;
      if (started)
        ASSERT_EQ(text(now.ids), text(first.ids))
            << kernel.name << ": schedule " << run.schedule << ", seed " << run.seed << " against in_order";
      else
        first = now;
      started = true;
    }
    (expectation.incomplete ? incomplete : same) += 1;
  }
  std::printf("%zu kernels with the same findings under 42 schedules, %zu incomplete under all of them; %zu runs\n",
              same, incomplete, runs);
  EXPECT_GT(same, 150u);
}

/// 48 cores, one missing SyncAll, 4096 ranges of one element: each core stores every 48th element and reads those of
/// its left neighbour.
void missing_barrier(const litmus::Gm& gm) {
  using namespace AscendC;
  GlobalTensor<float> x = litmus::floats(gm.x);
  const uint32_t cores = static_cast<uint32_t>(GetBlockNum()), me = static_cast<uint32_t>(GetBlockIdx());
  Duplicate(litmus::ub(0), 1.0f, 64);
  PipeBarrier<PIPE_ALL>();
  const DataCopyExtParams one{1, 4, 0, 0, 0};
  const DataCopyPadExtParams<float> no_padding{false, 0, 0, 0.0f};
  for (uint32_t i = me; i < litmus::kGmElements; i += cores) DataCopyPad(x[i], litmus::ub(0), one);
  PipeBarrier<PIPE_ALL>();
  const uint32_t left = (me + cores - 1) % cores;
  for (uint32_t i = left; i < litmus::kGmElements; i += cores)
    DataCopyPad(litmus::ub(1024 + i * 32, 8), x[i], one, no_padding);
}

TEST(Schedules, OneCauseIsOneReport) {
  const litmus::Kernel kernel{"missing_barrier", litmus::Type::aiv, 48, 1, &missing_barrier};
  litmus::Bench bench(kernel);
  for (const char* schedule : {"in_order", "deferred", "random"}) {
    const Answer result = answer(bench, {schedule, 3, true});
    ASSERT_EQ(result.findings.size(), 1u) << schedule << ": " << text(result.ids);
    const report::Finding& finding = result.findings[0];
    EXPECT_EQ(finding.rule, "ASC1101");
    EXPECT_EQ(finding.tensor, "x");
    // One conflict per element: the store of its owner against the load of the neighbour.
    EXPECT_EQ(finding.merged, litmus::kGmElements) << schedule;
    std::printf("%s: one report, %llu occurrences merged\n", schedule, static_cast<unsigned long long>(finding.merged));
  }
}

}  // namespace
