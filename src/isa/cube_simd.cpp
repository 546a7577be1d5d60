#include "isa/cube_simd.h"

#include <cstring>

#include "ascendc/float16.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define ASCSAN_AVX2 __attribute__((target("avx2,f16c,fma")))
#endif

namespace ascsan::isa {
namespace {

constexpr uint64_t kFractal = 512;

#if defined(__x86_64__)
bool have_avx2() {
  static const bool yes = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return yes;
}

/// 16 rows of 32 bytes to 16 rows of float.
ASCSAN_AVX2 void widen_half(const std::byte* src, float* dst, uint64_t pitch, uint64_t rows) {
  for (uint64_t r = 0; r < rows; ++r, src += 32, dst += pitch) {
    _mm256_storeu_ps(dst, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(src))));
    _mm256_storeu_ps(dst + 8, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(src + 16))));
  }
}

ASCSAN_AVX2 void widen_bfloat16(const std::byte* src, float* dst, uint64_t pitch, uint64_t rows) {
  for (uint64_t r = 0; r < rows; ++r, src += 32, dst += pitch) {
    const __m256i low = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(src)));
    const __m256i high = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(src + 16)));
    _mm256_storeu_ps(dst, _mm256_castsi256_ps(_mm256_slli_epi32(low, 16)));
    _mm256_storeu_ps(dst + 8, _mm256_castsi256_ps(_mm256_slli_epi32(high, 16)));
  }
}

ASCSAN_AVX2 uint32_t sum_of(__m256i v) {
  const __m128i four = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  const __m128i two = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4E));
  return static_cast<uint32_t>(_mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 0xB1))));
}

ASCSAN_AVX2 inline __m256i load(const int16_t* at) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}

/// Products of 8-bit values fit 16 x 16 -> 32 bit pair sums exactly; sums wrap.
ASCSAN_AVX2 void multiply_avx2(const int16_t* a, const int16_t* b, uint32_t* c, uint64_t m, uint64_t n, uint64_t k,
                               uint64_t pitch, uint64_t c_pitch) {
  for (uint64_t j = 0; j < n; j += 4) {
    const uint64_t columns = std::min<uint64_t>(4, n - j);
    const int16_t* column[4];
    for (uint64_t x = 0; x < 4; ++x) column[x] = b + (j + std::min(x, columns - 1)) * pitch;
    for (uint64_t i = 0; i < m; ++i) {
      const int16_t* row = a + i * pitch;
      __m256i sum[4] = {_mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256()};
      for (uint64_t at = 0; at < k; at += 16) {
        const __m256i left = load(row + at);
        for (int x = 0; x < 4; ++x) sum[x] = _mm256_add_epi32(sum[x], _mm256_madd_epi16(left, load(column[x] + at)));
      }
      for (uint64_t x = 0; x < columns; ++x) c[i * c_pitch + j + x] = sum_of(sum[x]);
    }
  }
}

ASCSAN_AVX2 uint64_t narrow_half_avx2(const float* src, uint16_t* dst, uint64_t count) {
  uint64_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(dst + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(src + i), _MM_FROUND_TO_NEAREST_INT));
  return i;
}

ASCSAN_AVX2 uint64_t narrow_bfloat16_avx2(const float* src, uint16_t* dst, uint64_t count) {
  const __m256i one = _mm256_set1_epi32(1), half = _mm256_set1_epi32(0x7FFF), quiet = _mm256_set1_epi32(0x40);
  uint64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m256 value = _mm256_loadu_ps(src + i);
    const __m256i bits = _mm256_castps_si256(value), top = _mm256_srli_epi32(bits, 16);
    const __m256i rounded =
        _mm256_srli_epi32(_mm256_add_epi32(bits, _mm256_add_epi32(half, _mm256_and_si256(top, one))), 16);
    const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(value, value, _CMP_UNORD_Q));
    const __m256i result = _mm256_blendv_epi8(rounded, _mm256_or_si256(top, quiet), nan);
    const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(result, result), 0x08);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(dst + i), _mm256_castsi256_si128(packed));
  }
  return i;
}
#endif

void multiply_plain(const int16_t* a, const int16_t* b, uint32_t* c, uint64_t m, uint64_t n, uint64_t k, uint64_t pitch,
                    uint64_t c_pitch) {
  for (uint64_t i = 0; i < m; ++i)
    for (uint64_t j = 0; j < n; ++j) {
      uint32_t sum = 0;
      for (uint64_t at = 0; at < k; ++at) sum += static_cast<uint32_t>(int32_t{a[i * pitch + at]} * b[j * pitch + at]);
      c[i * c_pitch + j] = sum;
    }
}

}  // namespace

bool unpack_float_simd(const CubeOperand& o, float* dst, uint64_t pitch) {
#if defined(__x86_64__)
  if (!have_avx2() && o.type != gate::DataType::kFloat) return false;
  const uint64_t k0 = o.k0();
  for (uint64_t rb = 0; rb < o.row_blocks(); ++rb) {
    const uint64_t rows = std::min<uint64_t>(16, o.rows - rb * 16);
    for (uint64_t kb = 0; kb < o.k_blocks(); ++kb) {
      const std::byte* src = o.base + (rb * o.row_step + kb * o.k_step) * kFractal;
      float* out = dst + rb * 16 * pitch + kb * k0;
      switch (o.type) {
        case gate::DataType::kHalf:
          widen_half(src, out, pitch, rows);
          break;
        case gate::DataType::kBfloat16:
          widen_bfloat16(src, out, pitch, rows);
          break;
        default:
          for (uint64_t r = 0; r < rows; ++r) std::memcpy(out + r * pitch, src + r * 32, 32);
      }
    }
  }
  return true;
#else
  (void)o, (void)dst, (void)pitch;
  return false;
#endif
}

void multiply_int16(const int16_t* a, const int16_t* b, uint32_t* c, uint64_t m, uint64_t n, uint64_t k, uint64_t pitch,
                    uint64_t c_pitch) {
#if defined(__x86_64__)
  if (have_avx2()) return multiply_avx2(a, b, c, m, n, k, pitch, c_pitch);
#endif
  multiply_plain(a, b, c, m, n, k, pitch, c_pitch);
}

void narrow_half(const float* src, uint16_t* dst, uint64_t count) {
  uint64_t i = 0;
#if defined(__x86_64__)
  if (have_avx2()) i = narrow_half_avx2(src, dst, count);
#endif
  for (; i < count; ++i) dst[i] = float16::half_bits(src[i]);
}

void narrow_bfloat16(const float* src, uint16_t* dst, uint64_t count) {
  uint64_t i = 0;
#if defined(__x86_64__)
  if (have_avx2()) i = narrow_bfloat16_avx2(src, dst, count);
#endif
  for (; i < count; ++i) dst[i] = float16::bfloat16_bits(src[i]);
}

}  // namespace ascsan::isa
