// Packing and the register tile of the matrix product, as templates over element type and vector length.
// Panels hold `width` free elements for each depth, depth after depth, so the register tile reads both operands
// front to back. A 16-bit operand is widened while it is packed (products of two 16-bit values are exact in fp32);
// on CPUs with bf16 dot products it stays 16 bits wide and two depths lie together (PairTile).
// Included only by the kernels_*.cpp files. Leaves out: blocking over slices and threads, see head_*.cpp.
#pragma once

#include <algorithm>

#include "vec.h"

namespace flce::cpu {
namespace {

constexpr int64_t kCacheLine = 64;
// More bytes of right-hand panels than this lie in the third cache when their turn comes.
constexpr int64_t kPanelsInL2 = int64_t{512} << 10;

template <class T>
FLCE_INLINE T load_one(const void* base, DType dtype, int64_t at) {
  switch (dtype) {
    case DType::kFloat32:
      return static_cast<T>(static_cast<const float*>(base)[at]);
    case DType::kFloat64:
      return static_cast<T>(static_cast<const double*>(base)[at]);
    case DType::kBFloat16: {
      uint16_t h[4] = {static_cast<const uint16_t*>(base)[at]};
      return static_cast<T>(from_bf16<4>(h)[0]);
    }
    default: {
      uint16_t h[4] = {static_cast<const uint16_t*>(base)[at]};
      return static_cast<T>(from_fp16<4>(h)[0]);
    }
  }
}

FLCE_INLINE int64_t index_of(const int64_t* index, int64_t i) {
  return index ? index[i] : i;
}

// N consecutive elements of one of the three formats as floats.
template <DType D, int N>
FLCE_INLINE VF<N> load_as_float(const void* base, int64_t at) {
  if constexpr (D == DType::kFloat32) return load<VF<N>>(static_cast<const float*>(base) + at);
  if constexpr (D == DType::kBFloat16) return from_bf16<N>(static_cast<const uint16_t*>(base) + at);
  return from_fp16<N>(static_cast<const uint16_t*>(base) + at);
}

template <class T, int W>
void pack_any(const Operand& s, int64_t f0, int64_t count, int64_t p0, int64_t depth, T* dst) {
  for (int64_t f = 0; f < count; f += W, dst += W * depth) {
    for (int64_t p = 0; p < depth; ++p) {
      const int64_t row = index_of(s.depth_index, p0 + p) * s.depth_stride;
      for (int i = 0; i < W; ++i) {
        const bool inside = f + i < count;
        dst[p * W + i] =
            inside ? load_one<T>(s.data, s.dtype, row + index_of(s.free_index, f0 + f + i) * s.free_stride) : T(0);
      }
    }
  }
}

// Panels are written in groups of 8 lanes, the last group first. A width that is no multiple of 8 makes that group
// spill into the next panel row, where a later store overwrites the surplus; the last rows of a panel are written
// exactly.
FLCE_INLINE void store_group(float* dst, const VF<8>& lanes, int lanes_left, bool exact) {
  if (lanes_left >= 8 || !exact) return store(dst, lanes);
  for (int i = 0; i < lanes_left; ++i) dst[i] = lanes[i];
}

// One group of one panel, depth contiguous: read 8 rows, turn 8x8 blocks. `valid` rows exist, the rest is zero.
// `ahead` bytes away lie the rows of the next panel; they are fetched early, because a weight streams from memory.
template <DType D, int W>
FLCE_INLINE void pack_group_depth(const void* data, const int64_t* at, int valid, int64_t depth, int lanes_left,
                                  int64_t ahead, float* dst) {
  constexpr int64_t kBytes = D == DType::kFloat32 ? 4 : 2;
  int64_t p = 0;
  for (; p + 8 <= depth; p += 8) {
    VF<8> r[8];
    if (valid >= 8) {
      if (p * kBytes % 64 == 0) {
#pragma GCC unroll 8
        for (int i = 0; i < 8; ++i) __builtin_prefetch(static_cast<const char*>(data) + (at[i] + p) * kBytes + ahead);
      }
#pragma GCC unroll 8
      for (int i = 0; i < 8; ++i) r[i] = load_as_float<D, 8>(data, at[i] + p);
    } else {
      for (int i = 0; i < 8; ++i) r[i] = i < valid ? load_as_float<D, 8>(data, at[i] + p) : VF<8>{};
    }
    transpose8(r);
    if (lanes_left >= 8 || p + 8 + 8 <= depth) {
#pragma GCC unroll 8
      for (int q = 0; q < 8; ++q) store(dst + (p + q) * W, r[q]);
    } else {
      for (int q = 0; q < 8; ++q) store_group(dst + (p + q) * W, r[q], lanes_left, true);
    }
  }
  const int lanes = lanes_left < 8 ? lanes_left : 8;
  for (; p < depth; ++p) {
    for (int i = 0; i < lanes; ++i) dst[p * W + i] = i < valid ? load_one<float>(data, D, at[i] + p) : 0.0f;
  }
}

template <DType D, int W>
void pack_depth_contiguous(const Operand& s, int64_t f0, int64_t count, int64_t p0, int64_t depth, float* dst) {
  const int64_t ahead = s.free_index ? 0 : W * s.free_stride * (D == DType::kFloat32 ? 4 : 2);
  for (int64_t f = 0; f < count; f += W, dst += W * depth) {
    for (int g = (W + 7) / 8 - 1; g >= 0; --g) {
      const int lanes_left = W - g * 8;
      const int64_t here = count - f - g * 8 < lanes_left ? count - f - g * 8 : lanes_left;
      int64_t at[8] = {};
      for (int i = 0; i < 8 && i < here; ++i) at[i] = index_of(s.free_index, f0 + f + g * 8 + i) * s.free_stride + p0;
      pack_group_depth<D, W>(s.data, at, static_cast<int>(here), depth, lanes_left, ahead, dst + g * 8);
    }
  }
}

// Free is contiguous: `panels` panels side by side. Depth is the outer loop, so that a row of the source is read in one
// go: walking a panel down first would touch a new page with every line.
template <DType D, int W>
FLCE_INLINE void pack_panels_free(const Operand& s, int64_t f0, int64_t panels, int64_t p0, int64_t depth, float* dst) {
  constexpr int kGroups = (W + 7) / 8;
  constexpr int64_t kBytes = D == DType::kFloat32 ? 4 : 2, kRowsAhead = 6;
  const int64_t careful = W % 8 == 0 ? depth : depth - 8 < 0 ? 0 : depth - 8;
  for (int64_t p = 0; p < depth; ++p) {
    const int64_t from = index_of(s.depth_index, p0 + p) * s.depth_stride + f0;
    const char* ahead = static_cast<const char*>(s.data) + (from + kRowsAhead * s.depth_stride) * kBytes;
    for (int64_t b = 0; b < panels * W * kBytes; b += 64) __builtin_prefetch(ahead + b);
    float* to = dst + p * W;
    for (int64_t f = 0; f < panels; ++f, to += W * depth) {
#pragma GCC unroll 4
      for (int g = 0; g < kGroups; ++g) {
        store_group(to + g * 8, load_as_float<D, 8>(s.data, from + f * W + g * 8), W - g * 8, p >= careful);
      }
    }
  }
}

template <DType D, int W>
void pack_free_contiguous(const Operand& s, int64_t f0, int64_t count, int64_t p0, int64_t depth, float* dst) {
  // Panels that may be read in whole groups; the others go element by element.
  constexpr int kGroups = (W + 7) / 8;
  const int64_t whole = count < kGroups * 8 ? 0 : (count - kGroups * 8) / W + 1;
  pack_panels_free<D, W>(s, f0, whole, p0, depth, dst);
  dst += whole * W * depth;
  for (int64_t f = whole * W; f < count; f += W, dst += W * depth) {
    for (int64_t p = 0; p < depth; ++p) {
      const int64_t at = index_of(s.depth_index, p0 + p) * s.depth_stride + f0 + f;
      for (int i = 0; i < W; ++i) dst[p * W + i] = f + i < count ? load_one<float>(s.data, D, at + i) : 0.0f;
    }
  }
}

template <DType D, int W>
void pack_float_of(const Operand& s, int64_t f0, int64_t count, int64_t p0, int64_t depth, float* dst) {
  if (s.depth_stride == 1 && s.depth_index == nullptr) {
    pack_depth_contiguous<D, W>(s, f0, count, p0, depth, dst);
  } else if (s.free_stride == 1 && s.free_index == nullptr) {
    pack_free_contiguous<D, W>(s, f0, count, p0, depth, dst);
  } else {
    pack_any<float, W>(s, f0, count, p0, depth, dst);
  }
}

template <class T, int W>
void pack_width(const Operand& s, int64_t f0, int64_t count, int64_t p0, int64_t depth, void* dst) {
  if constexpr (sizeof(T) == 4) {
    float* d = static_cast<float*>(dst);
    if (s.dtype == DType::kFloat32) return pack_float_of<DType::kFloat32, W>(s, f0, count, p0, depth, d);
    if (s.dtype == DType::kBFloat16) return pack_float_of<DType::kBFloat16, W>(s, f0, count, p0, depth, d);
    if (s.dtype == DType::kFloat16) return pack_float_of<DType::kFloat16, W>(s, f0, count, p0, depth, d);
  }
  pack_any<T, W>(s, f0, count, p0, depth, static_cast<T*>(dst));
}

template <class T, int MR, int NR>
void pack(const Operand& s, int64_t f0, int64_t count, int64_t p0, int64_t depth, Side side, void* dst) {
  if (side == Side::kLeft) return pack_width<T, MR>(s, f0, count, p0, depth, dst);
  pack_width<T, NR>(s, f0, count, p0, depth, dst);
}

// Bytes that will be read soon, one address fetched with every depth of a tile.
struct Ahead {
  const char* at;
  int64_t step;
  FLCE_INLINE void fetch() {
    __builtin_prefetch(at, 0, 2);
    at += step;
  }
};

// acc[R][NV] vectors stay in registers over the whole slice; R rows of panels that are MR wide. Four depths a turn:
// compared with 1, 2, 3, 5, 6, 8 and 16 in one run (Zen, two threads) it is the fastest, 14 % ahead of one and 5 to
// 10 % of eight.
template <class T, int N, int MR, int NV>
struct WideTile {
  using Element = T;
  static constexpr int kDepthStep = 1;
  static constexpr int kUnroll = 4;
  using V = Vec<T, N>;
  template <int R>
  static FLCE_INLINE void one_depth(const T* a, const T* b, V (&acc)[R][NV]) {
    V bv[NV];
#pragma GCC unroll 8
    for (int j = 0; j < NV; ++j) bv[j] = load<V>(b + j * N);
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
      const V av = splat<V>(a[i]);
#pragma GCC unroll 8
      for (int j = 0; j < NV; ++j) acc[i][j] += av * bv[j];
    }
  }
  template <int R>
  static FLCE_INLINE void run(const T* a, const T* b, int64_t depth, Ahead& ahead, V (&acc)[R][NV]) {
    int64_t p = 0;
    for (; p + kUnroll <= depth; p += kUnroll, a += kUnroll * MR, b += kUnroll * N * NV) {
#pragma GCC unroll 8
      for (int u = 0; u < kUnroll; ++u) {
        ahead.fetch();
        one_depth(a + u * MR, b + u * N * NV, acc);
      }
    }
    for (; p < depth; ++p, a += MR, b += N * NV) one_depth(a, b, acc);
  }
};

// Where a block of C goes, and what is added to it: `add` null for nothing, often C itself.
template <class T>
struct Result {
  const T* add;
  int64_t ld_add;
  T* c;
  int64_t ldc;
  FLCE_INLINE Result at(int64_t i, int64_t j) const {
    return {add ? add + i * ld_add + j : nullptr, ld_add, c + i * ldc + j, ldc};
  }
};

// The first `nj` columns of `ni` rows of a register tile of R rows.
template <class Tile, class T, int N, int NV, int R>
void edge_tile(const typename Tile::Element* a, const typename Tile::Element* b, int64_t ni, int64_t nj, int64_t depth,
               const Result<T>& to) {
  using V = Vec<T, N>;
  constexpr int kNr = N * NV;
  V acc[R][NV] = {};
  Ahead none{reinterpret_cast<const char*>(b), 0};
  Tile::template run<R>(a, b, depth, none, acc);
  T edge[R * kNr];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < NV; ++v) store(edge + r * kNr + v * N, acc[r][v]);
  }
  for (int64_t r = 0; r < ni; ++r) {
    const T* sum = edge + r * kNr;
    const Result<T> row = to.at(r, 0);
    for (int64_t q = 0; q < nj; ++q) row.c[q] = row.add ? row.add[q] + sum[q] : sum[q];
  }
}

// Whole register tiles below each other, all with one panel b, which stays in the first cache.
template <class Tile, class T, int N, int MR, int NV>
void column_of_tiles(const typename Tile::Element* a, int64_t tiles, const typename Tile::Element* b, Ahead ahead,
                     int64_t depth, Result<T> to) {
  using V = Vec<T, N>;
  const int64_t padded = (depth + Tile::kDepthStep - 1) / Tile::kDepthStep * Tile::kDepthStep;
  for (; tiles > 0; --tiles, a += MR * padded, to = to.at(MR, 0)) {
#pragma GCC unroll 16
    for (int r = 0; r < MR; ++r) {
      __builtin_prefetch(to.c + r * to.ldc, 1);
      if (N * NV * sizeof(T) > kCacheLine) __builtin_prefetch(to.c + r * to.ldc + N * NV - 1, 1);
    }
    if (to.add && to.add != to.c) {
#pragma GCC unroll 16
      for (int r = 0; r < MR; ++r) __builtin_prefetch(to.add + r * to.ld_add, 0);
    }
    V acc[MR][NV] = {};
    Tile::template run<MR>(a, b, depth, ahead, acc);
#pragma GCC unroll 16
    for (int r = 0; r < MR; ++r) {
#pragma GCC unroll 8
      for (int v = 0; v < NV; ++v) {
        const V sum = to.add ? load<V>(to.add + r * to.ld_add + v * N) + acc[r][v] : acc[r][v];
        store(to.c + r * to.ldc + v * N, sum);
      }
    }
  }
}

// One block of C. `Tile` says how the accumulators are filled.
template <class Tile, class T, int N, int MR, int NV>
void product(const void* a_panels, const void* b_panels, int64_t rows, int64_t cols, int64_t depth, const T* add,
             int64_t ld_add, T* c, int64_t ldc) {
  using E = typename Tile::Element;
  constexpr int kNr = N * NV, kShort = (2 * MR + 2) / 3;  // a remainder of few rows has a register tile of its own
  constexpr int64_t kRowsInL2 = (264 / MR) * MR;
  const int64_t padded = (depth + Tile::kDepthStep - 1) / Tile::kDepthStep * Tile::kDepthStep;
  constexpr int64_t kBytes = sizeof(E);
  const int64_t panel = kNr * padded * kBytes;
  const bool far = (cols + kNr - 1) / kNr * panel > kPanelsInL2;
  const Result<T> all{add, ld_add, c, ldc};
  for (int64_t i0 = 0; i0 < rows; i0 += kRowsInL2) {
    const int64_t here = rows - i0 < kRowsInL2 ? rows - i0 : kRowsInL2, tiles = here / MR, left = here % MR;
    const E* a = static_cast<const E*>(a_panels) + i0 * padded;
    for (int64_t j = 0; j < cols; j += kNr) {
      const E* b = static_cast<const E*>(b_panels) + j * padded;
      const int64_t nj = cols - j < kNr ? cols - j : kNr;
      const Result<T> to = all.at(i0, j);
      if (nj == kNr) {
        // The first column of tiles brings the left panels from the third cache to the second; later ones, when the
        // right panels are many, the next of those.
        const int64_t steps = std::max<int64_t>(tiles * padded / Tile::kDepthStep, 1);
        Ahead ahead{reinterpret_cast<const char*>(b), 0};
        if (j == 0)
          ahead = {reinterpret_cast<const char*>(a + MR * padded), MR * Tile::kDepthStep * kBytes};
        else if (far && j + kNr < cols)
          ahead = {reinterpret_cast<const char*>(b) + panel, (panel + steps - 1) / steps};
        column_of_tiles<Tile, T, N, MR, NV>(a, tiles, b, ahead, depth, to);
      } else {
        for (int64_t i = 0; i < tiles * MR; i += MR)
          edge_tile<Tile, T, N, NV, MR>(a + i * padded, b, MR, nj, depth, to.at(i, 0));
      }
      if (left == 0) continue;
      const auto edge = left <= kShort ? edge_tile<Tile, T, N, NV, kShort> : edge_tile<Tile, T, N, NV, MR>;
      edge(a + tiles * MR * padded, b, left, nj, depth, to.at(tiles * MR, 0));
    }
  }
}

}  // namespace
}  // namespace flce::cpu
