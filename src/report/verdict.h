// From a run to its verdict: counts by severity, the exit code of design/ux.md 3.2 and the closing line of the report.
// Rows 0, 1, 4 and 5 are decided here; 2, 3 and 70 are no result of a run and belong to the command.
#pragma once

#include <cstdint>
#include <string>

#include "report/model.h"

namespace ascsan::report {

inline constexpr int kExitClean = 0;
inline constexpr int kExitFindings = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitNotCompiled = 3;
inline constexpr int kExitProgramFailed = 4;
inline constexpr int kExitIncomplete = 5;
inline constexpr int kExitInternal = 70;

struct Policy {
  Severity fail_on = Severity::kError;  ///< findings below it do not make the run fail
  int error_exitcode = kExitFindings;   ///< takes the place of 1
};

struct Conclusion {
  Verdict verdict = Verdict::kClean;
  int exit_code = kExitClean;
  uint64_t errors = 0, warnings = 0, infos = 0;  ///< without suppressed and known findings
  uint64_t proven_errors = 0;
  uint64_t suppressed = 0, known = 0, fixed = 0;
  Severity fail_on = Severity::kError;  ///< of the policy
};

/// Does the finding count? Not when it is suppressed or known from the baseline.
bool counts(const Finding& finding);

/// Findings that count at or above policy.fail_on win over a failed program, a failed program over unchecked parts.
Conclusion conclude(const RunResult& run, const Policy& policy);

/// "verdict: 1 error (1 proven) | 0 warnings | nothing left unchecked | exit 1", parts joined by `separator`.
std::string verdict_line(const RunResult& run, const Conclusion& conclusion, const std::string& separator);

/// How the program ended by itself: "exit status 3", "killed by signal 11 (SIGSEGV)"; empty when it ended well.
std::string program_failure(const RunResult& run);

/// Words of schema 1.
const char* name_of(Severity severity);
const char* name_of(Confidence confidence);
const char* name_of(Verdict verdict);
/// Inverse of the above; false for a word that is none.
bool parse_word(const std::string& word, Severity& severity);
bool parse_word(const std::string& word, Confidence& confidence);

}  // namespace ascsan::report
