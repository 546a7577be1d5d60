// Small helpers and constants kernels take from the framework: rounding, type queries, sizes, AscendC::Std.
// Rules: sizes spec/execution-model.md 1.2 and 1.3; names by use in public kernels (spec/api-frequency.csv).
// Left out: layout algebra and the compile-time tensor traits.
#pragma once

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "ascendc/gate.h"
#include "ascendc/qualifiers.h"
#include "ascendc/tensor.h"

#ifndef likely
#define likely(x) __builtin_expect(!!(x), 1)
#endif
#ifndef unlikely
#define unlikely(x) __builtin_expect(!!(x), 0)
#endif

namespace AscendC {

constexpr int32_t ONE_BLK_SIZE = 32;      ///< bytes of a data block
constexpr int32_t ONE_BLK_FLOAT_NUM = 8;  ///< floats in a block
constexpr int32_t ONE_BLK_HALF_NUM = 16;
constexpr int32_t ONE_REPEAT_BYTE_SIZE = 256;  ///< bytes one repeat covers
constexpr int32_t ONE_REPEAT_FLOAT_SIZE = 64;
constexpr int32_t ONE_REPEAT_HALF_SIZE = 128;
constexpr int32_t MAX_REPEAT_TIMES = 255;
constexpr int32_t DEFAULT_BLK_NUM = 8;  ///< blocks per repeat
constexpr uint8_t DEFAULT_BLK_STRIDE = 1;
constexpr uint8_t DEFAULT_REPEAT_STRIDE = 8;
constexpr uint8_t HALF_DEFAULT_REPEAT_STRIDE = 4;
constexpr uint8_t ONE_FOURTH_DEFAULT_REPEAT_STRIDE = 2;
constexpr int32_t ONE_BYTE_BIT_SIZE = 8;
constexpr int32_t B16_BYTE_SIZE = 2;
constexpr int32_t B32_BYTE_SIZE = 4;
constexpr int32_t B16_DATA_NUM_PER_BLOCK = 16;
constexpr int32_t B32_DATA_NUM_PER_BLOCK = 8;
constexpr int32_t B16_DATA_NUM_PER_REPEAT = 128;
constexpr int32_t B32_DATA_NUM_PER_REPEAT = 64;
constexpr int32_t BRCB_BROADCAST_NUMBER = 8;
constexpr int32_t DEFAULT_C0_SIZE = 32;
constexpr uint64_t FULL_MASK = ~uint64_t{0};

constexpr int32_t TOTAL_UB_SIZE = 192 * 1024;
constexpr int32_t TOTAL_L1_SIZE = 512 * 1024 - 128;  ///< the last 128 bytes belong to the framework
constexpr int32_t TOTAL_L0A_SIZE = 64 * 1024;
constexpr int32_t TOTAL_L0B_SIZE = 64 * 1024;
constexpr int32_t TOTAL_L0C_SIZE = 128 * 1024;

template <typename T, typename U>
struct IsSameType {
  static constexpr bool value = std::is_same_v<T, U>;
};
template <typename T, typename U>
inline constexpr bool IsSameTypeV = std::is_same_v<T, U>;

template <bool condition, typename T, typename U>
struct Conditional {
  using type = std::conditional_t<condition, T, U>;
};

struct TrueType {
  static constexpr bool value = true;
};
struct FalseType {
  static constexpr bool value = false;
};

/// Size in bits of one element (int4b_t: 4).
template <typename T>
struct SizeOfBits {
  static constexpr int32_t value = static_cast<int32_t>(
      ascsan::gate::bits_of(data_type_of<T>()) != 0 ? ascsan::gate::bits_of(data_type_of<T>()) : sizeof(T) * 8);
};

/// a / b rounded up; 0 when b is 0.
template <typename T, typename U>
constexpr auto DivCeil(T a, U b) -> decltype(a / b) {
  return b == 0 ? decltype(a / b){0} : (a + b - 1) / b;
}
template <typename T, typename U>
constexpr auto CeilDivision(T a, U b) -> decltype(a / b) {
  return DivCeil(a, b);
}
/// a rounded up to a multiple of b; 0 when b is 0.
template <typename T, typename U>
constexpr auto AlignUp(T a, U b) -> decltype(a / b) {
  return DivCeil(a, b) * b;
}
template <typename T, typename U>
constexpr auto CeilAlign(T a, U b) -> decltype(a / b) {
  return AlignUp(a, b);
}

namespace Std {

using std::conditional;
using std::conditional_t;
using std::decay;
using std::decay_t;
using std::enable_if;
using std::enable_if_t;
using std::false_type;
using std::forward;
using std::get;
using std::index_sequence;
using std::integral_constant;
using std::is_base_of;
using std::is_base_of_v;
using std::is_const;
using std::is_convertible;
using std::is_convertible_v;
using std::is_floating_point;
using std::is_integral;
using std::is_integral_v;
using std::is_pointer;
using std::is_same;
using std::is_same_v;
using std::is_void;
using std::make_index_sequence;
using std::make_tuple;
using std::move;
using std::remove_const;
using std::remove_const_t;
using std::remove_cv;
using std::remove_cv_t;
using std::remove_pointer;
using std::remove_pointer_t;
using std::remove_reference;
using std::remove_reference_t;
using std::tie;
using std::true_type;
using std::tuple;
using std::tuple_element;
using std::tuple_size;
template <bool value>
using bool_constant = std::bool_constant<value>;
template <typename T>
using remove_cvref_t = std::remove_cv_t<std::remove_reference_t<T>>;

template <typename T, typename U = T>
constexpr T min(const T& a, const U& b) {
  return static_cast<T>(b) < a ? static_cast<T>(b) : a;
}
template <typename T, typename U = T>
constexpr T max(const T& a, const U& b) {
  return a < static_cast<T>(b) ? static_cast<T>(b) : a;
}

}  // namespace Std
}  // namespace AscendC
