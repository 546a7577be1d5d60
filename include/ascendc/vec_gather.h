// Gather, Gatherb (by byte offsets) and GatherMask (compaction by a pattern).
// Rules: spec/api-semantics.md 3 and 5, execution-model.md 3.2 (Gatherb resets the mask, GatherMask leaves Normal
// mode). Left out: Scatter, which A2/A3 does not have (vec_unsupported.h).
#pragma once

#include "ascendc/vec_request.h"

namespace AscendC {
namespace detail {

template <typename T>
VectorCall gather_call(Op op, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                       const LocalTensor<uint32_t>& offsets, const Site& site) {
  VectorCall call(op, site);
  call.operand(dst).operand(src).operand(offsets);
  return call;
}

}  // namespace detail

/// dst[i] = element at byte srcBaseAddr + srcOffset[i] of src; 16- and 32-bit types.
template <typename T>
void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,
            uint32_t srcBaseAddr, uint32_t count, Site site = ASCSAN_HERE) {
  detail::gather_call(detail::Op::kGather, dst, src, srcOffset, site).extra(0, srcBaseAddr).count(count).issue();
}
template <typename T>
void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,
            uint32_t srcBaseAddr, const uint64_t mask[], int32_t repeatTime, uint16_t dstRepStride,
            Site site = ASCSAN_HERE) {
  detail::gather_call(detail::Op::kGather, dst, src, srcOffset, site)
      .extra(0, srcBaseAddr)
      .template mask_for<true, T>(mask)
      .repeat(repeatTime)
      .dst_strides(1, dstRepStride)
      .issue();
}
template <typename T>
void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,
            uint32_t srcBaseAddr, uint64_t mask, int32_t repeatTime, uint16_t dstRepStride, Site site = ASCSAN_HERE) {
  detail::gather_call(detail::Op::kGather, dst, src, srcOffset, site)
      .extra(0, srcBaseAddr)
      .template mask_for<true, T>(mask)
      .repeat(repeatTime)
      .dst_strides(1, dstRepStride)
      .issue();
}

/// Copies 8 blocks of 32 bytes per repeat from the byte offsets in `offset`.
template <typename T>
void Gatherb(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<uint32_t>& offset,
             int32_t repeatTime, const GatherRepeatParams& repeatParams, Site site = ASCSAN_HERE) {
  detail::gather_call(detail::Op::kGatherb, dst, src0, offset, site)
      .repeat(repeatTime)
      .dst_strides(repeatParams.dstBlkStride, repeatParams.dstRepStride)
      .issue();
}

namespace detail {

template <typename T>
void gather_mask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const ascsan::gate::Operand* pattern,
                 uint8_t number, bool reduce_mode, uint32_t mask, const GatherMaskParams& params,
                 uint64_t& reserved_count, const Site& site) {
  VectorCall call(Op::kGatherMask, site);
  call.operand(dst).operand(src0);
  if (pattern != nullptr) call.operand(*pattern);
  call.mode(number).flags(reduce_mode ? 1 : 0).extra(0, mask).repeat(params.repeatTimes);
  call.src_strides(params.src0BlockStride, params.src0RepeatStride);
  call.parameters().src1_repeat = params.src1RepeatStride;
  call.issue();
  ascsan::gate::Request read = frame_request(Op::kReadResultRegister, site);
  read.params.frame.mode = 3;
  reserved_count = ascsan_gate(&read);
}

}  // namespace detail

/// Writes the elements whose pattern bit is 1 one after another; rsvdCnt becomes their number.
template <typename T, typename U, GatherMaskMode mode = defaultGatherMaskMode>
void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<U>& src1Pattern,
                bool reduceMode, uint32_t mask, const GatherMaskParams& gatherMaskParams, uint64_t& rsvdCnt,
                Site site = ASCSAN_HERE) {
  detail::gather_mask(dst, src0, &src1Pattern.operand(), 0, reduceMode, mask, gatherMaskParams, rsvdCnt, site);
}
/// Built-in patterns: 1 even, 2 odd elements, 3..6 one of four, 7 all.
template <typename T, GatherMaskMode mode = defaultGatherMaskMode>
void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, uint8_t src1Pattern, bool reduceMode,
                uint32_t mask, const GatherMaskParams& gatherMaskParams, uint64_t& rsvdCnt, Site site = ASCSAN_HERE) {
  detail::gather_mask(dst, src0, nullptr, src1Pattern, reduceMode, mask, gatherMaskParams, rsvdCnt, site);
}

}  // namespace AscendC
