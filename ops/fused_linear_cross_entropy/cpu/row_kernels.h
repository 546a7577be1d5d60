// Row epilogues: from raw products to logits, statistics, gradients and back to 16 bits.
// Formulae: operator specification sections 2, 6.8 and 10. Rules kept here: p - 1 is taken in fp32 before anything is
// narrowed; a NaN anywhere in a row makes its statistics NaN; a row of -inf has maximum -inf and sum 0, so that a
// shard without finite logits does not poison the others; a logit of -inf stays -inf through the softcap.
// Included only by the kernels_*.cpp files.
#pragma once

#include <cmath>
#include <limits>

#include "gemm_kernels.h"

namespace flce::cpu {
namespace {

template <class T, int N>
struct Lanes {
  using V = Vec<T, N>;
  using I = Vec<std::conditional_t<sizeof(T) == 4, int32_t, int64_t>, N>;
  static FLCE_INLINE V exp(const V& x) {
    if constexpr (sizeof(T) == 4) {
      return vexp<N>(x);
    } else {
      V y;
      for (int i = 0; i < N; ++i) y[i] = std::exp(x[i]);
      return y;
    }
  }
  // For sums of terms up to 1: a term below exp(-87.33) counts as that, 1e-38.
  static FLCE_INLINE V exp_of_difference(const V& x) {
    if constexpr (sizeof(T) == 4) {
      const V lo = splat<V>(-87.33f);
      return vexp_in_range<N>(x > lo ? x : lo);
    } else {
      return exp(x);
    }
  }
  static FLCE_INLINE V tanh(const V& x) {
    if constexpr (sizeof(T) == 4) {
      const V a = select(I(x < 0), -x, x);
      const V e = vexp<N>(a * -2.0f);
      const V far = (1.0f - e) / (1.0f + e);
      const V q = a * a;
      const V near =
          a + a * q * (q * (q * (q * 0.021869488536f - 0.053968253968f) + 0.133333333333f) - 0.333333333333f);
      const V t = select(I(a < 0.3f), near, far);
      return select(I(x < 0), -t, t);
    } else {
      V y;
      for (int i = 0; i < N; ++i) y[i] = std::tanh(x[i]);
      return y;
    }
  }
  static FLCE_INLINE V round(const V& x, DType to) {
    if constexpr (sizeof(T) == 4) {
      return to == DType::kBFloat16 ? round_bf16<N>(x) : round_fp16<N>(x);
    } else {
      V y;
      for (int i = 0; i < N; ++i) {
        const VF<4> f = splat<VF<4>>(static_cast<float>(x[i]));
        y[i] = to == DType::kBFloat16 ? round_bf16<4>(f)[0] : round_fp16<4>(f)[0];
      }
      return y;
    }
  }
};

FLCE_INLINE bool is_half(DType d) {
  return d == DType::kBFloat16 || d == DType::kFloat16;
}

// f(V) -> V over a row; the tail goes through a padded vector.
template <class T, int N, class F>
FLCE_INLINE void map_row(T* row, int64_t cols, T pad, F f) {
  using V = Vec<T, N>;
  int64_t j = 0;
  for (; j + N <= cols; j += N) store(row + j, f(load<V>(row + j), j));
  if (j < cols) {
    V x = splat<V>(pad);
    for (int64_t q = j; q < cols; ++q) x[q - j] = row[q];
    const V y = f(x, j);
    for (int64_t q = j; q < cols; ++q) row[q] = y[q - j];
  }
}

template <class T, int N>
FLCE_INLINE Vec<T, N> load_some(const T* src, int64_t count, T pad) {
  if (count >= N) return load<Vec<T, N>>(src);
  Vec<T, N> v = splat<Vec<T, N>>(pad);
  for (int64_t i = 0; i < count; ++i) v[i] = src[i];
  return v;
}

// Sum of the lanes, halves first: a fixed order with a short chain.
template <class T, int N>
FLCE_INLINE T sum_lanes(const Vec<T, N>& v) {
  T x[N];
  store(x, v);
  for (int half = N / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) x[i] += x[i + half];
  }
  return x[0];
}

template <class T, int N>
void transform_row(const Transform<T>& t, T* row, int64_t j0, int64_t cols) {
  using L = Lanes<T, N>;
  using V = typename L::V;
  if (is_half(t.round_to)) {
    map_row<T, N>(row, cols, T(0), [&](const V& x, int64_t) { return L::round(x, t.round_to); });
  }
  if (t.plain()) return;
  const V ninf = splat<V>(-std::numeric_limits<T>::infinity());
  map_row<T, N>(row, cols, T(0), [&](const V& x, int64_t j) {
    V y = x;
    if (t.bias) y = y + load_some<T, N>(t.bias + j0 + j, cols - j, T(0));
    y = y * t.scale;
    if (t.softcap != 0) {
      const V capped = L::tanh(y / t.softcap) * t.softcap;
      y = select(typename L::I(y == ninf), ninf, capped);
    }
    return V(y * t.inv_temperature);
  });
}

template <class T, int N>
void stats_row(const T* row, int64_t cols, const T* w, bool weighted, bool linear, RowStats* s) {
  using L = Lanes<T, N>;
  using V = typename L::V;
  using I = typename L::I;
  const T inf = std::numeric_limits<T>::infinity();
  V best[2] = {splat<V>(-inf), splat<V>(-inf)};
  I nan{};
  int64_t j = 0;
  for (; j + 2 * N <= cols; j += 2 * N) {
    const V x0 = load<V>(row + j), x1 = load<V>(row + j + N);
    best[0] = vmax(x0, best[0]);
    best[1] = vmax(x1, best[1]);
    nan |= I(x0 != x0) | I(x1 != x1);
  }
  for (; j < cols; j += N) {
    const V x = load_some<T, N>(row + j, cols - j, -inf);
    best[0] = vmax(x, best[0]);
    nan |= I(x != x);
  }
  const V m = vmax(best[0], best[1]);
  T top = -inf;
  bool any_nan = s->max != s->max;
  for (int i = 0; i < N; ++i) {
    top = m[i] > top ? m[i] : top;
    any_nan |= nan[i] != 0;
  }
  if (any_nan) {
    s->max = s->sum = s->weighted = s->linear = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  if (linear) {
    V acc{};
    for (j = 0; j < cols; j += N) {
      const V x = load_some<T, N>(row + j, cols - j, T(0));
      acc += w ? V(x * load_some<T, N>(w + j, cols - j, T(0))) : x;
    }
    s->linear += sum_lanes<T, N>(acc);
  }
  const double new_max = s->max > top ? s->max : static_cast<double>(top);
  if (new_max == -std::numeric_limits<double>::infinity()) return;
  if (new_max == std::numeric_limits<double>::infinity()) {  // inf - inf
    s->max = new_max;
    s->sum = s->weighted = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  const V sub = splat<V>(static_cast<T>(new_max));
  V sum[2] = {}, wsum{};
  for (j = 0; j + 2 * N <= cols && !weighted; j += 2 * N) {
    sum[0] += L::exp_of_difference(load<V>(row + j) - sub);
    sum[1] += L::exp_of_difference(load<V>(row + j + N) - sub);
  }
  for (; j < cols; j += N) {
    const V d = load_some<T, N>(row + j, cols - j, -inf) - sub;
    const V e = L::exp(d);
    sum[0] += e;
    // Below the clamp e is 0, so the product is 0 also for a logit of -inf.
    if (weighted) wsum += e * vmax(d, splat<V>(T(-1e4)));
  }
  const double tile_sum = sum_lanes<T, N>(sum[0] + sum[1]), tile_weighted = weighted ? sum_lanes<T, N>(wsum) : T(0);
  if (s->sum != 0) {
    const double shift = s->max - new_max;
    const double scale = shift == 0 ? 1 : std::exp(shift);
    s->weighted = weighted ? scale * (s->weighted + s->sum * shift) + tile_weighted : 0;
    s->sum = s->sum * scale + tile_sum;
  } else {
    s->weighted = tile_weighted;
    s->sum = tile_sum;
  }
  s->max = new_max;
}

template <class T, int N>
void softmax_row(const T* src, T* dst, int64_t cols, T max, T inv_sum) {
  using L = Lanes<T, N>;
  using V = typename L::V;
  const V sub = splat<V>(max);
  int64_t j = 0;
  for (; j + N <= cols; j += N) store(dst + j, V(L::exp(load<V>(src + j) - sub) * inv_sum));
  if (j < cols) {
    const V y = L::exp(load_some<T, N>(src + j, cols - j, T(0)) - sub) * inv_sum;
    for (int64_t q = j; q < cols; ++q) dst[q] = y[q - j];
  }
}

template <class T, int N>
void fill_row(T* row, int64_t cols, T value) {
  for (int64_t j = 0; j < cols; ++j) row[j] = value;
}

// d/draw of one logit value l with probability p, without the target term.
template <class L, class T>
FLCE_INLINE typename L::V spread(const RowGrad<T>& g, const typename L::V& l, const typename L::V& p,
                                 const typename L::V& w) {
  using V = typename L::V;
  V d = p * g.cp;
  if (g.cb != 0) d = d - w * g.cb;
  if (g.ch != 0) {
    // p log p -> 0 for p -> 0: the clamp keeps 0 * -inf out.
    const V logp = vmax(V(l - g.lse), splat<V>(T(-1e4)));
    d = d - p * (logp + g.entropy) * g.ch;
  }
  return d;
}
template <class L, class T>
FLCE_INLINE typename L::V chain(const Transform<T>& t, const typename L::V& l, const typename L::V& d) {
  using V = typename L::V;
  V y = d * (t.scale * t.inv_temperature);
  if (t.softcap != 0) {
    const V th = l * (1 / (t.inv_temperature * t.softcap));
    y = select(typename L::I(l == -std::numeric_limits<T>::infinity()), V{}, V(y * (1 - th * th)));
  }
  return y;
}

template <class T, int N>
void gradient_row(const Transform<T>& t, T* row, int64_t cols, const T* w, const RowGrad<T>& g, int64_t j0,
                  DType round_to) {
  using L = Lanes<T, N>;
  using V = typename L::V;
  if (g.skip) return fill_row<T, N>(row, cols, T(0));
  if (g.poison) return fill_row<T, N>(row, cols, std::numeric_limits<T>::quiet_NaN());
  const V sub = splat<V>(g.max);
  const bool plain = t.plain(), half = is_half(round_to);
  const int64_t at = g.target >= j0 && g.target < j0 + cols ? g.target - j0 : -1;
  const T l_target = at >= 0 ? row[at] : T(0);
  if (plain && g.cb == 0 && g.ch == 0) {
    const T c = g.inv_sum * g.cp;
    map_row<T, N>(row, cols, T(0), [&](const V& l, int64_t) { return V(L::exp(l - sub) * c); });
  } else {
    map_row<T, N>(row, cols, T(0), [&](const V& l, int64_t j) {
      const V p = L::exp(l - sub) * g.inv_sum;
      const V weight = w ? load_some<T, N>(w + j, cols - j, T(0)) : splat<V>(T(1));
      const V d = spread<L, T>(g, l, p, weight);
      return plain ? d : chain<L, T>(t, l, d);
    });
  }
  if (at >= 0) {
    const V l = splat<V>(l_target);
    const V p = L::exp(l - sub) * g.inv_sum;
    RowGrad<T> rest = g;
    rest.cp = g.cp - g.ct;
    V d = (p - 1) * g.ct + spread<L, T>(rest, l, p, splat<V>(w ? w[at] : T(1)));
    row[at] = (plain ? d : chain<L, T>(t, l, d))[0];
  }
  if (half) map_row<T, N>(row, cols, T(0), [&](const V& d, int64_t) { return L::round(d, round_to); });
}

template <class T, int N>
void from_softmax_row(T* row, int64_t cols, T grad, int64_t target, DType round_to) {
  using L = Lanes<T, N>;
  using V = typename L::V;
  if (target >= 0 && target < cols) row[target] -= 1;
  const bool half = is_half(round_to);
  map_row<T, N>(row, cols, T(0), [&](const V& p, int64_t) { return half ? L::round(p * grad, round_to) : p * grad; });
}

template <class T, int N>
void load_row(const void* src, DType dtype, T* dst, int64_t count) {
  int64_t j = 0;
  if constexpr (sizeof(T) == 4) {
    for (; j + N <= count; j += N) {
      if (dtype == DType::kFloat32) store(dst + j, load_as_float<DType::kFloat32, N>(src, j));
      if (dtype == DType::kBFloat16) store(dst + j, load_as_float<DType::kBFloat16, N>(src, j));
      if (dtype == DType::kFloat16) store(dst + j, load_as_float<DType::kFloat16, N>(src, j));
      if (dtype == DType::kFloat64) {
        for (int i = 0; i < N; ++i) dst[j + i] = static_cast<T>(static_cast<const double*>(src)[j + i]);
      }
    }
  }
  for (; j < count; ++j) dst[j] = load_one<T>(src, dtype, j);
}

template <class T>
FLCE_INLINE void store_one(T x, void* dst, DType dtype, int64_t at, bool accumulate) {
  if (accumulate) x += load_one<T>(dst, dtype, at);
  if (dtype == DType::kFloat32) {
    static_cast<float*>(dst)[at] = static_cast<float>(x);
  } else if (dtype == DType::kFloat64) {
    static_cast<double*>(dst)[at] = static_cast<double>(x);
  } else {
    uint16_t h[4];
    const VF<4> v = splat<VF<4>>(static_cast<float>(x));
    dtype == DType::kBFloat16 ? to_bf16<4>(h, v) : to_fp16<4>(h, v);
    static_cast<uint16_t*>(dst)[at] = h[0];
  }
}

template <class T, int N>
void store_row(const T* src, void* dst, DType dtype, int64_t count, bool accumulate) {
  int64_t j = 0;
  if constexpr (sizeof(T) == 4) {
    for (; j + N <= count && dtype != DType::kFloat64; j += N) {
      VF<N> x = load<VF<N>>(src + j);
      if (dtype == DType::kFloat32) {
        if (accumulate) x += load_as_float<DType::kFloat32, N>(dst, j);
        store(static_cast<float*>(dst) + j, x);
      } else if (dtype == DType::kBFloat16) {
        if (accumulate) x += load_as_float<DType::kBFloat16, N>(dst, j);
        to_bf16<N>(static_cast<uint16_t*>(dst) + j, x);
      } else {
        if (accumulate) x += load_as_float<DType::kFloat16, N>(dst, j);
        to_fp16<N>(static_cast<uint16_t*>(dst) + j, x);
      }
    }
  }
  for (; j < count; ++j) store_one<T>(src[j], dst, dtype, j, accumulate);
}

template <class T, int N>
void fill_row_functions(KernelTable<T>* t) {
  t->transform = transform_row<T, N>;
  t->stats = stats_row<T, N>;
  t->gradient = gradient_row<T, N>;
  t->softmax = softmax_row<T, N>;
  t->from_softmax = from_softmax_row<T, N>;
  t->load_row = load_row<T, N>;
  t->store_row = store_row<T, N>;
}

template <class T, int N, int MR, int NV>
KernelTable<T> wide_table(const char* name) {
  KernelTable<T> t{};
  t.name = name;
  t.mr = MR;
  t.nr = N * NV;
  t.depth_step = 1;
  t.elem_size = sizeof(T);
  t.pack = pack<T, MR, N * NV>;
  t.product = product<WideTile<T, N, MR, NV>, T, N, MR, NV>;
  fill_row_functions<T, N>(&t);
  return t;
}

}  // namespace
}  // namespace flce::cpu
