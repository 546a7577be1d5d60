// Host level and bulk half conversions. The plain form is branch-free integer code that compilers vectorise with SSE2;
// the other uses F16C. Both agree on every input, NaN payloads included (include/ascendc/float16.h).
#include <cpuid.h>
#include <immintrin.h>

#include <bit>

#include "ascendc/float16.h"
#include "isa/simd/kernel.h"

namespace ascsan::isa::simd {
namespace {

Level host_level() {
  __builtin_cpu_init();
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  const bool f16c = __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
  return f16c && __builtin_cpu_supports("avx2") ? Level::kAvx2 : Level::kBase;
}

Level current = host_level();

}  // namespace

Level level() {
  return current;
}

void set_level(Level wanted) {
  const Level host = host_level();
  current = wanted > host ? host : wanted;
}

void BaseTarget::half_to_float(float* dst, const uint16_t* src, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    const uint32_t bits = src[i];
    const uint32_t magnitude = (bits & 0x7FFFu) << 13;
    // Scaling by 2^112 moves the exponent; subnormals become normal floats, exactly.
    const float scaled = std::bit_cast<float>(magnitude) * 0x1p112f;
    const uint32_t quiet = (bits & 0x3FFu) != 0 ? 0x400000u : 0u;
    const uint32_t special = 0x7F800000u | magnitude | quiet;
    const uint32_t value = (bits & 0x7C00u) == 0x7C00u ? special : std::bit_cast<uint32_t>(scaled);
    dst[i] = std::bit_cast<float>(value | ((bits & 0x8000u) << 16));
  }
}

void BaseTarget::float_to_half(uint16_t* dst, const float* src, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    const uint32_t bits = std::bit_cast<uint32_t>(src[i]);
    const uint32_t magnitude = bits & 0x7FFFFFFFu;
    const float clamped = std::bit_cast<float>(magnitude < 0x38800000u ? magnitude : 0u);
    const uint32_t small = std::bit_cast<uint32_t>(clamped + 0.5f) - 0x3F000000u;
    const uint32_t normal = (magnitude + 0xC8000FFFu + ((magnitude >> 13) & 1u)) >> 13;
    const uint32_t large = magnitude > 0x7F800000u ? 0x7E00u | ((magnitude >> 13) & 0x3FFu) : 0x7C00u;
    uint32_t value = magnitude < 0x38800000u ? small : normal;
    value = magnitude >= 0x47800000u ? large : value;
    dst[i] = static_cast<uint16_t>(value | ((bits >> 16) & 0x8000u));
  }
}

ASCSAN_AVX2 void Avx2Target::half_to_float(float* dst, const uint16_t* src, size_t n) {
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    _mm256_storeu_ps(dst + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(src + i))));
  }
  for (; i < n; ++i) dst[i] = _cvtsh_ss(src[i]);
}

ASCSAN_AVX2 void Avx2Target::float_to_half(uint16_t* dst, const float* src, size_t n) {
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(dst + i), _mm256_cvtps_ph(_mm256_loadu_ps(src + i), 0));
  }
  for (; i < n; ++i) dst[i] = _cvtss_sh(src[i], 0);
}

}  // namespace ascsan::isa::simd
