// What SARIF readers rely on, for any findings: references that resolve, one thread flow per side in one order, all or
// no suppressions. The shape of documents is held by golden_test and its schema.
#include "report/as_sarif.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>

#include <nlohmann/json.hpp>

#include "report/actors.h"
#include "report_samples.h"

namespace ascsan::report {
namespace {

using Json = nlohmann::json;

Json sarif_of(const RunResult& run) {
  const Catalogue rules = {{"ASC1101", Severity::kError, "race", "text"}, {"ASC2101", Severity::kWarning, "b", "t"}};
  const std::string text = to_sarif(run, conclude(run, {}), rules, TextStyle());
  EXPECT_EQ(text, to_sarif(run, conclude(run, {}), rules, TextStyle()));
  const Json document = Json::parse(text, nullptr, false);
  EXPECT_FALSE(document.is_discarded());
  return document["runs"][0];
}

TEST(Sarif, ReferencesResolve) {
  static const std::regex kLink("\\[(?:[^\\]\\\\]|\\\\.)*\\]\\(([0-9]+)\\)");
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    const RunResult run = Samples(seed).run();
    const Json sarif = sarif_of(run);
    const Json& rules = sarif["tool"]["driver"]["rules"];
    ASSERT_EQ(sarif["results"].size(), run.findings.size() + run.fixed.size()) << "seed " << seed;
    for (const Json& result : sarif["results"]) {
      ASSERT_EQ(rules[result["ruleIndex"].get<size_t>()]["id"], result["ruleId"]) << "seed " << seed;
      // Links in the message name related locations, each exactly once; text of findings cannot forge one.
      std::multiset<size_t> linked, related;
      const std::string message = result["message"]["text"];
      for (auto at = std::sregex_iterator(message.begin(), message.end(), kLink); at != std::sregex_iterator(); ++at)
        linked.insert(std::stoul((*at)[1]));
      if (result.contains("relatedLocations"))
        for (const Json& location : result["relatedLocations"]) related.insert(location["id"].get<size_t>());
      ASSERT_EQ(linked, related) << "seed " << seed << "\n" << message;
    }
  }
}

TEST(Sarif, MessageTextCannotForgeLinks) {
  RunResult run;
  Finding& finding = run.findings.emplace_back();
  finding.rule = "ASC1101";
  finding.title = "a[0](1) [x](http://host)";
  finding.accesses.resize(2);
  finding.accesses[0].file = "f";
  finding.accesses[0].role = "wri]ter\\";
  const std::string message = sarif_of(run)["results"][0]["message"]["text"];
  EXPECT_EQ(message, "a[0] (1) [x] (http://host)\n\nSee also: [wri\\]ter\\\\](1)");
}

TEST(Sarif, ThreadFlowsShareOneOrder) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    const RunResult run = Samples(seed).run();
    const Json sarif = sarif_of(run);
    for (size_t i = 0; i < run.findings.size(); ++i) {
      const Finding& finding = run.findings[i];
      const Json& result = sarif["results"][i];
      ASSERT_EQ(result.contains("codeFlows"), !finding.accesses.empty());
      if (finding.accesses.empty()) continue;
      const Json& flows = result["codeFlows"][0]["threadFlows"];
      ASSERT_EQ(flows.size(), finding.accesses.size());
      std::set<std::string> ids;
      int last = 0;
      for (size_t side = 0; side < flows.size(); ++side) {
        ids.insert(flows[side]["id"]);
        const Json& steps = flows[side]["locations"];
        const bool common = finding.last_common && !finding.last_common->file.empty();
        ASSERT_EQ(steps.size(), common ? 2u : 1u);
        if (common) {
          ASSERT_EQ(steps[0]["executionOrder"], 1);
        }
        ASSERT_GT(steps.back()["executionOrder"].get<int>(), std::max(last, common ? 1 : 0)) << "seed " << seed;
        last = steps.back()["executionOrder"];
        ASSERT_EQ(steps.back()["location"].contains("physicalLocation"), !finding.accesses[side].file.empty());
      }
      ASSERT_EQ(ids.size(), flows.size());
    }
  }
}

TEST(Sarif, StepsOfTheWitnessAreAFlowOfTheirOwn) {
  RunResult run;
  Finding& finding = run.findings.emplace_back();
  finding.rule = "ASC1101";
  finding.accesses.resize(2);
  AccessInfo &writer = finding.accesses[0], &reader = finding.accesses[1];
  writer.core = "AIV 0", writer.pipe = "MTE3", writer.index = 1, writer.file = "k.h", writer.line = 7;
  reader.core = "AIV 1", reader.pipe = "S", reader.index = 12, reader.file = "k.h", reader.line = 9;
  EXPECT_EQ(sarif_of(run)["results"][0]["codeFlows"].size(), 1u);
  Witness& witness = finding.witness.emplace();
  witness.token = "as1:x";
  witness.steps = {"AIV 0 MTE3 entry 1 is issued and kept in flight (a store)",
                   "AIV 1 scalar access 12 loads what is there by then", "AIV 0 MTE3 entry 1 completes",
                   "after that the launch does not end: AIV 0 MTE3 entry 17"};
  const Json flows = sarif_of(run)["results"][0]["codeFlows"];
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_EQ(flows[1]["message"]["text"], "witness as1:x");
  const Json& threads = flows[1]["threadFlows"];
  ASSERT_EQ(threads.size(), 2u);
  ASSERT_EQ(threads[0]["locations"].size(), 2u);
  EXPECT_EQ(threads[0]["locations"][0]["executionOrder"], 1);
  EXPECT_EQ(threads[0]["locations"][1]["executionOrder"], 3);
  ASSERT_EQ(threads[1]["locations"].size(), 1u);
  EXPECT_EQ(threads[1]["locations"][0]["executionOrder"], 2);
  EXPECT_EQ(threads[1]["locations"][0]["location"]["physicalLocation"]["region"]["startLine"], 9);
  EXPECT_EQ(threads[1]["locations"][0]["location"]["message"]["text"], witness.steps[1]);
  witness.steps = {"AIV 0 MTE3 entry 11 completes"};  // of no side
  EXPECT_EQ(sarif_of(run)["results"][0]["codeFlows"].size(), 1u);
}

TEST(Sarif, LocationIsTheReader) {
  RunResult run;
  Finding& finding = run.findings.emplace_back();
  finding.rule = "ASC1101";
  for (const char* role : {"reader", "writer"}) {
    AccessInfo& access = finding.accesses.emplace_back();
    access.role = role;
    access.file = std::string(role) + ".h";
    access.line = 7;
  }
  const Json result = sarif_of(run)["results"][0];
  EXPECT_EQ(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "reader.h");
  EXPECT_EQ(result["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"], "writer.h");
  EXPECT_FALSE(result.contains("fixes"));  // none is known
}

TEST(Sarif, SuppressionsAndBaselineOnAllOrNone) {
  int with = 0, without = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    const RunResult run = Samples(seed).run();
    const Json sarif = sarif_of(run);
    bool suppressed = false, baseline = !run.fixed.empty();
    for (const Finding& finding : run.findings) {
      suppressed = suppressed || finding.suppressed;
      baseline = baseline || !finding.baseline.empty();
    }
    (suppressed ? with : without)++;
    for (size_t i = 0; i < sarif["results"].size(); ++i) {
      const Json& result = sarif["results"][i];
      ASSERT_EQ(result.contains("suppressions"), suppressed) << "seed " << seed;
      ASSERT_EQ(result.contains("baselineState"), baseline) << "seed " << seed;
      if (i >= run.findings.size()) {
        ASSERT_EQ(result["baselineState"], "absent");
      } else if (suppressed) {
        ASSERT_EQ(result["suppressions"].size(), run.findings[i].suppressed ? 1u : 0u);
      }
    }
  }
  EXPECT_GT(with, 20);
  EXPECT_GT(without, 20);
}

TEST(Sarif, WhatWasNotCheckedIsSaid) {
  RunResult run;
  run.launches.emplace_back();
  run.unchecked = {{"Sort32", "not modelled"}};
  const Json invocation = sarif_of(run)["invocations"][0];
  EXPECT_EQ(invocation["exitCode"], kExitIncomplete);
  EXPECT_EQ(invocation["properties"]["verdict"], "incomplete");
  EXPECT_EQ(invocation["toolExecutionNotifications"][0]["message"]["text"], "left unchecked: Sort32: not modelled");
}

}  // namespace
}  // namespace ascsan::report
