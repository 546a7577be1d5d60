// Litmus kernels: each the smallest kernel in which one rule of spec/hb-rules.md, or one class of faults, decides. The
// expectation stands in a comment in front of it (README.md); `ascsan suite tests/litmus` compares. This header gives a
// kernel its tensors: x, y, z (float) and w (int32) in global memory, 16 KiB each, and tiles of on-chip memory by
// offset. Left out: values; whether results are right is the business of tests/kernels and tests/numeric.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel_operator.h"

namespace litmus {

using namespace AscendC;

/// What a launch starts, per block: one AIV, one AIC, an AIC with one or two AIVs; mix_aiv and mix_aic are single cores
/// that may use cross-core flags.
enum class Type { aiv, aic, mix_aiv, mix_aic, mix11, mix12 };

inline constexpr uint32_t kGmBytes = 16384;
inline constexpr uint32_t kGmElements = kGmBytes / 4;

struct Gm {
  uint8_t *x, *y, *z, *w;
};

struct Kernel {
  const char* name;
  Type type;
  uint32_t blocks;
  uint32_t launches;  ///< in a row, on the same memory; turn() tells them apart
  void (*body)(const Gm&);
};

inline std::vector<Kernel>& registry() {
  static std::vector<Kernel> kernels;
  return kernels;
}

struct Registration {
  explicit Registration(const Kernel& kernel) { registry().push_back(kernel); }
};

/// Which launch of its kernel runs, from 0.
inline uint32_t& turn() {
  static uint32_t number = 0;
  return number;
}

inline GlobalTensor<float> floats(GM_ADDR address) {
  GlobalTensor<float> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<float*>(address), kGmElements);
  return tensor;
}
inline GlobalTensor<int32_t> words(GM_ADDR address) {
  GlobalTensor<int32_t> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<int32_t*>(address), kGmElements);
  return tensor;
}

/// A tile of on-chip memory: byte offset, elements.
template <typename T = float>
LocalTensor<T> ub(uint32_t offset, uint32_t elements = 64) {
  return LocalTensor<T>(TPosition::VECCALC, offset, elements);
}
template <typename T = half>
LocalTensor<T> l1(uint32_t offset, uint32_t elements = 256) {
  return LocalTensor<T>(TPosition::A1, offset, elements);
}
template <typename T = half>
LocalTensor<T> l0a(uint32_t offset, uint32_t elements = 256) {
  return LocalTensor<T>(TPosition::A2, offset, elements);
}
template <typename T = half>
LocalTensor<T> l0b(uint32_t offset, uint32_t elements = 256) {
  return LocalTensor<T>(TPosition::B2, offset, elements);
}
template <typename T = float>
LocalTensor<T> l0c(uint32_t offset, uint32_t elements = 256) {
  return LocalTensor<T>(TPosition::CO1, offset, elements);
}

inline LoadData2DParams load_one() {
  LoadData2DParams load;
  load.repeatTimes = 1;
  load.srcStride = 1;
  return load;
}
/// m x n x 16, overwriting its destination unless `accumulate`.
inline MmadParams product(uint32_t m, uint32_t n, bool accumulate = false) {
  MmadParams params;
  params.m = m;
  params.n = n;
  params.k = 16;
  params.cmatrixInitVal = !accumulate;
  return params;
}
inline FixpipeParamsV220 store_tile(uint32_t m = 16, uint32_t n = 16) {
  FixpipeParamsV220 params;
  params.nSize = n;
  params.mSize = m;
  params.srcStride = m;
  params.dstStride = n;
  return params;
}

/// Defined values in the memories a kernel stores from: UB on AIV, L0C on AIC. Complete when it returns, so it
/// orders nothing that comes later.
inline void prepare() {
  if ASCEND_IS_AIV {
    Duplicate(ub(0, 2048), 1.0f, 2048);
  } else {
    LocalTensor<half> a1 = l1(0x40000, 4096), a2 = l0a(0x8000, 1024), b2 = l0b(0x8000, 1024);
    InitConstValue(a1, InitConstValueParams<half>(1, 256, 0, half(1.0f)));
    PipeBarrier<PIPE_ALL>();
    LoadData2DParams load = load_one();
    load.repeatTimes = 4;
    LoadData(a2, a1, load);
    LoadData(b2, a1, load);
    PipeBarrier<PIPE_ALL>();
    Mmad(l0c(0, 4096), a2, b2, product(64, 64));
  }
  PipeBarrier<PIPE_ALL>();
}

/// Makes a block of the launch do something of its own.
inline bool me(uint32_t block) {
  return static_cast<uint32_t>(GetBlockIdx()) == block;
}

}  // namespace litmus

/// LITMUS(name, type, blocks) { kernel }, or LITMUS_LAUNCHES with the number of launches in a row.
#define LITMUS_LAUNCHES(kernel, type, blocks, launches)                                                    \
  static void kernel([[maybe_unused]] GlobalTensor<float> x, [[maybe_unused]] GlobalTensor<float> y,       \
                     [[maybe_unused]] GlobalTensor<float> z, [[maybe_unused]] GlobalTensor<int32_t> w);    \
  static void kernel##_entry(const Gm& gm) {                                                               \
    kernel(floats(gm.x), floats(gm.y), floats(gm.z), words(gm.w));                                         \
  }                                                                                                        \
  static const Registration kernel##_registered({#kernel, Type::type, blocks, launches, &kernel##_entry}); \
  static void kernel([[maybe_unused]] GlobalTensor<float> x, [[maybe_unused]] GlobalTensor<float> y,       \
                     [[maybe_unused]] GlobalTensor<float> z, [[maybe_unused]] GlobalTensor<int32_t> w)
#define LITMUS(kernel, type, blocks) LITMUS_LAUNCHES(kernel, type, blocks, 1)
