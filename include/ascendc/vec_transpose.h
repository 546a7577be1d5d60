// Transpose (16 x 16 blocks, NCHW <-> NHWC) and TransDataTo5HD.
// Rules: spec/api-semantics.md 5. Left out: transpose types of other chips; they are reported behind the gate.
#pragma once

#include "ascendc/vec_unary.h"

namespace AscendC {

/// One 16 x 16 matrix of 16-bit elements.
template <typename T>
void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src, Site site = ASCSAN_HERE) {
  detail::unary_call(detail::Op::kTranspose, dst, src, site).issue();
}
/// TRANSPOSE_ND2ND_B16 as above; NCHW2NHWC and NHWC2NCHW with a scratch tensor.
template <typename T>
void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& sharedTmpBuffer,
               const TransposeParamsExt& transposeParams, Site site = ASCSAN_HERE) {
  if (transposeParams.transposeType == TransposeType::TRANSPOSE_ND2ND_B16) return Transpose(dst, src, site);
  detail::unary_call(detail::Op::kTransposeNchw, dst, src, site)
      .operand(sharedTmpBuffer)
      .mode(transposeParams.transposeType)
      .extra(0, transposeParams.nSize)
      .extra(1, transposeParams.cSize)
      .extra(2, transposeParams.hSize)
      .extra(3, transposeParams.wSize)
      .issue();
}

namespace detail {

inline uint8_t to_5hd_flags(const TransDataTo5HDParams& params, bool lists_in_memory) {
  return static_cast<uint8_t>((params.dstHighHalf ? 1 : 0) | (params.srcHighHalf ? 2 : 0) | (lists_in_memory ? 4 : 0));
}

/// Operand that stands for 16 blocks: space and type of the tensors, no extent of its own.
template <typename T>
ascsan::gate::Operand block_list_operand(uint64_t first_address) {
  ascsan::gate::Operand operand;
  operand.space = ascsan::gate::Space::kUb;
  operand.address = first_address;
  operand.type = data_type_of<T>();
  return operand;
}

template <typename T>
void to_5hd(const uint64_t dst[16], const uint64_t src[16], const TransDataTo5HDParams& params, const Site& site) {
  VectorCall call(Op::kTransDataTo5HD, site);
  call.operand(block_list_operand<T>(dst[0])).operand(block_list_operand<T>(src[0])).repeat(params.repeatTimes);
  call.dst_strides(1, params.dstRepStride).src_strides(1, params.srcRepStride).flags(to_5hd_flags(params, false));
  for (int i = 0; i < 16; ++i) {
    call.parameters().list[i] = static_cast<uint32_t>(dst[i]);
    call.parameters().list[16 + i] = static_cast<uint32_t>(src[i]);
  }
  call.issue();
}

}  // namespace detail

/// 16 destination and 16 source blocks given by tensors, by UB addresses (GetPhyAddr) or by lists of addresses in UB.
template <typename T>
void TransDataTo5HD(const LocalTensor<T> (&dstList)[16], const LocalTensor<T> (&srcList)[16],
                    const TransDataTo5HDParams& nchwconvParams, Site site = ASCSAN_HERE) {
  uint64_t dst[16], src[16];
  for (int i = 0; i < 16; ++i) dst[i] = dstList[i].operand().address, src[i] = srcList[i].operand().address;
  detail::to_5hd<T>(dst, src, nchwconvParams, site);
}
template <typename T>
void TransDataTo5HD(uint64_t dstList[16], uint64_t srcList[16], const TransDataTo5HDParams& nchwconvParams,
                    Site site = ASCSAN_HERE) {
  detail::to_5hd<T>(dstList, srcList, nchwconvParams, site);
}
template <typename T>
void TransDataTo5HD(const LocalTensor<uint64_t>& dst, const LocalTensor<uint64_t>& src,
                    const TransDataTo5HDParams& nchwconvParams, Site site = ASCSAN_HERE) {
  detail::VectorCall call(detail::Op::kTransDataTo5HD, site);
  call.operand(dst).operand(src).repeat(nchwconvParams.repeatTimes);
  call.dst_strides(1, nchwconvParams.dstRepStride).src_strides(1, nchwconvParams.srcRepStride);
  call.flags(detail::to_5hd_flags(nchwconvParams, true)).parameters().scalar_type = data_type_of<T>();
  call.issue();
}

}  // namespace AscendC
