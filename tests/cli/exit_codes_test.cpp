// Every row of the exit code table (design/ux.md 3.2), and the combinations.
#include <nlohmann/json.hpp>

#include "harness.h"

namespace ascsan::cli_test {
namespace {

using ExitCodes = CliTest;

struct Row {
  Words options, scenario;
  int exit_code;
  const char* verdict;  ///< in the JSON; empty: no report is written
  const char* says;     ///< in the last line
};

TEST_F(ExitCodes, Matrix) {
  const Row rows[] = {
      {{}, {}, 0, "clean", "0 errors · 0 warnings · nothing left unchecked · exit 0"},
      {{}, {"error"}, 1, "findings", "1 error · 0 warnings · nothing left unchecked · exit 1"},
      {{},
       {"error=2", "warning", "info=3"},
       1,
       "findings",
       "2 errors · 1 warning · 3 infos · nothing left unchecked · exit 1"},
      {{}, {"warning"}, 0, "clean", "0 errors · 1 warning · nothing left unchecked · exit 0"},
      {{}, {"info"}, 0, "clean", "1 info"},
      {{"--fail-on=warning"}, {"warning"}, 1, "findings", "exit 1"},
      {{"--fail-on=warning"}, {"info"}, 0, "clean", "exit 0"},
      {{"--fail-on", "info"}, {"info"}, 1, "findings", "exit 1"},
      {{}, {"unchecked"}, 5, "incomplete", "incomplete, 1 item left unchecked · exit 5"},
      {{}, {"warning", "unchecked"}, 5, "incomplete", "exit 5"},
      // 1 and 5 both apply: 1 wins, and the line says so.
      {{}, {"error", "unchecked"}, 1, "findings", "1 error · 0 warnings · incomplete, 1 item left unchecked · exit 1"},
      {{}, {"exit=3"}, 4, "clean", "the program failed by itself, exit status 3 · nothing left unchecked · exit 4"},
      {{}, {"signal=6"}, 4, "clean", "killed by signal 6 (SIGABRT)"},
      {{}, {"exit=3", "unchecked"}, 4, "incomplete", "incomplete, 1 item left unchecked · exit 4"},
      // A failing program with findings: the findings explain it.
      {{},
       {"exit=3", "error"},
       1,
       "findings",
       "the program failed by itself, exit status 3 · nothing left unchecked · exit 1"},
      {{}, {"exit=3", "warning"}, 4, "clean", "exit 4"},
      {{},
       {"crash", "signal=11"},
       4,
       "incomplete",
       "the program died inside a kernel · incomplete, the rest was not reached · exit 4"},
      {{}, {"crash", "signal=11", "error"}, 1, "findings", "the program died inside a kernel"},
      {{}, {"noresult", "exit=3"}, 4, "incomplete", "exit status 3 · no kernel was launched · exit 4"},
      {{}, {"nolaunch", "exit=1"}, 4, "incomplete", "no kernel was launched · exit 4"},
      {{"--error-exitcode=66"}, {"error"}, 66, "findings", "exit 66"},
      {{"--error-exitcode=66"}, {"error", "unchecked"}, 66, "findings", "exit 66"},
      {{"--error-exitcode=0"}, {"error"}, 0, "findings", "exit 0"},
      {{"--error-exitcode=66"}, {}, 0, "clean", "exit 0"},
      {{"--error-exitcode=66"}, {"unchecked"}, 5, "incomplete", "exit 5"},
      {{}, {"error", "set:error_exitcode=77"}, 77, "findings", "exit 77"},
      {{"--error-exitcode=66"}, {"error", "set:error_exitcode=77"}, 77, "findings", "exit 77"},
      {{}, {"warning", "set:fail_on=warning"}, 1, "findings", "exit 1"},
  };
  for (const Row& row : rows) {
    Words options = row.options;
    options.push_back("--out=json=report.json");
    std::filesystem::remove(path("report.json"));
    const Outcome outcome = run_fake(options, row.scenario);
    std::string what;
    for (const std::string& word : row.scenario) what += word + " ";
    EXPECT_EQ(outcome.exit_code, row.exit_code) << what << outcome.err;
    EXPECT_EQ(outcome.last_line().rfind("verdict: ", 0), 0u) << what << outcome.err;
    EXPECT_SAYS(outcome.last_line(), row.says) << what;
    const nlohmann::json json = nlohmann::json::parse(read("report.json"), nullptr, false);
    ASSERT_FALSE(json.is_discarded()) << what;
    EXPECT_EQ(json["verdict"], row.verdict) << what;
    EXPECT_EQ(json["exit_code"], row.exit_code) << what;
    EXPECT_TRUE(outcome.out.empty()) << what << outcome.out;
  }
}

TEST_F(ExitCodes, StatusOfTheProgramIsInTheJson) {
  run_fake({"--out=json=a"}, {"exit=3"});
  EXPECT_EQ(nlohmann::json::parse(read("a"))["program"]["status"], 3);
  run_fake({"--out=json=a"}, {"signal=9"});
  EXPECT_EQ(nlohmann::json::parse(read("a"))["program"]["status"], 137);
  run_fake({"--out=json=a"}, {"crash", "signal=11"});
  EXPECT_EQ(nlohmann::json::parse(read("a"))["program"]["crash"], "signal 11 (SIGSEGV) in kernel fake_kernel, AIV 3");
}

TEST_F(ExitCodes, TwoForWrongUsage) {
  const std::pair<Words, const char*> rows[] = {
      {{}, "usage:"},
      {{"rnu"}, "unknown command \"rnu\"; did you mean \"ascsan run\"?"},
      {{"zzzzzzz"}, "unknown command \"zzzzzzz\"; ascsan --help lists the commands"},
      {{"run"}, "no program given; usage: ascsan run [options] PROGRAM [args...]"},
      {{"run", "--seed=1"}, "no program given"},
      {{"run", "--sed=1", "prog"}, "unknown option \"sed\", did you mean seed?"},
      {{"run", "--schedule=pcs", "prog"}, "did you mean pct?"},
      {{"run", "--seed=x", "prog"}, "option seed: \"x\" is not a whole number"},
      {{"run", "--out=sarf=f", "prog"}, "option out: \"sarf=f\" is not one of text=FILE, json=FILE"},
      {{"run", "nowhere/prog"}, "cannot run nowhere/prog: no such file; build it first"},
      {{"run", "no_such_program_at_all"}, "cannot run no_such_program_at_all: no such program here or in PATH"},
      {{"run", "./"}, "cannot run ./: it is a folder, not a program"},
      {{"run", "./plain"}, "cannot run ./plain: not executable; try: chmod +x ./plain"},
      {{"run", "tool"}, "cannot run tool: not in PATH; did you mean ./tool?"},
      {{"run", "./kernel.h"}, "cannot run ./kernel.h: it is source text; build a program from it"},
      {{"run", "./broken"}, "cannot run ./broken: Exec format error"},
      {{"rules", "ASC0000"}, "unknown rule \"ASC0000\""},
      {{"rules", "a", "b"}, "too many arguments"},
      {{"doctor", "please"}, "too many arguments"},
  };
  write("plain", "text");
  write("kernel.h", "// kernel");
  write("tool", "#!/bin/sh\n");
  write("broken", std::string("\x7f"
                              "ELF but not really",
                              20));
  for (const char* name : {"tool", "broken"})
    std::filesystem::permissions(path(name), std::filesystem::perms::owner_all);
  for (const auto& [args, says] : rows) {
    const Outcome outcome = ascsan(args);
    EXPECT_EQ(outcome.exit_code, 2) << says;
    EXPECT_SAYS(args.empty() ? outcome.out : outcome.err, says);
    if (args.empty()) continue;
    EXPECT_TRUE(is_one_line(outcome.err)) << outcome.err;
    EXPECT_TRUE(outcome.out.empty()) << outcome.out;
  }
}

TEST_F(ExitCodes, TwoForAProgramThatIsNotLinked) {
  for (const Words& scenario : {Words{"noresult"}, Words{"nolaunch"}}) {
    const Outcome outcome = run_fake({"--out=json=report.json"}, scenario);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(is_one_line(outcome.err)) << outcome.err;
    EXPECT_SAYS(outcome.err, "launched no kernel or is not linked with ascsan");
    EXPECT_SAYS(outcome.err, "ascsan::kernel");
    EXPECT_FALSE(std::filesystem::exists(path("report.json")));
  }
}

TEST_F(ExitCodes, TwoForABadConfiguration) {
  write("ascsan.toml", "seed = 1\nshedule = \"pct\"\n");
  Outcome outcome = run_fake({}, {});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err,
            "ascsan: ascsan.toml:2: unknown option \"shedule\", did you mean schedule?; ascsan run --show-options "
            "lists all\n");
  std::filesystem::remove(path("ascsan.toml"));
  outcome = run_fake({}, {}, {{"ASCSAN_OPTIONS", "seed"}});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err, "ascsan: ASCSAN_OPTIONS: \"seed\" has no value; write name=value:name=value\n");
}

TEST_F(ExitCodes, SeventyForADefectOfAscsan) {
  const Outcome outcome = run_fake({"--seed=7"}, {"garbage", "error"});
  EXPECT_EQ(outcome.exit_code, 70);
  EXPECT_SAYS(outcome.err, "defect in ascsan: the result of the program is unreadable, no JSON");
  EXPECT_SAYS(outcome.err, "reproduce with: ASCSAN_OPTIONS='seed=7' ascsan run " + fake_program() + " garbage error");
}

// `ascsan run FILE.cpp`: the words of the compiler, then one line that says which file.
TEST_F(ExitCodes, ThreeForAKernelThatDoesNotCompile) {
  write("broken.cpp", "#include \"kernel_operator.h\"\nint main() { return AscendC::NoSuchThing(); }\n");
  Outcome outcome = ascsan({"run", "broken.cpp"});
  EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
  EXPECT_SAYS(outcome.err, "NoSuchThing");
  EXPECT_EQ(outcome.last_line(), "ascsan: broken.cpp does not compile");
  EXPECT_TRUE(outcome.out.empty()) << outcome.out;
  write("library.cc", "int kernel() { return 0; }\n");
  outcome = ascsan({"run", "--seed=1", "library.cc"});
  EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
  EXPECT_EQ(outcome.last_line(),
            "ascsan: library.cc has no main(); write one that launches the kernel with ICPU_RUN_KF");
  EXPECT_EQ(read(".ascsan/.gitignore"), "*\n");
  // Wrong usage is said before anything is compiled.
  EXPECT_EQ(ascsan({"run", "--sed=1", "library.cc"}).exit_code, 2);
}

TEST_F(ExitCodes, TwoWithoutAFolderForTemporaryFiles) {
  const Outcome outcome = run_fake({}, {"error"}, {{"TMPDIR", path("nowhere")}});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_SAYS(outcome.err, "set TMPDIR to a writable folder");
}

}  // namespace
}  // namespace ascsan::cli_test
