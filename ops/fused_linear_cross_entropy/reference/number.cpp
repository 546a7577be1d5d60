// Conversions between double and the 16-bit formats, from the definition of the formats (see number.h).
#include "fused_linear_cross_entropy/reference/number.h"

#include <cmath>
#include <limits>

namespace flce::reference {
namespace {

/// One storage format: sign, `exponent_bits`, `fraction_bits`.
struct Format {
  int exponent_bits;
  int fraction_bits;
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  int smallest_exponent() const { return 1 - bias(); }  // of a normal number; subnormals share its quantum
  int exponent_of_infinity() const { return (1 << exponent_bits) - 1; }
};

Format format_of(Storage storage) {
  return storage == Storage::kHalf ? Format{5, 10} : Format{8, 7};
}

}  // namespace

const char* name_of(Storage storage) {
  return storage == Storage::kHalf ? "float16" : "bfloat16";
}

double largest(Storage storage) {
  const Format format = format_of(storage);
  return std::ldexp(2.0 - std::ldexp(1.0, -format.fraction_bits), format.bias());
}

double widen(uint16_t bits, Storage storage) {
  const Format format = format_of(storage);
  const int fraction = bits & ((1 << format.fraction_bits) - 1);
  const int exponent = (bits >> format.fraction_bits) & format.exponent_of_infinity();
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == format.exponent_of_infinity()) {
    if (fraction != 0) return std::numeric_limits<double>::quiet_NaN();
    return sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(fraction, format.smallest_exponent() - format.fraction_bits);
  return sign * std::ldexp(fraction + (1 << format.fraction_bits), exponent - format.bias() - format.fraction_bits);
}

double round_to(double value, Storage storage) {
  if (!std::isfinite(value) || value == 0.0) return value;
  const Format format = format_of(storage);
  int exponent = std::ilogb(value);
  if (exponent < format.smallest_exponent()) exponent = format.smallest_exponent();
  const int quantum = exponent - format.fraction_bits;
  // Scaling by a power of two is exact in double; nearbyint rounds ties to even in the default rounding mode.
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -quantum)), quantum);
  if (std::abs(rounded) > largest(storage)) return std::copysign(std::numeric_limits<double>::infinity(), value);
  return rounded;
}

uint16_t narrow(double value, Storage storage) {
  const Format format = format_of(storage);
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const uint16_t infinity = static_cast<uint16_t>(format.exponent_of_infinity() << format.fraction_bits);
  if (std::isnan(value)) return static_cast<uint16_t>(infinity | (1 << (format.fraction_bits - 1)));
  const double magnitude = std::abs(round_to(value, storage));
  if (std::isinf(magnitude)) return static_cast<uint16_t>(sign | infinity);
  if (magnitude == 0.0) return sign;
  int exponent = std::ilogb(magnitude);
  if (exponent < format.smallest_exponent()) {  // subnormal: exponent field 0
    return static_cast<uint16_t>(
        sign | static_cast<int>(std::ldexp(magnitude, format.fraction_bits - format.smallest_exponent())));
  }
  const int significand = static_cast<int>(std::ldexp(magnitude, format.fraction_bits - exponent));
  const int fraction = significand - (1 << format.fraction_bits);
  return static_cast<uint16_t>(sign | ((exponent + format.bias()) << format.fraction_bits) | fraction);
}

}  // namespace flce::reference
