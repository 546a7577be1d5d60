// Suppression files and baselines from outside: which file is read, what it does to the verdict, what is written.
#include <sstream>

#include <nlohmann/json.hpp>

#include "harness.h"

namespace ascsan::cli_test {
namespace {

class Triage : public CliTest {
 protected:
  /// Takes away the comment marks and fills in the reason, as a user would.
  static std::string accepted(const std::string& file) {
    std::string result;
    std::istringstream lines(file);
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind("# ", 0) == 0) line = line.substr(2);
      if (line.rfind("Findings that", 0) == 0) continue;
      if (line.rfind("reason = ", 0) == 0) line = "reason = \"padding\"";
      result += line + "\n";
    }
    return result;
  }
};

constexpr const char* kEntry =
    "[[suppress]]\nrule = \"ASC1101\"\ntensor = \"x\"\nreason = \"padding\"\nowner = \"team\"\n";

TEST_F(Triage, TheDefaultFileIsReadWhenItIsThere) {
  write("ascsan.suppress", kEntry);
  const Outcome outcome = run_fake({"--out=json=j"}, {"error=2"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_SAYS(outcome.err,
              "accepted\n  - ASC1101-100000 y is wrong: x is read before it has been written (suppressed: padding,");
  EXPECT_SAYS(outcome.last_line(), "verdict: 0 errors · 0 warnings · 2 suppressed · nothing left unchecked · exit 0");
  const nlohmann::json json = nlohmann::json::parse(read("j"));
  EXPECT_EQ(json["verdict"], "clean");
  EXPECT_EQ(json["findings"][1]["suppression"],
            (nlohmann::json{{"reason", "padding"}, {"owner", "team"}, {"expires", ""}}));
}

TEST_F(Triage, AnotherFileTakesItsPlace) {
  write("ascsan.suppress", kEntry);
  write("other", "");
  EXPECT_EQ(run_fake({"--suppressions=other"}, {"error"}).exit_code, 1);
  EXPECT_EQ(run_fake({"--suppressions="}, {"error"}).exit_code, 1);
  const Outcome outcome = run_fake({"--suppressions=gone"}, {"error", "log=" + path("log")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_SAYS(outcome.err, "option suppressions: cannot read gone");
  EXPECT_TRUE(read("log").empty());  // said before the program was started
}

TEST_F(Triage, BrokenFilesStopTheRun) {
  write("ascsan.suppress", "[[suppress]]\nrule = \"ASC1101\"\n");
  const Outcome outcome = run_fake({}, {"error", "log=" + path("log")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_SAYS(outcome.err, "ascsan.suppress:1: the entry has no reason; write reason = ");
  EXPECT_TRUE(read("log").empty());
}

TEST_F(Triage, ExpiredAndUnmatchedEntriesAreReported) {
  write("ascsan.suppress",
        std::string(kEntry) + "expires = 2020-01-01\n[[suppress]]\nrule = \"ASC4*\"\nreason = \"r\"\n");
  const Outcome outcome = run_fake({"--out=json=j"}, {"error"}, {{"SOURCE_DATE_EPOCH", "1798761599"}});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_SAYS(outcome.err,
              "ascsan.suppress:1: the entry for ASC1101, owner team expired on 2020-01-01; its findings are");
  EXPECT_SAYS(outcome.err, "ascsan.suppress:7: the entry for ASC4* matches no finding of this run");
  EXPECT_EQ(nlohmann::json::parse(read("j"))["suppression_notes"].size(), 2u);
  // The day before its last day is over, it counts.
  EXPECT_EQ(run_fake({}, {"error"}, {{"SOURCE_DATE_EPOCH", "1577836800"}}).exit_code, 0);
}

TEST_F(Triage, WrittenEntriesCountOnceUncommented) {
  Outcome outcome = run_fake({"--write-suppressions"}, {"error=2", "warning"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_SAYS(outcome.err, "entries for the findings are in ascsan.suppress");
  const std::string text = read("ascsan.suppress");
  EXPECT_SAYS(text, "# [[suppress]]  # ASC1101-100000: y is wrong: x is read before it has been written\n");
  EXPECT_SAYS(text, "# functions = [\"site_of_access\", \"site_of_access\"]\n");
  EXPECT_EQ(run_fake({}, {"error=2", "warning"}).exit_code, 1);  // comments only
  outcome = run_fake({"--write-suppressions"}, {"error=2", "warning"});
  EXPECT_SAYS(outcome.err, "no finding needs a new entry in ascsan.suppress");
  EXPECT_EQ(read("ascsan.suppress"), text);
  write("ascsan.suppress", accepted(text));
  outcome = run_fake({}, {"error=2", "warning"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_SAYS(outcome.last_line(), "3 suppressed");
}

TEST_F(Triage, EntriesThatCannotBeWrittenAreNoSuccess) {
  const Outcome outcome = run_fake({"--write-suppressions", "--suppressions=nowhere/file"}, {"warning"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_SAYS(outcome.err, "cannot write nowhere/file: No such file or directory");
}

TEST_F(Triage, BaselineTellsNewFromKnownFromFixed) {
  EXPECT_EQ(run_fake({"--out=json=before"}, {"error=3"}).exit_code, 1);
  Outcome outcome = run_fake({"--baseline=before", "--out=json=j"}, {"error=2"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_SAYS(outcome.last_line(), "0 errors · 0 warnings · 2 known · 1 fixed · nothing left unchecked · exit 0");
  EXPECT_SAYS(outcome.err, "fixed since the baseline\n  - ASC1101-100002");
  nlohmann::json json = nlohmann::json::parse(read("j"));
  EXPECT_EQ(json["findings"][0]["baseline"], "known");
  EXPECT_EQ(json["fixed"][0]["id"], "ASC1101-100002");
  outcome = run_fake({"--baseline=j", "--out=json=k"}, {"error=3"});
  EXPECT_EQ(outcome.exit_code, 1);
  json = nlohmann::json::parse(read("k"));
  EXPECT_EQ(json["findings"][2]["baseline"], "new");
  EXPECT_SAYS(outcome.err, "ASC1101-100002 ·");  // in full
  EXPECT_EQ(run_fake({"--baseline=before"}, {"unchecked"}).exit_code, 5);
}

TEST_F(Triage, UnusableBaselinesStopTheRun) {
  write("b", "{}");
  for (const auto& [option, says] :
       {std::pair<const char*, const char*>{"--baseline=gone", "option baseline: cannot read gone"},
        {"--baseline=b", "option baseline: b is unusable: it has no \"schema\": 1"},
        {"--baseline=.", "option baseline: cannot read ."}}) {
    const Outcome outcome = run_fake({option}, {"error"});
    EXPECT_EQ(outcome.exit_code, 2) << option;
    EXPECT_SAYS(outcome.err, says);
  }
}

}  // namespace
}  // namespace ascsan::cli_test
