// Conversions on the way out of L0C (spec/fp.md 6): accumulator row to output row, with scale words and ReLU.
#pragma once

#include "machine/instruction.h"

namespace ascsan::isa {

/// Scale word (fp.md 6): multiplier 1-8-10, right shift, offset, sign of the result.
struct ScaleWord {
  float scale = 0;
  uint32_t shift = 0;  ///< 0 = none
  int32_t offset = 0;
  bool is_signed = false;
  explicit ScaleWord(uint64_t bits);
  ScaleWord() = default;
};

/// One conversion of the columns of a matrix.
struct Conversion {
  gate::Quant quant = gate::Quant::kNone;
  bool relu = false;
  bool integer = false;              ///< accumulator is int32
  bool saturate = false;             ///< CTRL[48] = 0: half / bfloat16 results clamp, NaN becomes 0
  const ScaleWord* words = nullptr;  ///< of the first column
  bool per_column = false;           ///< words[i] for column i, else words[0] for all
};

/// Output bytes of one element.
uint32_t output_bytes(gate::Quant quant);

/// `count` accumulators at `src` to outputs at `dst`; `column` is the first column, for per-column words.
void convert(const Conversion& how, const std::byte* src, std::byte* dst, uint64_t count, uint64_t column);

}  // namespace ascsan::isa
