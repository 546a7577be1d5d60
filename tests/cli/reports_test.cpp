// What `ascsan run` prints and writes: streams, files, call stacks of the second run, options with their origin.
#include <nlohmann/json.hpp>

#include "harness.h"

namespace ascsan::cli_test {
namespace {

using Reports = CliTest;

TEST_F(Reports, TheProgramKeepsItsStreams) {
  const Outcome outcome = run_fake({}, {"hello", "error"});
  EXPECT_EQ(outcome.out, "hello from the program\n");  // once, though it ran twice
  EXPECT_SAYS(outcome.err, "error ASC1101 [certain]  y is wrong: x is read before it has been written");
}

TEST_F(Reports, StacksComeFromASecondIdenticalRun) {
  const Outcome outcome = run_fake({"--out=json=report.json", "--seed=5"}, {"error", "log=" + path("log")});
  EXPECT_EQ(read("log"), "first|seed=5|\nstacks|seed=5|\n");
  EXPECT_SAYS(outcome.err, "fake.cpp:10   inner_of_core_0");
  EXPECT_SAYS(outcome.err, "fake.cpp:50   fake_kernel");
  EXPECT_SILENT_ABOUT(outcome.err, "data_copy.h");  // framework
  EXPECT_SILENT_ABOUT(outcome.err, "fake.cpp:90");  // behind the kernel entry
  EXPECT_SILENT_ABOUT(outcome.err, "incomplete");
  const nlohmann::json finding = nlohmann::json::parse(read("report.json"))["findings"][0];
  EXPECT_EQ(finding["accesses"][1]["stack"][0]["function"], "inner_of_core_1");
  EXPECT_EQ(finding["accesses"][1]["stack"].size(), 2u);
}

TEST_F(Reports, FramesOption) {
  Outcome outcome = run_fake({"--frames=all"}, {"error"});
  EXPECT_SAYS(outcome.err, "data_copy.h:1");
  outcome = run_fake({"--frames=site"}, {"error", "log=" + path("log")});
  EXPECT_EQ(read("log"), "first|frames=site|\n");  // no second run
  EXPECT_SAYS(outcome.err, "site_of_access");
  EXPECT_SILENT_ABOUT(outcome.err, "inner_of_core");
}

TEST_F(Reports, NoSecondRunWithoutFindings) {
  run_fake({}, {"unchecked", "log=" + path("log")});
  EXPECT_EQ(read("log"), "first||\n");
}

TEST_F(Reports, SecondRunReadsNoInput) {
  ascsan({"run", fake_program(), "error", "log=" + path("log")}, {}, "typed by the user\n");
  EXPECT_EQ(read("log"), "first||typed by the user\nstacks||\n");
}

TEST_F(Reports, FailedSecondRunKeepsThePlaceOfTheCall) {
  const std::pair<const char*, const char*> rows[] = {
      {"nostacks", "call stacks are incomplete: the second run gave no answer"},
      {"badstacks", "call stacks are incomplete: the answer of the second run is unreadable, no JSON"},
      {"stackless", "call stacks are incomplete: the second run did not show 2 of the accesses"},
  };
  for (const auto& [scenario, says] : rows) {
    const Outcome outcome = run_fake({}, {"error", scenario});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_SAYS(outcome.err, says);
    EXPECT_SAYS(outcome.err, "site_of_access");
  }
}

TEST_F(Reports, MaxReports) {
  Outcome outcome = run_fake({"--max-reports=2", "--out=json=j", "--out=text=t"}, {"error=5", "warning"});
  EXPECT_SAYS(outcome.err, "4 more findings not shown (3 errors, 1 warning); --max-reports=6 shows all.");
  EXPECT_SAYS(outcome.err, "ASC1101-100001");
  EXPECT_SILENT_ABOUT(outcome.err, "ASC1101-100002");
  EXPECT_EQ(nlohmann::json::parse(read("j"))["findings"].size(), 6u);  // the JSON has all
  EXPECT_SAYS(read("t"), "4 more findings not shown");
  outcome = run_fake({}, {"error=30"});
  EXPECT_SAYS(outcome.err, "10 more findings not shown (10 errors)");
}

TEST_F(Reports, FilesAndStdout) {
  const Outcome outcome = run_fake({"--out=json=-", "--out=text=t", "--out", "json=j"}, {"error"}, {{"NO_COLOR", ""}});
  EXPECT_EQ(outcome.out, read("j"));
  EXPECT_SAYS(read("t"), "verdict: 1 error");
  EXPECT_SILENT_ABOUT(read("t"), "\x1b");
  EXPECT_SILENT_ABOUT(outcome.err, "\x1b");  // no terminal, no colour
}

TEST_F(Reports, UnwritableFileDoesNotLoseTheReport) {
  // Findings keep their exit code; a clean run whose report is missing is no success.
  Outcome outcome = run_fake({"--out=json=nowhere/report.json"}, {"error"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_SAYS(outcome.err, "verdict: 1 error");
  EXPECT_SAYS(outcome.err, "cannot write the json report to nowhere/report.json: No such file or directory");
  const size_t at = outcome.err.find("the json report is in ");
  ASSERT_NE(at, std::string::npos) << outcome.err;
  const size_t begin = at + std::string("the json report is in ").size();
  const std::string rescued = outcome.err.substr(begin, outcome.err.find(" instead", begin) - begin);
  EXPECT_EQ(nlohmann::json::parse(read(std::filesystem::path(rescued).filename()))["exit_code"], 1);
  outcome = run_fake({"--out=json=" + path("")}, {});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_SAYS(outcome.err, "Is a directory");
  outcome = run_fake({"--out=json=nowhere/x", "--out=text=good"}, {"unchecked"});
  EXPECT_EQ(outcome.exit_code, 5);
  EXPECT_SAYS(read("good"), "verdict:");  // one bad file does not stop the others
}

TEST_F(Reports, FullDiskDoesNotLoseTheReport) {
  ASSERT_TRUE(std::filesystem::exists("/dev/full"));  // part of every Linux
  const Outcome outcome = run_fake({"--out=json=/dev/full"}, {"error"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_SAYS(outcome.err, "cannot write the json report to /dev/full: No space left on device");
  EXPECT_SAYS(outcome.err, "the json report is in ");
}

TEST_F(Reports, OptionsReachTheProgramAndKeepTheirOrigin) {
  write("ascsan.toml", "profile = \"strict\"\nseed = 2\n");
  const Outcome outcome = run_fake({"--out=json=a b:c.json", "--seed=4"}, {"set:depth=9", "log=" + path("log")},
                                   {{"ASCSAN_OPTIONS", "schedule=random:seed=3"}});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(read("log"), "first|profile=strict:schedule=random:seed=4|\n");  // out is ours
  const nlohmann::json json = nlohmann::json::parse(read("a b:c.json"));
  const nlohmann::json& options = json["options"];
  EXPECT_EQ(options["profile"], (nlohmann::json{{"value", "strict"}, {"origin", "ascsan.toml"}}));
  EXPECT_EQ(options["schedule"], (nlohmann::json{{"value", "random"}, {"origin", "environment"}}));
  EXPECT_EQ(options["seed"], (nlohmann::json{{"value", "4"}, {"origin", "command line"}}));
  EXPECT_EQ(options["depth"], (nlohmann::json{{"value", "9"}, {"origin", "program"}}));
  EXPECT_EQ(options["out"], (nlohmann::json{{"value", "json"}, {"origin", "command line"}}));
  EXPECT_EQ(options["chip"], (nlohmann::json{{"value", "910B1"}, {"origin", "default"}}));
  EXPECT_EQ(json["launches"][0]["seed"], 4);
  EXPECT_EQ(json["launches"][0]["schedule"], "random");
}

TEST_F(Reports, EqualRunsGiveEqualJsonOutsideTiming) {
  run_fake({"--out=json=a"}, {"error=3", "warning", "unchecked"});
  run_fake({"--out=json=b"}, {"error=3", "warning", "unchecked"},
           {{"TZ", "Asia/Tokyo"}, {"LC_ALL", "C"}, {"COLUMNS", "40"}});
  nlohmann::json a = nlohmann::json::parse(read("a")), b = nlohmann::json::parse(read("b"));
  EXPECT_TRUE(a.contains("timing"));
  a.erase("timing");
  b.erase("timing");
  EXPECT_EQ(a.dump(), b.dump());
}

TEST_F(Reports, ShowOptions) {
  write("ascsan.toml", "depth = 5\n");
  const Outcome outcome = ascsan({"run", "--show-options", "--seed=9"}, {{"ASCSAN_OPTIONS", "chip=910B3"}});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(outcome.err.empty());
  EXPECT_SAYS(outcome.out, "seed             9                command line\n");
  EXPECT_SAYS(outcome.out, "chip             910B3            environment\n");
  EXPECT_SAYS(outcome.out, "depth            5                ascsan.toml\n");
  EXPECT_SAYS(outcome.out, "schedule         deferred         default\n");
}

TEST_F(Reports, AsciiWhereTheLocaleIsNotUtf8) {
  const Outcome outcome = run_fake({}, {"error"}, {{"LC_ALL", "C"}});
  for (const char c : outcome.err) ASSERT_GE(c, 0) << outcome.err;
  EXPECT_SAYS(outcome.last_line(), "1 error - 0 warnings - nothing left unchecked - exit 1");
}

TEST_F(Reports, ArgumentsReachTheProgramUnchanged) {
  write("show", "#!/bin/sh\nfor a in \"$@\"; do echo \"[$a]\"; done\n");
  std::filesystem::permissions(path("show"), std::filesystem::perms::owner_all);
  const Outcome outcome = ascsan({"run", "--seed=1", "--", "./show", "--seed=2", "", "a b", "--", "-x"});
  EXPECT_EQ(outcome.out, "[--seed=2]\n[]\n[a b]\n[--]\n[-x]\n");
}

TEST_F(Reports, NothingIsLeftBehind) {
  run_fake({}, {"error"});
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    EXPECT_EQ(entry.path().filename().string().rfind("ascsan-", 0), std::string::npos) << entry.path();
}

}  // namespace
}  // namespace ascsan::cli_test
