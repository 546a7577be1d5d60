// ReduceSum, ReduceMax, ReduceMin: several instructions per call, as the framework issues them: vector steps with
// PipeBarrier<V> between them, then V_S, the scalar unit stores the result, then S_V and S_MTE3. The expansion is
// visible here because the race check depends on it (spec/execution-model.md 3.2, api-semantics.md 4). On AIC these
// calls do nothing. Left out: the choice of tmp layout beyond the documented sizes.
#pragma once

#include "ascendc/launch.h"
#include "ascendc/sync.h"
#include "ascendc/vec_reduce.h"

namespace AscendC {
namespace detail {

inline bool on_cube_core() {
  return core_info(Info::kCoreKind) == static_cast<uint64_t>(ascsan::gate::CoreKind::kAic);
}

/// Set and wait at once, with the id FetchEventID gives.
inline void hand_over(HardEvent event, const Site& site) {
  const EventPipes pipes = pipes_of(event);
  const auto id = static_cast<int32_t>(flag_call(Op::kEventFetch, pipes, 0, site));
  flag_call(Op::kSetFlag, pipes, id, site);
  flag_call(Op::kWaitFlag, pipes, id, site);
}

/// The scalar unit stores result registers (modes of ResultRegisters::read) to dst[0], dst[1] ...
template <typename T>
void store_results(const LocalTensor<T>& dst, const uint8_t* modes, int count, const Site& site) {
  hand_over(HardEvent::V_S, site);
  for (int i = 0; i < count; ++i)
    scalar_access(Op::kStoreScalar, dst[static_cast<uint64_t>(i)].operand(), read_result(modes[i], site), site);
  hand_over(HardEvent::S_V, site);
  hand_over(HardEvent::S_MTE3, site);
}

template <typename T>
void store_sum(const LocalTensor<T>& dst, const Site& site) {
  const uint8_t mode = 0;
  store_results(dst, &mode, 1, site);
}

/// First step of the repeat forms: one result per repeat into tmp.
template <typename T, bool is_set_mask, typename Mask>
void reduce_stage(Op op, const LocalTensor<T>& tmp, const LocalTensor<T>& src, Mask mask, int32_t repeat,
                  int32_t src_repeat, const Site& site) {
  reduce_call(op, tmp, src, repeat, 1, 1, src_repeat, site).template mask_for<is_set_mask, T>(mask).issue();
}

template <typename T, bool is_set_mask, typename Mask>
void reduce_sum_repeats(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& tmp, Mask mask,
                        int32_t repeat, int32_t src_repeat, const Site& site) {
  if (on_cube_core() || repeat == 0) return;
  constexpr int32_t kLanes = ONE_REPEAT_BYTE_SIZE / static_cast<int32_t>(sizeof(T));
  reduce_stage<T, is_set_mask>(Op::kReduceSumStage, tmp, src, mask, repeat, src_repeat, site);
  barrier_call(PIPE_V, site);
  if (repeat > kLanes) {  // more than one value after the second step: it ends with a vector write
    VectorCall(Op::kReduceSumTree, site).operand(dst).operand(tmp).count(repeat).issue();
    return;
  }
  VectorCall(Op::kReduceSumFinish, site).operand(tmp).count(repeat).issue();
  store_sum(dst, site);
}

/// After the stage: `repeats` pairs [value, lane] in tmp; picks one and stores value and, if wanted, index.
template <typename T>
void finish_extreme(Op finish, const LocalTensor<T>& dst, const LocalTensor<T>& tmp, int64_t repeats,
                    uint64_t elements_apart, bool index, const Site& site) {
  if (repeats > 1) {
    barrier_call(PIPE_V, site);
    VectorCall(finish, site).operand(tmp).count(repeats).extra(0, elements_apart).flags(index ? 1 : 0).issue();
  }
  const uint8_t modes[2] = {1, 2};
  store_results(dst, modes, index ? 2 : 1, site);
}

template <typename T>
void reduce_extreme_count(Op stage, Op finish, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                          const LocalTensor<T>& tmp, int32_t count, bool index, const Site& site) {
  if (on_cube_core() || count == 0) return;
  constexpr int32_t kLanes = ONE_REPEAT_BYTE_SIZE / static_cast<int32_t>(sizeof(T));
  reduce_call(stage, tmp, src, 0, 1, 1, DEFAULT_REPEAT_STRIDE, site).count(count).issue();
  finish_extreme(finish, dst, tmp, (static_cast<int64_t>(count) + kLanes - 1) / kLanes, kLanes, index, site);
}

template <typename T, bool is_set_mask, typename Mask>
void reduce_extreme_repeats(Op stage, Op finish, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                            const LocalTensor<T>& tmp, Mask mask, int32_t repeat, int32_t src_repeat, bool index,
                            const Site& site) {
  if (on_cube_core() || repeat == 0) return;
  reduce_stage<T, is_set_mask>(stage, tmp, src, mask, repeat, src_repeat, site);
  const auto apart = static_cast<uint64_t>(src_repeat) * (ONE_BLK_SIZE / sizeof(T));
  finish_extreme(finish, dst, tmp, repeat, apart, index, site);
}

}  // namespace detail

/// Tree inside each 256 bytes, these sums one after another; sharedTmpBuffer is not touched.
template <typename T, bool isSetMask = true>
void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& /*sharedTmpBuffer*/,
               int32_t count, Site site = ASCSAN_HERE) {
  if (detail::on_cube_core() || count == 0) return;
  detail::VectorCall(detail::Op::kReduceSumCount, site).operand(src).count(count).issue();
  detail::store_sum(dst, site);
}
/// Tree inside each repeat, then a tree over the repeats in sharedTmpBuffer (one element per repeat).
template <typename T, bool isSetMask = true>
void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,
               const uint64_t mask[], int32_t repeatTime, int32_t srcRepStride, Site site = ASCSAN_HERE) {
  detail::reduce_sum_repeats<T, isSetMask>(dst, src, sharedTmpBuffer, mask, repeatTime, srcRepStride, site);
}
template <typename T, bool isSetMask = true>
void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,
               int32_t mask, int32_t repeatTime, int32_t srcRepStride, Site site = ASCSAN_HERE) {
  detail::reduce_sum_repeats<T, isSetMask>(dst, src, sharedTmpBuffer, static_cast<uint64_t>(mask), repeatTime,
                                           srcRepStride, site);
}

// dst[0] = value, dst[1] = position in src as raw bits when calIndex.
#define ASCSAN_REDUCE_EXTREME(api)                                                                                     \
  template <typename T, bool isSetMask = true>                                                                         \
  void api(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer, int32_t count, \
           bool calIndex = false, Site site = ASCSAN_HERE) {                                                           \
    detail::reduce_extreme_count(detail::Op::k##api##Stage, detail::Op::k##api##Finish, dst, src, sharedTmpBuffer,     \
                                 count, calIndex, site);                                                               \
  }                                                                                                                    \
  template <typename T, bool isSetMask = true>                                                                         \
  void api(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,                \
           const uint64_t mask[], int32_t repeatTime, int32_t srcRepStride, bool calIndex = false,                     \
           Site site = ASCSAN_HERE) {                                                                                  \
    detail::reduce_extreme_repeats<T, isSetMask>(detail::Op::k##api##Stage, detail::Op::k##api##Finish, dst, src,      \
                                                 sharedTmpBuffer, mask, repeatTime, srcRepStride, calIndex, site);     \
  }                                                                                                                    \
  template <typename T, bool isSetMask = true>                                                                         \
  void api(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer, int32_t mask,  \
           int32_t repeatTime, int32_t srcRepStride, bool calIndex = false, Site site = ASCSAN_HERE) {                 \
    detail::reduce_extreme_repeats<T, isSetMask>(detail::Op::k##api##Stage, detail::Op::k##api##Finish, dst, src,      \
                                                 sharedTmpBuffer, static_cast<uint64_t>(mask), repeatTime,             \
                                                 srcRepStride, calIndex, site);                                        \
  }
ASCSAN_REDUCE_EXTREME(ReduceMax)
ASCSAN_REDUCE_EXTREME(ReduceMin)
#undef ASCSAN_REDUCE_EXTREME

}  // namespace AscendC
