// A case of the shipped operator on the modelled NPU, ready to be launched; for the benchmarks of the machine and of
// the checkers.
#pragma once

#include <memory>
#include <string>

#include "fused_linear_cross_entropy/ascendc/launch.h"
#include "fused_linear_cross_entropy/batch/case_file.h"
#include "fused_linear_cross_entropy/batch/values.h"
#include "ratio.h"

namespace ascsan::bench {

struct LoadedCase {
  std::unique_ptr<flce::ascendc::Device> device;
  flce::batch::CaseData data;  ///< owned here, read by the device
  void launch() const { device->run(flce::ascendc::Variant::kShipped); }
};

inline LoadedCase load(const flce::batch::CaseSpec& spec) {
  const flce::ascendc::OpDesc op = flce::batch::op_desc_of(spec);
  flce::ascendc::Platform platform;
  platform.cube_cores = spec.cores;
  flce::ascendc::TilingData tiling;
  const flce::ascendc::Status status = flce::ascendc::compute_tiling(op, platform, tiling);
  if (!status.ok()) give_up("case " + spec.id() + ": " + status.message);
  LoadedCase loaded;
  loaded.data = flce::batch::make_data(spec);
  loaded.device =
      std::make_unique<flce::ascendc::Device>(op, tiling, loaded.data.input, loaded.data.weight, loaded.data.target);
  return loaded;
}

/// The smoke cases in the folder `cases`.
inline std::vector<flce::batch::CaseSpec> smoke_cases(const std::string& cases) {
  flce::batch::CaseFile file = flce::batch::read_case_file(cases + "/smoke.toml");
  if (!file.error.empty()) give_up(file.error);
  return std::move(file.cases);
}

}  // namespace ascsan::bench
