// Reference for the conversions of Fixpipe, written from spec/fp.md 6 in double and integers, apart from src/isa.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace reference {

/// Bits of the 16-bit float nearest to x, ties to even; `fraction` bits, `bias` of the exponent.
inline uint16_t narrow(double x, int fraction, int bias, bool saturate) {
  const uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  const int most = 2 * bias;  // exponent field of the largest finite value
  const auto infinity = static_cast<uint16_t>((most + 1) << fraction);
  const auto largest = static_cast<uint16_t>(infinity - 1);
  if (std::isnan(x)) return saturate ? 0 : static_cast<uint16_t>(infinity | (1 << (fraction - 1)));
  const double magnitude = std::fabs(x);
  if (magnitude == 0) return sign;
  int exponent = 0;
  std::frexp(std::min(magnitude, 1e300), &exponent);
  exponent = std::max(exponent - 1, 1 - bias);
  const double scaled = std::ldexp(std::min(magnitude, 1e300), fraction - exponent);
  double floor = std::floor(scaled);
  const double rest = scaled - floor;
  if (rest > 0.5 || (rest == 0.5 && std::fmod(floor, 2) == 1)) floor += 1;
  const double limit = std::ldexp(2.0 - std::ldexp(1.0, -fraction), bias);
  if (std::ldexp(floor, exponent - fraction) > limit || std::isinf(magnitude))
    return static_cast<uint16_t>(sign | (saturate ? largest : infinity));
  const auto mantissa = static_cast<uint32_t>(floor);  // with hidden bit for normal numbers
  return static_cast<uint16_t>(sign | (mantissa + (static_cast<uint32_t>(exponent + bias - 1) << fraction)));
}
inline uint16_t to_half(double x, bool saturate) {
  return narrow(x, 10, 15, saturate);
}
inline uint16_t to_bfloat16(double x, bool saturate) {
  return narrow(x, 7, 127, saturate);
}

inline double rint_even(double x) {
  const double floor = std::floor(x), rest = x - floor;
  if (rest != 0.5) return rest > 0.5 ? floor + 1 : floor;
  return std::fmod(floor, 2) == 0 ? floor : floor + 1;
}

struct Word {
  uint64_t bits = 0;
  float scale = 0;
  int shift = 0, offset = 0;
  bool is_signed = false;
};

inline Word word_of(float scale, int shift, int offset, bool is_signed) {
  Word w;
  uint32_t f;
  std::memcpy(&f, &scale, 4);
  w.bits = f | (shift > 0 ? (uint64_t{1} << 36) | (static_cast<uint64_t>(shift - 1) << 32) : 0) |
           ((static_cast<uint64_t>(offset) & 0x1FF) << 37) | (uint64_t{is_signed} << 46);
  f &= 0xFFFFE000;
  std::memcpy(&w.scale, &f, 4);
  w.shift = shift, w.offset = offset, w.is_signed = is_signed;
  return w;
}

inline float shifted_input(int32_t x, const Word& w) {
  if (w.shift == 0) return static_cast<float>(x);
  const int64_t value = static_cast<int64_t>(std::floor(std::ldexp(static_cast<double>(x), -w.shift)));
  return static_cast<float>(std::min<int64_t>(std::max<int64_t>(value, -32768), 32767));
}

inline uint8_t to_b8(float x, const Word& w, bool relu) {
  const float used = relu && x < 0 ? 0.0f : w.scale;
  const float product = x * used;
  const double limited = std::min(std::max(static_cast<double>(product), -256.0), 255.0);
  const double value = rint_even(limited) + w.offset;
  return static_cast<uint8_t>(
      static_cast<int>(w.is_signed ? std::min(std::max(value, -128.0), 127.0) : std::min(std::max(value, 0.0), 255.0)));
}

}  // namespace reference
