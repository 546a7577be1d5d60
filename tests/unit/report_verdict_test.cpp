// Exit codes and closing line (design/ux.md 3.2): all combinations of what was found, left unchecked, and how the
// program ended, against the rules written down a second time.
#include "report/verdict.h"

#include <gtest/gtest.h>

namespace ascsan::report {
namespace {

RunResult run_with(int infos, int warnings, int errors) {
  RunResult run;
  run.launches.emplace_back().kernel = "k";
  for (int i = 0; i < infos; ++i) run.findings.emplace_back().severity = Severity::kInfo;
  for (int i = 0; i < warnings; ++i) run.findings.emplace_back().severity = Severity::kWarning;
  for (int i = 0; i < errors; ++i) run.findings.emplace_back().severity = Severity::kError;
  return run;
}

TEST(Verdict, AllCombinations) {
  for (int bits = 0; bits < 1 << 7; ++bits) {
    const bool info = bits & 1, warning = bits & 2, error = bits & 4, unchecked = bits & 8, failed = bits & 16,
               crashed = bits & 32, launched = bits & 64;
    for (const Severity fail_on : {Severity::kInfo, Severity::kWarning, Severity::kError}) {
      RunResult run = run_with(info, warning, error);
      if (!launched) run.launches.clear();
      if (unchecked) run.unchecked.push_back({"what", "why"});
      if (failed) run.program_status = 3;
      if (crashed) run.crash = "text";
      const bool found = error || (warning && fail_on <= Severity::kWarning) || (info && fail_on == Severity::kInfo);
      const bool gap = unchecked || crashed || !launched;
      const int expected = found ? 66 : failed || crashed ? 4 : gap ? 5 : 0;
      const Conclusion conclusion = conclude(run, {fail_on, 66});
      EXPECT_EQ(conclusion.exit_code, expected) << bits;
      EXPECT_EQ(conclusion.verdict, found ? Verdict::kFindings : gap ? Verdict::kIncomplete : Verdict::kClean) << bits;
      const std::string line = verdict_line(run, conclusion, " | ");
      EXPECT_EQ(line.rfind("verdict: ", 0), 0u);
      EXPECT_NE(line.find("exit " + std::to_string(expected)), std::string::npos) << line;
      // A run with gaps never reads as if nothing was left unchecked.
      EXPECT_EQ(line.find("nothing left unchecked") != std::string::npos, !gap) << line;
    }
  }
}

TEST(Verdict, Lines) {
  RunResult run = run_with(0, 0, 1);
  run.findings[0].confidence = Confidence::kProven;
  EXPECT_EQ(verdict_line(run, conclude(run, {}), " | "),
            "verdict: 1 error (1 proven) | 0 warnings | nothing left unchecked | exit 1");
  run = run_with(2, 1, 0);
  EXPECT_EQ(verdict_line(run, conclude(run, {}), " | "),
            "verdict: 0 errors | 1 warning | 2 infos | nothing left unchecked | exit 0");
  run.unchecked.push_back({"a", "b"});
  run.program_status = 128 + 11;
  EXPECT_EQ(verdict_line(run, conclude(run, {}), " | "),
            "verdict: 0 errors | 1 warning | 2 infos | the program failed by itself, killed by signal 11 (SIGSEGV) | "
            "incomplete, 1 item left unchecked | exit 4");
}

TEST(Verdict, WordsAndBack) {
  for (const Severity severity : {Severity::kInfo, Severity::kWarning, Severity::kError}) {
    Severity back{};
    EXPECT_TRUE(parse_word(name_of(severity), back));
    EXPECT_EQ(back, severity);
  }
  for (const Confidence confidence : {Confidence::kPossible, Confidence::kCertain, Confidence::kProven}) {
    Confidence back{};
    EXPECT_TRUE(parse_word(name_of(confidence), back));
    EXPECT_EQ(back, confidence);
  }
  Severity severity{};
  EXPECT_FALSE(parse_word("fatal", severity));
}

}  // namespace
}  // namespace ascsan::report
