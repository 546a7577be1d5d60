// Sizes and core counts of the modelled chips (spec/execution-model.md 1.1, 1.2). Timing is not modelled.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "ascendc/gate.h"

namespace ascsan::machine {

struct Chip {
  std::string_view name;
  uint32_t aic_cores, aiv_cores;
  /// Bytes of each on-chip memory; GM is 0 (bounded by its allocations).
  std::array<uint64_t, gate::kSpaceCount> bytes;
};

/// The chip of that name, or null. Names as in the SKU table: "910B1" ... and "9391" ... for the A3 parts.
const Chip* find_chip(std::string_view name);
/// All names, comma separated, for messages.
std::string_view chip_names();

const char* space_name(gate::Space space);
const char* pipe_name(gate::Pipe pipe);

/// The core type of a launch: how many cores of each kind one block has, and whether cross-core flags work
/// (spec/execution-model.md 2.1).
enum class KernelType : uint8_t { kAivOnly, kAicOnly, kMixAiv10, kMixAic10, kMixAic11, kMixAic12 };
struct KernelShape {
  const char* name;
  uint32_t aic_per_block, aiv_per_block;
  bool cross_core_sync;
};
const KernelShape& shape_of(KernelType type);

}  // namespace ascsan::machine
