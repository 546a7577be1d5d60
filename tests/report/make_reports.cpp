// make_reports FOLDER: writes every report format of the sample runs, of the golden runs and of runs with random bytes,
// each beside its JSON report, for the readers in reports_test.py and browser_test.py.
#include <cstdio>
#include <fstream>
#include <string>

#include "golden/cases.h"
#include "report/as_github.h"
#include "report/as_html.h"
#include "report/as_json.h"
#include "report/as_junit.h"
#include "report/as_sarif.h"
#include "report/as_trace.h"
#include "sample_run.h"
#include "unit/report_samples.h"

namespace {

using namespace ascsan;

const report::Catalogue kRules = {{"ASC1101", report::Severity::kError, "race between cores", "an unordered access"},
                                  {"ASC2101", report::Severity::kError, "out of bounds", "an access outside"},
                                  {"ASC5001", report::Severity::kError, "hang", "no core can go on"}};

void write(const std::string& base, const report::RunResult& run) {
  const report::Conclusion conclusion = report::conclude(run, {});
  report::TextStyle style;
  style.source_roots = {ASCSAN_TOP};
  const std::pair<const char*, std::string> files[] = {{".json", report::to_json(run, conclusion)},
                                                       {".sarif", report::to_sarif(run, conclusion, kRules, style)},
                                                       {".junit.xml", report::to_junit(run, conclusion, kRules)},
                                                       {".github", report::to_github(run, conclusion)},
                                                       {".trace", report::to_trace(run)},
                                                       {".html", report::to_html(run, conclusion, style)}};
  for (const auto& [ending, text] : files) std::ofstream(base + ending, std::ios::binary) << text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: make_reports FOLDER\n", stderr);
    return 2;
  }
  const std::string folder = std::string(argv[1]) + "/";
  write(folder + "sample", sample::sample_run(4));
  write(folder + "sample48", sample::sample_run(48));
  for (const golden::Case& test : golden::cases()) write(folder + "golden-" + test.name, test.run);
  for (uint64_t seed = 1; seed <= 40; ++seed)
    write(folder + "random-" + std::to_string(seed), report::Samples(seed).run());
}
