// Element-wise instructions with two source tensors, each in its three call shapes (count, mask bits, leading lanes).
// Rules: spec/api-semantics.md 0 and 2. Types are checked behind the gate.
// Left out: tensor-shift overloads, which A2/A3 does not have (vec_unsupported.h).
#pragma once

#include "ascendc/vec_request.h"

namespace AscendC {
namespace detail {

template <typename D, typename S>
VectorCall binary_call(Op op, const LocalTensor<D>& dst, const LocalTensor<S>& src0, const LocalTensor<S>& src1,
                       const Site& site) {
  VectorCall call(op, site);
  call.operand(dst).operand(src0).operand(src1);
  return call;
}

/// `Mask` is const uint64_t* (bits) or uint64_t (leading lanes).
template <bool is_set_mask, typename D, typename S, typename Mask>
void binary_masked(Op op, const LocalTensor<D>& dst, const LocalTensor<S>& src0, const LocalTensor<S>& src1, Mask mask,
                   int32_t repeat, const BinaryRepeatParams& strides, const Site& site) {
  binary_call(op, dst, src0, src1, site)
      .template mask_for<is_set_mask, WiderOf<D, S>>(mask)
      .repeat(repeat)
      .strides(strides)
      .issue();
}

}  // namespace detail

#define ASCSAN_BINARY_MASKED(api, D, S)                                                                              \
  void api(const LocalTensor<D>& dst, const LocalTensor<S>& src0, const LocalTensor<S>& src1, const uint64_t mask[], \
           int32_t repeatTime, const BinaryRepeatParams& repeatParams, Site site = ASCSAN_HERE) {                    \
    detail::binary_masked<isSetMask>(detail::Op::k##api, dst, src0, src1, mask, repeatTime, repeatParams, site);     \
  }
#define ASCSAN_BINARY_LANES(api, D, S)                                                                           \
  void api(const LocalTensor<D>& dst, const LocalTensor<S>& src0, const LocalTensor<S>& src1, uint64_t mask,     \
           int32_t repeatTime, const BinaryRepeatParams& repeatParams, Site site = ASCSAN_HERE) {                \
    detail::binary_masked<isSetMask>(detail::Op::k##api, dst, src0, src1, mask, repeatTime, repeatParams, site); \
  }

// One element type: T is deduced, isSetMask may be given.
#define ASCSAN_VECTOR_BINARY(api)                                                                            \
  template <typename T, bool isSetMask = true>                                                               \
  void api(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, int32_t count, \
           Site site = ASCSAN_HERE) {                                                                        \
    detail::binary_call(detail::Op::k##api, dst, src0, src1, site).count(count).issue();                     \
  }                                                                                                          \
  template <typename T, bool isSetMask = true>                                                               \
  ASCSAN_BINARY_MASKED(api, T, T)                                                                            \
  template <typename T, bool isSetMask = true>                                                               \
  ASCSAN_BINARY_LANES(api, T, T)

ASCSAN_VECTOR_BINARY(Add)
ASCSAN_VECTOR_BINARY(Sub)
ASCSAN_VECTOR_BINARY(Mul)
ASCSAN_VECTOR_BINARY(Div)
ASCSAN_VECTOR_BINARY(Max)
ASCSAN_VECTOR_BINARY(Min)
ASCSAN_VECTOR_BINARY(AddRelu)
ASCSAN_VECTOR_BINARY(SubRelu)
ASCSAN_VECTOR_BINARY(FusedMulAdd)
ASCSAN_VECTOR_BINARY(FusedMulAddRelu)
#undef ASCSAN_VECTOR_BINARY

// And, Or: the count form on 32-bit types works on twice as many 16-bit lanes (spec/api-semantics.md 2).
#define ASCSAN_VECTOR_BITWISE(api)                                                                           \
  template <typename T, bool isSetMask = true>                                                               \
  void api(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, int32_t count, \
           Site site = ASCSAN_HERE) {                                                                        \
    if constexpr (sizeof(T) == 4) {                                                                          \
      api(dst.template ReinterpretCast<uint16_t>(), src0.template ReinterpretCast<uint16_t>(),               \
          src1.template ReinterpretCast<uint16_t>(), count * 2, site);                                       \
    } else {                                                                                                 \
      detail::binary_call(detail::Op::k##api, dst, src0, src1, site).count(count).issue();                   \
    }                                                                                                        \
  }                                                                                                          \
  template <typename T, bool isSetMask = true>                                                               \
  ASCSAN_BINARY_MASKED(api, T, T)                                                                            \
  template <typename T, bool isSetMask = true>                                                               \
  ASCSAN_BINARY_LANES(api, T, T)

ASCSAN_VECTOR_BITWISE(And)
ASCSAN_VECTOR_BITWISE(Or)
#undef ASCSAN_VECTOR_BITWISE

// Destination and sources may differ in type.
#define ASCSAN_VECTOR_BINARY_MIXED(api)                                                                       \
  template <typename T, typename U, bool isSetMask = true>                                                    \
  void api(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, uint32_t count, \
           Site site = ASCSAN_HERE) {                                                                         \
    detail::binary_call(detail::Op::k##api, dst, src0, src1, site).count(count).issue();                      \
  }                                                                                                           \
  template <typename T, typename U, bool isSetMask = true>                                                    \
  ASCSAN_BINARY_MASKED(api, T, U)                                                                             \
  template <typename T, typename U, bool isSetMask = true>                                                    \
  ASCSAN_BINARY_LANES(api, T, U)

ASCSAN_VECTOR_BINARY_MIXED(MulAddDst)
ASCSAN_VECTOR_BINARY_MIXED(AddReluCast)
ASCSAN_VECTOR_BINARY_MIXED(SubReluCast)
ASCSAN_VECTOR_BINARY_MIXED(MulCast)
#undef ASCSAN_VECTOR_BINARY_MIXED

/// relu(half(rint((src0 + src1) * scale))), scale from SetDeqScale.
template <bool isSetMask = true>
void AddDeqRelu(const LocalTensor<half>& dst, const LocalTensor<int32_t>& src0, const LocalTensor<int32_t>& src1,
                int32_t count, Site site = ASCSAN_HERE) {
  detail::binary_call(detail::Op::kAddDeqRelu, dst, src0, src1, site).count(count).issue();
}
template <bool isSetMask = true>
ASCSAN_BINARY_MASKED(AddDeqRelu, half, int32_t)
template <bool isSetMask = true>
ASCSAN_BINARY_LANES(AddDeqRelu, half, int32_t)
#undef ASCSAN_BINARY_MASKED
#undef ASCSAN_BINARY_LANES

/// Newer name of FusedMulAddRelu.
template <typename T, bool isSetMask = true>
void MulAddRelu(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, int32_t count,
                Site site = ASCSAN_HERE) {
  FusedMulAddRelu<T, isSetMask>(dst, src0, src1, count, site);
}
template <typename T, bool isSetMask = true, typename Mask>
void MulAddRelu(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, Mask mask,
                int32_t repeatTime, const BinaryRepeatParams& repeatParams, Site site = ASCSAN_HERE) {
  FusedMulAddRelu<T, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams, site);
}

}  // namespace AscendC
