// The bf16 dot-product form of the matrix product: operands stay bfloat16, two depths lie next to each other, one
// instruction adds both products to an fp32 lane. `Dot` supplies the instruction; PortableDot spells it out with
// ordinary vectors, so the packing and the tile are tested on CPUs that lack it.
// Included only by kernels_*.cpp files.
#pragma once

#include "pair_packing.h"
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
  static FLCE_INLINE void run(const uint16_t* a, const uint16_t* b, int64_t depth, Ahead& ahead, VF<N> (&acc)[R][NV]) {
    for (int64_t p = 0; p < depth; p += 2, a += 2 * MR, b += 2 * N * NV) {
      ahead.fetch();
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

template <class Dot, int N, int MR, int NV>
KernelTable<float> pair_table(const char* name) {
  KernelTable<float> t = wide_table<float, N, MR, NV>(name);
  t.depth_step = 2;
  t.elem_size = 2;
  t.pack = pack_pairs<PairsSideBySide<MR, 2>, PairsSideBySide<N * NV, 2>>;
  t.product = product<PairTile<Dot, N, MR, NV>, float, N, MR, NV>;
  return t;
}

}  // namespace
}  // namespace flce::cpu
