// Instructions that only move elements inside UB: Duplicate, Copy, Brcb.
// Rules: spec/api-semantics.md 1 and 5. Left out: Broadcast (high level, built from these).
#pragma once

#include "ascendc/vec_unary.h"

namespace AscendC {

/// Writes `scalarValue` to the enabled lanes; i16, u16, h, bf, i32, u32, f.
template <typename T, bool isSetMask = true>
void Duplicate(const LocalTensor<T>& dst, const ScalarOf<T>& scalarValue, int32_t count, Site site = ASCSAN_HERE) {
  detail::VectorCall call(detail::Op::kDuplicate, site);
  call.operand(dst).scalar(scalarValue).count(count).issue();
}
template <typename T, bool isSetMask = true>
void Duplicate(const LocalTensor<T>& dst, const ScalarOf<T>& scalarValue, const uint64_t mask[], int32_t repeatTime,
               uint16_t dstBlockStride, uint8_t dstRepeatStride, Site site = ASCSAN_HERE) {
  detail::VectorCall call(detail::Op::kDuplicate, site);
  call.operand(dst).scalar(scalarValue).template mask_for<isSetMask, T>(mask).repeat(repeatTime);
  call.dst_strides(dstBlockStride, dstRepeatStride).issue();
}
template <typename T, bool isSetMask = true>
void Duplicate(const LocalTensor<T>& dst, const ScalarOf<T>& scalarValue, uint64_t mask, int32_t repeatTime,
               uint16_t dstBlockStride, uint8_t dstRepeatStride, Site site = ASCSAN_HERE) {
  detail::VectorCall call(detail::Op::kDuplicate, site);
  call.operand(dst).scalar(scalarValue).template mask_for<isSetMask, T>(mask).repeat(repeatTime);
  call.dst_strides(dstBlockStride, dstRepeatStride).issue();
}

namespace detail {

template <bool is_set_mask, typename T, typename Mask>
void copy_masked(const LocalTensor<T>& dst, const LocalTensor<T>& src, Mask mask, int32_t repeat,
                 const CopyRepeatParams& strides, const Site& site) {
  unary_call(Op::kCopy, dst, src, site)
      .template mask_for<is_set_mask, T>(mask)
      .repeat(repeat)
      .dst_strides(strides.dstStride, strides.dstRepeatSize)
      .src_strides(strides.srcStride, strides.srcRepeatSize)
      .issue();
}

}  // namespace detail

/// Masked copy UB -> UB; 16- and 32-bit types.
template <typename T, bool isSetMask = true>
void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[], int32_t repeatTime,
          const CopyRepeatParams& repeatParams, Site site = ASCSAN_HERE) {
  detail::copy_masked<isSetMask>(dst, src, mask, repeatTime, repeatParams, site);
}
template <typename T, bool isSetMask = true>
void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask, int32_t repeatTime,
          const CopyRepeatParams& repeatParams, Site site = ASCSAN_HERE) {
  detail::copy_masked<isSetMask>(dst, src, mask, repeatTime, repeatParams, site);
}
template <typename T>
void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint32_t count, Site site = ASCSAN_HERE) {
  detail::unary_call(detail::Op::kCopy, dst, src, site).count(count).issue();
}

/// Reads 8 consecutive elements per repeat and fills one block of 32 bytes with each.
template <typename T>
void Brcb(const LocalTensor<T>& dst, const LocalTensor<T>& src0, int32_t repeatTime,
          const BrcbRepeatParams& repeatParams, Site site = ASCSAN_HERE) {
  detail::unary_call(detail::Op::kBrcb, dst, src0, site)
      .repeat(repeatTime)
      .dst_strides(repeatParams.dstBlkStride, repeatParams.dstRepStride)
      .issue();
}

}  // namespace AscendC
