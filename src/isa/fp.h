// Scalar conversions with every rounding mode, and saturation: the slow but complete rules of spec/fp.md 2 and 3, used
// by instructions that no bulk loop covers. Left out: hf32 and fixpipe words (spec/fp.md 5, 6), which belong to the
// cube side.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "ascendc/float16.h"

namespace ascsan::isa::fp {

/// Numeric values of AscendC::RoundMode.
enum class Round : uint8_t { kNone, kRint, kFloor, kCeil, kRound, kTrunc, kOdd };

/// The NaN of every arithmetic result, so that results do not depend on the host.
inline constexpr uint32_t kNanBits = 0x7FC00000u;
inline constexpr uint16_t kHalfNanBits = 0x7E00u;

/// Integral value of `value` under `mode`; kNone and kOdd act as kRint. Infinities and NaN pass.
double to_integral(double value, Round mode);

/// Nearest representable values of narrower formats. Directed modes follow IEEE: overflow toward zero gives the largest
/// finite value. ODD: inexact results take the neighbour with odd last bit, never infinity (spec/fp.md 3).
float to_float(double value, Round mode);
uint16_t to_half_bits(double value, Round mode);
uint16_t to_bfloat16_bits(double value, Round mode);
/// 64-bit integers do not fit a double.
float to_float(int64_t value, Round mode);

/// Saturating mode of half and bfloat16 results: infinity becomes the largest value, NaN becomes 0.
inline uint16_t saturate_half(uint16_t bits) {
  const uint16_t magnitude = bits & 0x7FFFu;
  if (magnitude < 0x7C00u) return bits;
  return magnitude == 0x7C00u ? static_cast<uint16_t>((bits & 0x8000u) | 0x7BFFu) : uint16_t{0};
}
inline uint16_t saturate_bfloat16(uint16_t bits) {
  const uint16_t magnitude = bits & 0x7FFFu;
  if (magnitude < 0x7F80u) return bits;
  return magnitude == 0x7F80u ? static_cast<uint16_t>((bits & 0x8000u) | 0x7F7Fu) : uint16_t{0};
}

/// Integral or infinite double to an integer type. `truncate`: low bits of the value are kept instead of clamping. NaN
/// gives 0. A double carries every integral value the float formats have, and int64 limits as 2^63.
template <typename T>
T to_integer(double integral, bool truncate) {
  if (integral != integral) return 0;
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  int64_t wide;
  if (integral >= kLimit)
    wide = std::numeric_limits<int64_t>::max();
  else if (integral < -kLimit)
    wide = std::numeric_limits<int64_t>::min();
  else
    wide = static_cast<int64_t>(integral);
  if (truncate) return static_cast<T>(static_cast<uint64_t>(wide));
  if (wide > static_cast<int64_t>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  if (wide < static_cast<int64_t>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  return static_cast<T>(wide);
}

/// Integer to narrower integer.
template <typename T>
T narrow(int64_t value, bool truncate) {
  if (truncate) return static_cast<T>(static_cast<uint64_t>(value));
  if (value > static_cast<int64_t>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  if (value < static_cast<int64_t>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  return static_cast<T>(value);
}

inline float from_half(uint16_t bits) {
  return float16::half_to_float_soft(bits);
}
inline uint16_t half_of(float value) {
  return float16::half_bits_soft(value);
}

}  // namespace ascsan::isa::fp
