// ascsan explain, and the run that is kept for it.
#include <nlohmann/json.hpp>

#include "harness.h"

namespace ascsan::cli_test {
namespace {

using Explain = CliTest;

TEST_F(Explain, ARunWithFindingsIsKept) {
  EXPECT_EQ(run_fake({}, {"error=2", "warning", "timeline"}).exit_code, 1);
  EXPECT_EQ(read(".ascsan/.gitignore"), "*\n");
  const Outcome list = ascsan({"explain"});
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_EQ(list.out,
            "  1  ASC1101-100000  error    y is wrong: x is read before it has been written\n"
            "  2  ASC1101-100001  error    y is wrong: x is read before it has been written\n"
            "  3  ASC1101-100002  warning  y is wrong: x is read before it has been written\n");
  EXPECT_EQ(list.err, "");
}

TEST_F(Explain, OneFindingWithItsRule) {
  run_fake({}, {"error=2", "warning", "timeline"});
  const Outcome by_id = ascsan({"explain", "ASC1101-100001"});
  EXPECT_EQ(by_id.exit_code, 0) << by_id.err;
  EXPECT_EQ(by_id.out.rfind("error ASC1101 [certain]  y is wrong: x is read before it has been written\n", 0), 0u);
  EXPECT_SAYS(by_id.out, "AIV 0 · MTE3 queue, entry 2");
  EXPECT_SAYS(by_id.out, "fake.cpp:11   inner_of_core_1");  // the stacks of the second run are kept as well
  EXPECT_SAYS(by_id.out, "ASC1101  error  race between cores\n");
  EXPECT_SAYS(by_id.out, "What could have ordered the two sides:\n");
  EXPECT_SAYS(by_id.out, "ascsan rules ASC1101\n");
  EXPECT_SAYS(by_id.out, "ascsan explain ASC1101-100001 --format html --out ASC1101-100001.html\n");
  for (const char* same : {"2", "asc1101-100001", "ASC1101-100001"})
    EXPECT_EQ(ascsan({"explain", same}).out, by_id.out) << same;
  EXPECT_SAYS(ascsan({"explain", "3"}).out, "warning ASC1101");
}

TEST_F(Explain, PageAndTrace) {
  run_fake({}, {"error=2", "timeline"});
  const Outcome page = ascsan({"explain", "--format=html", "1"});
  EXPECT_EQ(page.exit_code, 0) << page.err;
  EXPECT_SAYS(page.out, "<!DOCTYPE html>");
  EXPECT_SAYS(page.out, "<figure");
  EXPECT_SAYS(page.out, "ASC1101-100000");
  EXPECT_SILENT_ABOUT(page.out, "ASC1101-100001");
  EXPECT_EQ(ascsan({"explain", "1", "--format", "html", "--out", "page.html"}).out, "");
  EXPECT_EQ(read("page.html"), page.out);
  const nlohmann::json trace = nlohmann::json::parse(ascsan({"explain", "1", "--format=trace"}).out, nullptr, false);
  ASSERT_TRUE(trace.is_object());
  int copies = 0;
  for (const auto& event : trace["traceEvents"]) copies += event.value("name", "") == "DataCopy" && event["ph"] != "M";
  EXPECT_GE(copies, 2);
}

TEST_F(Explain, WithoutATimelineThereIsNoWordOfIt) {
  run_fake({"--frames=site"}, {"error", "timeline"});
  const Outcome outcome = ascsan({"explain", "1"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_SILENT_ABOUT(outcome.out, "--format html");
  EXPECT_SILENT_ABOUT(ascsan({"explain", "1", "--format=html"}).out, "<figure");
}

TEST_F(Explain, ACleanRunLeavesNothingAndEndsOldFindings) {
  run_fake({}, {});
  EXPECT_FALSE(std::filesystem::exists(path(".ascsan")));
  run_fake({}, {"error"});
  run_fake({}, {});
  const Outcome outcome = ascsan({"explain"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "The last run has no findings.\n");
}

TEST_F(Explain, TheFileIsAnOption) {
  run_fake({"--keep=deep/er/run.json"}, {"error"});
  EXPECT_FALSE(std::filesystem::exists(path(".ascsan")));
  EXPECT_SAYS(ascsan({"explain", "--from", "deep/er/run.json"}).out, "ASC1101-100000");
  write("ascsan.toml", "keep = \"deep/er/run.json\"\n");
  EXPECT_SAYS(ascsan({"explain"}).out, "ASC1101-100000");
  std::filesystem::remove_all(path("deep"));
  run_fake({"--keep="}, {"error"});
  EXPECT_FALSE(std::filesystem::exists(path("deep")));
}

TEST_F(Explain, SuppressedFindingsAreThereWithTheirReason) {
  write("ascsan.suppress", "[[suppress]]\nrule = \"ASC1101\"\nreason = \"padding\"\n");
  EXPECT_EQ(run_fake({}, {"error"}).exit_code, 0);
  const Outcome page = ascsan({"explain", "1", "--format=html"});
  EXPECT_SAYS(page.out, "padding");
}

TEST_F(Explain, TwoForWrongUsage) {
  const auto refused = [&](const Words& args, const std::string& says,
                           const std::map<std::string, std::string>& env = {}) {
    Words words = {"explain"};
    words.insert(words.end(), args.begin(), args.end());
    const Outcome outcome = ascsan(words, env);
    EXPECT_EQ(outcome.exit_code, 2) << says;
    EXPECT_TRUE(is_one_line(outcome.err)) << outcome.err;
    EXPECT_SAYS(outcome.err, says);
    EXPECT_EQ(outcome.out, "");
  };
  refused({}, "cannot read .ascsan/last.json: no run is kept there; first: ascsan run PROGRAM");
  run_fake({}, {"error=2"});
  refused({"ASC1101"}, "ASC1101 fits 2 findings: ASC1101-100000 ASC1101-100001");
  refused({"ASC1101-10000x"}, "no finding ASC1101-10000x in .ascsan/last.json, did you mean ASC1101-10000");
  refused({"7"}, "the last run has 2 findings, there is no number 7");
  refused({"0"}, "there is no number 0");
  refused({"1", "2"}, "too many arguments; usage: ascsan explain");
  refused({"1", "--format=htm"}, "--format htm is none of text, html, trace; did you mean html?");
  refused({"1", "--fromat=html"}, "unknown option --fromat, did you mean --format?");
  refused({"1", "--out"}, "--out needs a value");
  refused({"1", "--out=gone/page"}, "cannot write gone/page: No such file or directory");
  refused({"--from=gone"}, "cannot read gone: no run is kept there");
  write("broken", "{\"options\": 7}");
  refused({"--from=broken"}, "broken is unusable, field ");
  refused({}, "option keep is empty", {{"ASCSAN_OPTIONS", "keep="}});
  refused({}, "ASCSAN_OPTIONS: unknown option \"kep\"", {{"ASCSAN_OPTIONS", "kep=1"}});
}

TEST_F(Explain, AFileThatCannotBeWrittenIsSaidOnlyToThoseWhoAsked) {
  write("file", "");
  Outcome outcome = run_fake({"--keep=file/run.json"}, {"error"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_SAYS(outcome.err, "option keep: cannot write file/run.json");
  write(".ascsan", "");
  outcome = run_fake({}, {"error"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_SILENT_ABOUT(outcome.err, "keep");
}

// The page of docs/rules is a part of the program.
TEST_F(Explain, PagesOfRules) {
  const Outcome outcome = ascsan({"rules", "ASC1201"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out.rfind("ASC1201  error  read before written\n", 0), 0u) << outcome.out;
  for (const char* heading : {"\nBad\n", "\nReport\n", "\nGood\n", "\nWhere the rule comes from\n"})
    EXPECT_SAYS(outcome.out, heading);
  EXPECT_SAYS(outcome.out, "    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);");
  EXPECT_SILENT_ABOUT(outcome.out, "```");
}

}  // namespace
}  // namespace ascsan::cli_test
