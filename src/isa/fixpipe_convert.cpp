#include "isa/fixpipe_convert.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "ascendc/float16.h"
#include "isa/cube_simd.h"

namespace ascsan::isa {
namespace {

using gate::Quant;

constexpr uint64_t kMost = 512;  // elements handled at a time

/// Nearest integer, ties to even, independent of the rounding mode of the host.
float rint_even(float value) {
  const float floor = std::floor(value), rest = value - floor;
  if (rest > 0.5f) return floor + 1;
  if (rest < 0.5f) return floor;
  return std::fmod(floor, 2.0f) == 0.0f ? floor : floor + 1;
}

float clamped(float value, float limit) {
  if (std::isnan(value)) return 0;
  return std::clamp(value, -limit, limit);
}

float relu(float value) {
  return value > 0 || std::isnan(value) ? value : 0.0f;
}

/// Accumulator as the float the multiplier sees: shifted and clamped to int16 first where the word asks for it.
float scaled_input(const Conversion& how, uint32_t bits, const ScaleWord& word) {
  if (!how.integer) return __builtin_bit_cast(float, bits);
  auto value = static_cast<int32_t>(bits);
  if (word.shift != 0) value = std::clamp(value >> word.shift, -32768, 32767);
  return static_cast<float>(value);
}

/// multiply, clamp to 9 bits, round, add the offset, clamp to the 8-bit type.
uint8_t to_b8(float x, const ScaleWord& word) {
  const float product = x * word.scale;
  const float limited = std::isnan(product) ? 0.0f : std::clamp(product, -256.0f, 255.0f);
  const int32_t value = static_cast<int32_t>(rint_even(limited)) + word.offset;
  return static_cast<uint8_t>(word.is_signed ? std::clamp(value, -128, 127) : std::clamp(value, 0, 255));
}

uint16_t to_half_saturated(float x, const ScaleWord& word) {
  return float16::half_bits(clamped(x * word.scale, 65504.0f));
}

void convert_scaled(const Conversion& how, const uint32_t* src, std::byte* dst, uint64_t count, uint64_t column) {
  for (uint64_t i = 0; i < count; ++i) {
    const ScaleWord& word = how.words[how.per_column ? column + i : 0];
    float x = scaled_input(how, src[i], word);
    if (how.relu) x = relu(x);
    if (how.quant == Quant::kDeqF16 || how.quant == Quant::kVecDeqF16) {
      const uint16_t half = to_half_saturated(x, word);
      std::memcpy(dst + 2 * i, &half, 2);
    } else {
      dst[i] = std::byte{to_b8(x, word)};
    }
  }
}

void convert_narrow(const Conversion& how, float* values, std::byte* dst, uint64_t count) {
  const bool half = how.quant == Quant::kF32ToF16;
  if (how.saturate) {
    const float limit = half ? 65504.0f : 0x1.FEp127f;
    for (uint64_t i = 0; i < count; ++i) values[i] = clamped(values[i], limit);
  }
  uint16_t out[kMost];
  if (half) {
    narrow_half(values, out, count);
  } else {
    narrow_bfloat16(values, out, count);
  }
  std::memcpy(dst, out, count * 2);
}

void convert_some(const Conversion& how, const std::byte* src, std::byte* dst, uint64_t count, uint64_t column) {
  uint32_t bits[kMost];
  std::memcpy(bits, src, count * 4);
  if (how.quant == Quant::kF32ToF16 || how.quant == Quant::kF32ToBf16) {
    float values[kMost];
    std::memcpy(values, bits, count * 4);
    if (how.relu)
      for (uint64_t i = 0; i < count; ++i) values[i] = relu(values[i]);
    convert_narrow(how, values, dst, count);
  } else if (how.quant == Quant::kNone) {
    for (uint64_t i = 0; i < count && how.relu; ++i) {
      const bool negative = how.integer ? (bits[i] >> 31) != 0 : !(__builtin_bit_cast(float, bits[i]) > 0);
      const bool nan = !how.integer && std::isnan(__builtin_bit_cast(float, bits[i]));
      if (negative && !nan) bits[i] = 0;
    }
    std::memcpy(dst, bits, count * 4);
  } else {
    convert_scaled(how, bits, dst, count, column);
  }
}

}  // namespace

ScaleWord::ScaleWord(uint64_t bits) {
  scale = __builtin_bit_cast(float, static_cast<uint32_t>(bits) & 0xFFFFE000u);
  if ((bits >> 36 & 1) != 0) shift = static_cast<uint32_t>(bits >> 32 & 0xF) + 1;
  offset = static_cast<int32_t>((bits >> 37 & 0x1FF) ^ 0x100) - 0x100;
  is_signed = (bits >> 46 & 1) != 0;
}

uint32_t output_bytes(Quant quant) {
  switch (quant) {
    case Quant::kNone:
      return 4;
    case Quant::kF32ToF16:
    case Quant::kF32ToBf16:
    case Quant::kDeqF16:
    case Quant::kVecDeqF16:
      return 2;
    default:
      return 1;
  }
}

void convert(const Conversion& how, const std::byte* src, std::byte* dst, uint64_t count, uint64_t column) {
  if (how.quant == Quant::kNone && !how.relu) {
    std::memcpy(dst, src, count * 4);
    return;
  }
  const uint32_t size = output_bytes(how.quant);
  for (uint64_t done = 0; done < count; done += kMost) {
    const uint64_t part = std::min(kMost, count - done);
    convert_some(how, src + done * 4, dst + done * size, part, column + done);
  }
}

}  // namespace ascsan::isa
