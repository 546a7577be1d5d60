// LoadDataWithTranspose: square tiles of consecutive fractals, transposed on the way from L1 to L0A / L0B. Tile shapes
// and addresses: spec/api-semantics.md 6. Fractals of a tile lie below each other (8 and 4 bits) or side by side (32
// bits).
#include <cstring>

#include "isa/copy_ops.h"
#include "isa/fractal.h"
#include "isa/violation.h"

namespace ascsan::isa {
namespace {

using gate::Space;

constexpr uint64_t kFractal = 512;

/// Fractals of one tile.
uint64_t fractals_of(gate::DataType type) {
  switch (gate::bits_of(type)) {
    case 4:
      return 4;
    case 8:
      return 2;
    case 16:
      return 1;
    case 32:
      return 2;
    default:
      return 0;
  }
}

struct Plan {
  uint64_t fractals, tile_bytes, dst_tile, dst_fractal;
};

Plan plan_of(const gate::Request& request) {
  const gate::LoadParams& p = request.params.load;
  const uint64_t fractals = fractals_of(request.operand[1].type);
  return {fractals, fractals * kFractal, (1 + uint64_t{p.dst_gap}) * kFractal,
          (1 + uint64_t{p.dst_frac_gap}) * kFractal};
}

bool source_at(const gate::LoadParams& p, uint64_t r, uint64_t tile_bytes, uint64_t& offset) {
  const uint64_t step = r * p.src_stride;
  if (p.descending != 0 && step > p.start_index) return false;
  offset = (p.descending != 0 ? p.start_index - step : p.start_index + step) * tile_bytes;
  return true;
}

gate::Pipe pipe(const gate::Request&) {
  return gate::Pipe::kMte1;
}

/// Fractals of different tiles may interleave but not meet.
bool fractals_meet(const gate::LoadParams& p, const Plan& plan) {
  if (p.repeat < 2 && plan.fractals < 2) return false;
  if (plan.fractals == 1) return plan.dst_tile < kFractal;
  const uint64_t across = plan.dst_fractal, along = plan.dst_tile;  // both multiples of 512
  for (uint64_t f = 1; f < plan.fractals; ++f)
    if (f * across % along == 0 && f * across / along < p.repeat) return true;
  return false;
}

void check(const gate::Request& request, machine::Violations& violations) {
  Limits limits(violations);
  const gate::LoadParams& p = request.params.load;
  const gate::Operand &dst = request.operand[0], &src = request.operand[1];
  if (src.space != Space::kL1 || (dst.space != Space::kL0a && dst.space != Space::kL0b)) {
    limits.no_path(dst, src, "LoadDataWithTranspose moves L1 -> L0A and L1 -> L0B");
    return;
  }
  const Plan plan = plan_of(request);
  if (plan.fractals == 0 || dst.type != src.type) {
    limits.fatal("type", "elements have 4, 8, 16 or 32 bits and equal types, given ", name_of(src.type), " to ",
                 name_of(dst.type));
    return;
  }
  if (src.type == gate::DataType::kInt4 && dst.space != Space::kL0b) {
    limits.fatal("type", "int4b_t is transposed on the way to L0B only");
    return;
  }
  limits.range("repeat", "repeatTimes", p.repeat, 0, 255);
  limits.range("stride", "startIndex", p.start_index, 0, 65535);
  limits.range("stride", "srcStride", p.src_stride, 0, 65535);
  limits.range("stride", "dstGap", p.dst_gap, 0, 65535);
  limits.range("stride", "dstFracGap", p.dst_frac_gap, 0, 65535);
  limits.aligned("destination", dst);
  limits.aligned("source", src);
  if (!limits.pieces({p.repeat, plan.fractals})) return;
  uint64_t offset = 0;
  if (p.repeat > 0 && !source_at(p, p.repeat - 1, plan.tile_bytes, offset)) {
    limits.fatal("stride", "addrMode 1 counts down from tile ", p.start_index, " by ", p.src_stride,
                 ", which passes 0 before ", p.repeat, " repeats");
  }
  if (fractals_meet(p, plan)) {
    limits.error("overlap", "dstGap ", p.dst_gap, " and dstFracGap ", p.dst_frac_gap,
                 " put fractals of different tiles on one place; a tile has ", plan.fractals, " fractals");
  }
}

void footprint(const gate::Request& request, machine::Footprint& out) {
  const gate::LoadParams& p = request.params.load;
  const gate::Operand &dst = request.operand[0], &src = request.operand[1];
  const Plan plan = plan_of(request);
  out.open(dst, 0, event::Role::kWrite);
  if (fractals_meet(p, plan)) {  // reported as overlap: one run over everything
    out.add(dst.address, (p.repeat - 1) * plan.dst_tile + (plan.fractals - 1) * plan.dst_fractal + kFractal);
  } else if (plan.dst_fractal <= plan.dst_tile) {
    for (uint64_t r = 0; r < p.repeat; ++r)
      out.add_strided(dst.address + r * plan.dst_tile, kFractal, plan.fractals, static_cast<int64_t>(plan.dst_fractal));
  } else {
    for (uint64_t f = 0; f < plan.fractals; ++f)
      out.add_strided(dst.address + f * plan.dst_fractal, kFractal, p.repeat, static_cast<int64_t>(plan.dst_tile));
  }
  out.open(src, 1, event::Role::kRead);
  if (p.repeat == 0) return;
  uint64_t lowest = p.start_index * plan.tile_bytes;
  if (p.descending != 0) source_at(p, p.repeat - 1, plan.tile_bytes, lowest);
  out.add_strided(src.address + lowest, plan.tile_bytes, p.src_stride == 0 ? 1 : p.repeat,
                  static_cast<int64_t>(p.src_stride * plan.tile_bytes));
}

/// 32 x 32 bytes, fractals below each other on both sides.
void tile_b8(std::byte* dst, const std::byte* src, uint64_t dst_fractal) {
  for (uint64_t r = 0; r < 32; ++r)
    for (uint64_t c = 0; c < 32; ++c) dst[c / 16 * dst_fractal + c % 16 * 32 + r] = src[r * 32 + c];
}

/// 16 x 16 words, fractals of 16 x 8 side by side.
void tile_b32(std::byte* dst, const std::byte* src, uint64_t dst_fractal) {
  for (uint64_t r = 0; r < 16; ++r)
    for (uint64_t c = 0; c < 16; ++c) {
      const auto value = load_element<uint32_t>(src + c / 8 * kFractal + r * 32 + c % 8 * 4);
      store_element(dst + r / 8 * dst_fractal + c * 32 + r % 8 * 4, value);
    }
}

/// 64 x 64 nibbles, low nibble first, fractals of 16 x 64 below each other.
void tile_b4(std::byte* dst, const std::byte* src, uint64_t dst_fractal) {
  for (uint64_t r = 0; r < 64; ++r)
    for (uint64_t c = 0; c < 64; ++c) {
      const uint8_t byte = load_element<uint8_t>(src + r * 32 + c / 2);
      const uint8_t nibble = c % 2 == 0 ? byte & 0xF : byte >> 4;
      std::byte& to = dst[c / 16 * dst_fractal + c % 16 * 32 + r / 2];
      to = r % 2 == 0 ? (to & std::byte{0xF0}) | std::byte{nibble}
                      : (to & std::byte{0x0F}) | std::byte{static_cast<uint8_t>(nibble << 4)};
    }
}

void execute(const gate::Request& request, const machine::Memories& memories) {
  const gate::LoadParams& p = request.params.load;
  const Plan plan = plan_of(request);
  std::byte* dst = memories.at(request.operand[0]);
  const std::byte* src = memories.at(request.operand[1]);
  const uint32_t bits = gate::bits_of(request.operand[1].type);
  for (uint64_t r = 0; r < p.repeat; ++r, dst += plan.dst_tile) {
    uint64_t offset = 0;
    if (!source_at(p, r, plan.tile_bytes, offset)) return;
    switch (bits) {
      case 4:
        tile_b4(dst, src + offset, plan.dst_fractal);
        break;
      case 8:
        tile_b8(dst, src + offset, plan.dst_fractal);
        break;
      case 16:
        transpose_16x16_b16(dst, src + offset);
        break;
      default:
        tile_b32(dst, src + offset, plan.dst_fractal);
        break;
    }
  }
}

}  // namespace

void add_load_data_transpose(machine::OpTable& table) {
  set_op(table, gate::Op::kLoadDataTranspose, pipe, keep_registers, check, footprint, execute);
}

}  // namespace ascsan::isa
