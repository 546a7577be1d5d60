// The bf16 dot-product form of the matrix product: operands stay bfloat16, two depths lie next to each other, one
// instruction adds both products to an fp32 lane. `Dot` supplies the instruction; PortableDot spells it out with
// ordinary vectors, so the packing and the tile are tested on CPUs that lack it.
// Included only by kernels_*.cpp files.
#pragma once

#include "row_kernels.h"

namespace flce::cpu {
namespace {

template <int N>
struct PortableDot {
  static FLCE_INLINE VF<N> run(const VF<N>& acc, const VU<N>& a, const VU<N>& b) {
    const VF<N> even = bits<VF<N>>(a << 16) * bits<VF<N>>(b << 16);
    const VF<N> odd = bits<VF<N>>(a & 0xffff0000u) * bits<VF<N>>(b & 0xffff0000u);
    return acc + even + odd;
  }
};

template <class Dot, int N, int MR, int NV>
struct PairTile {
  using Element = uint16_t;
  static constexpr int kDepthStep = 2;
  template <int R>
  static FLCE_INLINE void run(const uint16_t* a, const uint16_t* b, int64_t depth, VF<N> (&acc)[R][NV]) {
    for (int64_t p = 0; p < depth; p += 2, a += 2 * MR, b += 2 * N * NV) {
      VU<N> bv[NV];
#pragma GCC unroll 8
      for (int j = 0; j < NV; ++j) bv[j] = load<VU<N>>(b + 2 * j * N);
#pragma GCC unroll 16
      for (int i = 0; i < R; ++i) {
        uint32_t pair;
        std::memcpy(&pair, a + 2 * i, 4);
        const VU<N> av = splat<VU<N>>(pair);
#pragma GCC unroll 8
        for (int j = 0; j < NV; ++j) acc[i][j] = Dot::run(acc[i][j], av, bv[j]);
      }
    }
  }
};

FLCE_INLINE uint16_t load_bf16(const Operand& s, int64_t at) {
  if (s.dtype == DType::kBFloat16) return static_cast<const uint16_t*>(s.data)[at];
  float x[4] = {load_one<float>(s.data, s.dtype, at)};
  uint16_t h[4];
  to_bf16<4>(h, load<VF<4>>(x));
  return h[0];
}

// bf16 source with contiguous depth: a pair is a 32-bit lane, so the float transposition serves unchanged.
inline void pack_pairs_depth(const Operand& s, int64_t f0, int64_t count, int64_t p0, int64_t depth, int width,
                             uint16_t* dst) {
  const int groups = (width + 7) / 8;
  const uint16_t* base = static_cast<const uint16_t*>(s.data);
  const int64_t padded = (depth + 1) / 2 * 2;
  for (int64_t f = 0; f < count; f += width, dst += width * padded) {
    int64_t p = 0;
    for (; p + 16 <= depth; p += 16) {
      VF<8> r[4][8];
      for (int g = 0; g < groups; ++g) {
        for (int i = 0; i < 8; ++i) {
          const int64_t row = f + g * 8 + i;
          const bool inside = row < count && g * 8 + i < width;
          r[g][i] = inside ? load<VF<8>>(base + index_of(s.free_index, f0 + row) * s.free_stride + p0 + p) : VF<8>{};
        }
        transpose8(r[g]);
      }
      for (int q = 0; q < 8; ++q) {
        float* to = reinterpret_cast<float*>(dst + (p + 2 * q) * width);  // may_alias: written by memcpy only
        const bool last = (padded - p - 2 * q) / 2 * width < groups * 8;
        if (!last || width % 8 == 0) {
          for (int g = 0; g < groups; ++g) store(to + g * 8, r[g][q]);
        } else {
          std::memcpy(to, &r[0][q], 4 * (width < 8 ? width : 8));
          for (int g = 1; g < groups; ++g)
            std::memcpy(to + g * 8, &r[g][q], 4 * (width - g * 8 < 8 ? width - g * 8 : 8));
        }
      }
    }
    for (; p < padded; ++p) {
      for (int i = 0; i < width; ++i) {
        const bool inside = f + i < count && p < depth;
        const int64_t at = inside ? index_of(s.free_index, f0 + f + i) * s.free_stride + p0 + p : 0;
        dst[(p / 2) * 2 * width + 2 * i + p % 2] = inside ? base[at] : uint16_t(0);
      }
    }
  }
}

inline void pack_pairs(const Operand& s, int64_t f0, int64_t count, int64_t p0, int64_t depth, int width, void* out) {
  uint16_t* dst = static_cast<uint16_t*>(out);
  if (s.dtype == DType::kBFloat16 && s.depth_stride == 1 && s.depth_index == nullptr) {
    return pack_pairs_depth(s, f0, count, p0, depth, width, dst);
  }
  const int64_t padded = (depth + 1) / 2 * 2;
  for (int64_t f = 0; f < count; f += width, dst += width * padded) {
    const int64_t here = count - f < width ? count - f : width;
    for (int64_t p = 0; p < padded; ++p) {
      uint16_t* to = dst + (p / 2) * 2 * width + p % 2;
      for (int64_t i = here; i < width; ++i) to[2 * i] = 0;
      if (p >= depth) {
        for (int64_t i = 0; i < here; ++i) to[2 * i] = 0;
        continue;
      }
      const int64_t row = index_of(s.depth_index, p0 + p) * s.depth_stride;
      for (int64_t i = 0; i < here; ++i) {
        to[2 * i] = load_bf16(s, row + index_of(s.free_index, f0 + f + i) * s.free_stride);
      }
    }
  }
}

template <class Dot, int N, int MR, int NV>
KernelTable<float> pair_table(const char* name) {
  KernelTable<float> t = wide_table<float, N, MR, NV>(name);
  t.bf16_pairs = true;
  t.elem_size = 2;
  t.pack = pack_pairs;
  t.product = product<PairTile<Dot, N, MR, NV>, float, N, MR, NV>;
  return t;
}

}  // namespace
}  // namespace flce::cpu
