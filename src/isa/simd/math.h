// Element functions shared by the loops: IEEE operations, canonical NaN, exp and log in double with polynomials of our
// own (libm differs between hosts). exp and log are exact to about 1e-15 relative, so their float results are correctly
// rounded but for about one case in ten million, and never off by more than 1 ulp (spec/fp.md 4). Left out:
// flush-to-zero mode.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "isa/fp.h"
#include "isa/simd/kernel.h"

namespace ascsan::isa::simd {

ASCSAN_INLINE uint32_t bits_of(float x) {
  return std::bit_cast<uint32_t>(x);
}
ASCSAN_INLINE float float_of(uint32_t x) {
  return std::bit_cast<float>(x);
}

/// Every NaN becomes the canonical one: payloads and signs of NaN depend on the host otherwise.
ASCSAN_INLINE float canonical(float x) {
  return x != x ? float_of(fp::kNanBits) : x;
}

/// IEEE-754-2019 maximum and minimum: NaN if either is NaN, -0 below +0.
ASCSAN_INLINE float max_of(float a, float b) {
  const float larger = a > b ? a : b;
  const float equal = float_of(bits_of(a) & bits_of(b));  // differs from both only for zeros of unlike sign
  const float result = a == b ? equal : larger;
  return a != a ? a : result;
}
ASCSAN_INLINE float min_of(float a, float b) {
  const float smaller = a < b ? a : b;
  const float equal = float_of(bits_of(a) | bits_of(b));
  const float result = a == b ? equal : smaller;
  return a != a ? a : result;
}
/// max(0, x) with +0 for -0; NaN stays.
ASCSAN_INLINE float relu_of(float x) {
  return x > 0.0f ? x : x != x ? x : 0.0f;
}

/// double -> float so that a second rounding to half is exact: the bits below float precision collapse into one sticky
/// bit (rounding to odd). Infinities and NaN pass; results below the normal floats round to 0 as half anyway.
ASCSAN_INLINE float odd_float(double x) {
  constexpr uint64_t kBelow = (uint64_t{1} << 29) - 1;
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  const uint64_t sticky = ((bits & kBelow) + kBelow) & (kBelow + 1);
  return static_cast<float>(std::bit_cast<double>((bits & ~kBelow) | sticky));
}

/// e^x; the argument is clamped where float results are 0 or infinite anyway.
ASCSAN_INLINE double exp_of(double x) {
  constexpr double kShift = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer in the low bits
  constexpr double kLog2E = 1.4426950408889634, kLn2High = 6.93147180369123816490e-01,
                   kLn2Low = 1.90821492927058770002e-10;
  double v = x < -150.0 ? -150.0 : x;
  v = v > 130.0 ? 130.0 : v;
  const double shifted = v * kLog2E + kShift;
  const double k = shifted - kShift;
  const double r = (v - k * kLn2High) - k * kLn2Low;
  const double r2 = r * r, r4 = r2 * r2, r8 = r4 * r4;
  const double p01 = 1.0 + r, p23 = 1.0 / 2 + r * (1.0 / 6), p45 = 1.0 / 24 + r * (1.0 / 120);
  const double p67 = 1.0 / 720 + r * (1.0 / 5040), p89 = 1.0 / 40320 + r * (1.0 / 362880);
  const double pab = 1.0 / 3628800 + r * (1.0 / 39916800);
  const double poly = (p01 + p23 * r2) + (p45 + p67 * r2) * r4 + (p89 + pab * r2) * r8;
  const double scale = std::bit_cast<double>((std::bit_cast<uint64_t>(shifted) + 1023u) << 52);
  return poly * scale;
}

/// Natural logarithm of a float value; -inf for zeros, NaN below.
ASCSAN_INLINE double log_of(double x) {
  constexpr uint64_t kBias = uint64_t{1024} << 52;
  constexpr uint64_t kSqrtHalf = 0x3FE6A09E667F3BCDu;
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  const uint64_t biased = (bits - kSqrtHalf + kBias) >> 52;  // exponent of x / sqrt(1/2), plus 1024
  const double exponent = std::bit_cast<double>(biased | 0x4330000000000000u) - (4503599627370496.0 + 1024.0);
  const double m = std::bit_cast<double>(bits - (biased << 52) + kBias);
  const double s = (m - 1.0) / (m + 1.0);
  const double s2 = s * s, s4 = s2 * s2, s8 = s4 * s4;
  const double q01 = 1.0 + s2 * (1.0 / 3), q23 = 1.0 / 5 + s2 * (1.0 / 7), q45 = 1.0 / 9 + s2 * (1.0 / 11);
  const double q67 = 1.0 / 13 + s2 * (1.0 / 15);
  const double poly = (q01 + q23 * s4) + (q45 + q67 * s4 + s8 * (1.0 / 17)) * s8;
  const double value = exponent * 0.693147180559945309417 + 2.0 * s * poly;
  const double infinity = std::numeric_limits<double>::infinity();
  double result = x > 3.5e38 ? infinity : value;
  result = x == 0.0 ? -infinity : result;
  return x >= 0.0 ? result : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace ascsan::isa::simd
