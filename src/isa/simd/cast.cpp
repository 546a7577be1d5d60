// Conversions of Cast (spec/api-semantics.md 2.2, fp.md 2 and 3). Frequent pairs have vector loops; the others go
// element by element through the complete rules of fp.h. 4-bit values arrive unpacked, one int8 per element. float ->
// float rounds to integral values and turns -0 into +0, as documented.
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "isa/simd/arith.h"
#include "isa/simd/math.h"

namespace ascsan::isa::simd {
namespace {

constexpr size_t kChunk = 256;
using fp::Round;

struct Int4 {
  int8_t value;
};
struct Half {
  uint16_t bits;
};
struct Bfloat16 {
  uint16_t bits;
};

/// Value of an element as double, or as int64 for 64-bit integers.
template <typename T>
auto value_of(T x) {
  if constexpr (std::is_same_v<T, Half>)
    return static_cast<double>(fp::from_half(x.bits));
  else if constexpr (std::is_same_v<T, Bfloat16>)
    return static_cast<double>(float16::bfloat16_to_float(x.bits));
  else if constexpr (std::is_same_v<T, Int4>)
    return static_cast<double>(x.value);
  else if constexpr (sizeof(T) == 8)
    return x;
  else
    return static_cast<double>(x);
}

template <typename D, typename V>
D convert(V value, Round mode, const KernelArgs& args) {
  if constexpr (std::is_same_v<D, float>) {
    return canonical(fp::to_float(value, mode));
  } else if constexpr (std::is_same_v<D, Half>) {
    const uint16_t bits = fp::to_half_bits(static_cast<double>(value), mode);
    return {args.saturate ? fp::saturate_half(bits) : bits};
  } else if constexpr (std::is_same_v<D, Bfloat16>) {
    const uint16_t bits = fp::to_bfloat16_bits(static_cast<double>(value), mode);
    return {args.saturate ? fp::saturate_bfloat16(bits) : bits};
  } else if constexpr (std::is_same_v<V, int64_t>) {
    return fp::narrow<D>(value, args.truncate);
  } else if constexpr (std::is_same_v<D, Int4>) {
    const auto wide = fp::to_integer<int64_t>(fp::to_integral(value, mode), false);
    const int64_t clamped = std::clamp<int64_t>(wide, -8, 7);
    return {static_cast<int8_t>(args.truncate ? ((wide & 0xF) ^ 8) - 8 : clamped)};
  } else {
    return fp::to_integer<D>(fp::to_integral(value, mode), args.truncate);
  }
}

template <typename S, typename D>
struct Slow {
  template <typename Target>
  static void run(const KernelArgs& args) {
    const auto* src = static_cast<const S*>(args.src0);
    auto* dst = static_cast<D*>(args.dst);
    const auto mode = static_cast<Round>(args.mode);
    for (size_t i = 0; i < args.n; ++i) dst[i] = convert<D>(value_of(src[i]), mode, args);
  }
};

struct HalfToFloat {
  template <typename Target>
  static ASCSAN_INLINE void run(const KernelArgs& args) {
    auto* dst = static_cast<float*>(args.dst);
    Target::half_to_float(dst, static_cast<const uint16_t*>(args.src0), args.n);
    for (size_t i = 0; i < args.n; ++i) dst[i] = canonical(dst[i]);
  }
};

struct FloatToHalf {
  template <typename Target>
  static ASCSAN_INLINE void run(const KernelArgs& args) {
    const auto mode = static_cast<Round>(args.mode);
    if (mode != Round::kNone && mode != Round::kRint) return Slow<float, Half>::run<Target>(args);
    const auto* src = static_cast<const float*>(args.src0);
    auto* dst = static_cast<uint16_t*>(args.dst);
    float chunk[kChunk];
    for (size_t done = 0; done < args.n; done += kChunk) {
      const size_t n = std::min(args.n - done, kChunk);
      for (size_t i = 0; i < n; ++i) chunk[i] = canonical(src[done + i]);
      Target::float_to_half(dst + done, chunk, n);
      if (args.saturate) {
        for (size_t i = 0; i < n; ++i) dst[done + i] = fp::saturate_half(dst[done + i]);
      }
    }
  }
};

struct Bfloat16ToFloat {
  template <typename Target>
  static ASCSAN_INLINE void run(const KernelArgs& args) {
    const auto* src = static_cast<const uint16_t*>(args.src0);
    auto* dst = static_cast<float*>(args.dst);
    ASCSAN_IVDEP
    for (size_t i = 0; i < args.n; ++i) dst[i] = canonical(float_of(static_cast<uint32_t>(src[i]) << 16));
  }
};

struct FloatToBfloat16 {
  template <typename Target>
  static ASCSAN_INLINE void run(const KernelArgs& args) {
    const auto mode = static_cast<Round>(args.mode);
    if ((mode != Round::kNone && mode != Round::kRint) || args.saturate)
      return Slow<float, Bfloat16>::run<Target>(args);
    const auto* src = static_cast<const float*>(args.src0);
    auto* dst = static_cast<uint16_t*>(args.dst);
    ASCSAN_IVDEP
    for (size_t i = 0; i < args.n; ++i) {
      const uint32_t bits = bits_of(src[i]);
      const uint32_t rounded = (bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16;
      dst[i] = static_cast<uint16_t>((bits & 0x7FFFFFFFu) > 0x7F800000u ? fp::kNanBits >> 16 : rounded);
    }
  }
};

template <Round kMode>
ASCSAN_INLINE float integral(float x) {
  if constexpr (kMode == Round::kFloor)
    return __builtin_floorf(x);
  else if constexpr (kMode == Round::kCeil)
    return __builtin_ceilf(x);
  else if constexpr (kMode == Round::kTrunc)
    return __builtin_truncf(x);
  else if constexpr (kMode == Round::kRound) {
    const float t = __builtin_truncf(x);
    const float rest = x - t;  // exact; NaN for infinities
    return rest >= 0.5f ? t + 1.0f : rest <= -0.5f ? t - 1.0f : t;
  } else
    return __builtin_rintf(x);
}

/// Clamps an integral float into [low, high] and converts; NaN gives 0. high + 1 must be a power of two.
template <typename T>
ASCSAN_INLINE T clamp_to(float x) {
  constexpr auto kLow = static_cast<float>(std::numeric_limits<T>::min());
  constexpr float kAbove = static_cast<float>(std::numeric_limits<T>::max() / 2 + 1) * 2.0f;
  float v = x < kLow ? kLow : x;
  v = x >= kAbove ? 0.0f : v;
  v = x == x ? v : 0.0f;
  const auto inside = static_cast<int32_t>(v);
  return static_cast<T>(x >= kAbove ? static_cast<int32_t>(std::numeric_limits<T>::max()) : inside);
}

template <Round kMode, typename T>
ASCSAN_INLINE void round_chunk(T* dst, const float* src, size_t n) {
  ASCSAN_IVDEP
  for (size_t i = 0; i < n; ++i) dst[i] = clamp_to<T>(integral<kMode>(src[i]));
}

template <typename T>
ASCSAN_INLINE void round_any(T* dst, const float* src, size_t n, Round mode) {
  switch (mode) {
    case Round::kFloor:
      return round_chunk<Round::kFloor>(dst, src, n);
    case Round::kCeil:
      return round_chunk<Round::kCeil>(dst, src, n);
    case Round::kRound:
      return round_chunk<Round::kRound>(dst, src, n);
    case Round::kTrunc:
      return round_chunk<Round::kTrunc>(dst, src, n);
    default:
      return round_chunk<Round::kRint>(dst, src, n);
  }
}

template <typename T>
struct FloatToInt {
  template <typename Target>
  static ASCSAN_INLINE void run(const KernelArgs& args) {
    if (args.truncate) return Slow<float, T>::template run<Target>(args);
    round_any(static_cast<T*>(args.dst), static_cast<const float*>(args.src0), args.n, static_cast<Round>(args.mode));
  }
};

template <typename T>
struct HalfToInt {
  template <typename Target>
  static ASCSAN_INLINE void run(const KernelArgs& args) {
    if (args.truncate) return Slow<Half, T>::template run<Target>(args);
    const auto* src = static_cast<const uint16_t*>(args.src0);
    auto* dst = static_cast<T*>(args.dst);
    float chunk[kChunk];
    for (size_t done = 0; done < args.n; done += kChunk) {
      const size_t n = std::min(args.n - done, kChunk);
      Target::half_to_float(chunk, src + done, n);
      round_any(dst + done, chunk, n, static_cast<Round>(args.mode));
    }
  }
};

/// Integers that float holds exactly, to half: i8, u8 exactly, i16 with one rounding.
template <typename T>
struct IntToHalf {
  template <typename Target>
  static ASCSAN_INLINE void run(const KernelArgs& args) {
    const auto mode = static_cast<Round>(args.mode);
    if (mode != Round::kNone && mode != Round::kRint) return Slow<T, Half>::template run<Target>(args);
    const auto* src = static_cast<const T*>(args.src0);
    auto* dst = static_cast<uint16_t*>(args.dst);
    float chunk[kChunk];
    for (size_t done = 0; done < args.n; done += kChunk) {
      const size_t n = std::min(args.n - done, kChunk);
      for (size_t i = 0; i < n; ++i) chunk[i] = static_cast<float>(src[done + i]);
      Target::float_to_half(dst + done, chunk, n);
    }
  }
};

template <typename T>
struct IntToFloat {
  template <typename Target>
  static ASCSAN_INLINE void run(const KernelArgs& args) {
    const auto mode = static_cast<Round>(args.mode);
    if (sizeof(T) == 4 && mode != Round::kNone && mode != Round::kRint)
      return Slow<T, float>::template run<Target>(args);
    const auto* src = static_cast<const T*>(args.src0);
    auto* dst = static_cast<float*>(args.dst);
    ASCSAN_IVDEP
    for (size_t i = 0; i < args.n; ++i) dst[i] = static_cast<float>(src[i]);
  }
};

struct FloatToIntegral {
  template <Round kMode>
  static ASCSAN_INLINE void loop(const KernelArgs& args) {
    const auto* src = static_cast<const float*>(args.src0);
    auto* dst = static_cast<float*>(args.dst);
    ASCSAN_IVDEP
    for (size_t i = 0; i < args.n; ++i) dst[i] = canonical(integral<kMode>(src[i]) + 0.0f);  // -0 becomes +0
  }
  template <typename Target>
  static ASCSAN_INLINE void run(const KernelArgs& args) {
    switch (static_cast<Round>(args.mode)) {
      case Round::kFloor:
        return loop<Round::kFloor>(args);
      case Round::kCeil:
        return loop<Round::kCeil>(args);
      case Round::kRound:
        return loop<Round::kRound>(args);
      case Round::kTrunc:
        return loop<Round::kTrunc>(args);
      default:
        return loop<Round::kRint>(args);
    }
  }
};

}  // namespace

KernelPair cast_kernel(gate::DataType src, gate::DataType dst) {
  using enum gate::DataType;
  switch (src) {
    case kInt4:
      return dst == kHalf ? pair_of<Slow<Int4, Half>>() : KernelPair{};
    case kInt8:
      return dst == kHalf ? pair_of<IntToHalf<int8_t>>() : KernelPair{};
    case kUint8:
      return dst == kHalf ? pair_of<IntToHalf<uint8_t>>() : KernelPair{};
    case kInt16:
      if (dst == kHalf) return pair_of<IntToHalf<int16_t>>();
      return dst == kFloat ? pair_of<IntToFloat<int16_t>>() : KernelPair{};
    case kHalf:
      if (dst == kInt4) return pair_of<Slow<Half, Int4>>();
      if (dst == kInt8) return pair_of<HalfToInt<int8_t>>();
      if (dst == kUint8) return pair_of<HalfToInt<uint8_t>>();
      if (dst == kInt16) return pair_of<HalfToInt<int16_t>>();
      if (dst == kInt32) return pair_of<HalfToInt<int32_t>>();
      return dst == kFloat ? pair_of<HalfToFloat>() : KernelPair{};
    case kBfloat16:
      if (dst == kInt32) return pair_of<Slow<Bfloat16, int32_t>>();
      return dst == kFloat ? pair_of<Bfloat16ToFloat>() : KernelPair{};
    case kInt32:
      if (dst == kInt16) return pair_of<Slow<int32_t, int16_t>>();
      if (dst == kInt64) return pair_of<Slow<int32_t, int64_t>>();
      if (dst == kHalf) return fused_kernel(gate::Op::kCastDequant, src, dst);
      return dst == kFloat ? pair_of<IntToFloat<int32_t>>() : KernelPair{};
    case kFloat:
      if (dst == kInt16) return pair_of<FloatToInt<int16_t>>();
      if (dst == kInt32) return pair_of<FloatToInt<int32_t>>();
      if (dst == kInt64) return pair_of<Slow<float, int64_t>>();
      if (dst == kHalf) return pair_of<FloatToHalf>();
      if (dst == kBfloat16) return pair_of<FloatToBfloat16>();
      return dst == kFloat ? pair_of<FloatToIntegral>() : KernelPair{};
    case kInt64:
      if (dst == kInt32) return pair_of<Slow<int64_t, int32_t>>();
      return dst == kFloat ? pair_of<Slow<int64_t, float>>() : KernelPair{};
    default:
      return {};
  }
}

}  // namespace ascsan::isa::simd
