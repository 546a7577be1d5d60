// Short vectors for the kernels, on the vector extension of gcc and clang: one text for SSE2, AVX2 and AVX-512.
// Holds the conversions between fp32 and the two 16-bit formats (round to nearest even, exact for subnormals,
// infinities and NaN) and a float exp with a relative error below 2 ulp. Included only by the kernels_*.cpp files,
// each of which compiles it under its own flags inside its own unnamed namespace, so that no inline function built
// for a newer CPU can be picked by the linker for an older one. Leaves out: anything that decides; see kernels.h.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernel_table.h"

namespace flce::cpu {
namespace {

#define FLCE_INLINE inline __attribute__((always_inline))

template <class T, int N>
struct VecOf {
  typedef T type __attribute__((vector_size(N * sizeof(T))));
};
template <class T, int N>
using Vec = typename VecOf<T, N>::type;

// Through a packed member, not memcpy: gcc splits a 32-byte memcpy into two halves that meet again on the stack.
template <class V>
struct __attribute__((packed, may_alias)) Unaligned {
  V v;
};
template <class V, class T>
FLCE_INLINE V load(const T* src) {
  return reinterpret_cast<const Unaligned<V>*>(src)->v;
}
template <class V, class T>
FLCE_INLINE void store(T* dst, const V& v) {
  reinterpret_cast<Unaligned<V>*>(dst)->v = v;
}
// Between vector types of one size a cast keeps the bits.
template <class To, class From>
FLCE_INLINE To bits(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  return (To)from;
}
template <class V, class T>
FLCE_INLINE V splat(T x) {
  return x - V{};  // x - 0 is x for every x, so this folds into a broadcast; 0 + x would not (-0)
}

template <int N>
using VF = Vec<float, N>;
template <int N>
using VI = Vec<int32_t, N>;
template <int N>
using VU = Vec<uint32_t, N>;
template <int N>
using VH = Vec<uint16_t, N>;

template <class V, class M>
FLCE_INLINE V select(const M& mask, const V& yes, const V& no) {
  return bits<V>((bits<M>(yes) & mask) | (bits<M>(no) & ~mask));
}

// bfloat16 is the upper half of a float.
template <int N>
FLCE_INLINE VF<N> from_bf16(const uint16_t* src) {
  return bits<VF<N>>(__builtin_convertvector(load<VH<N>>(src), VU<N>) << 16);
}
template <int N>
FLCE_INLINE VU<N> round_bits_bf16(const VF<N>& x) {
  const VU<N> u = bits<VU<N>>(x);
  const VU<N> rounded = (u + 0x7fffu + ((u >> 16) & 1u)) & 0xffff0000u;
  const VU<N> quiet = (u | 0x400000u) & 0xffff0000u;
  return select(bits<VU<N>>(x != x), quiet, rounded);
}
template <int N>
FLCE_INLINE VF<N> round_bf16(const VF<N>& x) {
  return bits<VF<N>>(round_bits_bf16<N>(x));
}
template <int N>
FLCE_INLINE void to_bf16(uint16_t* dst, const VF<N>& x) {
  store(dst, __builtin_convertvector(round_bits_bf16<N>(x) >> 16, VH<N>));
}

// IEEE half. The product with 2^112 rebuilds the exponent, subnormal halves included.
template <int N>
FLCE_INLINE VF<N> from_fp16(const uint16_t* src) {
  const VU<N> h = __builtin_convertvector(load<VH<N>>(src), VU<N>);
  const VU<N> sign = (h & 0x8000u) << 16;
  const VU<N> magnitude = (h & 0x7fffu) << 13;
  VU<N> r = bits<VU<N>>(bits<VF<N>>(magnitude) * 5.192296858534828e+33f);
  r |= bits<VU<N>>((h & 0x7c00u) == 0x7c00u) & 0x7f800000u;
  return bits<VF<N>>(r | sign);
}
// Rounds to the value set of IEEE half. Below 2^-14 the grid is 2^-24, which is the ulp of floats in [0.5, 1).
template <int N>
FLCE_INLINE VF<N> round_fp16(const VF<N>& x) {
  const VU<N> u = bits<VU<N>>(x);
  const VU<N> sign = u & 0x80000000u;
  const VU<N> a = u & 0x7fffffffu;
  const VU<N> normal = (a + 0xfffu + ((a >> 13) & 1u)) & 0xffffe000u;
  const VF<N> shifted = bits<VF<N>>(a) + 0.5f;
  const VU<N> tiny = bits<VU<N>>(shifted - 0.5f);
  VU<N> r = select(bits<VU<N>>(bits<VF<N>>(a) < 6.103515625e-05f), tiny, normal);
  r = select(bits<VU<N>>(bits<VF<N>>(r) > 65504.0f), splat<VU<N>>(0x7f800000u), r);
  r = select(bits<VU<N>>(x != x), splat<VU<N>>(0x7fc00000u), r);
  return bits<VF<N>>(r | sign);
}
template <int N>
FLCE_INLINE void to_fp16(uint16_t* dst, const VF<N>& x) {
  const VU<N> u = bits<VU<N>>(round_fp16<N>(x));
  const VU<N> sign = (u >> 16) & 0x8000u;
  const VU<N> a = u & 0x7fffffffu;
  const VF<N> f = bits<VF<N>>(a);
  const VU<N> normal = (a >> 13) - 0x1c000u;
  const VU<N> below = bits<VU<N>>(f < 6.103515625e-05f);
  // Adding 0.5 leaves the count of 2^-24 steps in the low mantissa bits.
  const VU<N> tiny = bits<VU<N>>(f + 0.5f) - 0x3f000000u;
  VU<N> r = select(below, tiny, normal);
  r = select(bits<VU<N>>(a >= 0x7f800000u), splat<VU<N>>(0x7c00u), r);
  r = select(bits<VU<N>>(a > 0x7f800000u), splat<VU<N>>(0x7e00u), r);
  store(dst, __builtin_convertvector(r | sign, VH<N>));
}

// exp(x) for -87.33 <= x <= 88.37: x = n ln2 + r, a polynomial of degree 6 on [-ln2/2, ln2/2]. NaN stays NaN.
template <int N>
FLCE_INLINE VF<N> vexp_in_range(const VF<N>& x) {
  const VF<N> magic = splat<VF<N>>(12582912.0f);
  const VF<N> shifted = x * 1.44269504088896341f + magic;
  const VF<N> n = shifted - magic;
  VF<N> r = x - n * 0.693359375f;
  r = r - n * -2.12194440e-4f;
  VF<N> y = splat<VF<N>>(1.9875691500e-4f);
  y = y * r + 1.3981999507e-3f;
  y = y * r + 8.3334519073e-3f;
  y = y * r + 4.1665795894e-2f;
  y = y * r + 1.6666665459e-1f;
  y = y * r + 5.0000001201e-1f;
  y = y * (r * r) + r + 1.0f;
  const VI<N> scale = ((bits<VI<N>>(shifted) - bits<VI<N>>(magic)) + 127) << 23;
  return y * bits<VF<N>>(scale);
}
// Any x. Below -87.33 the result is 0 (the true value is under the smallest normal float).
template <int N>
FLCE_INLINE VF<N> vexp(const VF<N>& x) {
  const VF<N> lo = splat<VF<N>>(-87.33f), hi = splat<VF<N>>(88.37f);
  VF<N> t = select(bits<VI<N>>(x < lo), lo, x);
  t = select(bits<VI<N>>(t > hi), hi, t);
  return select(bits<VI<N>>(x < lo), VF<N>{}, vexp_in_range<N>(t));
}

template <class V>
FLCE_INLINE V vmax(const V& a, const V& b) {
  return a > b ? a : b;
}

// Transposes 8 rows of 8 32-bit lanes held in r[0..7].
template <class V>
FLCE_INLINE void transpose8(V* r) {
  V a[8], b[8];
  for (int i = 0; i < 4; ++i) {
    a[2 * i] = __builtin_shufflevector(r[2 * i], r[2 * i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    a[2 * i + 1] = __builtin_shufflevector(r[2 * i], r[2 * i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      b[4 * i + 2 * j] = __builtin_shufflevector(a[4 * i + j], a[4 * i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      b[4 * i + 2 * j + 1] = __builtin_shufflevector(a[4 * i + j], a[4 * i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (int i = 0; i < 4; ++i) {
    r[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    r[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

}  // namespace
}  // namespace flce::cpu
