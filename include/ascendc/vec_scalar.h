// Element-wise instructions with one source tensor and a scalar, each in its three call shapes.
// Rules: spec/api-semantics.md 0 and 2. The scalar converts to the element type of the source before it is captured.
// Left out: flexible scalar positions and Subs / Divs / Ands / Ors, which A2/A3 does not have (vec_unsupported.h).
#pragma once

#include "ascendc/vec_unary.h"

namespace AscendC {
namespace detail {

template <bool is_set_mask, typename D, typename S, typename Mask>
void scalar_masked(Op op, const LocalTensor<D>& dst, const LocalTensor<S>& src, S scalar, Mask mask, int32_t repeat,
                   const UnaryRepeatParams& strides, uint8_t flags, const Site& site) {
  unary_call(op, dst, src, site)
      .scalar(scalar)
      .template mask_for<is_set_mask, WiderOf<D, S>>(mask)
      .repeat(repeat)
      .strides(strides)
      .flags(flags)
      .issue();
}

}  // namespace detail

// The second template list (T, U, bool) is the newer spelling with the scalar's type named; it takes part only when
// given.
#define ASCSAN_VECTOR_SCALAR_FORMS(api, Scalar, ...)                                                                 \
  template <__VA_ARGS__>                                                                                             \
  void api(const LocalTensor<T>& dst, const LocalTensor<T>& src, const Scalar& scalarValue, int32_t count,           \
           Site site = ASCSAN_HERE) {                                                                                \
    detail::unary_call(detail::Op::k##api, dst, src, site).scalar(static_cast<T>(scalarValue)).count(count).issue(); \
  }                                                                                                                  \
  template <__VA_ARGS__>                                                                                             \
  void api(const LocalTensor<T>& dst, const LocalTensor<T>& src, const Scalar& scalarValue, const uint64_t mask[],   \
           int32_t repeatTime, const UnaryRepeatParams& repeatParams, Site site = ASCSAN_HERE) {                     \
    detail::scalar_masked<isSetMask>(detail::Op::k##api, dst, src, static_cast<T>(scalarValue), mask, repeatTime,    \
                                     repeatParams, 0, site);                                                         \
  }                                                                                                                  \
  template <__VA_ARGS__>                                                                                             \
  void api(const LocalTensor<T>& dst, const LocalTensor<T>& src, const Scalar& scalarValue, uint64_t mask,           \
           int32_t repeatTime, const UnaryRepeatParams& repeatParams, Site site = ASCSAN_HERE) {                     \
    detail::scalar_masked<isSetMask>(detail::Op::k##api, dst, src, static_cast<T>(scalarValue), mask, repeatTime,    \
                                     repeatParams, 0, site);                                                         \
  }
#define ASCSAN_VECTOR_SCALAR(api)                                                 \
  ASCSAN_VECTOR_SCALAR_FORMS(api, ScalarOf<T>, typename T, bool isSetMask = true) \
  ASCSAN_VECTOR_SCALAR_FORMS(api, ScalarOf<U>, typename T, typename U, bool isSetMask = true)

ASCSAN_VECTOR_SCALAR(Adds)
ASCSAN_VECTOR_SCALAR(Muls)
ASCSAN_VECTOR_SCALAR(Maxs)
ASCSAN_VECTOR_SCALAR(Mins)
ASCSAN_VECTOR_SCALAR(LeakyRelu)
ASCSAN_VECTOR_SCALAR(ShiftLeft)
#undef ASCSAN_VECTOR_SCALAR
#undef ASCSAN_VECTOR_SCALAR_FORMS

/// `roundEn` (i16, i32): adds the last bit shifted out.
template <typename T, bool isSetMask = true>
void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const ScalarOf<T>& scalarValue, int32_t count,
                Site site = ASCSAN_HERE) {
  detail::unary_call(detail::Op::kShiftRight, dst, src, site).scalar(scalarValue).count(count).issue();
}
template <typename T, bool isSetMask = true>
void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const ScalarOf<T>& scalarValue,
                const uint64_t mask[], int32_t repeatTime, const UnaryRepeatParams& repeatParams, bool roundEn = false,
                Site site = ASCSAN_HERE) {
  detail::scalar_masked<isSetMask>(detail::Op::kShiftRight, dst, src, scalarValue, mask, repeatTime, repeatParams,
                                   roundEn ? 1 : 0, site);
}
template <typename T, bool isSetMask = true>
void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const ScalarOf<T>& scalarValue, uint64_t mask,
                int32_t repeatTime, const UnaryRepeatParams& repeatParams, bool roundEn = false,
                Site site = ASCSAN_HERE) {
  detail::scalar_masked<isSetMask>(detail::Op::kShiftRight, dst, src, scalarValue, mask, repeatTime, repeatParams,
                                   roundEn ? 1 : 0, site);
}

/// dst = src * scalar + dst; source half, destination half or float, or both float.
template <typename T, typename U, bool isSetMask = true>
void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const ScalarOf<U>& scalarValue, int32_t count,
          Site site = ASCSAN_HERE) {
  detail::unary_call(detail::Op::kAxpy, dst, src, site).scalar(scalarValue).count(count).issue();
}
template <typename T, typename U, bool isSetMask = true>
void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const ScalarOf<U>& scalarValue, const uint64_t mask[],
          int32_t repeatTime, const UnaryRepeatParams& repeatParams, Site site = ASCSAN_HERE) {
  detail::scalar_masked<isSetMask>(detail::Op::kAxpy, dst, src, scalarValue, mask, repeatTime, repeatParams, 0, site);
}
template <typename T, typename U, bool isSetMask = true>
void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const ScalarOf<U>& scalarValue, uint64_t mask,
          int32_t repeatTime, const UnaryRepeatParams& repeatParams, Site site = ASCSAN_HERE) {
  detail::scalar_masked<isSetMask>(detail::Op::kAxpy, dst, src, scalarValue, mask, repeatTime, repeatParams, 0, site);
}

}  // namespace AscendC
