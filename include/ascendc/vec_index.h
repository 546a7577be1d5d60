// CreateVecIndex and Arange: the scalar unit stores the first block without waiting for anything, then S_V, then vector
// additions with PipeBarrier<V> between them (spec/execution-model.md 3.2; the missing wait is a property of the device
// API). Each step doubles the part that is done; half values are exact to 2048 (spec/api-semantics.md 5). Left out: the
// framework's own choice of step sizes.
#pragma once

#include "ascendc/vec_reduce_composite.h"

namespace AscendC {
namespace detail {

/// first + i * step in the element type.
template <typename T>
T index_value(T first, T step, uint32_t i) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<int64_t>(first) + static_cast<int64_t>(i) * static_cast<int64_t>(step));
  } else {
    return T(static_cast<float>(first) + static_cast<float>(i) * static_cast<float>(step));
  }
}

template <typename T>
constexpr uint32_t block_elements() {
  return ONE_BLK_SIZE / sizeof(T);
}

/// The scalar part: the first block, or its first `count` elements.
template <typename T>
void store_first_block(const LocalTensor<T>& dst, T first, T step, uint32_t count, const Site& site) {
  const uint32_t stores = count < block_elements<T>() ? count : block_elements<T>();
  for (uint32_t i = 0; i < stores; ++i) dst.SetValue(i, index_value(first, step, i), site);
  hand_over(HardEvent::S_V, site);
}

template <typename T>
void arithmetic_sequence(const LocalTensor<T>& dst, T first, T step, uint32_t count, const Site& site) {
  if (on_cube_core() || count == 0) return;
  store_first_block(dst, first, step, count, site);
  for (uint32_t done = block_elements<T>(); done < count;) {
    const uint32_t part = done < count - done ? done : count - done;
    unary_call(Op::kIndexStep, dst[done], dst, site).scalar(index_value(T(0), step, done)).count(part).issue();
    done += part;
    if (done < count) barrier_call(PIPE_V, site);
  }
}

/// Repeat form: block b of the first repeat is block 0 plus b blocks, repeat r is repeat 0 plus r repeats.
template <typename T, typename Mask>
void index_repeats(const LocalTensor<T>& dst, T first, Mask mask, int32_t repeat, uint16_t block_stride,
                   uint8_t repeat_stride, const Site& site) {
  if (on_cube_core() || repeat <= 0) return;
  constexpr uint32_t kBlock = block_elements<T>();
  store_first_block(dst, first, T(1), kBlock, site);
  for (uint32_t block = 1; block < 8; ++block) {
    const LocalTensor<T> target = dst[static_cast<uint64_t>(block) * block_stride * kBlock];
    unary_call(Op::kIndexStep, target, dst, site).scalar(index_value(T(0), T(1), block * kBlock)).count(kBlock).issue();
  }
  for (int32_t r = 1; r < repeat; ++r) {
    barrier_call(PIPE_V, site);
    const LocalTensor<T> target = dst[static_cast<uint64_t>(r) * repeat_stride * kBlock];
    VectorCall call = unary_call(Op::kIndexStep, target, dst, site);
    call.scalar(index_value(T(0), T(1), static_cast<uint32_t>(r) * 8 * kBlock))
        .template mask_for<true, T>(mask)
        .repeat(1);
    call.dst_strides(block_stride, repeat_stride).src_strides(block_stride, repeat_stride).issue();
  }
}

}  // namespace detail

/// dst[i] = firstValue + i for `count` elements; i16, h, i32, f.
template <typename T>
void CreateVecIndex(const LocalTensor<T>& dst, const ScalarOf<T>& firstValue, uint32_t count, Site site = ASCSAN_HERE) {
  detail::arithmetic_sequence(dst, firstValue, T(1), count, site);
}
template <typename T>
void CreateVecIndex(const LocalTensor<T>& dst, const ScalarOf<T>& firstValue, const uint64_t mask[], int32_t repeatTime,
                    uint16_t dstBlkStride, uint8_t dstRepStride, Site site = ASCSAN_HERE) {
  detail::index_repeats(dst, firstValue, mask, repeatTime, dstBlkStride, dstRepStride, site);
}
template <typename T>
void CreateVecIndex(const LocalTensor<T>& dst, const ScalarOf<T>& firstValue, uint64_t mask, int32_t repeatTime,
                    uint16_t dstBlkStride, uint8_t dstRepStride, Site site = ASCSAN_HERE) {
  detail::index_repeats(dst, firstValue, mask, repeatTime, dstBlkStride, dstRepStride, site);
}

/// dst[i] = firstValue + i * diffValue.
template <typename T>
void Arange(const LocalTensor<T>& dst, const ScalarOf<T> firstValue, const ScalarOf<T> diffValue, int32_t count,
            Site site = ASCSAN_HERE) {
  detail::arithmetic_sequence<T>(dst, firstValue, diffValue, count < 0 ? 0 : static_cast<uint32_t>(count), site);
}
/// Older name of Arange.
template <typename T>
void ArithProgression(const LocalTensor<T>& dst, const ScalarOf<T> firstValue, const ScalarOf<T> diffValue,
                      int32_t count, Site site = ASCSAN_HERE) {
  Arange<T>(dst, firstValue, diffValue, count, site);
}

}  // namespace AscendC
