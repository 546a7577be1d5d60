// Sort32, MrgSort and the high-level Sort, Concat, Extract built from them.
// Rules: spec/api-semantics.md 5. Structures are 8 bytes: score, then a 32-bit index; order is descending and stable.
// Left out: the proposal formats of older chips (RpSort16, MrgSort4, ProposalConcat): vec_unsupported.h.
#pragma once

#include "ascendc/vec_gather.h"
#include "ascendc/vec_reduce.h"

namespace AscendC {

/// Sorts 32 (score, index) pairs per repeat.
template <typename T>
void Sort32(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<uint32_t>& src1,
            int32_t repeatTime, Site site = ASCSAN_HERE) {
  detail::VectorCall(detail::Op::kSort32, site).operand(dst).operand(src0).operand(src1).repeat(repeatTime).issue();
}

template <typename T>
struct MrgSortSrcList {
  LocalTensor<T> src1, src2, src3, src4;

  MrgSortSrcList() = default;
  MrgSortSrcList(const LocalTensor<T>& list1, const LocalTensor<T>& list2, const LocalTensor<T>& list3,
                 const LocalTensor<T>& list4)
      : src1(list1), src2(list2), src3(list3), src4(list4) {}
};

/// Merges 2 to 4 descending lists.
template <typename T>
void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& src, const MrgSort4Info& params,
             Site site = ASCSAN_HERE) {
  detail::VectorCall call(detail::Op::kMrgSort, site);
  call.operand(dst).operand(src.src1).operand(src.src2);
  if (params.validBit != 3) call.operand(src.src3);
  if (params.validBit != 3 && params.validBit != 7) call.operand(src.src4);
  for (int i = 0; i < 4; ++i) call.extra(i, params.elementLengths[i]);
  call.extra(4, params.validBit).flags(params.ifExhaustedSuspension ? 1 : 0).repeat(params.repeatTimes).issue();
}

/// Structures the last MrgSort took from each list; a scalar read, V_S is needed.
inline void GetMrgSortResult(uint16_t& mrgSortList1, uint16_t& mrgSortList2, uint16_t& mrgSortList3,
                             uint16_t& mrgSortList4, Site site = ASCSAN_HERE) {
  mrgSortList1 = static_cast<uint16_t>(detail::read_result(8, site));
  mrgSortList2 = static_cast<uint16_t>(detail::read_result(9, site));
  mrgSortList3 = static_cast<uint16_t>(detail::read_result(10, site));
  mrgSortList4 = static_cast<uint16_t>(detail::read_result(11, site));
}

}  // namespace AscendC
