// How the high-level Matmul cuts a product and lays it out in L1, L0A, L0B, L0C: plain numbers, computed once per
// tiling. It owns these memories whole, except the last 128 bytes of L1 (spec/execution-model.md 1.2). Left out: reuse
// of a loaded panel between tiles, which saves time on the chip and changes no value.
#pragma once

#include <algorithm>

#include "ascendc/matmul_types.h"

namespace AscendC {
namespace matmul_detail {

using ascsan::gate::DataType;
using ascsan::gate::Operand;
using ascsan::gate::Space;

constexpr uint32_t kL1Bytes = 512 * 1024 - 128, kL0Bytes = 64 * 1024, kL0cBytes = 128 * 1024, kBtBytes = 1024;

constexpr uint32_t ceil_to(uint32_t value, uint32_t unit) {
  return (value + unit - 1) / unit * unit;
}
constexpr uint32_t ceil_div(uint32_t value, uint32_t unit) {
  return (value + unit - 1) / unit;
}

/// One operand in GM. Memory rows and columns: A is [M, K], B is [K, N]; transposed the other way round.
struct Matrix {
  Operand tensor;
  bool nz = false;
  bool transposed = false;
};

/// Element types of one product and what follows from them.
struct Types {
  DataType input = DataType::kHalf;
  DataType output = DataType::kFloat;
  DataType bias = DataType::kFloat;
  uint32_t input_bytes() const { return ascsan::gate::bytes_of(input); }
  uint32_t c0() const { return 32 / input_bytes(); }  ///< elements of one 32-byte block
  bool integer() const { return input == DataType::kInt8; }
  DataType accumulator() const { return integer() ? DataType::kInt32 : DataType::kFloat; }
  /// Rows of an L1 panel and columns of an L0 tile are padded to this: int8 transposes tiles of 32 x 32.
  uint32_t grain() const { return integer() ? 32 : 16; }
};

/// Sizes of the blocks and places of the buffers. A buffer exists once or twice (double buffering).
struct Plan {
  uint32_t base_m = 0, base_n = 0, base_k = 0;
  uint32_t panel_k = 0;  ///< K elements brought to L1 at a time, a multiple of base_k
  uint32_t l1_a = 0, l1_b = 0, l1_bias = 0, l1_slot = 0,
           l1_table = 0;  ///< byte offsets; slot = distance of the two sets
  uint32_t l0a_slots = 1, l0b_slots = 1, l0c_slots = 1;
  const char* fault = nullptr;  ///< the tiling cannot be carried out; says why

  uint32_t l0_slots() const { return std::min(l0a_slots, l0b_slots); }
  uint32_t l0a(uint32_t slot) const { return slot * (kL0Bytes / 2); }
  uint32_t l0b(uint32_t slot) const { return slot * (kL0Bytes / 2); }
  uint32_t l0c(uint32_t slot) const { return slot * (kL0cBytes / 2); }
};

inline uint32_t positive(int32_t value, uint32_t otherwise) {
  return value > 0 ? static_cast<uint32_t>(value) : otherwise;
}

/// Panel length: base_k times the step of the tiling, as much as two sets of panels leave room for.
inline void place_panels(Plan& plan, const Types& types, uint32_t step) {
  const uint32_t rows = ceil_to(plan.base_m, types.grain()) + ceil_to(plan.base_n, types.grain());
  const uint32_t bias = ceil_to(plan.base_n * 4, 64), table = ceil_to(plan.base_n * 8, 128);
  const auto slot_bytes = [&](uint32_t steps) {
    return rows * ceil_to(plan.base_k * steps, types.grain()) * types.input_bytes() + bias;
  };
  while (step > 1 && 2 * slot_bytes(step) + table > kL1Bytes) --step;
  if (2 * slot_bytes(step) + table > kL1Bytes) {
    plan.fault = "Matmul: two panels of baseM x baseK and baseK x baseN do not fit L1; make baseK smaller";
    return;
  }
  plan.panel_k = plan.base_k * step;
  const uint32_t depth = ceil_to(plan.panel_k, types.grain()) * types.input_bytes();
  plan.l1_a = 0;
  plan.l1_b = ceil_to(plan.base_m, types.grain()) * depth;
  plan.l1_bias = plan.l1_b + ceil_to(plan.base_n, types.grain()) * depth;
  plan.l1_slot = plan.l1_bias + bias;
  plan.l1_table = 2 * plan.l1_slot;
}

inline Plan make_plan(const TCubeTiling& tiling, const Types& types, bool with_bias) {
  Plan plan;
  plan.base_m = positive(tiling.baseM, 128);
  plan.base_n = positive(tiling.baseN, 128);
  plan.base_k = ceil_to(positive(tiling.baseK, 128 / types.input_bytes()), types.grain());
  const uint32_t rows_a = ceil_to(plan.base_m, types.grain()), rows_b = ceil_to(plan.base_n, types.grain());
  const uint32_t a = rows_a * plan.base_k * types.input_bytes(), b = rows_b * plan.base_k * types.input_bytes();
  const uint32_t c = ceil_to(plan.base_m, 16) * rows_b * 4;
  if (a > kL0Bytes) plan.fault = "Matmul: baseM x baseK of the tiling does not fit the 65536 bytes of L0A";
  if (b > kL0Bytes) plan.fault = "Matmul: baseK x baseN of the tiling does not fit the 65536 bytes of L0B";
  if (c > kL0cBytes) plan.fault = "Matmul: baseM x baseN of the tiling does not fit the 131072 bytes of L0C";
  if (with_bias && plan.base_n * 4 > kBtBytes)
    plan.fault = "Matmul: a bias of baseN values does not fit the 1024 bytes of BT";
  if (plan.fault != nullptr) return plan;
  plan.l0a_slots = 2 * a <= kL0Bytes ? 2 : 1;
  plan.l0b_slots = 2 * b <= kL0Bytes ? 2 : 1;
  plan.l0c_slots = 2 * c <= kL0cBytes ? 2 : 1;
  place_panels(plan, types, std::max(positive(tiling.stepKa, 1), positive(tiling.stepKb, 1)));
  return plan;
}

}  // namespace matmul_detail
}  // namespace AscendC
