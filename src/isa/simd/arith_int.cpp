// Element-wise loops on integers. Sums and products wrap; in saturating mode they clamp (documented for i16 and i32).
// Shifts: spec/api-semantics.md 2 - a signed left shift keeps the sign bit, a rounding right shift adds the last bit
// out.
#include <algorithm>
#include <limits>
#include <type_traits>

#include "isa/fp.h"
#include "isa/simd/arith.h"

namespace ascsan::isa::simd {
namespace {

template <typename T>
using Bits = std::make_unsigned_t<T>;

template <bool kSaturate, typename T>
ASCSAN_INLINE T fit(int64_t wide) {
  if constexpr (kSaturate)
    return fp::narrow<T>(wide, false);
  else
    return static_cast<T>(static_cast<uint64_t>(wide));
}

template <bool kSaturate>
struct Add {
  template <typename T>
  static ASCSAN_INLINE T apply(T a, T b) {
    if constexpr (kSaturate)
      return fit<true, T>(int64_t{a} + b);
    else
      return static_cast<T>(static_cast<Bits<T>>(a) + static_cast<Bits<T>>(b));
  }
};
template <bool kSaturate>
struct Sub {
  template <typename T>
  static ASCSAN_INLINE T apply(T a, T b) {
    if constexpr (kSaturate)
      return fit<true, T>(int64_t{a} - b);
    else
      return static_cast<T>(static_cast<Bits<T>>(a) - static_cast<Bits<T>>(b));
  }
};
template <bool kSaturate>
struct Mul {
  template <typename T>
  static ASCSAN_INLINE T apply(T a, T b) {
    if constexpr (kSaturate)
      return fit<true, T>(int64_t{a} * b);
    else
      return static_cast<T>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
  }
};
struct Max {
  template <typename T>
  static ASCSAN_INLINE T apply(T a, T b) {
    return a > b ? a : b;
  }
};
struct Min {
  template <typename T>
  static ASCSAN_INLINE T apply(T a, T b) {
    return a < b ? a : b;
  }
};
struct And {
  template <typename T>
  static ASCSAN_INLINE T apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <typename T>
  static ASCSAN_INLINE T apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};
/// The intermediate sum of i16 clamps, as the table of AddReluCast shows.
struct AddRelu {
  template <typename T>
  static ASCSAN_INLINE T apply(T a, T b) {
    return std::max(T{0}, Add<true>::apply(a, b));
  }
};
struct SubRelu {
  template <typename T>
  static ASCSAN_INLINE T apply(T a, T b) {
    return std::max(T{0}, Sub<true>::apply(a, b));
  }
};

template <typename F, typename T>
struct Binary {
  template <typename Target>
  static ASCSAN_INLINE void run(const KernelArgs& args) {
    auto* dst = static_cast<T*>(args.dst);
    const auto* a = static_cast<const T*>(args.src0);
    const auto* b = static_cast<const T*>(args.src1);
    ASCSAN_IVDEP
    for (size_t i = 0; i < args.n; ++i) dst[i] = F::template apply<T>(a[i], b[i]);
  }
};
template <typename F, typename T>
struct Scalar {
  template <typename Target>
  static ASCSAN_INLINE void run(const KernelArgs& args) {
    auto* dst = static_cast<T*>(args.dst);
    const auto* a = static_cast<const T*>(args.src0);
    const T b = static_cast<T>(args.scalar);
    ASCSAN_IVDEP
    for (size_t i = 0; i < args.n; ++i) dst[i] = F::template apply<T>(a[i], b);
  }
};
template <typename T>
struct Relu {
  template <typename Target>
  static ASCSAN_INLINE void run(const KernelArgs& args) {
    auto* dst = static_cast<T*>(args.dst);
    const auto* a = static_cast<const T*>(args.src0);
    ASCSAN_IVDEP
    for (size_t i = 0; i < args.n; ++i) dst[i] = a[i] > 0 ? a[i] : T{0};
  }
};
template <typename T>
struct Not {
  template <typename Target>
  static ASCSAN_INLINE void run(const KernelArgs& args) {
    auto* dst = static_cast<T*>(args.dst);
    const auto* a = static_cast<const T*>(args.src0);
    ASCSAN_IVDEP
    for (size_t i = 0; i < args.n; ++i) dst[i] = static_cast<T>(~a[i]);
  }
};

/// Shift distance: negative or large values behave as the full width.
template <typename T>
uint32_t distance(uint64_t raw) {
  const auto value = static_cast<int64_t>(static_cast<T>(raw));
  constexpr int64_t kWidth = sizeof(T) * 8;
  return static_cast<uint32_t>(value < 0 || value > kWidth ? kWidth : value);
}

template <typename T>
struct ShiftLeft {
  template <typename Target>
  static ASCSAN_INLINE void run(const KernelArgs& args) {
    auto* dst = static_cast<T*>(args.dst);
    const auto* a = static_cast<const T*>(args.src0);
    const uint32_t by = distance<T>(args.scalar);
    constexpr Bits<T> kSign = std::is_signed_v<T> ? Bits<T>(Bits<T>{1} << (sizeof(T) * 8 - 1)) : Bits<T>{0};
    ASCSAN_IVDEP
    for (size_t i = 0; i < args.n; ++i) {
      const auto bits = static_cast<Bits<T>>(a[i]);
      const auto moved = static_cast<Bits<T>>(static_cast<uint64_t>(bits) << by);
      dst[i] = static_cast<T>(static_cast<Bits<T>>((moved & static_cast<Bits<T>>(~kSign)) | (bits & kSign)));
    }
  }
};
template <typename T>
struct ShiftRight {
  template <typename Target>
  static ASCSAN_INLINE void run(const KernelArgs& args) {
    auto* dst = static_cast<T*>(args.dst);
    const auto* a = static_cast<const T*>(args.src0);
    const uint32_t by = distance<T>(args.scalar);
    const bool round = (args.flags & 1) != 0 && std::is_signed_v<T> && by > 0;
    ASCSAN_IVDEP
    for (size_t i = 0; i < args.n; ++i) {
      const auto wide = static_cast<int64_t>(a[i]);
      const int64_t last = round ? (wide >> (by - 1)) & 1 : 0;
      dst[i] = static_cast<T>((wide >> by) + last);
    }
  }
};

template <typename T, bool kSaturate>
KernelPair arithmetic(gate::Op op) {
  switch (op) {
    case gate::Op::kAdd:
      return pair_of<Binary<Add<kSaturate>, T>>();
    case gate::Op::kSub:
      return pair_of<Binary<Sub<kSaturate>, T>>();
    case gate::Op::kMul:
      return pair_of<Binary<Mul<kSaturate>, T>>();
    case gate::Op::kMax:
      return pair_of<Binary<Max, T>>();
    case gate::Op::kMin:
      return pair_of<Binary<Min, T>>();
    case gate::Op::kIndexStep:
      return pair_of<Scalar<Add<false>, T>>();
    case gate::Op::kAdds:
      return pair_of<Scalar<Add<kSaturate>, T>>();
    case gate::Op::kMuls:
      return pair_of<Scalar<Mul<kSaturate>, T>>();
    case gate::Op::kMaxs:
      return pair_of<Scalar<Max, T>>();
    case gate::Op::kMins:
      return pair_of<Scalar<Min, T>>();
    default:
      return {};
  }
}

template <typename T>
KernelPair shift(gate::Op op) {
  if (op == gate::Op::kShiftLeft) return pair_of<ShiftLeft<T>>();
  if (op == gate::Op::kShiftRight) return pair_of<ShiftRight<T>>();
  return {};
}

template <typename T>
KernelPair bitwise(gate::Op op) {
  if (op == gate::Op::kAnd) return pair_of<Binary<And, T>>();
  if (op == gate::Op::kOr) return pair_of<Binary<Or, T>>();
  if (op == gate::Op::kNot) return pair_of<Not<T>>();
  return {};
}

KernelPair first_of(KernelPair a, KernelPair b) {
  return a ? a : b;
}

}  // namespace

KernelPair integer_kernel(gate::Op op, gate::DataType src, gate::DataType dst, bool saturate) {
  if (src != dst) return {};
  switch (src) {
    case gate::DataType::kInt16:
      if (op == gate::Op::kAddRelu) return pair_of<Binary<AddRelu, int16_t>>();
      if (op == gate::Op::kSubRelu) return pair_of<Binary<SubRelu, int16_t>>();
      return first_of(
          first_of(saturate ? arithmetic<int16_t, true>(op) : arithmetic<int16_t, false>(op), shift<int16_t>(op)),
          bitwise<int16_t>(op));
    case gate::DataType::kInt32:
      if (op == gate::Op::kRelu) return pair_of<Relu<int32_t>>();
      return first_of(saturate ? arithmetic<int32_t, true>(op) : arithmetic<int32_t, false>(op), shift<int32_t>(op));
    case gate::DataType::kUint16:
      return first_of(shift<uint16_t>(op), bitwise<uint16_t>(op));
    case gate::DataType::kUint32:
      return shift<uint32_t>(op);
    default:
      return {};
  }
}

}  // namespace ascsan::isa::simd
