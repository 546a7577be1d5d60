// half (IEEE binary16), bfloat16_t and int4b_t as global types, as device sources name them.
// Arithmetic goes through float with one rounding to nearest even; infinities and NaN are kept (Inf/NaN mode,
// spec/fp.md 2 and 3), subnormals are preserved. Every conversion is exact or correctly rounded, also from double, and
// gives the same bits with and without F16C (NaN: top payload bits kept, quiet bit set, as the hardware does). Left
// out: saturating mode, which is a property of vector instructions and lives in src/isa.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace ascsan::float16 {

/// Bits of the half nearest to `value`, ties to even; magnitudes of 65520 and more become infinity.
constexpr uint16_t half_bits_soft(float value) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude >= 0x47800000u) {  // 65536 and above, infinity, NaN
    if (magnitude > 0x7F800000u) return static_cast<uint16_t>(sign | 0x7E00u | ((magnitude >> 13) & 0x3FFu));
    return static_cast<uint16_t>(sign | 0x7C00u);
  }
  if (magnitude < 0x38800000u) {  // below 2^-14: one unit in the last place of 0.5f is 2^-24, so the addition rounds
    const float shifted = __builtin_bit_cast(float, magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | (__builtin_bit_cast(uint32_t, shifted) - 0x3F000000u));
  }
  const uint32_t rounded = magnitude + 0xC8000FFFu + ((magnitude >> 13) & 1u);  // rebias by -112, add half an ulp
  return static_cast<uint16_t>(sign | (rounded >> 13));
}

constexpr float half_to_float_soft(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t exponent = (half >> 10) & 0x1Fu;
  const uint32_t fraction = half & 0x3FFu;
  if (exponent == 0x1F) {
    const uint32_t payload = fraction != 0 ? (0x400000u | (fraction << 13)) : 0;
    return __builtin_bit_cast(float, sign | 0x7F800000u | payload);
  }
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return __builtin_bit_cast(float, sign | __builtin_bit_cast(uint32_t, magnitude));
  }
  return __builtin_bit_cast(float, sign | (((static_cast<uint32_t>(half) & 0x7FFFu) << 13) + (112u << 23)));
}

constexpr uint16_t half_bits(float value) {
#if defined(__F16C__)
  if (!__builtin_is_constant_evaluated()) return _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT);
#endif
  return half_bits_soft(value);
}

constexpr float half_to_float(uint16_t half) {
#if defined(__F16C__)
  if (!__builtin_is_constant_evaluated()) return _cvtsh_ss(half);
#endif
  return half_to_float_soft(half);
}

constexpr uint16_t bfloat16_bits(float value) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

constexpr float bfloat16_to_float(uint16_t bits) {
  return __builtin_bit_cast(float, static_cast<uint32_t>(bits) << 16);
}

/// double -> float with round to odd: a second rounding to a format of at least two bits less is then exact.
constexpr float narrow_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || value != value) return nearest;
  uint32_t bits = __builtin_bit_cast(uint32_t, nearest);
  if ((bits & 0x7FFFFFFFu) == 0x7F800000u) return nearest;
  const bool above = static_cast<double>(nearest) > value;
  const bool negative = (bits >> 31) != 0;
  if ((bits & 0x7FFFFFFFu) == 0) return __builtin_bit_cast(float, (value < 0 ? 0x80000000u : 0u) | 1u);
  if (above != negative) --bits;  // magnitude was rounded up: step back to the truncated value
  return __builtin_bit_cast(float, bits | 1u);
}

}  // namespace ascsan::float16

struct half {
  uint16_t bits_;

  half() = default;
  constexpr half(float value) : bits_(ascsan::float16::half_bits(value)) {}
  constexpr half(double value) : bits_(ascsan::float16::half_bits(ascsan::float16::narrow_to_odd(value))) {}
  /// Integers: any that float cannot hold exactly lies beyond the range of half, so two steps round once.
  template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  constexpr half(T value) : bits_(ascsan::float16::half_bits(static_cast<float>(value))) {}
  constexpr operator float() const { return ascsan::float16::half_to_float(bits_); }

  static constexpr half from_bits(uint16_t bits) {
    half result{};
    result.bits_ = bits;
    return result;
  }
  constexpr uint16_t bits() const { return bits_; }
  constexpr half operator-() const { return from_bits(static_cast<uint16_t>(bits_ ^ 0x8000u)); }
  constexpr half operator+() const { return *this; }
};

struct bfloat16_t {
  uint16_t bits_;

  bfloat16_t() = default;
  constexpr bfloat16_t(float value) : bits_(ascsan::float16::bfloat16_bits(value)) {}
  constexpr bfloat16_t(double value) : bits_(ascsan::float16::bfloat16_bits(ascsan::float16::narrow_to_odd(value))) {}
  /// Integers go through double (exact to 53 bits), so the rounding to 8 bits happens once for every 32-bit integer.
  template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  constexpr bfloat16_t(T value) : bfloat16_t(static_cast<double>(value)) {}
  constexpr operator float() const { return ascsan::float16::bfloat16_to_float(bits_); }

  static constexpr bfloat16_t from_bits(uint16_t bits) {
    bfloat16_t result{};
    result.bits_ = bits;
    return result;
  }
  constexpr uint16_t bits() const { return bits_; }
  constexpr bfloat16_t operator-() const { return from_bits(static_cast<uint16_t>(bits_ ^ 0x8000u)); }
  constexpr bfloat16_t operator+() const { return *this; }
};

/// One signed 4-bit integer. Tensors of it hold two per byte, low nibble first (spec/api-semantics.md 2.2); a single
/// value of this type only names the element type, so it occupies one byte of its own.
struct int4b_t {
  int8_t value_;

  int4b_t() = default;
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  constexpr int4b_t(T value) : value_(static_cast<int8_t>(((static_cast<int32_t>(value) & 0xF) ^ 8) - 8)) {}
  constexpr operator int8_t() const { return value_; }
};

// Mixed arithmetic follows the compiler's _Float16: with a floating operand the wider type wins, with an integer the
// 16-bit type does. Comparisons need nothing: they happen in float through the conversion.
#define ASCSAN_FLOAT16_OPERATOR(Type, op)                                   \
  constexpr Type operator op(Type a, Type b) {                              \
    return Type(static_cast<float>(a) op static_cast<float>(b));            \
  }                                                                         \
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0> \
  constexpr auto operator op(Type a, T b) {                                 \
    if constexpr (std::is_floating_point_v<T>)                              \
      return static_cast<float>(a) op b;                                    \
    else                                                                    \
      return a op Type(b);                                                  \
  }                                                                         \
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0> \
  constexpr auto operator op(T a, Type b) {                                 \
    if constexpr (std::is_floating_point_v<T>)                              \
      return a op static_cast<float>(b);                                    \
    else                                                                    \
      return Type(a) op b;                                                  \
  }                                                                         \
  template <typename T>                                                     \
  constexpr Type& operator op##=(Type& a, const T& b) {                     \
    return a = Type(a op b);                                                \
  }
#define ASCSAN_FLOAT16_TYPE(Type)           \
  ASCSAN_FLOAT16_OPERATOR(Type, +)          \
  ASCSAN_FLOAT16_OPERATOR(Type, -)          \
  ASCSAN_FLOAT16_OPERATOR(Type, *)          \
  ASCSAN_FLOAT16_OPERATOR(Type, /)          \
  constexpr Type& operator++(Type& a) {     \
    return a += 1.0f;                       \
  }                                         \
  constexpr Type& operator--(Type& a) {     \
    return a -= 1.0f;                       \
  }                                         \
  constexpr Type operator++(Type& a, int) { \
    const Type before = a;                  \
    a += 1.0f;                              \
    return before;                          \
  }                                         \
  constexpr Type operator--(Type& a, int) { \
    const Type before = a;                  \
    a -= 1.0f;                              \
    return before;                          \
  }
ASCSAN_FLOAT16_TYPE(half)
ASCSAN_FLOAT16_TYPE(bfloat16_t)
#undef ASCSAN_FLOAT16_TYPE
#undef ASCSAN_FLOAT16_OPERATOR

static_assert(sizeof(half) == 2 && std::is_trivially_copyable_v<half> && std::is_trivial_v<half>);
static_assert(sizeof(bfloat16_t) == 2 && std::is_trivially_copyable_v<bfloat16_t> && std::is_trivial_v<bfloat16_t>);
static_assert(sizeof(int4b_t) == 1 && std::is_trivial_v<int4b_t>);

/// Limits of the two formats (spec/fp.md 1).
template <>
class std::numeric_limits<half> : public std::numeric_limits<float> {
 public:
  static constexpr int digits = 11, digits10 = 3, max_digits10 = 5;
  static constexpr int min_exponent = -13, min_exponent10 = -4, max_exponent = 16, max_exponent10 = 4;
  static constexpr half min() noexcept { return half::from_bits(0x0400); }
  static constexpr half max() noexcept { return half::from_bits(0x7BFF); }
  static constexpr half lowest() noexcept { return half::from_bits(0xFBFF); }
  static constexpr half epsilon() noexcept { return half::from_bits(0x1400); }
  static constexpr half round_error() noexcept { return half::from_bits(0x3800); }
  static constexpr half denorm_min() noexcept { return half::from_bits(0x0001); }
  static constexpr half infinity() noexcept { return half::from_bits(0x7C00); }
  static constexpr half quiet_NaN() noexcept { return half::from_bits(0x7E00); }
  static constexpr half signaling_NaN() noexcept { return half::from_bits(0x7D00); }
};

template <>
class std::numeric_limits<bfloat16_t> : public std::numeric_limits<float> {
 public:
  static constexpr int digits = 8, digits10 = 2, max_digits10 = 4;
  static constexpr bfloat16_t min() noexcept { return bfloat16_t::from_bits(0x0080); }
  static constexpr bfloat16_t max() noexcept { return bfloat16_t::from_bits(0x7F7F); }
  static constexpr bfloat16_t lowest() noexcept { return bfloat16_t::from_bits(0xFF7F); }
  static constexpr bfloat16_t epsilon() noexcept { return bfloat16_t::from_bits(0x3C00); }
  static constexpr bfloat16_t round_error() noexcept { return bfloat16_t::from_bits(0x3F00); }
  static constexpr bfloat16_t denorm_min() noexcept { return bfloat16_t::from_bits(0x0001); }
  static constexpr bfloat16_t infinity() noexcept { return bfloat16_t::from_bits(0x7F80); }
  static constexpr bfloat16_t quiet_NaN() noexcept { return bfloat16_t::from_bits(0x7FC0); }
  static constexpr bfloat16_t signaling_NaN() noexcept { return bfloat16_t::from_bits(0x7FA0); }
};
