// Operands of Mmad as they lie in L0A and L0B: fractals of 16 rows x 32 bytes, rows along m (A) or n (B), bytes along k
// (spec/execution-model.md 1.3). Here they become dense rows of float or int16 for a matrix product on the host.
// Conversions are exact. Vector versions are chosen at run time and give the same bits as the plain ones.
#pragma once

#include "machine/instruction.h"

namespace ascsan::isa {

/// How fractals follow each other: fractal of (row block, k block) lies at row_step * row block + k_step * k block
/// fractals.
struct CubeOperand {
  const std::byte* base = nullptr;
  gate::DataType type = gate::DataType::kHalf;
  uint64_t rows = 0, k = 0;
  uint64_t row_step = 0, k_step = 0;
  bool vector = false;  ///< m == 1: k elements behind each other, no fractals

  /// Elements of one 32-byte row of a fractal.
  uint64_t k0() const { return 256 / gate::bits_of(type); }
  uint64_t k_blocks() const { return (k + k0() - 1) / k0(); }
  uint64_t row_blocks() const { return (rows + 15) / 16; }
};

/// Matrix product operands of a request: A is [m, k], B is given by its columns, [n, k].
CubeOperand operand_a(const gate::Request& request, const std::byte* base);
CubeOperand operand_b(const gate::Request& request, const std::byte* base);

enum class Hf32 : uint8_t { kOff, kEven, kAway };

/// Dense rows of float, `pitch` floats apart; lanes up to the next multiple of 16 may be overwritten. half, bfloat16_t
/// and float operands; Hf32 rounds float operands to 11 fraction bits first (spec/fp.md 5).
void unpack_float(const CubeOperand& operand, float* dst, uint64_t pitch, Hf32 hf32);

/// Dense rows of int16, `pitch` (a multiple of 64, at least k) apart, 0 behind k. int8_t and int4b_t operands.
void unpack_int16(const CubeOperand& operand, int16_t* dst, uint64_t pitch);

/// Exact bytes that hold valid elements, added to the open access of `out`.
void add_valid_bytes(const CubeOperand& operand, uint64_t address, machine::Footprint& out);

}  // namespace ascsan::isa
