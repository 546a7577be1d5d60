#include "smoke_launches.h"

#include <oneapi/dnnl/dnnl.h>

#include "ascsan/run.h"
#include "loaded_case.h"

namespace ascsan::bench {
namespace {

void run_all(const std::vector<LoadedCase>& cases, bool checked) {
  ascsan::set_option("check", checked ? "on" : "off");
  for (const LoadedCase& loaded : cases) loaded.launch();
}

}  // namespace

void smoke_set(Table& table) {
  std::vector<LoadedCase> cases;
  for (const flce::batch::CaseSpec& spec : smoke_cases(FLCE_CASES_DIR)) cases.push_back(load(spec));
  for (const char* schedule : {"in_order", "deferred"}) {
    ascsan::set_option("schedule", schedule);
    table.ratio(
        std::string("smoke set, ") + schedule + ", checked / unchecked", 2, 7, [&] { run_all(cases, true); },
        [&] { run_all(cases, false); });
  }
  ascsan::set_option("check", "on");
}

void large_case(Table& table) {
  flce::batch::CaseSpec spec;
  spec.name = "large";
  spec.m = 1024;
  spec.k = 1024;
  spec.n = 4096;
  spec.vocab_end = spec.n;
  std::vector<LoadedCase> cases;
  cases.push_back(load(spec));
  std::vector<float> a(1024 * 1024, 0.5f), b(1024 * 4096, 0.25f), c(1024 * 4096);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 17) - 8;
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 13) - 6;
  ascsan::set_option("schedule", "deferred");
  table.ratio(
      "m=1024 k=1024 n=4096, checked, / fp32 product", 20, 5, [&] { run_all(cases, true); },
      [&] { dnnl_sgemm('N', 'T', 1024, 4096, 1024, 1.0f, a.data(), 1024, b.data(), 1024, 0.0f, c.data(), 4096); });
}

}  // namespace ascsan::bench
