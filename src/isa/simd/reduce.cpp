#include "isa/simd/reduce.h"

#include <immintrin.h>

#include "isa/simd/kernel.h"
#include "isa/simd/math.h"

namespace ascsan::isa::simd {
namespace {

constexpr uint32_t kMostLanes = 128;

float tree_sum_base(const float* values, uint32_t width) {
  float t[kMostLanes / 2];
  if (width == 1) return values[0];
  width /= 2;
  for (uint32_t i = 0; i < width; ++i) t[i] = values[2 * i] + values[2 * i + 1];
  for (; width > 1; width /= 2) {
    for (uint32_t i = 0; i < width / 2; ++i) t[i] = t[2 * i] + t[2 * i + 1];
  }
  return t[0];
}

/// Eight values: hadd adds neighbours, which is the tree.
ASCSAN_AVX2 ASCSAN_INLINE __m256 tree_8x8(const float* v) {
  const __m256 a = _mm256_hadd_ps(_mm256_loadu_ps(v), _mm256_loadu_ps(v + 8));
  const __m256 b = _mm256_hadd_ps(_mm256_loadu_ps(v + 16), _mm256_loadu_ps(v + 24));
  const __m256 c = _mm256_hadd_ps(_mm256_loadu_ps(v + 32), _mm256_loadu_ps(v + 40));
  const __m256 d = _mm256_hadd_ps(_mm256_loadu_ps(v + 48), _mm256_loadu_ps(v + 56));
  const __m256 ab = _mm256_hadd_ps(a, b), cd = _mm256_hadd_ps(c, d);  // per 128 bits: quarter sums of 4 vectors
  const __m256 low = _mm256_permute2f128_ps(ab, cd, 0x20), high = _mm256_permute2f128_ps(ab, cd, 0x31);
  return _mm256_add_ps(low, high);
}

ASCSAN_AVX2 float tree_sum_avx2(const float* values, uint32_t width) {
  if (width % 64 != 0) return tree_sum_base(values, width);
  float parts[kMostLanes / 8];
  for (uint32_t i = 0; i < width / 64; ++i) _mm256_storeu_ps(parts + 8 * i, tree_8x8(values + 64 * i));
  return tree_sum_base(parts, width / 8);
}

template <typename Target>
ASCSAN_INLINE uint16_t tree_half(const uint16_t* values, uint32_t width, bool saturate) {
  float wide[kMostLanes];
  uint16_t bits[kMostLanes];
  if (width == 1) return values[0];
  Target::half_to_float(wide, values, width);
  for (; width > 1; width /= 2) {
    for (uint32_t i = 0; i < width / 2; ++i) wide[i] = canonical(wide[2 * i] + wide[2 * i + 1]);
    Target::float_to_half(bits, wide, width / 2);
    if (saturate) {
      for (uint32_t i = 0; i < width / 2; ++i) bits[i] = fp::saturate_half(bits[i]);
    }
    Target::half_to_float(wide, bits, width / 2);
  }
  return bits[0];
}
uint16_t tree_half_base(const uint16_t* values, uint32_t width, bool saturate) {
  return tree_half<BaseTarget>(values, width, saturate);
}
ASCSAN_AVX2 uint16_t tree_half_avx2(const uint16_t* values, uint32_t width, bool saturate) {
  return tree_half<Avx2Target>(values, width, saturate);
}

uint32_t first_extreme_base(const float* values, uint32_t n, bool largest) {
  uint32_t best = 0;
  for (uint32_t i = 0; i < n; ++i) {
    if (values[i] != values[i]) return i;
    if (largest ? values[i] > values[best] : values[i] < values[best]) best = i;
  }
  return best;
}

ASCSAN_AVX2 uint32_t first_extreme_avx2(const float* values, uint32_t n, bool largest) {
  if (n % 8 != 0) return first_extreme_base(values, n, largest);
  __m256 best = _mm256_loadu_ps(values), unordered = _mm256_setzero_ps();
  for (uint32_t i = 0; i < n; i += 8) {
    const __m256 v = _mm256_loadu_ps(values + i);
    best = largest ? _mm256_max_ps(best, v) : _mm256_min_ps(best, v);
    unordered = _mm256_or_ps(unordered, _mm256_cmp_ps(v, v, _CMP_UNORD_Q));
  }
  float lanes[8];
  _mm256_storeu_ps(lanes, best);
  const bool nan = _mm256_movemask_ps(unordered) != 0;
  float extreme = lanes[0];
  for (int i = 1; i < 8; ++i) extreme = (largest ? lanes[i] > extreme : lanes[i] < extreme) ? lanes[i] : extreme;
  for (uint32_t i = 0; i < n; i += 8) {
    const __m256 v = _mm256_loadu_ps(values + i);
    const __m256 hit = nan ? _mm256_cmp_ps(v, v, _CMP_UNORD_Q) : _mm256_cmp_ps(v, _mm256_set1_ps(extreme), _CMP_EQ_OQ);
    const int found = _mm256_movemask_ps(hit);
    if (found != 0) return i + static_cast<uint32_t>(__builtin_ctz(static_cast<unsigned>(found)));
  }
  return 0;
}

bool avx2() {
  return level() == Level::kAvx2;
}

}  // namespace

float tree_sum(const float* values, uint32_t width) {
  return canonical(avx2() ? tree_sum_avx2(values, width) : tree_sum_base(values, width));
}
uint16_t tree_sum_half(const uint16_t* values, uint32_t width, bool saturate) {
  return avx2() ? tree_half_avx2(values, width, saturate) : tree_half_base(values, width, saturate);
}
uint32_t first_extreme(const float* values, uint32_t n, bool largest) {
  return avx2() ? first_extreme_avx2(values, n, largest) : first_extreme_base(values, n, largest);
}
void widen(float* dst, const uint16_t* src, size_t n) {
  if (avx2())
    Avx2Target::half_to_float(dst, src, n);
  else
    BaseTarget::half_to_float(dst, src, n);
}

}  // namespace ascsan::isa::simd
