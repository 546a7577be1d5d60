#include "isa/cube_operand.h"

#include <cstring>

#include "ascendc/float16.h"
#include "isa/cube_simd.h"

namespace ascsan::isa {
namespace {

constexpr uint64_t kFractal = 512;

const std::byte* row_at(const CubeOperand& o, uint64_t row, uint64_t k_block) {
  if (o.vector) return o.base + k_block * 32;
  return o.base + (row / 16 * o.row_step + k_block * o.k_step) * kFractal + row % 16 * 32;
}

float rounded_hf32(float value, Hf32 mode) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  if ((bits & 0x7F800000u) == 0x7F800000u) return value;
  const uint32_t bias = mode == Hf32::kAway ? 0x800u : 0x7FFu + ((bits >> 12) & 1u);
  return __builtin_bit_cast(float, (bits + bias) & ~0xFFFu);
}

void widen_row(const CubeOperand& o, const std::byte* src, float* dst, Hf32 hf32) {
  if (o.type == gate::DataType::kFloat) {
    std::memcpy(dst, src, 32);
    if (hf32 != Hf32::kOff)
      for (int i = 0; i < 8; ++i) dst[i] = rounded_hf32(dst[i], hf32);
    return;
  }
  for (int i = 0; i < 16; ++i) {
    uint16_t bits;
    std::memcpy(&bits, src + 2 * i, 2);
    dst[i] = o.type == gate::DataType::kHalf ? float16::half_to_float(bits) : float16::bfloat16_to_float(bits);
  }
}

/// Sign-extended nibbles or bytes of one 32-byte row.
void widen_row(const CubeOperand& o, const std::byte* src, int16_t* dst) {
  if (o.type == gate::DataType::kInt8) {
    for (int i = 0; i < 32; ++i) dst[i] = static_cast<int8_t>(src[i]);
    return;
  }
  for (int i = 0; i < 32; ++i) {
    const int byte = static_cast<int>(src[i]);
    dst[2 * i] = static_cast<int16_t>(((byte & 0xF) ^ 8) - 8);
    dst[2 * i + 1] = static_cast<int16_t>(((byte >> 4) ^ 8) - 8);
  }
}

}  // namespace

CubeOperand operand_a(const gate::Request& request, const std::byte* base) {
  const gate::MmadParams& p = request.params.mmad;
  CubeOperand a;
  a.base = base;
  a.type = request.operand[1].type;
  a.rows = p.m, a.k = p.k;
  a.vector = p.m == 1;
  // Zz: row blocks outside. float pads K to 8, with kDirectionAlign to 16.
  a.row_step = p.k_align != 0 && a.type == gate::DataType::kFloat ? (p.k + 15u) / 16 * 2 : a.k_blocks();
  a.k_step = 1;
  return a;
}

CubeOperand operand_b(const gate::Request& request, const std::byte* base) {
  const gate::MmadParams& p = request.params.mmad;
  CubeOperand b;
  b.base = base;
  b.type = request.operand[2].type;
  b.rows = p.n, b.k = p.k;
  // Zn: k blocks outside.
  b.row_step = 1;
  b.k_step = b.row_blocks();
  return b;
}

void unpack_float(const CubeOperand& o, float* dst, uint64_t pitch, Hf32 hf32) {
  if (!o.vector && hf32 == Hf32::kOff && unpack_float_simd(o, dst, pitch)) return;
  const uint64_t k0 = o.k0();
  for (uint64_t row = 0; row < o.rows; ++row)
    for (uint64_t block = 0; block < o.k_blocks(); ++block)
      widen_row(o, row_at(o, row, block), dst + row * pitch + block * k0, hf32);
}

void unpack_int16(const CubeOperand& o, int16_t* dst, uint64_t pitch) {
  const uint64_t k0 = o.k0();
  for (uint64_t row = 0; row < o.rows; ++row) {
    int16_t* out = dst + row * pitch;
    for (uint64_t block = 0; block < o.k_blocks(); ++block) widen_row(o, row_at(o, row, block), out + block * k0);
    std::fill(out + o.k, out + pitch, int16_t{0});
  }
}

void add_valid_bytes(const CubeOperand& o, uint64_t address, machine::Footprint& out) {
  if (o.rows == 0 || o.k == 0) return;
  const uint64_t bits = gate::bits_of(o.type);
  if (o.vector) return out.add(address, (o.k * bits + 7) / 8);
  const bool dense = o.k_step == 1 ? o.row_step == o.k_blocks() : o.k_step == o.row_blocks();
  if (dense && o.rows % 16 == 0 && o.k % o.k0() == 0) return out.add(address, o.row_blocks() * o.k_blocks() * kFractal);
  const uint64_t last_bytes = ((o.k - (o.k_blocks() - 1) * o.k0()) * bits + 7) / 8;
  const auto add = [&](uint64_t row_block, uint64_t k_block) {
    const uint64_t at = address + (row_block * o.row_step + k_block * o.k_step) * kFractal;
    const uint64_t rows = std::min<uint64_t>(16, o.rows - row_block * 16);
    out.add_strided(at, k_block + 1 == o.k_blocks() ? last_bytes : 32, rows, 32);
  };
  if (o.k_step == 1) {
    for (uint64_t r = 0; r < o.row_blocks(); ++r)
      for (uint64_t k = 0; k < o.k_blocks(); ++k) add(r, k);
  } else {
    for (uint64_t k = 0; k < o.k_blocks(); ++k)
      for (uint64_t r = 0; r < o.row_blocks(); ++r) add(r, k);
  }
}

}  // namespace ascsan::isa
