// The other side of the vector tests: lanes, masks and numbers written down once more, element by element and without
// anything from src/isa. A lane is (repeat, index); its byte address follows spec/api-semantics.md 0. Half values are
// rounded through scaled integers in double.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "ascendc/float16.h"

namespace ref {

inline float f32(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, 4);
  return x;
}
inline uint32_t u32(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  return bits;
}

/// IEEE binary16 to double by its definition.
inline double half_value(uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const double fraction = bits & 1023, sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 31) return fraction != 0 ? std::nan("") : sign * INFINITY;
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

/// Modes as AscendC::RoundMode.
inline double round_mode(double x, int mode) {
  switch (mode) {
    case 2:
      return std::floor(x);
    case 3:
      return std::ceil(x);
    case 4:
      return x < 0 ? -std::floor(-x + 0.5) : std::floor(x + 0.5);
    case 5:
      return x < 0 ? std::ceil(x) : std::floor(x);
    case 6: {  // odd
      const double t = x < 0 ? std::ceil(x) : std::floor(x);
      if (t == x || std::fmod(t, 2) != 0) return t;
      return x < 0 ? t - 1 : t + 1;
    }
    default: {
      const double low = std::floor(x), rest = x - low;
      if (rest != 0.5) return rest < 0.5 ? low : low + 1;
      return std::fmod(low, 2) == 0 ? low : low + 1;
    }
  }
}

/// Rounds to a format with `digits` significant bits, smallest unit 2^min_unit, largest finite value `max`.
inline double round_to(double x, int digits, int min_unit, double max, int mode) {
  if (x == 0 || std::isnan(x) || std::isinf(x)) return x;
  int exponent;
  std::frexp(x, &exponent);
  const int unit = std::max(exponent - digits, min_unit);
  const double result = std::ldexp(round_mode(std::ldexp(x, -unit), mode), unit);
  if (std::fabs(result) <= max) return result == 0 ? std::copysign(0.0, x) : result;
  const bool toward_zero = mode == 5 || mode == 6 || (mode == 2 && x > 0) || (mode == 3 && x < 0);
  return std::copysign(toward_zero ? max : INFINITY, x);
}

inline uint16_t half_bits(double x, int mode = 1) {
  if (std::isnan(x)) return 0x7E00;
  const double r = round_to(x, 11, -24, 65504, mode);
  const uint16_t sign = std::signbit(r) ? 0x8000 : 0;
  const double m = std::fabs(r);
  if (std::isinf(m)) return sign | 0x7C00;
  if (m == 0) return sign;
  int exponent;
  std::frexp(m, &exponent);  // m = 0.1... * 2^exponent
  if (exponent < -13) return sign | static_cast<uint16_t>(std::ldexp(m, 24));
  return static_cast<uint16_t>(sign | ((exponent + 14) << 10) |
                               (static_cast<int>(std::ldexp(m, 11 - exponent)) - 1024));
}
inline uint16_t bfloat16_bits(double x, int mode = 1) {
  if (std::isnan(x)) return 0x7FC0;
  const double r = round_to(x, 8, -133, 3.3895313892515355e38, mode);
  return static_cast<uint16_t>(u32(static_cast<float>(r)) >> 16);
}
inline uint32_t float_bits(double x, int mode = 1) {
  if (std::isnan(x)) return 0x7FC00000u;
  return u32(static_cast<float>(round_to(x, 24, -149, 3.4028234663852886e38, mode)));
}
inline uint16_t half_saturated(uint16_t bits) {
  if ((bits & 0x7FFF) > 0x7C00) return 0;
  return (bits & 0x7FFF) == 0x7C00 ? static_cast<uint16_t>((bits & 0x8000) | 0x7BFF) : bits;
}

inline double max_value(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::nan("");
  if (a == 0 && b == 0) return std::signbit(a) && std::signbit(b) ? -0.0 : 0.0;
  return a > b ? a : b;
}
inline double min_value(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::nan("");
  if (a == 0 && b == 0) return std::signbit(a) || std::signbit(b) ? -0.0 : 0.0;
  return a < b ? a : b;
}

template <typename T>
T clamp_int(double x) {
  if (std::isnan(x)) return 0;
  if (x >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  if (x <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  return static_cast<T>(x);
}

/// One operand of a lane instruction.
struct Operand {
  uint64_t address = 0;
  uint32_t bytes = 4;              ///< of an element
  uint32_t block = 1, repeat = 8;  ///< strides in blocks of 32 bytes
  bool dense = false;              ///< count form: lane i of repeat r is element r * lanes + i
};

inline uint64_t lane_address(const Operand& operand, uint32_t lanes, uint32_t repeat, uint32_t lane) {
  if (operand.dense) return operand.address + (uint64_t{repeat} * lanes + lane) * operand.bytes;
  const uint32_t per_block = 32 / operand.bytes;
  return operand.address + uint64_t{repeat} * operand.repeat * 32 + uint64_t{lane / per_block} * operand.block * 32 +
         uint64_t{lane % per_block} * operand.bytes;
}

/// Enabled lanes of each repeat, in order.
using Lanes = std::vector<std::vector<uint32_t>>;

inline Lanes lanes_total(uint32_t lanes, uint64_t total) {
  Lanes result;
  for (uint64_t done = 0; done < total; done += lanes) {
    result.emplace_back();
    for (uint32_t i = 0; i < lanes && done + i < total; ++i) result.back().push_back(i);
  }
  return result;
}
inline Lanes lanes_masked(uint32_t lanes, uint64_t low, uint64_t high, uint32_t repeats) {
  std::vector<uint32_t> one;
  for (uint32_t i = 0; i < lanes; ++i)
    if (((i < 64 ? low >> i : high >> (i - 64)) & 1) != 0) one.push_back(i);
  return Lanes(one.empty() ? 0 : repeats, one);
}

}  // namespace ref
