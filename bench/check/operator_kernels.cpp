#include <memory>

#include "ascsan/run.h"
#include "fused_linear_cross_entropy/ascendc/launch.h"
#include "fused_linear_cross_entropy/batch/case_file.h"
#include "fused_linear_cross_entropy/batch/values.h"
#include "subjects.h"

namespace ascsan::bench {
namespace {

[[noreturn]] void give_up(const std::string& text) {
  std::fprintf(stderr, "bench_check: %s\n", text.c_str());
  std::exit(2);
}

struct Loaded {
  std::unique_ptr<flce::ascendc::Device> device;
  flce::batch::CaseData data;
};

Subject subject_of(const flce::batch::CaseSpec& spec) {
  const flce::ascendc::OpDesc op = flce::batch::op_desc_of(spec);
  flce::ascendc::Platform platform;
  platform.cube_cores = spec.cores;
  flce::ascendc::TilingData tiling;
  const flce::ascendc::Status status = flce::ascendc::compute_tiling(op, platform, tiling);
  if (!status.ok()) give_up("case " + spec.id() + ": " + status.message);
  const auto loaded = std::make_shared<Loaded>();
  loaded->data = flce::batch::make_data(spec);
  loaded->device =
      std::make_unique<flce::ascendc::Device>(op, tiling, loaded->data.input, loaded->data.weight, loaded->data.target);
  return {"operator, case " + spec.id(), [loaded] { loaded->device->run(flce::ascendc::Variant::kShipped); }};
}

}  // namespace

std::vector<Maker> operator_kernels() {
  const flce::batch::CaseFile file = flce::batch::read_case_file(FLCE_CASES_DIR "/smoke.toml");
  if (!file.error.empty()) give_up(file.error);
  std::vector<Maker> makers;
  for (const flce::batch::CaseSpec& spec : file.cases) makers.push_back([spec] { return subject_of(spec); });
  return makers;
}

}  // namespace ascsan::bench
