#include "isa/fractal.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace ascsan::isa {

#if defined(__SSE2__)
namespace {

/// 8 x 8 transpose of 16-bit elements; pitches in bytes.
void transpose_8x8(std::byte* dst, const std::byte* src) {
  constexpr int kPitch = 32;
  __m128i row[8], pair[8], quad[8];
  for (int i = 0; i < 8; ++i) row[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(src + i * kPitch));
  for (int i = 0; i < 4; ++i) {
    pair[2 * i] = _mm_unpacklo_epi16(row[2 * i], row[2 * i + 1]);
    pair[2 * i + 1] = _mm_unpackhi_epi16(row[2 * i], row[2 * i + 1]);
  }
  for (int i = 0; i < 2; ++i) {
    quad[4 * i + 0] = _mm_unpacklo_epi32(pair[4 * i], pair[4 * i + 2]);
    quad[4 * i + 1] = _mm_unpackhi_epi32(pair[4 * i], pair[4 * i + 2]);
    quad[4 * i + 2] = _mm_unpacklo_epi32(pair[4 * i + 1], pair[4 * i + 3]);
    quad[4 * i + 3] = _mm_unpackhi_epi32(pair[4 * i + 1], pair[4 * i + 3]);
  }
  for (int i = 0; i < 4; ++i) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(dst + (2 * i) * kPitch), _mm_unpacklo_epi64(quad[i], quad[i + 4]));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(dst + (2 * i + 1) * kPitch), _mm_unpackhi_epi64(quad[i], quad[i + 4]));
  }
}

}  // namespace

void transpose_16x16_b16(std::byte* dst, const std::byte* src) {
  transpose_8x8(dst, src);
  transpose_8x8(dst + 16, src + 8 * 32);
  transpose_8x8(dst + 8 * 32, src + 16);
  transpose_8x8(dst + 8 * 32 + 16, src + 8 * 32 + 16);
}
#else
void transpose_16x16_b16(std::byte* dst, const std::byte* src) {
  for (int r = 0; r < 16; ++r)
    for (int c = 0; c < 16; ++c) store_element(dst + c * 32 + r * 2, load_element<uint16_t>(src + r * 32 + c * 2));
}
#endif

}  // namespace ascsan::isa
