// Element-wise loops on half and float: two sources, scalar, one source. Half values are widened in bulk, computed in
// float (double for exp, log, rsqrt) and rounded once to nearest even. Special values follow the documented tables: NaN
// in gives NaN, max(+0,-0) = +0, rsqrt(-0) = -inf, relu(-0) = +0, leaky relu multiplies -0.
#include "isa/simd/arith.h"
#include "isa/simd/math.h"

namespace ascsan::isa::simd {
namespace {

constexpr size_t kChunk = 256;

struct Add {
  static ASCSAN_INLINE float apply(float a, float b) { return a + b; }
};
struct Sub {
  static ASCSAN_INLINE float apply(float a, float b) { return a - b; }
};
struct Mul {
  static ASCSAN_INLINE float apply(float a, float b) { return a * b; }
};
struct Div {
  static ASCSAN_INLINE float apply(float a, float b) { return a / b; }
};
struct Max {
  static ASCSAN_INLINE float apply(float a, float b) { return max_of(a, b); }
};
struct Min {
  static ASCSAN_INLINE float apply(float a, float b) { return min_of(a, b); }
};
struct AddRelu {
  static ASCSAN_INLINE float apply(float a, float b) { return relu_of(a + b); }
};
struct SubRelu {
  static ASCSAN_INLINE float apply(float a, float b) { return relu_of(a - b); }
};
struct LeakyRelu {
  static ASCSAN_INLINE float apply(float x, float slope) {
    const bool keep = static_cast<int32_t>(bits_of(x)) >= 0 && x == x;
    return keep ? x : x * slope;
  }
};

// One source: `apply` gives the float result, `narrow` a float whose rounding to half is exact.
struct Exp {
  static ASCSAN_INLINE float apply(float x) { return static_cast<float>(exp_of(x)); }
  static ASCSAN_INLINE float narrow(float x) { return odd_float(exp_of(x)); }
};
struct Ln {
  static ASCSAN_INLINE float apply(float x) { return static_cast<float>(log_of(x)); }
  static ASCSAN_INLINE float narrow(float x) { return odd_float(log_of(x)); }
};
struct Sqrt {
  static ASCSAN_INLINE float apply(float x) { return __builtin_sqrtf(x); }
  static ASCSAN_INLINE float narrow(float x) { return __builtin_sqrtf(x); }
};
struct Rsqrt {
  static ASCSAN_INLINE float apply(float x) { return static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(x))); }
  static ASCSAN_INLINE float narrow(float x) { return odd_float(1.0 / __builtin_sqrt(static_cast<double>(x))); }
};
struct Reciprocal {
  static ASCSAN_INLINE float apply(float x) { return 1.0f / x; }
  static ASCSAN_INLINE float narrow(float x) { return 1.0f / x; }
};
struct Relu {
  static ASCSAN_INLINE float apply(float x) { return relu_of(x); }
  static ASCSAN_INLINE float narrow(float x) { return relu_of(x); }
};
struct Abs {
  static ASCSAN_INLINE float apply(float x) { return float_of(bits_of(x) & 0x7FFFFFFFu); }
  static ASCSAN_INLINE float narrow(float x) { return apply(x); }
};

template <typename F>
struct FloatBinary {
  template <typename Target>
  static ASCSAN_INLINE void run(const KernelArgs& args) {
    auto* dst = static_cast<float*>(args.dst);
    const auto* a = static_cast<const float*>(args.src0);
    const auto* b = static_cast<const float*>(args.src1);
    ASCSAN_IVDEP
    for (size_t i = 0; i < args.n; ++i) dst[i] = canonical(F::apply(a[i], b[i]));
  }
};

template <typename F>
struct FloatScalar {
  template <typename Target>
  static ASCSAN_INLINE void run(const KernelArgs& args) {
    auto* dst = static_cast<float*>(args.dst);
    const auto* a = static_cast<const float*>(args.src0);
    const float b = float_of(static_cast<uint32_t>(args.scalar));
    ASCSAN_IVDEP
    for (size_t i = 0; i < args.n; ++i) dst[i] = canonical(F::apply(a[i], b));
  }
};

template <typename F>
struct FloatUnary {
  template <typename Target>
  static ASCSAN_INLINE void run(const KernelArgs& args) {
    auto* dst = static_cast<float*>(args.dst);
    const auto* a = static_cast<const float*>(args.src0);
    ASCSAN_IVDEP
    for (size_t i = 0; i < args.n; ++i) dst[i] = canonical(F::apply(a[i]));
  }
};

/// Rounds a chunk to half and clamps it in saturating mode.
template <typename Target>
ASCSAN_INLINE void store_half(uint16_t* dst, const float* values, size_t n, bool saturate) {
  Target::float_to_half(dst, values, n);
  if (saturate) {
    for (size_t i = 0; i < n; ++i) dst[i] = fp::saturate_half(dst[i]);
  }
}

template <typename F>
struct HalfBinary {
  template <typename Target>
  static ASCSAN_INLINE void run(const KernelArgs& args) {
    auto* dst = static_cast<uint16_t*>(args.dst);
    const auto* src0 = static_cast<const uint16_t*>(args.src0);
    const auto* src1 = static_cast<const uint16_t*>(args.src1);
    float a[kChunk], b[kChunk];
    for (size_t done = 0; done < args.n; done += kChunk) {
      const size_t n = args.n - done < kChunk ? args.n - done : kChunk;
      Target::half_to_float(a, src0 + done, n);
      Target::half_to_float(b, src1 + done, n);
      for (size_t i = 0; i < n; ++i) a[i] = canonical(F::apply(a[i], b[i]));
      store_half<Target>(dst + done, a, n, args.saturate);
    }
  }
};

template <typename F>
struct HalfScalar {
  template <typename Target>
  static ASCSAN_INLINE void run(const KernelArgs& args) {
    auto* dst = static_cast<uint16_t*>(args.dst);
    const auto* src0 = static_cast<const uint16_t*>(args.src0);
    const float b = fp::from_half(static_cast<uint16_t>(args.scalar));
    float a[kChunk];
    for (size_t done = 0; done < args.n; done += kChunk) {
      const size_t n = args.n - done < kChunk ? args.n - done : kChunk;
      Target::half_to_float(a, src0 + done, n);
      for (size_t i = 0; i < n; ++i) a[i] = canonical(F::apply(a[i], b));
      store_half<Target>(dst + done, a, n, args.saturate);
    }
  }
};

template <typename F>
struct HalfUnary {
  template <typename Target>
  static ASCSAN_INLINE void run(const KernelArgs& args) {
    auto* dst = static_cast<uint16_t*>(args.dst);
    const auto* src0 = static_cast<const uint16_t*>(args.src0);
    float a[kChunk];
    for (size_t done = 0; done < args.n; done += kChunk) {
      const size_t n = args.n - done < kChunk ? args.n - done : kChunk;
      Target::half_to_float(a, src0 + done, n);
      for (size_t i = 0; i < n; ++i) a[i] = canonical(F::narrow(a[i]));
      store_half<Target>(dst + done, a, n, args.saturate);
    }
  }
};

template <typename F>
KernelPair binary(bool half) {
  return half ? pair_of<HalfBinary<F>>() : pair_of<FloatBinary<F>>();
}
template <typename F>
KernelPair scalar(bool half) {
  return half ? pair_of<HalfScalar<F>>() : pair_of<FloatScalar<F>>();
}
template <typename F>
KernelPair unary(bool half) {
  return half ? pair_of<HalfUnary<F>>() : pair_of<FloatUnary<F>>();
}

}  // namespace

KernelPair float_kernel(gate::Op op, gate::DataType src, gate::DataType dst) {
  if (src != dst || (src != gate::DataType::kHalf && src != gate::DataType::kFloat)) return {};
  const bool half = src == gate::DataType::kHalf;
  switch (op) {
    case gate::Op::kAdd:
      return binary<Add>(half);
    case gate::Op::kSub:
      return binary<Sub>(half);
    case gate::Op::kMul:
      return binary<Mul>(half);
    case gate::Op::kDiv:
      return binary<Div>(half);
    case gate::Op::kMax:
      return binary<Max>(half);
    case gate::Op::kMin:
      return binary<Min>(half);
    case gate::Op::kAddRelu:
      return binary<AddRelu>(half);
    case gate::Op::kSubRelu:
      return binary<SubRelu>(half);
    case gate::Op::kAdds:
    case gate::Op::kIndexStep:
      return scalar<Add>(half);
    case gate::Op::kMuls:
      return scalar<Mul>(half);
    case gate::Op::kMaxs:
      return scalar<Max>(half);
    case gate::Op::kMins:
      return scalar<Min>(half);
    case gate::Op::kLeakyRelu:
      return scalar<LeakyRelu>(half);
    case gate::Op::kExp:
      return unary<Exp>(half);
    case gate::Op::kLn:
      return unary<Ln>(half);
    case gate::Op::kAbs:
      return unary<Abs>(half);
    case gate::Op::kSqrt:
      return unary<Sqrt>(half);
    case gate::Op::kRsqrt:
      return unary<Rsqrt>(half);
    case gate::Op::kReciprocal:
      return unary<Reciprocal>(half);
    case gate::Op::kRelu:
      return unary<Relu>(half);
    default:
      return {};
  }
}

}  // namespace ascsan::isa::simd
