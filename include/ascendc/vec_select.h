// Select in its three modes, each call expanded into the instructions the framework issues, because the order among
// them matters to the race check: mode 0 = SetCmpMask, PipeBarrier<V>, select; modes 1 and 2 = Duplicate into the
// reserved UB scratch, barrier, SetCmpMask, barrier, select (spec/execution-model.md 3.2, api-semantics.md 3). Left
// out: the exact words the framework keeps in the scratch beyond the first block.
#pragma once

#include "ascendc/sync.h"
#include "ascendc/vec_compare.h"

namespace AscendC {
namespace detail {

/// First block of the framework's scratch at the top of UB (spec/execution-model.md 1.2). reserved = 1: framework
/// owned.
inline ascsan::gate::Operand scratch_block() {
  ascsan::gate::Operand scratch;
  scratch.space = ascsan::gate::Space::kUb;
  scratch.address = TMP_UB_OFFSET;
  scratch.bytes = ONE_BLK_SIZE;
  scratch.type = ascsan::gate::DataType::kUint32;
  scratch.reserved = 1;
  return scratch;
}

/// Everything before the select instruction itself. `word` is what the scratch holds: the mask address or the scalar.
inline void prepare_select(SELMODE mode, const ascsan::gate::Operand& sel_mask, uint32_t word, const Site& site) {
  if (mode == SELMODE::VSEL_CMPMASK_SPR) {
    VectorCall(Op::kSetCmpMask, site).operand(sel_mask).issue();
  } else {
    VectorCall(Op::kSelectStage, site).operand(scratch_block()).scalar(word).issue();
    barrier_call(PIPE_V, site);
    VectorCall(Op::kSetCmpMask, site).operand(scratch_block()).issue();
  }
  barrier_call(PIPE_V, site);
}

/// The select instruction: dst, src0, src1 (none for a scalar), mask bits in memory (none in mode 0).
template <typename T>
VectorCall select_call(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const ascsan::gate::Operand& src1,
                       const ascsan::gate::Operand& bits, SELMODE mode, const Site& site) {
  VectorCall call(Op::kSelect, site);
  call.operand(dst).operand(src0).operand(src1).operand(bits).mode(mode);
  return call;
}

template <typename T, typename U>
VectorCall select_tensors(const LocalTensor<T>& dst, const LocalTensor<U>& sel_mask, const LocalTensor<T>& src0,
                          const LocalTensor<T>& src1, SELMODE mode, const Site& site) {
  prepare_select(mode, sel_mask.operand(), static_cast<uint32_t>(sel_mask.operand().address), site);
  const bool in_register = mode == SELMODE::VSEL_CMPMASK_SPR;
  return select_call(dst, src0, src1.operand(), in_register ? ascsan::gate::Operand{} : sel_mask.operand(), mode, site);
}

template <typename T, typename U>
VectorCall select_scalar(const LocalTensor<T>& dst, const LocalTensor<U>& sel_mask, const LocalTensor<T>& src0,
                         T scalar, SELMODE mode, const Site& site) {
  prepare_select(mode, sel_mask.operand(), static_cast<uint32_t>(raw_bits(scalar)), site);
  const bool in_register = mode == SELMODE::VSEL_CMPMASK_SPR;
  VectorCall call = select_call(dst, src0, ascsan::gate::Operand{},
                                in_register ? ascsan::gate::Operand{} : sel_mask.operand(), mode, site);
  call.scalar(scalar);
  return call;
}

}  // namespace detail

template <typename T, typename U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            const LocalTensor<T>& src1, SELMODE selMode, uint32_t count, Site site = ASCSAN_HERE) {
  detail::select_tensors(dst, selMask, src0, src1, selMode, site).count(count).issue();
  if (selMode == SELMODE::VSEL_CMPMASK_SPR) detail::barrier_call(PIPE_V, site);
}
template <typename T, typename U, bool isSetMask = true>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            const LocalTensor<T>& src1, SELMODE selMode, const uint64_t mask[], int32_t repeatTime,
            const BinaryRepeatParams& repeatParams, Site site = ASCSAN_HERE) {
  detail::select_tensors(dst, selMask, src0, src1, selMode, site)
      .template mask_for<isSetMask, T>(mask)
      .repeat(repeatTime)
      .strides(repeatParams)
      .issue();
}
template <typename T, typename U, bool isSetMask = true>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            const LocalTensor<T>& src1, SELMODE selMode, uint64_t mask, int32_t repeatTime,
            const BinaryRepeatParams& repeatParams, Site site = ASCSAN_HERE) {
  detail::select_tensors(dst, selMask, src0, src1, selMode, site)
      .template mask_for<isSetMask, T>(mask)
      .repeat(repeatTime)
      .strides(repeatParams)
      .issue();
}

template <typename T, typename U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            const ScalarOf<T> src1, SELMODE selMode, uint32_t count, Site site = ASCSAN_HERE) {
  detail::select_scalar(dst, selMask, src0, src1, selMode, site).count(count).issue();
}
template <typename T, typename U, bool isSetMask = true>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            const ScalarOf<T> src1, SELMODE selMode, const uint64_t mask[], int32_t repeatTime,
            const BinaryRepeatParams& repeatParams, Site site = ASCSAN_HERE) {
  detail::select_scalar(dst, selMask, src0, src1, selMode, site)
      .template mask_for<isSetMask, T>(mask)
      .repeat(repeatTime)
      .strides(repeatParams)
      .issue();
}
template <typename T, typename U, bool isSetMask = true>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            const ScalarOf<T> src1, SELMODE selMode, uint64_t mask, int32_t repeatTime,
            const BinaryRepeatParams& repeatParams, Site site = ASCSAN_HERE) {
  detail::select_scalar(dst, selMask, src0, src1, selMode, site)
      .template mask_for<isSetMask, T>(mask)
      .repeat(repeatTime)
      .strides(repeatParams)
      .issue();
}

/// Mask register and CMPMASK set by the caller (SetVectorMask, SetCmpMask): mode 0 takes its bits from CMPMASK, mode 2
/// the address of its bits.
template <typename T, SELMODE selMode>
void Select(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, int32_t repeatTime,
            const BinaryRepeatParams& repeatParams, Site site = ASCSAN_HERE) {
  detail::select_call(dst, src0, src1.operand(), ascsan::gate::Operand{}, selMode, site)
      .template mask<false>(MASK_PLACEHOLDER)
      .repeat(repeatTime)
      .strides(repeatParams)
      .issue();
}
/// Mode 1 with the scalar in CMPMASK.
template <typename T, typename U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, int32_t repeatTime,
            const BinaryRepeatParams& repeatParams, Site site = ASCSAN_HERE) {
  detail::select_call(dst, src0, ascsan::gate::Operand{}, selMask.operand(), SELMODE::VSEL_TENSOR_SCALAR_MODE, site)
      .flags(1)
      .template mask<false>(MASK_PLACEHOLDER)
      .repeat(repeatTime)
      .strides(repeatParams)
      .issue();
}

}  // namespace AscendC
