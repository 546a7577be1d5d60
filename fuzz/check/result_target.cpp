// What travels between processes and runs: the raw result, the stacks of the second run, a baseline. What is accepted
// is written and read again without loss, and every report format takes it.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "report/as_github.h"
#include "report/as_json.h"
#include "report/as_text.h"
#include "report/as_trace.h"
#include "report/baseline.h"
#include "report/stacks.h"

namespace {
using namespace ascsan::report;

void result(const std::string& text) {
  RunResult run;
  std::string error;
  if (!from_raw_json(text, run, &error)) {
    if (error.empty()) std::abort();
    return;
  }
  const std::string written = to_raw_json(run);
  RunResult again;
  if (!from_raw_json(written, again, &error) || to_raw_json(again) != written) std::abort();
  const Conclusion conclusion = conclude(run, {});
  to_json(run, conclusion);
  to_github(run, conclusion);
  to_text(run, conclusion, {});
  to_trace(run);
}

void stacks(const std::string& text) {
  std::vector<AccessStack> list;
  std::string error;
  if (!stacks_from_json(text, list, &error)) return;
  std::vector<AccessStack> again;
  if (!stacks_from_json(stacks_to_json(list), again, &error) || again.size() != list.size()) std::abort();
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  std::vector<FixedFinding> baseline;
  std::vector<AccessKey> keys;
  switch (data[0] % 4) {
    case 0:
      result(text);
      break;
    case 1:
      stacks(text);
      break;
    case 2:
      if (parse_baseline(text, baseline).empty()) {
        RunResult run;
        apply_baseline(run, baseline);
      }
      break;
    default:
      parse_wanted_text(text, keys);
  }
  return 0;
}
