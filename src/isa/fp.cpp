#include "isa/fp.h"

#include <cmath>

namespace ascsan::isa::fp {
namespace {

/// Rounds the magnitude `significand` * 2^`exponent` (sticky: there is more below) to `keep` bits of a format whose
/// exponent range starts at `min_exponent` (of the last bit of a subnormal). Returns the integer significand in units
/// of 2^unit and reports the unit.
struct Rounded {
  uint64_t significand;
  int unit;
};

bool rounds_up(uint64_t kept, bool half_bit, bool below_half, bool negative, Round mode) {
  const bool inexact = half_bit || below_half;
  switch (mode) {
    case Round::kNone:
    case Round::kRint:
      return half_bit && (below_half || (kept & 1) != 0);
    case Round::kFloor:
      return inexact && negative;
    case Round::kCeil:
      return inexact && !negative;
    case Round::kRound:
      return half_bit;
    case Round::kTrunc:
      return false;
    case Round::kOdd:
      return inexact && (kept & 1) == 0;
  }
  return false;
}

Rounded round_magnitude(uint64_t significand, int exponent, int keep, int min_unit, bool negative, Round mode) {
  const int width = 64 - std::countl_zero(significand);
  int unit = exponent + width - keep;
  if (unit < min_unit) unit = min_unit;
  const int drop = unit - exponent;
  if (drop <= 0) return {significand << -drop, unit};
  uint64_t kept = 0;
  bool half_bit = false, below = true;
  if (drop < 64) {
    kept = significand >> drop;
    half_bit = ((significand >> (drop - 1)) & 1) != 0;
    below = (significand & ((uint64_t{1} << (drop - 1)) - 1)) != 0;
  } else if (drop == 64) {
    half_bit = (significand >> 63) != 0;
    below = (significand << 1) != 0;
  }
  return {kept + (rounds_up(kept, half_bit, below, negative, mode) ? 1 : 0), unit};
}

/// A binary format with `fraction` stored bits and exponent bias `bias`.
struct Format {
  int fraction, bias;
  uint32_t max_exponent;  ///< biased exponent of infinity
};
constexpr Format kHalf{10, 15, 31}, kBfloat16{7, 127, 255}, kFloat{23, 127, 255};

uint32_t encode(const Format& format, bool negative, uint64_t significand, int exponent, Round mode) {
  const uint32_t sign = negative ? (format.max_exponent + 1u) << format.fraction : 0;
  if (significand == 0) return sign;
  const int min_unit = 1 - format.bias - format.fraction;
  Rounded rounded = round_magnitude(significand, exponent, format.fraction + 1, min_unit, negative, mode);
  if ((rounded.significand >> (format.fraction + 1)) != 0) {  // carried into the next binade
    rounded.significand >>= 1;
    ++rounded.unit;
  }
  const bool normal = (rounded.significand >> format.fraction) != 0;
  const int biased = normal ? rounded.unit - min_unit + 1 : 0;
  if (biased >= static_cast<int>(format.max_exponent)) {
    const bool stays_finite = mode == Round::kTrunc || mode == Round::kOdd || (mode == Round::kFloor && !negative) ||
                              (mode == Round::kCeil && negative);
    const uint32_t infinity = format.max_exponent << format.fraction;
    return sign | (stays_finite ? infinity - 1 : infinity);
  }
  const auto fraction = static_cast<uint32_t>(rounded.significand) & ((1u << format.fraction) - 1);
  return sign | (static_cast<uint32_t>(biased) << format.fraction) | fraction;
}

uint32_t encode(const Format& format, double value, Round mode) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const bool negative = (bits >> 63) != 0;
  const uint32_t sign = negative ? (format.max_exponent + 1u) << format.fraction : 0;
  const auto biased = static_cast<int>((bits >> 52) & 0x7FF);
  const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
  if (biased == 0x7FF) {
    const uint32_t infinity = format.max_exponent << format.fraction;
    return fraction != 0 ? infinity | (1u << (format.fraction - 1)) : sign | infinity;
  }
  const uint64_t significand = biased == 0 ? fraction : fraction | (uint64_t{1} << 52);
  return encode(format, negative, significand, (biased == 0 ? 1 : biased) - 1075, mode);
}

}  // namespace

double to_integral(double value, Round mode) {
  switch (mode) {
    case Round::kNone:
    case Round::kRint:
    case Round::kOdd:
      return std::nearbyint(value);
    case Round::kFloor:
      return std::floor(value);
    case Round::kCeil:
      return std::ceil(value);
    case Round::kRound:
      return std::round(value);
    case Round::kTrunc:
      return std::trunc(value);
  }
  return value;
}

float to_float(double value, Round mode) {
  return std::bit_cast<float>(encode(kFloat, value, mode));
}
uint16_t to_half_bits(double value, Round mode) {
  return static_cast<uint16_t>(encode(kHalf, value, mode));
}
uint16_t to_bfloat16_bits(double value, Round mode) {
  return static_cast<uint16_t>(encode(kBfloat16, value, mode));
}

float to_float(int64_t value, Round mode) {
  const bool negative = value < 0;
  const uint64_t magnitude = negative ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  return std::bit_cast<float>(encode(kFloat, negative, magnitude, 0, mode));
}

}  // namespace ascsan::isa::fp
