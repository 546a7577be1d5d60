// The exit codes of `ascsan run` (design/ux.md 3.2) in all combinations of what can be found, accepted, left out and
// fail. Single rows, with what is said about them: exit_codes_test.cpp.
#include <algorithm>

#include "harness.h"

namespace ascsan::cli_test {
namespace {

using ExitMatrix = CliTest;

/// The table of design/ux.md 3.2 once more, as a person would read it.
int expected_exit(const std::string& severity, const std::string& fail_on, bool accepted, bool unchecked, bool failed,
                  int error_exitcode) {
  const Words order = {"info", "warning", "error"};
  const auto rank = [&](const std::string& word) {
    return std::find(order.begin(), order.end(), word) - order.begin();
  };
  if (!severity.empty() && !accepted && rank(severity) >= rank(fail_on)) return error_exitcode;
  if (failed) return 4;
  return unchecked ? 5 : 0;
}

// Every combination of severity, --fail-on, accepted or not and how, unchecked parts and a failing program.
TEST_F(ExitMatrix, AllCombinations) {
  int runs = 0;
  for (const std::string severity : {"", "info", "warning", "error"}) {
    const Words found = severity.empty() ? Words{} : Words{severity};
    run_fake({"--frames=site", "--out=json=baseline.json"}, found);
    write("accepted", "[[suppress]]\nrule = \"ASC1101\"\nreason = \"padding\"\n");
    for (const std::string fail_on : {"info", "warning", "error"})
      for (const std::string accepted : {"", "--suppressions=accepted", "--baseline=baseline.json"})
        for (const bool unchecked : {false, true})
          for (const bool failed : {false, true}) {
            const int code = ++runs % 2 == 0 ? 66 : 1;
            Words options = {"--frames=site", "--keep=", "--fail-on=" + fail_on};
            if (!accepted.empty()) options.push_back(accepted);
            if (code != 1) options.push_back("--error-exitcode=66");
            Words scenario = found;
            if (unchecked) scenario.push_back("unchecked");
            if (failed) scenario.push_back("exit=3");
            const Outcome outcome = run_fake(options, scenario);
            const int expected = expected_exit(severity, fail_on, !accepted.empty(), unchecked, failed, code);
            EXPECT_EQ(outcome.exit_code, expected)
                << severity << " fail-on " << fail_on << " " << accepted << (unchecked ? " unchecked" : "")
                << (failed ? " failed\n" : "\n") << outcome.err;
            // Whatever wins, the last line says all of it.
            EXPECT_SAYS(outcome.last_line(), "exit " + std::to_string(expected));
            EXPECT_SAYS(outcome.last_line(), unchecked ? "1 item left unchecked" : "nothing left unchecked");
            if (failed) {
              EXPECT_SAYS(outcome.last_line(), "the program failed by itself, exit status 3");
            }
          }
  }
  EXPECT_EQ(runs, 4 * 3 * 3 * 2 * 2);
}

}  // namespace
}  // namespace ascsan::cli_test
