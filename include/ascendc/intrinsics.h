// Compiler intrinsics and start-up helpers that real kernels call directly next to the C++ API: mask and atomic
// registers, bit operations on scalars, min/max of mixed scalar types, InitSocState, super-kernel hand-over. Rules:
// spec/execution-model.md 4.5 (InitSocState); names by use in public kernels (spec/api-frequency.csv). Left out:
// pointer-based data movement and vector intrinsics (copy_gm_to_ubuf ...), which have no tensor to check.
#pragma once

#include <type_traits>

#include "ascendc/atomics.h"
#include "ascendc/cross_core.h"
#include "ascendc/types.h"
#include "ascendc/vec_mask.h"

namespace AscendC {

/// Registers to their start values: Normal mask mode, all lanes, no atomic stores. TPipe's constructor does the same.
inline void InitSocState(Site site = ASCSAN_HERE) {
  SetMaskNorm(site);
  ResetMask(site);
  SetAtomicNone(site);
}

/// Hand-over between the kernels of a super kernel: a kernel that runs alone has nobody to hand over to.
template <pipe_t aivPipe = PIPE_MTE3, pipe_t aicPipe = PIPE_FIX>
void SetNextTaskStart() {}
inline void WaitPreTaskEnd() {}

/// Address range hint for the out-of-memory check of the device build; every access is checked here anyway.
template <typename T>
void OOMCheckAddrRange(__gm__ T*, uint64_t) {}

}  // namespace AscendC

inline void set_vector_mask(uint64_t high, uint64_t low, ascsan::gate::Site site = ASCSAN_HERE) {
  AscendC::detail::set_mask_register(low, high, site);
}
inline void set_mask_norm(ascsan::gate::Site site = ASCSAN_HERE) {
  AscendC::SetMaskNorm(site);
}
inline void set_mask_count(ascsan::gate::Site site = ASCSAN_HERE) {
  AscendC::SetMaskCount(site);
}
inline void set_atomic_none(ascsan::gate::Site site = ASCSAN_HERE) {
  AscendC::SetAtomicNone(site);
}

/// Leading zeros (64 for 0), set bits, and a word with one bit cleared or set.
inline int64_t clz(uint64_t value) {
  return value == 0 ? 64 : __builtin_clzll(value);
}
inline int64_t bcnt1(uint64_t value) {
  return __builtin_popcountll(value);
}
inline uint64_t sbitset0(uint64_t value, int64_t bit) {
  return value & ~(uint64_t{1} << (bit & 63));
}
inline uint64_t sbitset1(uint64_t value, int64_t bit) {
  return value | (uint64_t{1} << (bit & 63));
}
constexpr int64_t get_imm(int64_t value) {
  return value;
}

/// Scalar min and max; the device takes mixed types, std::min does not.
template <typename T, typename U, std::enable_if_t<std::is_arithmetic_v<T> && std::is_arithmetic_v<U>, int> = 0>
constexpr std::common_type_t<T, U> min(T a, U b) {
  using C = std::common_type_t<T, U>;
  return static_cast<C>(b) < static_cast<C>(a) ? static_cast<C>(b) : static_cast<C>(a);
}
template <typename T, typename U, std::enable_if_t<std::is_arithmetic_v<T> && std::is_arithmetic_v<U>, int> = 0>
constexpr std::common_type_t<T, U> max(T a, U b) {
  using C = std::common_type_t<T, U>;
  return static_cast<C>(a) < static_cast<C>(b) ? static_cast<C>(b) : static_cast<C>(a);
}
