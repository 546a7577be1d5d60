#include "run/deliver.h"

#include <unistd.h>

#include <cstdio>

#include "report/as_text.h"
#include "run/outputs.h"
#include "run/triage.h"

namespace ascsan::run {

int deliver(const report::RunResult& result, const Options& options, int status) {
  report::RunResult whole = result;
  if (whole.crash.empty()) whole.program_status = status;
  Triage triage;
  const std::string error = load_triage(options, triage);
  if (!error.empty()) std::fprintf(stderr, "ascsan: %s\n", error.c_str());
  apply_triage(options, triage, whole);
  const report::Conclusion conclusion = report::conclude(
      whole, {static_cast<report::Severity>(options.fail_on), static_cast<int>(options.error_exitcode)});
  report::TextStyle style = report::detect_style(STDERR_FILENO);
  style.max_reports = options.max_reports;
  // A clean run of a program that was not asked for a report stays silent, so that linked tests print what they always
  // did.
  if (conclusion.verdict != report::Verdict::kClean || conclusion.errors + conclusion.warnings + conclusion.infos > 0)
    report::print_text(stderr, whole, conclusion, style);
  const bool written = write_outputs(options.out, whole, conclusion, options.max_reports) &&
                       write_suppressions(options, whole) && error.empty();
  if (status != 0) return status;
  return !written && conclusion.exit_code == report::kExitClean ? report::kExitUsage : conclusion.exit_code;
}

}  // namespace ascsan::run
