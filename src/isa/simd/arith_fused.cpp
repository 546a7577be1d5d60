// Products with accumulation and operations that narrow their result.
// Accumulations round the product to the destination type first, then the sum: the boundary tables of Axpy, MulAddDst
// and FusedMulAdd show the intermediate overflow (65504 * 65504 gives inf in half, not in half -> float). Narrowing
// operations keep the intermediate at source type and clamp; NaN becomes 0 there, also for float -> half (spec/fp.md 4
// and 7).
#include <algorithm>

#include "isa/simd/arith.h"
#include "isa/simd/math.h"

namespace ascsan::isa::simd {
namespace {

constexpr size_t kChunk = 256;

template <typename Target>
ASCSAN_INLINE void round_to_half(float* values, size_t n, bool saturate) {
  uint16_t bits[kChunk];
  Target::float_to_half(bits, values, n);
  if (saturate) {
    for (size_t i = 0; i < n; ++i) bits[i] = fp::saturate_half(bits[i]);
  }
  Target::half_to_float(values, bits, n);
}

template <typename Target>
ASCSAN_INLINE void store_half(uint16_t* dst, const float* values, size_t n, bool saturate) {
  Target::float_to_half(dst, values, n);
  if (saturate) {
    for (size_t i = 0; i < n; ++i) dst[i] = fp::saturate_half(dst[i]);
  }
}

/// Element type of an operand of these loops, loaded as float.
enum class Kind { kHalf, kFloat };

template <Kind kKind, typename Target>
ASCSAN_INLINE void load(float* out, const void* src, size_t done, size_t n) {
  if constexpr (kKind == Kind::kHalf) {
    Target::half_to_float(out, static_cast<const uint16_t*>(src) + done, n);
  } else {
    const auto* from = static_cast<const float*>(src) + done;
    for (size_t i = 0; i < n; ++i) out[i] = from[i];
  }
}

/// dst = x * y + z rounded at both steps, in the type of dst. Which of them is dst itself:
/// kAxpy: src0 * scalar + dst, kMulAddDst: src0 * src1 + dst, kFused: src0 * dst + src1.
enum class Form { kAxpy, kMulAddDst, kFused, kFusedRelu };

template <Form kForm, Kind kSrc, Kind kDst>
struct MulAdd {
  template <typename Target>
  static ASCSAN_INLINE void run(const KernelArgs& args) {
    float x[kChunk], y[kChunk], z[kChunk];
    const float scalar = kSrc == Kind::kHalf ? fp::from_half(static_cast<uint16_t>(args.scalar))
                                             : float_of(static_cast<uint32_t>(args.scalar));
    constexpr bool kFusedForm = kForm == Form::kFused || kForm == Form::kFusedRelu;
    for (size_t done = 0; done < args.n; done += kChunk) {
      const size_t n = std::min(args.n - done, kChunk);
      load<kSrc, Target>(x, args.src0, done, n);
      if constexpr (kForm == Form::kAxpy) {
        for (size_t i = 0; i < n; ++i) y[i] = scalar;
      } else if constexpr (kFusedForm) {
        load<kDst, Target>(y, args.dst, done, n);
      } else {
        load<kSrc, Target>(y, args.src1, done, n);
      }
      if constexpr (kFusedForm)
        load<kSrc, Target>(z, args.src1, done, n);
      else
        load<kDst, Target>(z, args.dst, done, n);
      for (size_t i = 0; i < n; ++i) x[i] = x[i] * y[i];
      if constexpr (kDst == Kind::kHalf) round_to_half<Target>(x, n, args.saturate);
      for (size_t i = 0; i < n; ++i) x[i] = canonical(kForm == Form::kFusedRelu ? relu_of(x[i] + z[i]) : x[i] + z[i]);
      if constexpr (kDst == Kind::kHalf) {
        store_half<Target>(static_cast<uint16_t*>(args.dst) + done, x, n, args.saturate);
      } else {
        auto* dst = static_cast<float*>(args.dst) + done;
        for (size_t i = 0; i < n; ++i) dst[i] = x[i];
      }
    }
  }
};

/// AddReluCast, SubReluCast: float -> half.
template <bool kSub>
struct ReluCastFloat {
  template <typename Target>
  static ASCSAN_INLINE void run(const KernelArgs& args) {
    const auto* a = static_cast<const float*>(args.src0);
    const auto* b = static_cast<const float*>(args.src1);
    float r[kChunk];
    for (size_t done = 0; done < args.n; done += kChunk) {
      const size_t n = std::min(args.n - done, kChunk);
      for (size_t i = 0; i < n; ++i) {
        const float sum = kSub ? a[done + i] - b[done + i] : a[done + i] + b[done + i];
        r[i] = sum > 0.0f ? sum : 0.0f;
      }
      store_half<Target>(static_cast<uint16_t*>(args.dst) + done, r, n, args.saturate);
    }
  }
};

/// half -> 8 bits: kOp 0 add, 1 sub (both with relu), 2 mul.
template <int kOp, typename T>
struct NarrowHalf {
  template <typename Target>
  static ASCSAN_INLINE void run(const KernelArgs& args) {
    float a[kChunk], b[kChunk];
    auto* dst = static_cast<T*>(args.dst);
    for (size_t done = 0; done < args.n; done += kChunk) {
      const size_t n = std::min(args.n - done, kChunk);
      load<Kind::kHalf, Target>(a, args.src0, done, n);
      load<Kind::kHalf, Target>(b, args.src1, done, n);
      for (size_t i = 0; i < n; ++i) {
        a[i] = kOp == 2 ? a[i] * b[i] : relu_of(kOp == 1 ? a[i] - b[i] : a[i] + b[i]);
      }
      round_to_half<Target>(a, n, args.saturate);
      for (size_t i = 0; i < n; ++i) {
        dst[done + i] = fp::to_integer<T>(fp::to_integral(a[i], fp::Round::kRint), args.truncate);
      }
    }
  }
};

/// int16 -> int8 with relu; the sum clamps at 16 bits.
template <bool kSub>
struct ReluCastInt {
  template <typename Target>
  static ASCSAN_INLINE void run(const KernelArgs& args) {
    const auto* a = static_cast<const int16_t*>(args.src0);
    const auto* b = static_cast<const int16_t*>(args.src1);
    auto* dst = static_cast<int8_t*>(args.dst);
    for (size_t i = 0; i < args.n; ++i) {
      const int16_t sum = fp::narrow<int16_t>(kSub ? int64_t{a[i]} - b[i] : int64_t{a[i]} + b[i], false);
      dst[i] = fp::narrow<int8_t>(std::max<int16_t>(0, sum), args.truncate);
    }
  }
};

/// The scale keeps 10 fraction bits (spec/fp.md 1).
float quant_scale(uint64_t word) {
  return float_of(static_cast<uint32_t>(word) & 0xFFFFE000u);
}

/// int32 -> half with scale; kAdd: sum of two sources and relu (AddDeqRelu), else one source (Cast, CastDequant).
template <bool kAdd>
struct Dequant {
  template <typename Target>
  static ASCSAN_INLINE void run(const KernelArgs& args) {
    const auto* a = static_cast<const int32_t*>(args.src0);
    const auto* b = static_cast<const int32_t*>(args.src1);
    const float scale = quant_scale(args.deq_scale);
    float r[kChunk];
    for (size_t done = 0; done < args.n; done += kChunk) {
      const size_t n = std::min(args.n - done, kChunk);
      for (size_t i = 0; i < n; ++i) {
        uint32_t sum = static_cast<uint32_t>(a[done + i]);
        if constexpr (kAdd) sum += static_cast<uint32_t>(b[done + i]);
        const float scaled = static_cast<float>(static_cast<int32_t>(sum)) * scale;
        r[i] = canonical(kAdd ? relu_of(scaled) : scaled);
      }
      store_half<Target>(static_cast<uint16_t*>(args.dst) + done, r, n, args.saturate);
    }
  }
};

template <Form kForm>
KernelPair mul_add(gate::DataType src, gate::DataType dst) {
  using enum gate::DataType;
  if (src == kHalf && dst == kHalf) return pair_of<MulAdd<kForm, Kind::kHalf, Kind::kHalf>>();
  if (src == kFloat && dst == kFloat) return pair_of<MulAdd<kForm, Kind::kFloat, Kind::kFloat>>();
  if constexpr (kForm == Form::kAxpy || kForm == Form::kMulAddDst) {
    if (src == kHalf && dst == kFloat) return pair_of<MulAdd<kForm, Kind::kHalf, Kind::kFloat>>();
  }
  return {};
}

template <bool kSub>
KernelPair relu_cast(gate::DataType src, gate::DataType dst) {
  using enum gate::DataType;
  if (src == kFloat && dst == kHalf) return pair_of<ReluCastFloat<kSub>>();
  if (src == kHalf && dst == kInt8) return pair_of<NarrowHalf<kSub ? 1 : 0, int8_t>>();
  if (src == kHalf && dst == kUint8) return pair_of<NarrowHalf<kSub ? 1 : 0, uint8_t>>();
  if (src == kInt16 && dst == kInt8) return pair_of<ReluCastInt<kSub>>();
  return {};
}

}  // namespace

KernelPair fused_kernel(gate::Op op, gate::DataType src, gate::DataType dst) {
  using enum gate::DataType;
  switch (op) {
    case gate::Op::kAxpy:
      return mul_add<Form::kAxpy>(src, dst);
    case gate::Op::kMulAddDst:
      return mul_add<Form::kMulAddDst>(src, dst);
    case gate::Op::kFusedMulAdd:
      return mul_add<Form::kFused>(src, dst);
    case gate::Op::kFusedMulAddRelu:
      return mul_add<Form::kFusedRelu>(src, dst);
    case gate::Op::kAddReluCast:
      return relu_cast<false>(src, dst);
    case gate::Op::kSubReluCast:
      return relu_cast<true>(src, dst);
    case gate::Op::kMulCast:
      if (src == kHalf && dst == kInt8) return pair_of<NarrowHalf<2, int8_t>>();
      if (src == kHalf && dst == kUint8) return pair_of<NarrowHalf<2, uint8_t>>();
      return {};
    case gate::Op::kAddDeqRelu:
      return src == kInt32 && dst == kHalf ? pair_of<Dequant<true>>() : KernelPair{};
    case gate::Op::kCastDequant:
      return src == kInt32 && dst == kHalf ? pair_of<Dequant<false>>() : KernelPair{};
    default:
      return {};
  }
}

}  // namespace ascsan::isa::simd
