// Packing for products on bfloat16 pairs: two depths of one free element share a 32-bit lane. Two layouts of a panel:
// pairs side by side (lane q * width + i holds pair q of element i; both operands of dot products, the right operand of
// matrix tiles) and rows side by side (16 pairs of element 0, 16 pairs of element 1, ...; the left operand of tiles).
// A source with contiguous depth is read as rows of pairs, one with contiguous free elements as two rows that are
// interleaved; whichever lies across the layout is turned in blocks of 8 by 8 lanes.
// fp32 sources (logit gradients) are rounded here, to nearest even. Included only by kernels_*.cpp files.
#pragma once

#include "gemm_kernels.h"

namespace flce::cpu {
namespace {

constexpr int64_t kTileDepth = 32;  // depths of one matrix tile

// Step: depths are padded to a multiple of it.
template <int W, int64_t Step>
struct PairsSideBySide {
  static constexpr int kWidth = W;
  static constexpr int64_t kStep = Step;
  static constexpr bool kRows = false;
  static FLCE_INLINE uint32_t* at(uint32_t* panel, int64_t pair, int64_t i) { return panel + pair * W + i; }
};
template <int W>
struct RowsSideBySide {
  static constexpr int kWidth = W;
  static constexpr int64_t kStep = kTileDepth;
  static constexpr bool kRows = true;
  static FLCE_INLINE uint32_t* at(uint32_t* panel, int64_t pair, int64_t i) {
    constexpr int64_t kPairs = kTileDepth / 2;
    return panel + (pair / kPairs * W + i) * kPairs + pair % kPairs;
  }
};

FLCE_INLINE uint32_t load_bf16(const Operand& s, int64_t at) {
  if (s.dtype == DType::kBFloat16) return static_cast<const uint16_t*>(s.data)[at];
  return round_bits_bf16<4>(splat<VF<4>>(load_one<float>(s.data, s.dtype, at)))[0] >> 16;
}

// 8 pairs of one free element, depth contiguous.
template <DType D>
FLCE_INLINE VU<8> depth_pairs(const void* data, int64_t at) {
  if constexpr (D == DType::kBFloat16) return load<VU<8>>(static_cast<const uint16_t*>(data) + at);
  const float* x = static_cast<const float*>(data) + at;
  const VU<8> a = round_bits_bf16<8>(load<VF<8>>(x)), b = round_bits_bf16<8>(load<VF<8>>(x + 8));
  const VU<8> even = bits<VU<8>>(__builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14));
  const VU<8> odd = bits<VU<8>>(__builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15));
  return even >> 16 | odd;
}
// One pair of 8 free elements, those contiguous, the two depths at `even` and `odd`.
template <DType D>
FLCE_INLINE VU<8> free_pairs(const void* data, int64_t even, int64_t odd) {
  if constexpr (D == DType::kBFloat16) {
    const uint16_t* x = static_cast<const uint16_t*>(data);
    return __builtin_convertvector(load<VH<8>>(x + even), VU<8>) | __builtin_convertvector(load<VH<8>>(x + odd), VU<8>)
                                                                       << 16;
  }
  const float* x = static_cast<const float*>(data);
  return round_bits_bf16<8>(load<VF<8>>(x + even)) >> 16 | round_bits_bf16<8>(load<VF<8>>(x + odd));
}

// Up to 8 pairs from q0 of up to 8 elements from i0; r[i] holds the pairs of one element or r[q] one pair of all.
template <class Layout>
FLCE_INLINE void store_block(VU<8>* r, bool by_element, uint32_t* panel, int64_t q0, int64_t pairs, int64_t i0) {
  constexpr int kLast = Layout::kWidth % 8;
  const bool partial = kLast != 0 && i0 + 8 > Layout::kWidth;
  if (by_element != Layout::kRows) transpose8(r);
  if (Layout::kRows) {
    for (int i = 0; i < 8; ++i) store(Layout::at(panel, q0, i0 + i), r[i]);
  } else if (pairs == 8 && !partial) {
#pragma GCC unroll 8
    for (int q = 0; q < 8; ++q) store(Layout::at(panel, q0 + q, i0), r[q]);
  } else {
    for (int64_t q = 0; q < pairs; ++q) {
      if (partial) {
        std::memcpy(Layout::at(panel, q0 + q, i0), &r[q], 4 * (kLast ? kLast : 8));
      } else {
        store(Layout::at(panel, q0 + q, i0), r[q]);
      }
    }
  }
}

// The block at the edge of the source or of a source that is contiguous in no direction.
template <class Layout>
void pack_block_slow(const Operand& s, int64_t f, int64_t elements, int64_t p, int64_t depths, uint32_t* panel,
                     int64_t q0, int64_t pairs, int64_t i0) {
  uint32_t lanes[8][8] = {};
  for (int64_t i = 0; i < elements; ++i) {
    const int64_t base = index_of(s.free_index, f + i) * s.free_stride;
    for (int64_t d = 0; d < depths; ++d) {
      lanes[i][d / 2] |= load_bf16(s, base + index_of(s.depth_index, p + d) * s.depth_stride) << d % 2 * 16;
    }
  }
  VU<8> r[8];
  for (int i = 0; i < 8; ++i) r[i] = load<VU<8>>(lanes[i]);
  store_block<Layout>(r, true, panel, q0, pairs, i0);
}

enum class Contiguous { kDepth, kFree, kNeither };

template <class Layout, DType D, Contiguous C>
void pack_panels(const Operand& s, int64_t f0, int64_t count, int64_t p0, int64_t depth, uint32_t* dst) {
  constexpr int kWidth = Layout::kWidth;
  constexpr int64_t kBytes = D == DType::kFloat32 ? 4 : 2;
  const int64_t pairs = (depth + Layout::kStep - 1) / Layout::kStep * Layout::kStep / 2;
  // Where the next panel lies in the source: it is fetched early, a weight streams from memory.
  const int64_t ahead = s.free_index ? 0 : kWidth * s.free_stride * kBytes;
  for (int64_t f = 0; f < count; f += kWidth, dst += kWidth * pairs) {
    for (int64_t q = 0; q < pairs; q += 8) {
      const int64_t p = p0 + 2 * q, depths = depth - 2 * q < 16 ? (depth > 2 * q ? depth - 2 * q : 0) : 16;
      for (int64_t i = 0; i < kWidth; i += 8) {
        const int64_t left = count - f - i, wanted = kWidth - i < 8 ? kWidth - i : 8;
        const int64_t elements = left < 0 ? 0 : left < wanted ? left : wanted, from = f0 + f + i;
        const int64_t here = pairs - q < 8 ? pairs - q : 8;
        VU<8> r[8];
        if (C == Contiguous::kDepth && depths == 16 && elements == wanted) {
          const char* data = static_cast<const char*>(s.data);
          for (int e = 0; e < 8; ++e) {
            const int64_t at = index_of(s.free_index, from + (e < wanted ? e : 0)) * s.free_stride + p;
            if (q % 16 == 0) __builtin_prefetch(data + at * kBytes + ahead);
            r[e] = depth_pairs<D>(data, at);
          }
          store_block<Layout>(r, true, dst, q, here, i);
        } else if (C == Contiguous::kFree && depths == 16 && left >= 8) {
          const char* data = static_cast<const char*>(s.data);
          for (int e = 0; e < 8; ++e) {
            const int64_t even = index_of(s.depth_index, p + 2 * e) * s.depth_stride + from;
            const int64_t odd = index_of(s.depth_index, p + 2 * e + 1) * s.depth_stride + from;
            if (i * kBytes % kCacheLine == 0) {
              __builtin_prefetch(data + even * kBytes + ahead);
              __builtin_prefetch(data + odd * kBytes + ahead);
            }
            r[e] = free_pairs<D>(data, even, odd);
          }
          store_block<Layout>(r, false, dst, q, here, i);
        } else {
          pack_block_slow<Layout>(s, from, elements, p, depths, dst, q, here, i);
        }
      }
    }
  }
}

template <class Layout, DType D>
void pack_pairs_of(const Operand& s, int64_t f0, int64_t count, int64_t p0, int64_t depth, uint32_t* dst) {
  if (s.depth_stride == 1 && s.depth_index == nullptr) {
    pack_panels<Layout, D, Contiguous::kDepth>(s, f0, count, p0, depth, dst);
  } else if (s.free_stride == 1 && s.free_index == nullptr) {
    pack_panels<Layout, D, Contiguous::kFree>(s, f0, count, p0, depth, dst);
  } else {
    pack_panels<Layout, D, Contiguous::kNeither>(s, f0, count, p0, depth, dst);
  }
}

template <class Layout>
void pack_pairs_as(const Operand& s, int64_t f0, int64_t count, int64_t p0, int64_t depth, uint32_t* dst) {
  if (s.dtype == DType::kBFloat16) return pack_pairs_of<Layout, DType::kBFloat16>(s, f0, count, p0, depth, dst);
  if (s.dtype == DType::kFloat32) return pack_pairs_of<Layout, DType::kFloat32>(s, f0, count, p0, depth, dst);
  pack_panels<Layout, DType::kFloat16, Contiguous::kNeither>(s, f0, count, p0, depth, dst);
}

template <class Left, class Right>
void pack_pairs(const Operand& s, int64_t f0, int64_t count, int64_t p0, int64_t depth, Side side, void* dst) {
  uint32_t* const lanes = static_cast<uint32_t*>(dst);
  if (side == Side::kLeft) return pack_pairs_as<Left>(s, f0, count, p0, depth, lanes);
  pack_pairs_as<Right>(s, f0, count, p0, depth, lanes);
}

}  // namespace
}  // namespace flce::cpu
