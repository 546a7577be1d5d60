// Workflow commands: one line each, both places of a finding, readable again by the runner's own rules.
#include "report/as_github.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "report_samples.h"

namespace ascsan::report {
namespace {

struct Command {
  std::string name, message;
  std::map<std::string, std::string> properties;
};

std::string decode(std::string text, bool property) {
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  };
  if (property) replace("%3A", ":"), replace("%2C", ",");
  replace("%0D", "\r"), replace("%0A", "\n"), replace("%25", "%");
  return text;
}

/// The documented rules of the runner: "::name key=value,key=value::message".
std::vector<Command> read_commands(const std::string& text) {
  std::vector<Command> commands;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    Command& command = commands.emplace_back();
    EXPECT_EQ(line.rfind("::", 0), 0u) << line;
    const size_t head_end = line.find("::", 2);
    std::istringstream head(line.substr(2, head_end - 2));
    head >> command.name >> std::ws;
    for (std::string property; std::getline(head, property, ',');) {
      const size_t equals = property.find('=');
      EXPECT_NE(equals, std::string::npos) << line;
      command.properties[property.substr(0, equals)] = decode(property.substr(equals + 1), true);
    }
    command.message = decode(line.substr(head_end + 2), false);
  }
  return commands;
}

TEST(Github, BothLinesReaderFirst) {
  RunResult run;
  run.launches.emplace_back();
  Finding& finding = run.findings.emplace_back();
  finding.id = "ASC1101-5f3c9a";
  finding.rule = "ASC1101";
  finding.title = "x: 50% wrong, maybe";
  finding.missing = "AIV 0 MTE3 -> AIV 1 MTE2";
  for (const char* role : {"writer", "reader"}) {
    AccessInfo& access = finding.accesses.emplace_back();
    access.role = role;
    access.file = std::string("dir,a/") + role + ".h";
    access.line = role[0] == 'w' ? 12 : 19;
  }
  const std::vector<Command> commands = read_commands(to_github(run, conclude(run, {})));
  ASSERT_EQ(commands.size(), 3u);
  EXPECT_EQ(commands[0].name, "error");
  EXPECT_EQ(commands[0].properties.at("file"), "dir,a/reader.h");
  EXPECT_EQ(commands[0].properties.at("line"), "19");
  EXPECT_EQ(commands[0].properties.at("title"), "ASC1101 certain");
  EXPECT_EQ(commands[0].message,
            "x: 50% wrong, maybe\nHere, reader.\nOther side, writer, dir,a/writer.h:12.\n"
            "Absent link: AIV 0 MTE3 -> AIV 1 MTE2.\nExplained by: ascsan rules ASC1101 (finding ASC1101-5f3c9a)");
  EXPECT_EQ(commands[1].properties.at("file"), "dir,a/writer.h");
  EXPECT_EQ(commands[1].properties.at("line"), "12");
  EXPECT_EQ(commands[2].name, "error");
  EXPECT_EQ(commands[2].message.rfind("verdict: 1 error", 0), 0u);
}

TEST(Github, AnyBytesStayCommands) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    const RunResult run = Samples(seed).run();
    const std::string text = to_github(run, conclude(run, {}));
    ASSERT_EQ(text, to_github(run, conclude(run, {})));
    size_t places = 0;
    for (const Finding& finding : run.findings)
      places += counts(finding) ? std::max<size_t>(finding.accesses.size(), 1) : 0;
    const std::vector<Command> commands = read_commands(text);
    ASSERT_GE(places + run.unchecked.size() + run.suppression_notes.size() + 2, commands.size()) << "seed " << seed;
    for (const Command& command : commands) {
      ASSERT_TRUE(command.name == "error" || command.name == "warning" || command.name == "notice") << command.name;
      for (const auto& [key, value] : command.properties)
        ASSERT_TRUE(key == "file" || key == "line" || key == "title") << key;
    }
  }
}

TEST(Github, SeveritiesAndWhatDoesNotCount) {
  RunResult run;
  run.launches.emplace_back();
  for (int i = 0; i < 5; ++i) {
    Finding& finding = run.findings.emplace_back();
    finding.rule = "ASC110" + std::to_string(i);
    finding.severity = static_cast<Severity>(i % 3);
  }
  run.findings[3].suppressed.emplace();
  run.findings[4].baseline = "known";
  const std::vector<Command> commands = read_commands(to_github(run, conclude(run, {})));
  ASSERT_EQ(commands.size(), 4u);
  EXPECT_EQ(commands[0].name, "error");
  EXPECT_EQ(commands[1].name, "warning");
  EXPECT_EQ(commands[2].name, "notice");
}

}  // namespace
}  // namespace ascsan::report
