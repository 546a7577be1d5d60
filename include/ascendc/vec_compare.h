// Compare and CompareScalar (results as bits in a tensor or in the CMPMASK register) and the CMPMASK moves.
// Rules: spec/api-semantics.md 3. The tensor forms ignore masks: whole repeats of 256 bytes are compared.
// Left out: nothing of A2/A3.
#pragma once

#include "ascendc/vec_binary.h"
#include "ascendc/vec_unary.h"

namespace AscendC {

/// Bit i of dst = (src0[i] mode src1[i]); `count` elements must fill whole repeats of 256 bytes.
template <typename T, typename U>
void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode,
             uint32_t count, Site site = ASCSAN_HERE) {
  detail::binary_call(detail::Op::kCompare, dst, src0, src1, site).mode(cmpMode).count(count).issue();
}
template <typename T, typename U, bool isSetMask = true>
void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode,
             const uint64_t[], int32_t repeatTime, const BinaryRepeatParams& repeatParams, Site site = ASCSAN_HERE) {
  detail::binary_call(detail::Op::kCompare, dst, src0, src1, site)
      .mode(cmpMode)
      .repeat(repeatTime)
      .strides(repeatParams)
      .issue();
}
template <typename T, typename U, bool isSetMask = true>
void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode,
             uint64_t, int32_t repeatTime, const BinaryRepeatParams& repeatParams, Site site = ASCSAN_HERE) {
  detail::binary_call(detail::Op::kCompare, dst, src0, src1, site)
      .mode(cmpMode)
      .repeat(repeatTime)
      .strides(repeatParams)
      .issue();
}

/// One repeat, result in CMPMASK; honours the mask.
template <typename T, bool isSetMask = true>
void Compare(const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode, const uint64_t mask[],
             const BinaryRepeatParams& repeatParams, Site site = ASCSAN_HERE) {
  detail::VectorCall call(detail::Op::kCompareRegister, site);
  call.operand(src0)
      .operand(src1)
      .mode(cmpMode)
      .template mask_for<isSetMask, T>(mask)
      .repeat(1)
      .strides(repeatParams)
      .issue();
}
template <typename T, bool isSetMask = true>
void Compare(const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode, uint64_t mask,
             const BinaryRepeatParams& repeatParams, Site site = ASCSAN_HERE) {
  detail::VectorCall call(detail::Op::kCompareRegister, site);
  call.operand(src0)
      .operand(src1)
      .mode(cmpMode)
      .template mask_for<isSetMask, T>(mask)
      .repeat(1)
      .strides(repeatParams)
      .issue();
}

template <typename T, typename U, bool isSetMask = true>
void CompareScalar(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const ScalarOf<T> src1Scalar, CMPMODE cmpMode,
                   uint32_t count, Site site = ASCSAN_HERE) {
  detail::unary_call(detail::Op::kCompareScalar, dst, src0, site).scalar(src1Scalar).mode(cmpMode).count(count).issue();
}
template <typename T, typename U, bool isSetMask = true>
void CompareScalar(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const ScalarOf<T> src1Scalar, CMPMODE cmpMode,
                   const uint64_t[], int32_t repeatTime, const UnaryRepeatParams& repeatParams,
                   Site site = ASCSAN_HERE) {
  detail::unary_call(detail::Op::kCompareScalar, dst, src0, site)
      .scalar(src1Scalar)
      .mode(cmpMode)
      .repeat(repeatTime)
      .strides(repeatParams)
      .issue();
}
template <typename T, typename U, bool isSetMask = true>
void CompareScalar(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const ScalarOf<T> src1Scalar, CMPMODE cmpMode,
                   uint64_t, int32_t repeatTime, const UnaryRepeatParams& repeatParams, Site site = ASCSAN_HERE) {
  detail::unary_call(detail::Op::kCompareScalar, dst, src0, site)
      .scalar(src1Scalar)
      .mode(cmpMode)
      .repeat(repeatTime)
      .strides(repeatParams)
      .issue();
}

/// Newer name of CompareScalar.
template <typename T, typename U, bool isSetMask = true>
void Compares(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const ScalarOf<T> src1, CMPMODE cmpMode,
              uint32_t count, Site site = ASCSAN_HERE) {
  CompareScalar<T, U, isSetMask>(dst, src0, src1, cmpMode, count, site);
}
template <typename T, typename U, bool isSetMask = true, typename Mask>
void Compares(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const ScalarOf<T> src1, CMPMODE cmpMode, Mask mask,
              int32_t repeatTime, const UnaryRepeatParams& repeatParams, Site site = ASCSAN_HERE) {
  CompareScalar<T, U, isSetMask>(dst, src0, src1, cmpMode, mask, repeatTime, repeatParams, site);
}

/// Stores CMPMASK (16 bytes) at `dst`.
template <typename T>
void GetCmpMask(const LocalTensor<T>& dst, Site site = ASCSAN_HERE) {
  detail::VectorCall(detail::Op::kGetCmpMask, site).operand(dst).issue();
}
/// Loads CMPMASK from the 16 bytes at `src`.
template <typename T>
void SetCmpMask(const LocalTensor<T>& src, Site site = ASCSAN_HERE) {
  detail::VectorCall(detail::Op::kSetCmpMask, site).operand(src).issue();
}

}  // namespace AscendC
