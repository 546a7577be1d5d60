#include "machine/chip.h"

namespace ascsan::machine {
namespace {
constexpr std::array<uint64_t, gate::kSpaceCount> kBytes220 = {0, 196608, 524288, 65536, 65536, 131072, 1024, 7168};
constexpr Chip kChips[] = {{"910B1", 24, 48, kBytes220}, {"910B2", 24, 48, kBytes220}, {"910B3", 20, 40, kBytes220},
                           {"910B4", 20, 40, kBytes220}, {"9391", 24, 48, kBytes220},  {"9392", 24, 48, kBytes220},
                           {"9381", 24, 48, kBytes220},  {"9382", 24, 48, kBytes220},  {"9372", 20, 40, kBytes220},
                           {"9362", 20, 40, kBytes220}};
constexpr KernelShape kShapes[] = {{"AIV_ONLY", 0, 1, false},   {"AIC_ONLY", 1, 0, false},
                                   {"MIX_AIV_1_0", 0, 1, true}, {"MIX_AIC_1_0", 1, 0, true},
                                   {"MIX_AIC_1_1", 1, 1, true}, {"MIX_AIC_1_2", 1, 2, true}};
}  // namespace

const Chip* find_chip(std::string_view name) {
  if (name.substr(0, 6) == "Ascend") name.remove_prefix(6);
  if (name.substr(0, 4) == "910_") name.remove_prefix(4);
  for (const Chip& chip : kChips)
    if (chip.name == name) return &chip;
  return nullptr;
}

std::string_view chip_names() {
  return "910B1, 910B2, 910B3, 910B4, 9391, 9392, 9381, 9382, 9372, 9362";
}

const char* space_name(gate::Space space) {
  static constexpr const char* kNames[] = {"GM", "UB", "L1", "L0A", "L0B", "L0C", "BT", "FB", "none"};
  return kNames[static_cast<size_t>(space)];
}

const char* pipe_name(gate::Pipe pipe) {
  static constexpr const char* kNames[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX", "ALL"};
  return kNames[static_cast<size_t>(pipe)];
}

const KernelShape& shape_of(KernelType type) {
  return kShapes[static_cast<size_t>(type)];
}

}  // namespace ascsan::machine
