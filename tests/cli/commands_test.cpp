// The other commands, help texts, and signals.
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "harness.h"

namespace ascsan::cli_test {
namespace {

using Commands = CliTest;

TEST_F(Commands, VersionAndHelp) {
  Outcome outcome = ascsan({"--version"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, std::string("ascsan ") + ASCSAN_VERSION + "\n");
  for (const Words& args : {Words{"--help"}, Words{"-h"}, Words{"help"}}) {
    outcome = ascsan(args);
    EXPECT_EQ(outcome.exit_code, 0);
    for (const char* part : {"ascsan run ", "ascsan rules ", "ascsan doctor "}) EXPECT_SAYS(outcome.out, part);
  }
  outcome = ascsan({"run", "--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_SAYS(outcome.out, "--schedule=in_order|deferred|random|pct|directed");
  EXPECT_SAYS(outcome.out, "exit codes:");
}

TEST_F(Commands, DoctorNamesEverything) {
  const Outcome outcome = ascsan({"doctor"});
  // The machine that runs this test can build ascsan, so nothing is missing.
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  for (const char* part :
       {"compiler", "cmake", "headers", "cpu", "fibers", "oneDNN", "call stacks", "stack limit", "all is there"})
    EXPECT_SAYS(outcome.out, part);
}

TEST_F(Commands, DoctorSaysHowToRepair) {
  const Outcome outcome = ascsan({"doctor"}, {{"PATH", path("empty")}, {"TMPDIR", path("nowhere")}});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_SAYS(outcome.out, "missing  compiler");
  EXPECT_SAYS(outcome.out, "repair: apt-get install g++");
  EXPECT_SAYS(outcome.out, "repair: apt-get install ninja-build");
  EXPECT_SAYS(outcome.out, "repair: export TMPDIR=FOLDER");
  EXPECT_SAYS(outcome.out, "4 of 12 missing");
}

TEST_F(Commands, RulesListAndPage) {
  Outcome outcome = ascsan({"rules"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_SAYS(outcome.out, "R-7      order    WaitFlag\n");
  outcome = ascsan({"rules", "r-7"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_SAYS(outcome.out, "R-7  order  WaitFlag");
  EXPECT_SAYS(outcome.out, "the n-th wait passes after the n-th set");
  // The id of a finding names its rule; a race names the order rules that could have helped.
  outcome = ascsan({"rules", "ASC1101-5f3c9a"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_SAYS(outcome.out, "ASC1101  error  race between cores");
  EXPECT_SAYS(outcome.out, "R-20 CrossCoreSetFlag: fires like SetFlag");
  outcome = ascsan({"rules", "R-70"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_SAYS(outcome.err, "did you mean R-7?");
}

class Signals : public CliTest {
 protected:
  /// Starts a waiting program, sends `signal` to ascsan alone once the program waits, and returns how it ended.
  Outcome interrupt(int signal, const Words& scenario) {
    Words args = {"run", "--out=json=report.json", fake_program(), "wait"};
    args.insert(args.end(), scenario.begin(), scenario.end());
    const pid_t child = start(args, {}, "");
    for (int tries = 0; tries < 10000 && read("stdout").find("waiting") == std::string::npos; ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    kill(child, signal);
    return finish(child);
  }
};

TEST_F(Signals, ArePassedOnAndWhatWasFoundIsReported) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Outcome outcome = interrupt(signal, {"error"});
    EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
    EXPECT_SAYS(outcome.err, "error ASC1101");
    EXPECT_SAYS(outcome.err, "the rest of the program: interrupted by signal " + std::to_string(signal));
    EXPECT_SAYS(outcome.err, "incomplete, 1 item left unchecked");
    EXPECT_SAYS(read("report.json"), "\"verdict\": \"findings\"");
    outcome = interrupt(signal, {});
    EXPECT_EQ(outcome.exit_code, 5) << outcome.err;  // never clean
    outcome = interrupt(signal, {"noresult"});
    EXPECT_EQ(outcome.exit_code, 5) << outcome.err;
  }
}

TEST_F(Signals, AreNotIgnoredByTheProgram) {
  write("sigpipe", "#!/bin/sh\nkill -PIPE $$\n");
  std::filesystem::permissions(path("sigpipe"), std::filesystem::perms::owner_all);
  const Outcome outcome = ascsan({"run", "./sigpipe"});
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_SAYS(outcome.err, "killed by signal 13 (SIGPIPE)");
}

}  // namespace
}  // namespace ascsan::cli_test
