// High-level sorting: Concat, Sort, Extract, the MrgSort overload that returns counts, and their size helpers, built
// from Sort32, MrgSort, Copy and GatherMask with PipeBarrier<V> between dependent steps. Rules: spec/api-semantics.md 5
// (A2/A3 rows). Structures are 8 bytes; the result is descending and stable. Left out: the framework's own choice of
// merge order, which no result shows.
#pragma once

#include "ascendc/sync.h"
#include "ascendc/vec_move.h"
#include "ascendc/vec_sort.h"

namespace AscendC {
namespace detail {

/// Elements of T per sort structure.
template <typename T>
constexpr uint32_t structure_elements() {
  return 8 / sizeof(T);
}

/// Structures [first, first + count) of a tensor of structures.
template <typename T>
LocalTensor<T> structures(const LocalTensor<T>& tensor, uint32_t first) {
  return tensor[uint64_t{first} * structure_elements<T>()];
}

/// Merges up to four neighbouring lists of `length` structures (the last may be shorter) of `total`, starting at
/// `first`.
template <typename T>
void merge_group(const LocalTensor<T>& to, const LocalTensor<T>& from, uint32_t first, uint32_t length, uint32_t total,
                 const Site& site) {
  uint16_t lengths[4] = {0, 0, 0, 0};
  uint32_t lists = 0, start[4] = {first, first, first, first};
  for (uint32_t at = first; lists < 4 && at < total; at += length, ++lists) {
    start[lists] = at;
    lengths[lists] = static_cast<uint16_t>(total - at < length ? total - at : length);
  }
  if (lists == 1) {
    const uint32_t words = uint32_t{lengths[0]} * 2;
    Copy(structures(to, first).template ReinterpretCast<uint32_t>(),
         structures(from, first).template ReinterpretCast<uint32_t>(), words, site);
    return;
  }
  const MrgSortSrcList<T> sources(structures(from, start[0]), structures(from, start[1]), structures(from, start[2]),
                                  structures(from, start[3]));
  MrgSort(structures(to, first), sources, MrgSort4Info(lengths, false, lists == 2 ? 3 : lists == 3 ? 7 : 15, 1), site);
}

}  // namespace detail

/// Structures' worth of elements: 2 per float score, 4 per half score.
template <typename T>
constexpr uint32_t GetSortOffset(uint32_t elemOffset) {
  return elemOffset * detail::structure_elements<T>();
}
template <typename T>
constexpr uint32_t GetSortLen(uint32_t elemCount) {
  return elemCount * detail::structure_elements<T>();
}

/// Nothing to prepare on A2/A3: the scores are used as they are.
template <typename T>
void Concat(LocalTensor<T>& concatLocal, const LocalTensor<T>& srcLocal, const LocalTensor<T>& /*tmpLocal*/,
            int32_t /*repeatTimes*/) {
  concatLocal = srcLocal;
}

/// Sorts each group of 32 (score, index) pairs; with isFullSort the groups are merged into one list. dst and tmp hold
/// repeatTimes * 32 structures.
template <typename T, bool isFullSort>
void Sort(const LocalTensor<T>& dst, const LocalTensor<T>& concat, const LocalTensor<uint32_t>& index,
          const LocalTensor<T>& tmp, int32_t repeatTimes, Site site = ASCSAN_HERE) {
  constexpr uint32_t kGroup = 32;
  const uint32_t total = repeatTimes > 0 ? static_cast<uint32_t>(repeatTimes) * kGroup : 0;
  uint32_t levels = 0;
  if (isFullSort) {
    for (uint32_t length = kGroup; length < total; length *= 4) ++levels;
  }
  LocalTensor<T> from = levels % 2 == 0 ? dst : tmp, to = levels % 2 == 0 ? tmp : dst;
  Sort32(from, concat, index, repeatTimes, site);
  uint32_t length = kGroup;
  for (uint32_t level = 0; level < levels; ++level, length *= 4) {
    detail::barrier_call(PIPE_V, site);
    for (uint32_t first = 0; first < total; first += 4 * length)
      detail::merge_group(to, from, first, length, total, site);
    const LocalTensor<T> swap = from;
    from = to;
    to = swap;
  }
}

/// Splits 32 structures per repeat into scores and indices.
template <typename T>
void Extract(const LocalTensor<T>& dstValueLocal, const LocalTensor<uint32_t>& dstIndexLocal,
             const LocalTensor<T>& sortedLocal, int32_t repeatTimes, Site site = ASCSAN_HERE) {
  const auto repeats = static_cast<uint16_t>(repeatTimes);
  uint64_t written = 0;
  GatherMask(dstValueLocal, sortedLocal, sizeof(T) == 4 ? 1 : 3, false, 0, {1, repeats, 8, 0}, written, site);
  GatherMask(dstIndexLocal, sortedLocal.template ReinterpretCast<uint32_t>(), 2, false, 0, {1, repeats, 8, 0}, written,
             site);
}

/// Merge that reports how many structures it took from each list (a scalar read: V_S first).
template <typename T, bool isExhaustedSuspension = false>
void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& sortList, const uint16_t elementCountList[4],
             uint32_t sortedNum[4], uint16_t validBit, int32_t repeatTimes, Site site = ASCSAN_HERE) {
  MrgSort(dst, sortList,
          MrgSort4Info(elementCountList, isExhaustedSuspension, validBit, static_cast<uint16_t>(repeatTimes)), site);
  if constexpr (isExhaustedSuspension) {
    uint16_t taken[4];
    GetMrgSortResult(taken[0], taken[1], taken[2], taken[3], site);
    for (int i = 0; i < 4; ++i) sortedNum[i] = taken[i];
  } else {
    for (int i = 0; i < 4; ++i) sortedNum[i] = elementCountList[i];
  }
}

}  // namespace AscendC
