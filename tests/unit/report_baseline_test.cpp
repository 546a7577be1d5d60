// Baselines: a JSON report read back, new and known and fixed findings, and what they do to the verdict.
#include "report/baseline.h"

#include <gtest/gtest.h>

#include <set>

#include "report/as_json.h"
#include "report/verdict.h"
#include "report_samples.h"

namespace ascsan::report {
namespace {

RunResult run_with(const std::vector<std::string>& ids) {
  RunResult run;
  run.launches.emplace_back().kernel = "k";
  for (const std::string& id : ids) {
    Finding& finding = run.findings.emplace_back();
    finding.id = id;
    finding.rule = id.substr(0, 7);
    finding.title = "title of " + id;
    finding.kernel = "k";
  }
  return run;
}

std::vector<FixedFinding> baseline_of(const RunResult& run) {
  std::vector<FixedFinding> baseline;
  EXPECT_EQ(parse_baseline(to_json(run, conclude(run, {})), baseline), "");
  return baseline;
}

TEST(Baseline, NewKnownAndFixed) {
  const std::vector<FixedFinding> baseline = baseline_of(run_with({"ASC1101-cc", "ASC1101-aa", "ASC2101-bb"}));
  RunResult run = run_with({"ASC1101-aa", "ASC5001-dd"});
  apply_baseline(run, baseline);
  EXPECT_EQ(run.findings[0].baseline, "known");
  EXPECT_EQ(run.findings[1].baseline, "new");
  ASSERT_EQ(run.fixed.size(), 2u);
  EXPECT_EQ(run.fixed[0].id, "ASC1101-cc");
  EXPECT_EQ(run.fixed[0].title, "title of ASC1101-cc");
  EXPECT_EQ(run.fixed[1].rule, "ASC2101");
  const Conclusion conclusion = conclude(run, {});
  EXPECT_EQ(conclusion.exit_code, kExitFindings);
  EXPECT_EQ(conclusion.errors, 1u);
  EXPECT_EQ(conclusion.known, 1u);
  EXPECT_EQ(conclusion.fixed, 2u);
}

TEST(Baseline, OnlyKnownFindingsDoNotFail) {
  RunResult run = run_with({"ASC1101-aa"});
  apply_baseline(run, baseline_of(run));
  EXPECT_EQ(conclude(run, {}).exit_code, kExitClean);
  run.unchecked.push_back({"x", "y"});
  EXPECT_EQ(conclude(run, {}).exit_code, kExitIncomplete);
}

TEST(Baseline, NothingIsFixedThatWasNotReached) {
  const std::vector<FixedFinding> baseline = baseline_of(run_with({"ASC1101-aa"}));
  RunResult incomplete = run_with({}), crashed = run_with({}), failed = run_with({}), nothing;
  incomplete.unchecked.push_back({"what", "why"});
  crashed.crash = "died";
  failed.program_status = 3;
  for (RunResult* run : {&incomplete, &crashed, &failed, &nothing}) {
    apply_baseline(*run, baseline);
    EXPECT_TRUE(run->fixed.empty());
  }
}

// Random sets of ids: each id is in exactly one of the three classes.
TEST(Baseline, ClassesAreTheSetDifferences) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    Samples random(seed);
    const auto ids = [&] {
      std::set<std::string> set;
      for (uint64_t n = random.number(12); n > 0; --n) set.insert("ASC1101-" + std::to_string(random.number(15)));
      return set;
    };
    const std::set<std::string> before = ids(), now = ids();
    RunResult run = run_with({now.begin(), now.end()});
    apply_baseline(run, baseline_of(run_with({before.begin(), before.end()})));
    for (const Finding& finding : run.findings)
      ASSERT_EQ(finding.baseline, before.count(finding.id) != 0 ? "known" : "new") << "seed " << seed;
    std::set<std::string> fixed, expected;
    for (const FixedFinding& finding : run.fixed) fixed.insert(finding.id);
    for (const std::string& id : before)
      if (now.count(id) == 0) expected.insert(id);
    ASSERT_EQ(fixed, expected) << "seed " << seed;
    ASSERT_EQ(fixed.size(), run.fixed.size());
  }
}

TEST(Baseline, OtherFilesAreRefused) {
  std::vector<FixedFinding> findings;
  for (const char* text : {"", "[]", "{}", "{\"schema\": 2, \"findings\": []}", "{\"schema\": 1}", "\xff",
                           "{\"schema\": 1, \"findings\": [{}]}", "{\"schema\": 1, \"findings\": [3]}"})
    EXPECT_NE(parse_baseline(text, findings), "") << text;
  EXPECT_NE(parse_baseline("{\"schema\": 1, \"findings\": [3]}", findings).find("finding 1 lacks"), std::string::npos);
}

TEST(Baseline, MutatedFilesNeverCrash) {
  const std::string good = to_json(run_with({"ASC1101-aa", "ASC1101-bb"}), {});
  Samples random(3);
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = good;
    for (uint64_t n = 1 + random.number(3); n > 0; --n)
      text[random.number(text.size())] = "0123\"{}[]:,x\\ \xff"[random.number(15)];
    std::vector<FixedFinding> findings;
    refused += parse_baseline(text, findings).empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace ascsan::report
