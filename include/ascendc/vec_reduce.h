// Single-instruction reductions per repeat, per block and per pair, and the registers they leave behind.
// Rules: spec/api-semantics.md 4. Left out: the composites ReduceSum / ReduceMax / ReduceMin (vec_reduce_composite.h).
#pragma once

#include "ascendc/vec_unary.h"

namespace AscendC {
namespace detail {

template <typename T>
VectorCall reduce_call(Op op, const LocalTensor<T>& dst, const LocalTensor<T>& src, int32_t repeat, int32_t dst_repeat,
                       int32_t src_block, int32_t src_repeat, const Site& site) {
  VectorCall call(op, site);
  call.operand(dst).operand(src).repeat(repeat).dst_strides(1, dst_repeat).src_strides(src_block, src_repeat);
  return call;
}

}  // namespace detail

/// One sum per repeat; dstRepStride in elements.
template <typename T, bool isSetMask = true>
void WholeReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[], int32_t repeatTime,
                    int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride, Site site = ASCSAN_HERE) {
  detail::reduce_call(detail::Op::kWholeReduceSum, dst, src, repeatTime, dstRepStride, srcBlkStride, srcRepStride, site)
      .template mask_for<isSetMask, T>(mask)
      .issue();
}
template <typename T, bool isSetMask = true>
void WholeReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, int32_t mask, int32_t repeatTime,
                    int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride, Site site = ASCSAN_HERE) {
  detail::reduce_call(detail::Op::kWholeReduceSum, dst, src, repeatTime, dstRepStride, srcBlkStride, srcRepStride, site)
      .template mask<isSetMask>(static_cast<uint64_t>(mask))
      .issue();
}

// WholeReduceMax / WholeReduceMin: value and index per repeat in the given order.
#define ASCSAN_WHOLE_REDUCE(api)                                                                                  \
  template <typename T, bool isSetMask = true>                                                                    \
  void api(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[], int32_t repeatTime,       \
           int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride,                                      \
           ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX, Site site = ASCSAN_HERE) {                         \
    detail::reduce_call(detail::Op::k##api, dst, src, repeatTime, dstRepStride, srcBlkStride, srcRepStride, site) \
        .mode(order)                                                                                              \
        .template mask_for<isSetMask, T>(mask)                                                                    \
        .issue();                                                                                                 \
  }                                                                                                               \
  template <typename T, bool isSetMask = true>                                                                    \
  void api(const LocalTensor<T>& dst, const LocalTensor<T>& src, int32_t mask, int32_t repeatTime,                \
           int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride,                                      \
           ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX, Site site = ASCSAN_HERE) {                         \
    detail::reduce_call(detail::Op::k##api, dst, src, repeatTime, dstRepStride, srcBlkStride, srcRepStride, site) \
        .mode(order)                                                                                              \
        .template mask<isSetMask>(static_cast<uint64_t>(mask))                                                    \
        .issue();                                                                                                 \
  }
ASCSAN_WHOLE_REDUCE(WholeReduceMax)
ASCSAN_WHOLE_REDUCE(WholeReduceMin)
#undef ASCSAN_WHOLE_REDUCE

// Per block and per pair: note the argument order repeat, mask.
#define ASCSAN_PART_REDUCE(api)                                                                                   \
  template <typename T, bool isSetMask = true>                                                                    \
  void api(const LocalTensor<T>& dst, const LocalTensor<T>& src, int32_t repeatTime, const uint64_t mask[],       \
           int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride, Site site = ASCSAN_HERE) {           \
    detail::reduce_call(detail::Op::k##api, dst, src, repeatTime, dstRepStride, srcBlkStride, srcRepStride, site) \
        .template mask_for<isSetMask, T>(mask)                                                                    \
        .issue();                                                                                                 \
  }                                                                                                               \
  template <typename T, bool isSetMask = true>                                                                    \
  void api(const LocalTensor<T>& dst, const LocalTensor<T>& src, int32_t repeatTime, int32_t mask,                \
           int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride, Site site = ASCSAN_HERE) {           \
    detail::reduce_call(detail::Op::k##api, dst, src, repeatTime, dstRepStride, srcBlkStride, srcRepStride, site) \
        .template mask<isSetMask>(static_cast<uint64_t>(mask))                                                    \
        .issue();                                                                                                 \
  }
ASCSAN_PART_REDUCE(BlockReduceSum)
ASCSAN_PART_REDUCE(BlockReduceMax)
ASCSAN_PART_REDUCE(BlockReduceMin)
ASCSAN_PART_REDUCE(PairReduceSum)
#undef ASCSAN_PART_REDUCE

/// WholeReduceSum with another argument order; dstBlkStride has no effect.
template <typename T, bool isSetMask = true>
void RepeatReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, int32_t repeatTime, int32_t mask,
                     int32_t /*dstBlkStride*/, int32_t srcBlkStride, int32_t dstRepStride, int32_t srcRepStride,
                     Site site = ASCSAN_HERE) {
  detail::reduce_call(detail::Op::kRepeatReduceSum, dst, src, repeatTime, dstRepStride, srcBlkStride, srcRepStride,
                      site)
      .template mask<isSetMask>(static_cast<uint64_t>(mask))
      .issue();
}

namespace detail {

/// Reads a register that vector instructions leave behind (modes: machine/instruction.h); a scalar read, V_S is needed.
inline uint64_t read_result(uint8_t mode, const Site& site) {
  ascsan::gate::Request request = frame_request(Op::kReadResultRegister, site);
  request.params.frame.mode = mode;
  return ascsan_gate(&request);
}

}  // namespace detail

/// Sum of the last count-form ReduceSum.
template <typename T>
T GetReduceRepeatSumSpr(Site site = ASCSAN_HERE) {
  return from_raw_bits<T>(detail::read_result(0, site));
}
/// Older name of GetReduceRepeatSumSpr; raw bits in the low half of the result.
inline int64_t GetAccVal(Site site = ASCSAN_HERE) {
  return static_cast<int64_t>(detail::read_result(0, site));
}
template <typename T>
T GetAccVal(Site site = ASCSAN_HERE) {
  return from_raw_bits<T>(detail::read_result(0, site));
}

/// Value, and index as raw bits, of the last WholeReduceMax / WholeReduceMin.
template <typename T>
void GetReduceRepeatMaxMinSpr(T& maxMinValue, T& maxMinIndex, Site site = ASCSAN_HERE) {
  maxMinValue = from_raw_bits<T>(detail::read_result(1, site));
  maxMinIndex = from_raw_bits<T>(detail::read_result(2, site));
}
template <typename T>
void GetReduceRepeatMaxMinSpr(T& maxMinValue, Site site = ASCSAN_HERE) {
  maxMinValue = from_raw_bits<T>(detail::read_result(1, site));
}
template <typename T>
void GetReduceMaxMinCount(T& maxMinValue, T& maxMinIndex, Site site = ASCSAN_HERE) {
  GetReduceRepeatMaxMinSpr(maxMinValue, maxMinIndex, site);
}
template <typename T>
void GetReduceMaxMinCount(T& maxMinValue, Site site = ASCSAN_HERE) {
  GetReduceRepeatMaxMinSpr(maxMinValue, site);
}

}  // namespace AscendC
