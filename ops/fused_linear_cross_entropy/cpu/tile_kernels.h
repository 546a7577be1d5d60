// The matrix-tile form of the product of bfloat16 operands: 16 x 16 results of a tile take 32 depths at once. A block
// is 2 x 2 tiles, so that each tile of an operand is read once for two products. `Unit` supplies the tiles;
// PortableTiles spells them out, so that packing and edges are tested on CPUs that lack them. Included only by
// kernels_*.cpp files.
#pragma once

#include "pair_packing.h"
#include "row_kernels.h"

namespace flce::cpu {
namespace {

constexpr int kTile = 16, kBlock = 2 * kTile;

// As the instruction is documented: the even and the odd products of 32 depths are summed apart, then added.
struct PortableTiles {
  struct Session {};
  static void block(const uint16_t* a, const uint16_t* b, int64_t steps, const float* add, int64_t ld_add, float* c,
                    int64_t ldc) {
    float sum[kBlock][kBlock] = {};
    for (int i = 0; add && i < kBlock; ++i) std::memcpy(sum[i], add + i * ld_add, sizeof sum[i]);
    for (; steps > 0; --steps, a += kBlock * kTileDepth, b += kBlock * kTileDepth) {
      for (int i = 0; i < kBlock; ++i) {
        VF<kBlock> even{}, odd{};
        for (int q = 0; q < kTileDepth / 2; ++q) {
          uint32_t pair;
          std::memcpy(&pair, a + i * kTileDepth + 2 * q, 4);
          const VU<kBlock> left = splat<VU<kBlock>>(pair), right = load<VU<kBlock>>(b + 2 * kBlock * q);
          even += bits<VF<kBlock>>(left << 16) * bits<VF<kBlock>>(right << 16);
          odd += bits<VF<kBlock>>(left & 0xffff0000u) * bits<VF<kBlock>>(right & 0xffff0000u);
        }
        store(sum[i], load<VF<kBlock>>(sum[i]) + (even + odd));
      }
    }
    for (int i = 0; i < kBlock; ++i) std::memcpy(c + i * ldc, sum[i], sizeof sum[i]);
  }
};

// A block at the edge goes through a whole one, so that an element has the same bits wherever its block ends.
template <class Unit>
void edge_block(const uint16_t* a, const uint16_t* b, int64_t steps, int64_t ni, int64_t nj, const Result<float>& to) {
  alignas(64) float whole[kBlock * kBlock] = {};
  const auto row = [&](int64_t i) { return whole + i * kBlock; };
  for (int64_t i = 0; to.add && i < ni; ++i) std::memcpy(row(i), to.add + i * to.ld_add, nj * sizeof(float));
  Unit::block(a, b, steps, whole, kBlock, whole, kBlock);
  for (int64_t i = 0; i < ni; ++i) std::memcpy(to.c + i * to.ldc, row(i), nj * sizeof(float));
}

// Panels of the left operand (at most 512 x 512 elements) come from the second cache, one right panel stays in the
// first.
template <class Unit>
void tile_product(const void* a_panels, const void* b_panels, int64_t rows, int64_t cols, int64_t depth,
                  const float* add, int64_t ld_add, float* c, int64_t ldc) {
  [[maybe_unused]] const typename Unit::Session session{};
  const int64_t steps = (depth + kTileDepth - 1) / kTileDepth, panel = kBlock * steps * kTileDepth;
  const uint16_t* b = static_cast<const uint16_t*>(b_panels);
  const Result<float> all{add, ld_add, c, ldc};
  for (int64_t j = 0; j < cols; j += kBlock, b += panel) {
    const uint16_t* a = static_cast<const uint16_t*>(a_panels);
    const int64_t nj = cols - j < kBlock ? cols - j : kBlock;
    for (int64_t i = 0; i < rows; i += kBlock, a += panel) {
      const int64_t ni = rows - i < kBlock ? rows - i : kBlock;
      const Result<float> to = all.at(i, j);
      if (ni == kBlock && nj == kBlock) {
#pragma GCC unroll 4
        for (int r = 0; r < kBlock; ++r) {  // a weight_grad streams to memory: 20 % of a whole step at k 896
          __builtin_prefetch(to.c + r * to.ldc, 1);
          __builtin_prefetch(to.c + r * to.ldc + kBlock - 1, 1);
        }
        Unit::block(a, b, steps, to.add, to.ld_add, to.c, to.ldc);
      } else {
        edge_block<Unit>(a, b, steps, ni, nj, to);
      }
    }
  }
}

template <class Unit>
KernelTable<float> tile_table(const char* name) {
  KernelTable<float> t{};
  t.name = name;
  t.mr = t.nr = kBlock;
  t.depth_step = kTileDepth;
  t.elem_size = 2;
  t.pack = pack_pairs<RowsSideBySide<kBlock>, PairsSideBySide<kBlock, kTileDepth>>;
  t.product = tile_product<Unit>;
  fill_row_functions<float, 16>(&t);
  return t;
}

}  // namespace
}  // namespace flce::cpu
