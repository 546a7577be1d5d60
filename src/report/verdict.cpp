// Verdict, exit code and closing line of a run. See verdict.h. "Clean" is never said of a run that left something
// unchecked, launched nothing, or died inside a kernel.
#include "report/verdict.h"

#include <array>
#include <csignal>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
namespace ascsan::report {
namespace {

constexpr std::array<const char*, 3> kSeverities = {"info", "warning", "error"};
constexpr std::array<const char*, 3> kConfidences = {"possible", "certain", "proven"};
constexpr std::array<const char*, 3> kVerdicts = {"clean", "findings", "incomplete"};

template <typename E>
bool find_word(const std::array<const char*, 3>& words, const std::string& word, E& value) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (word != words[i]) continue;
    value = static_cast<E>(i);
    return true;
  }
  return false;
}

bool complete(const RunResult& run) {
  return run.unchecked.empty() && run.crash.empty() && !run.launches.empty();
}

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("signal {} (SIG{})", signal, name);
}

}  // namespace

const char* name_of(Severity severity) {
  return kSeverities[static_cast<size_t>(severity)];
}
const char* name_of(Confidence confidence) {
  return kConfidences[static_cast<size_t>(confidence)];
}
const char* name_of(Verdict verdict) {
  return kVerdicts[static_cast<size_t>(verdict)];
}
bool parse_word(const std::string& word, Severity& severity) {
  return find_word(kSeverities, word, severity);
}
bool parse_word(const std::string& word, Confidence& confidence) {
  return find_word(kConfidences, word, confidence);
}

std::string program_failure(const RunResult& run) {
  if (!run.program_status || *run.program_status == 0) return "";
  const int status = *run.program_status;
  if (status > 128) return "killed by " + signal_name(status - 128);
  return fmt::format("exit status {}", status);
}

bool counts(const Finding& finding) {
  return !finding.suppressed && finding.baseline != "known";
}

Conclusion conclude(const RunResult& run, const Policy& policy) {
  Conclusion result;
  result.fail_on = policy.fail_on;
  result.fixed = run.fixed.size();
  bool found = false;
  for (const Finding& finding : run.findings) {
    result.suppressed += finding.suppressed ? 1 : 0;
    result.known += !finding.suppressed && finding.baseline == "known" ? 1 : 0;
    if (!counts(finding)) continue;
    found = found || finding.severity >= policy.fail_on;
    switch (finding.severity) {
      case Severity::kError:
        ++result.errors;
        break;
      case Severity::kWarning:
        ++result.warnings;
        break;
      case Severity::kInfo:
        ++result.infos;
        break;
    }
    if (finding.severity == Severity::kError && finding.confidence == Confidence::kProven) ++result.proven_errors;
  }
  if (found) {
    result.verdict = Verdict::kFindings;
    result.exit_code = policy.error_exitcode;
    return result;
  }
  result.verdict = complete(run) ? Verdict::kClean : Verdict::kIncomplete;
  if (!run.crash.empty() || !program_failure(run).empty())
    result.exit_code = kExitProgramFailed;
  else if (result.verdict == Verdict::kIncomplete)
    result.exit_code = kExitIncomplete;
  return result;
}

std::string verdict_line(const RunResult& run, const Conclusion& conclusion, const std::string& separator) {
  std::string line = "verdict: " + base::count(conclusion.errors, "error");
  if (conclusion.proven_errors > 0) line += fmt::format(" ({} proven)", conclusion.proven_errors);
  std::vector<std::string> parts = {base::count(conclusion.warnings, "warning")};
  if (conclusion.infos > 0) parts.push_back(base::count(conclusion.infos, "info"));
  if (conclusion.suppressed > 0) parts.push_back(fmt::format("{} suppressed", conclusion.suppressed));
  if (conclusion.known > 0) parts.push_back(fmt::format("{} known", conclusion.known));
  if (conclusion.fixed > 0) parts.push_back(fmt::format("{} fixed", conclusion.fixed));
  if (!run.crash.empty())
    parts.push_back("the program died inside a kernel");
  else if (const std::string failure = program_failure(run); !failure.empty())
    parts.push_back("the program failed by itself, " + failure);
  if (run.launches.empty())
    parts.push_back("no kernel was launched");
  else if (!run.unchecked.empty())
    parts.push_back("incomplete, " + base::count(run.unchecked.size(), "item") + " left unchecked");
  else if (!run.crash.empty())
    parts.push_back("incomplete, the rest was not reached");
  else
    parts.push_back("nothing left unchecked");
  parts.push_back(fmt::format("exit {}", conclusion.exit_code));
  for (const std::string& part : parts) line += separator + part;
  return line;
}

}  // namespace ascsan::report
