#include "isa/mask_vector.h"

#include <algorithm>

namespace ascsan::isa {

LaneShape lane_shape(const gate::Request& request, uint32_t lanes, uint32_t repeat) {
  LaneShape shape;
  shape.lanes = lanes;
  if (request.registers.counter_mode) {
    shape.total = request.registers.mask_low & 0xFFFFFFFFu;
    if (shape.total == 0 || lanes == 0) return shape;
    // Lanes per repeat are a power of two.
    shape.repeats = static_cast<uint32_t>((shape.total + lanes - 1) >> std::countr_zero(lanes));
    shape.mask = LaneMask::leading(lanes);
    const uint64_t rest = shape.total - static_cast<uint64_t>(shape.repeats - 1) * lanes;
    shape.tail = LaneMask::leading(rest);
    return shape;
  }
  shape.mask = LaneMask{request.registers.mask_low, request.registers.mask_high} & LaneMask::leading(lanes);
  shape.tail = shape.mask;
  if (shape.mask.none()) return shape;
  shape.repeats = repeat;
  shape.total = static_cast<uint64_t>(repeat) * shape.mask.count();
  return shape;
}

LaneShape lane_shape_per_repeat(const gate::Request& request, uint32_t lanes, uint32_t repeat) {
  if (!request.registers.counter_mode || request.mask_form == gate::MaskForm::kCount) {
    return lane_shape(request, lanes, repeat);
  }
  LaneShape shape;
  shape.lanes = lanes;
  shape.mask = shape.tail = LaneMask::leading(std::min<uint64_t>(request.registers.mask_low & 0xFFFFFFFFu, lanes));
  if (shape.mask.none()) return shape;
  shape.repeats = repeat;
  shape.total = static_cast<uint64_t>(repeat) * shape.mask.count();
  return shape;
}

uint32_t widest_bits(const gate::Request& request) {
  uint32_t bits = 0;
  for (int i = 0; i < request.operand_count; ++i) bits = std::max(bits, gate::bits_of(request.operand[i].type));
  return bits;
}

void prepare_plain(gate::Request& request, gate::Registers& sticky) {
  request.registers = sticky;
}

void prepare_masked(gate::Request& request, gate::Registers& sticky) {
  switch (request.mask_form) {
    case gate::MaskForm::kCount:
      // The framework sets counter mode and the count, and afterwards Normal mode and all ones (spec/api-semantics.md
      // 0).
      request.registers = sticky;
      request.registers.counter_mode = true;
      request.registers.mask_low = request.params.vector.count;
      request.registers.mask_high = 0;
      sticky.counter_mode = false;
      sticky.mask_low = sticky.mask_high = ~uint64_t{0};
      return;
    case gate::MaskForm::kBits:
      sticky.mask_low = request.mask_low;
      sticky.mask_high = request.mask_high;
      break;
    case gate::MaskForm::kContinuous:
      if (sticky.counter_mode) {
        sticky.mask_low = request.mask_low;
        sticky.mask_high = 0;
      } else {
        const LaneMask mask = LaneMask::leading(std::min<uint64_t>(request.mask_low, lanes_of(widest_bits(request))));
        sticky.mask_low = mask.low;
        sticky.mask_high = mask.high;
      }
      break;
    case gate::MaskForm::kRegister:
    case gate::MaskForm::kNone:
      break;
  }
  request.registers = sticky;
}

void prepare_reset_mask(gate::Request& request, gate::Registers& sticky) {
  sticky.mask_low = sticky.mask_high = ~uint64_t{0};
  request.registers = sticky;
}

void prepare_gather_mask(gate::Request& request, gate::Registers& sticky) {
  request.registers = sticky;
  sticky.counter_mode = false;
}

}  // namespace ascsan::isa
