#include "smoke_launches.h"

#include <oneapi/dnnl/dnnl.h>

#include <memory>

#include "ascsan/run.h"
#include "fused_linear_cross_entropy/ascendc/launch.h"
#include "fused_linear_cross_entropy/batch/case_file.h"
#include "fused_linear_cross_entropy/batch/values.h"

namespace ascsan::bench {
namespace {

/// A case on the modelled NPU, ready to be launched.
struct Loaded {
  std::unique_ptr<flce::ascendc::Device> device;
  flce::batch::CaseData data;
};

Loaded load(const flce::batch::CaseSpec& spec) {
  const flce::ascendc::OpDesc op = flce::batch::op_desc_of(spec);
  flce::ascendc::Platform platform;
  platform.cube_cores = spec.cores;
  flce::ascendc::TilingData tiling;
  const flce::ascendc::Status status = flce::ascendc::compute_tiling(op, platform, tiling);
  if (!status.ok()) {
    std::fprintf(stderr, "bench_emu: case %s: %s\n", spec.id().c_str(), status.message.c_str());
    std::exit(2);
  }
  Loaded loaded;
  loaded.data = flce::batch::make_data(spec);
  loaded.device = std::make_unique<flce::ascendc::Device>(op, tiling, loaded.data.input, loaded.data.weight, loaded.data.target);
  return loaded;
}

void run_all(const std::vector<Loaded>& cases, bool checked) {
  ascsan::set_option("check", checked ? "on" : "off");
  for (const Loaded& loaded : cases) loaded.device->run(flce::ascendc::Variant::kShipped);
}

}  // namespace

void smoke_set(Table& table) {
  const flce::batch::CaseFile file = flce::batch::read_case_file(FLCE_CASES_DIR "/smoke.toml");
  if (!file.error.empty()) {
    std::fprintf(stderr, "bench_emu: %s\n", file.error.c_str());
    std::exit(2);
  }
  std::vector<Loaded> cases;
  for (const flce::batch::CaseSpec& spec : file.cases) cases.push_back(load(spec));
  for (const char* schedule : {"in_order", "deferred"}) {
    ascsan::set_option("schedule", schedule);
    table.ratio(std::string("smoke set, ") + schedule + ", checked / unchecked", 2, 7, [&] { run_all(cases, true); },
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
  std::vector<Loaded> cases;
  cases.push_back(load(spec));
  std::vector<float> a(1024 * 1024, 0.5f), b(1024 * 4096, 0.25f), c(1024 * 4096);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 17) - 8;
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 13) - 6;
  ascsan::set_option("schedule", "deferred");
  table.ratio("m=1024 k=1024 n=4096, checked, / fp32 product", 20, 5, [&] { run_all(cases, true); },
              [&] { dnnl_sgemm('N', 'T', 1024, 4096, 1024, 1.0f, a.data(), 1024, b.data(), 1024, 0.0f, c.data(), 4096); });
}

}  // namespace ascsan::bench
