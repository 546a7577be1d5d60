// Cast, CastDequant and the registers they use.
// Rules: spec/api-semantics.md 2.2, spec/fp.md 2, 3 and 7. The pairs of types that exist are checked behind the gate.
// SetDeqScale keeps one encoding for all of its forms, that of a quantisation word (spec/fp.md 6): float bits in 0..31,
// 9-bit offset in 37..45, sign flag in 46; a half scale is exact in it. The tensor form keeps the UB offset of 16 such
// words.
#pragma once

#include "ascendc/vec_unary.h"

namespace AscendC {

template <typename T, typename U>
void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode, uint32_t count,
          Site site = ASCSAN_HERE) {
  detail::unary_call(detail::Op::kCast, dst, src, site).mode(roundMode).count(count).issue();
}
template <typename T, typename U, bool isSetMask = true>
void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode, const uint64_t mask[],
          int32_t repeatTime, const UnaryRepeatParams& repeatParams, Site site = ASCSAN_HERE) {
  detail::unary_call(detail::Op::kCast, dst, src, site)
      .mode(roundMode)
      .template mask_for<isSetMask, detail::WiderOf<T, U>>(mask)
      .repeat(repeatTime)
      .strides(repeatParams)
      .issue();
}
template <typename T, typename U, bool isSetMask = true>
void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode, uint64_t mask,
          int32_t repeatTime, const UnaryRepeatParams& repeatParams, Site site = ASCSAN_HERE) {
  detail::unary_call(detail::Op::kCast, dst, src, site)
      .mode(roundMode)
      .template mask_for<isSetMask, detail::WiderOf<T, U>>(mask)
      .repeat(repeatTime)
      .strides(repeatParams)
      .issue();
}

/// i16 -> i8 / u8 (16 results in one half of each 32-byte block) and i32 -> half, with the scale of SetDeqScale.
template <typename T, typename U, bool isVecDeq = true, bool halfBlock = true>
void CastDequant(const LocalTensor<T>& dst, const LocalTensor<U>& src, uint32_t count, Site site = ASCSAN_HERE) {
  detail::unary_call(detail::Op::kCastDequant, dst, src, site)
      .flags((isVecDeq ? 1 : 0) | (halfBlock ? 2 : 0))
      .count(count)
      .issue();
}
template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true>
void CastDequant(const LocalTensor<T>& dst, const LocalTensor<U>& src, const uint64_t mask[], int32_t repeatTime,
                 const UnaryRepeatParams& repeatParams, Site site = ASCSAN_HERE) {
  detail::unary_call(detail::Op::kCastDequant, dst, src, site)
      .flags((isVecDeq ? 1 : 0) | (halfBlock ? 2 : 0))
      .template mask_for<isSetMask, detail::WiderOf<T, U>>(mask)
      .repeat(repeatTime)
      .strides(repeatParams)
      .issue();
}
template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true>
void CastDequant(const LocalTensor<T>& dst, const LocalTensor<U>& src, int32_t mask, int32_t repeatTime,
                 const UnaryRepeatParams& repeatParams, Site site = ASCSAN_HERE) {
  detail::unary_call(detail::Op::kCastDequant, dst, src, site)
      .flags((isVecDeq ? 1 : 0) | (halfBlock ? 2 : 0))
      .template mask<isSetMask>(static_cast<uint64_t>(mask))
      .repeat(repeatTime)
      .strides(repeatParams)
      .issue();
}

/// Older name of CastDequant.
template <typename T, typename U, bool isVecDeq = true, bool halfBlock = true>
void CastDeq(const LocalTensor<T>& dst, const LocalTensor<U>& src, uint32_t count, Site site = ASCSAN_HERE) {
  CastDequant<T, U, isVecDeq, halfBlock>(dst, src, count, site);
}
template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true, typename Mask>
void CastDeq(const LocalTensor<T>& dst, const LocalTensor<U>& src, Mask mask, int32_t repeatTime,
             const UnaryRepeatParams& repeatParams, Site site = ASCSAN_HERE) {
  CastDequant<T, U, isSetMask, isVecDeq, halfBlock>(dst, src, mask, repeatTime, repeatParams, site);
}

namespace detail {

inline uint64_t quantisation_word(float scale, int16_t offset, bool sign) {
  return (raw_bits(scale) & 0xFFFFFFFFu) | ((static_cast<uint64_t>(offset) & 0x1FFu) << 37) |
         (static_cast<uint64_t>(sign ? 1 : 0) << 46);
}
inline void set_deq_scale(uint64_t word, const Site& site) {
  ascsan::gate::Request request = frame_request(Op::kSetDeqScale, site);
  request.params.frame.value[0] = word;
  ascsan_gate(&request);
}

}  // namespace detail

/// Scale of AddDeqRelu, Cast i32 -> half and CastDequant i32 -> half.
inline void SetDeqScale(half scale, Site site = ASCSAN_HERE) {
  detail::set_deq_scale(detail::quantisation_word(static_cast<float>(scale), 0, false), site);
}
/// Scale, 9-bit signed offset and sign of CastDequant i16 -> i8 (signMode) / u8.
inline void SetDeqScale(float scale, int16_t offset, bool signMode, Site site = ASCSAN_HERE) {
  detail::set_deq_scale(detail::quantisation_word(scale, offset, signMode), site);
}
/// Sixteen sets: the scalar unit stores 16 words of 8 bytes at `vdeqTensor`; CastDequant<isVecDeq> reads them there.
template <typename T>
void SetDeqScale(const LocalTensor<T>& vdeqTensor, const VdeqInfo& vdeqInfo, Site site = ASCSAN_HERE) {
  const LocalTensor<uint64_t> words = vdeqTensor.template ReinterpretCast<uint64_t>();
  for (uint64_t i = 0; i < 16; ++i)
    words.SetValue(
        i, detail::quantisation_word(vdeqInfo.vdeqScale[i], vdeqInfo.vdeqOffset[i], vdeqInfo.vdeqSignMode[i]), site);
  detail::set_deq_scale(vdeqTensor.operand().address, site);
}

}  // namespace AscendC
