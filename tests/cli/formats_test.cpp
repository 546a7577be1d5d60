// The further report formats from outside: each is written where it should be, from the same run, and says the same.
#include <nlohmann/json.hpp>

#include "harness.h"

namespace ascsan::cli_test {
namespace {

using Formats = CliTest;

TEST_F(Formats, AllFromOneRun) {
  const Outcome outcome = run_fake(
      {"--out=sarif=s", "--out=junit=u", "--out=html=h", "--out=trace=t", "--out=github=-", "--out=json=j", "--seed=5"},
      {"error", "timeline", "log=" + path("log")});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_EQ(read("log"), "first|seed=5|\nstacks|seed=5|\n");  // two runs, whatever is written
  const nlohmann::json sarif = nlohmann::json::parse(read("s"))["runs"][0];
  EXPECT_EQ(sarif["results"][0]["partialFingerprints"]["ascsanFinding/v1"], "ASC1101-100000");
  EXPECT_EQ(sarif["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"], 11);  // the reader
  EXPECT_EQ(sarif["results"][0]["stacks"][0]["frames"].size(), 2u);                               // of the second run
  // The catalogue of the checkers, not only what was found.
  EXPECT_GT(sarif["tool"]["driver"]["rules"].size(), 10u);
  EXPECT_SAYS(read("u"), "<failure type=\"ASC1101\"");
  EXPECT_SAYS(read("u"), "(2 blocks, 910B1, deferred schedule, seed 5, auto profile): memory\"/>");
  EXPECT_SAYS(read("h"), "<figure class=\"timeline\"");
  const nlohmann::json events = nlohmann::json::parse(read("t"))["traceEvents"];
  int slices = 0;
  for (const nlohmann::json& event : events) slices += event["ph"] == "X" ? 1 : 0;
  EXPECT_EQ(slices, 5);  // the launch, two copies, two sides
  EXPECT_EQ(outcome.out.rfind("::error file=fake.cpp,line=11,title=ASC1101 certain::", 0), 0u) << outcome.out;
  EXPECT_SAYS(outcome.out, "\n::error file=fake.cpp,line=10,");
}

TEST_F(Formats, ATimelineIsFetchedOnlyForThoseWhoDrawIt) {
  run_fake({"--out=html=h", "--frames=site"}, {"error", "timeline", "log=" + path("log")});
  EXPECT_EQ(read("log"), "first|frames=site|\nstacks|frames=site|\n");
  EXPECT_SAYS(read("h"), "<figure class=\"timeline\"");
  std::filesystem::remove(path("log"));
  run_fake({"--out=sarif=s", "--frames=site"}, {"error", "log=" + path("log")});
  EXPECT_EQ(read("log"), "first|frames=site|\n");
  // A clean run is drawn as well.
  run_fake({"--out=trace=t"}, {"timeline"});
  EXPECT_SAYS(read("t"), "\"AIV 1\"");
}

TEST_F(Formats, WithoutATimelineTheReportsAreWhole) {
  const Outcome outcome = run_fake({"--out=html=h", "--out=trace=t"}, {"error", "nostacks"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_SAYS(read("h"), "y is wrong: x is read before it has been written");
  EXPECT_SILENT_ABOUT(read("h"), "<figure");
  EXPECT_FALSE(nlohmann::json::parse(read("t"), nullptr, false).is_discarded());
}

TEST_F(Formats, EqualRunsGiveEqualFiles) {
  for (const char* format : {"sarif", "junit", "html", "trace", "github"}) {
    const std::string out = std::string("--out=") + format + "=";
    run_fake({out + "a"}, {"error=3", "warning", "unchecked", "timeline"});
    run_fake({out + "b"}, {"error=3", "warning", "unchecked", "timeline"},
             {{"TZ", "Asia/Tokyo"}, {"LC_ALL", "C"}, {"COLUMNS", "40"}});
    EXPECT_FALSE(read("a").empty()) << format;
    EXPECT_EQ(read("a"), read("b")) << format;
  }
}

TEST_F(Formats, UnknownFormatsAreNamed) {
  const Outcome outcome = run_fake({"--out=sarfi=x"}, {});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_SAYS(outcome.err, "did you mean sarif?");
}

}  // namespace
}  // namespace ascsan::cli_test
