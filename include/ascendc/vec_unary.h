// Element-wise instructions with one source tensor, with or without a scalar, each in its three call shapes.
// Rules: spec/api-semantics.md 0 and 2. The scalar converts to the element type of the source.
// Left out: Subs, Divs and the other scalar forms that A2/A3 does not have (vec_unsupported.h).
#pragma once

#include "ascendc/vec_request.h"

namespace AscendC {
namespace detail {

template <typename D, typename S>
VectorCall unary_call(Op op, const LocalTensor<D>& dst, const LocalTensor<S>& src, const Site& site) {
  VectorCall call(op, site);
  call.operand(dst).operand(src);
  return call;
}

}  // namespace detail

#define ASCSAN_VECTOR_UNARY(api)                                                                            \
  template <typename T, bool isSetMask = true>                                                              \
  void api(const LocalTensor<T>& dst, const LocalTensor<T>& src, int32_t count, Site site = ASCSAN_HERE) {  \
    detail::unary_call(detail::Op::k##api, dst, src, site).count(count).issue();                            \
  }                                                                                                         \
  template <typename T, bool isSetMask = true>                                                              \
  void api(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[], int32_t repeatTime, \
           const UnaryRepeatParams& repeatParams, Site site = ASCSAN_HERE) {                                \
    detail::unary_call(detail::Op::k##api, dst, src, site)                                                  \
        .template mask_for<isSetMask, T>(mask)                                                              \
        .repeat(repeatTime)                                                                                 \
        .strides(repeatParams)                                                                              \
        .issue();                                                                                           \
  }                                                                                                         \
  template <typename T, bool isSetMask = true>                                                              \
  void api(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask, int32_t repeatTime,         \
           const UnaryRepeatParams& repeatParams, Site site = ASCSAN_HERE) {                                \
    detail::unary_call(detail::Op::k##api, dst, src, site)                                                  \
        .template mask_for<isSetMask, T>(mask)                                                              \
        .repeat(repeatTime)                                                                                 \
        .strides(repeatParams)                                                                              \
        .issue();                                                                                           \
  }

ASCSAN_VECTOR_UNARY(Exp)
ASCSAN_VECTOR_UNARY(Ln)
ASCSAN_VECTOR_UNARY(Abs)
ASCSAN_VECTOR_UNARY(Sqrt)
ASCSAN_VECTOR_UNARY(Rsqrt)
ASCSAN_VECTOR_UNARY(Reciprocal)
ASCSAN_VECTOR_UNARY(Relu)
#undef ASCSAN_VECTOR_UNARY

/// Bitwise complement; the count form on 32-bit types works on twice as many 16-bit lanes.
template <typename T, bool isSetMask = true>
void Not(const LocalTensor<T>& dst, const LocalTensor<T>& src, int32_t count, Site site = ASCSAN_HERE) {
  if constexpr (sizeof(T) == 4) {
    Not(dst.template ReinterpretCast<uint16_t>(), src.template ReinterpretCast<uint16_t>(), count * 2, site);
  } else {
    detail::unary_call(detail::Op::kNot, dst, src, site).count(count).issue();
  }
}
template <typename T, bool isSetMask = true>
void Not(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[], int32_t repeatTime,
         const UnaryRepeatParams& repeatParams, Site site = ASCSAN_HERE) {
  detail::unary_call(detail::Op::kNot, dst, src, site)
      .template mask_for<isSetMask, T>(mask)
      .repeat(repeatTime)
      .strides(repeatParams)
      .issue();
}
template <typename T, bool isSetMask = true>
void Not(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask, int32_t repeatTime,
         const UnaryRepeatParams& repeatParams, Site site = ASCSAN_HERE) {
  detail::unary_call(detail::Op::kNot, dst, src, site)
      .template mask_for<isSetMask, T>(mask)
      .repeat(repeatTime)
      .strides(repeatParams)
      .issue();
}

}  // namespace AscendC
