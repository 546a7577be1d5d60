// Shape of an inner loop over contiguous lanes, and how it is compiled for the host: once for plain x86-64 and once for
// AVX2 + F16C, chosen at run time. Both give the same bits: only IEEE operations with one rounding each are used, no
// contraction, and every NaN result is the canonical one.
// Left out: AVX-512 (not measured on a host that has it).
#pragma once

#include <cstddef>
#include <cstdint>

#include "ascendc/gate.h"

#define ASCSAN_INLINE inline __attribute__((always_inline))
#define ASCSAN_AVX2 __attribute__((target("avx2,f16c")))
#if defined(__clang__)
#define ASCSAN_IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#define ASCSAN_IVDEP _Pragma("GCC ivdep")
#endif

namespace ascsan::isa::simd {

/// What a loop needs. dst may equal a source exactly (same address, same element size); else they are disjoint.
struct KernelArgs {
  void* dst = nullptr;
  const void* src0 = nullptr;
  const void* src1 = nullptr;
  size_t n = 0;         ///< lanes
  uint64_t scalar = 0;  ///< raw bits
  uint8_t mode = 0;     ///< RoundMode, CMPMODE
  uint8_t flags = 0;
  bool saturate = false;  ///< CTRL[48] == 0 (spec/fp.md 2)
  bool truncate = false;  ///< CTRL[59] == 1
  uint64_t deq_scale = 0;
};
using Kernel = void (*)(const KernelArgs&);

enum class Level : uint8_t { kBase, kAvx2 };
/// What the host has; set_level lowers it (tests compare the levels).
Level level();
void set_level(Level wanted);

/// One loop in its compiled forms. Null members: the operation does not exist for these types.
struct KernelPair {
  Kernel base = nullptr, avx2 = nullptr;
  Kernel get() const { return level() == Level::kAvx2 ? avx2 : base; }
  explicit operator bool() const { return base != nullptr; }
};

/// Bulk conversions; n elements, no overlap.
struct BaseTarget {
  static void half_to_float(float* dst, const uint16_t* src, size_t n);
  static void float_to_half(uint16_t* dst, const float* src, size_t n);
};
struct Avx2Target {
  static void half_to_float(float* dst, const uint16_t* src, size_t n);
  static void float_to_half(uint16_t* dst, const float* src, size_t n);
};

/// Loop must have `template <typename Target> static ASCSAN_INLINE void run(const KernelArgs&)`.
template <typename Loop>
void run_base(const KernelArgs& args) {
  Loop::template run<BaseTarget>(args);
}
template <typename Loop>
ASCSAN_AVX2 void run_avx2(const KernelArgs& args) {
  Loop::template run<Avx2Target>(args);
}
template <typename Loop>
constexpr KernelPair pair_of() {
  return {run_base<Loop>, run_avx2<Loop>};
}

}  // namespace ascsan::isa::simd
