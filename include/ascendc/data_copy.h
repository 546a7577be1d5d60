// DataCopy and DataCopyPad: moves between GM, UB, L1, BT and FB, each as one request to the gate, which finds the pipe
// by the two memories and checks the path (spec/execution-model.md 3.2, api-semantics.md 1). Moves out of L0C are in
// fixpipe.h. Left out: the emulated paths UB -> L1 / TSCM; calling them makes the verdict incomplete.
#pragma once

#include "ascendc/copy_params.h"
#include "ascendc/frame_request.h"
#include "ascendc/tensor.h"

namespace AscendC {

namespace detail {

inline ascsan::gate::Request copy_request(ascsan::gate::Op op, const ascsan::gate::Operand& dst,
                                          const ascsan::gate::Operand& src, const Site& site) {
  ascsan::gate::Request request;
  request.op = op;
  request.operand_count = 2;
  request.operand[0] = dst;
  request.operand[1] = src;
  request.site = site;
  return request;
}

/// UB -> L1 exists only as a message to a matmul server; nothing is moved here.
inline bool emulated_path(const ascsan::gate::Operand& dst, const ascsan::gate::Operand& src, const Site& site) {
  using ascsan::gate::Space;
  if (src.space != Space::kUb || dst.space != Space::kL1) return false;
  unsupported("DataCopy UB -> L1", site);
  return true;
}

inline void copy_count(const ascsan::gate::Operand& dst, const ascsan::gate::Operand& src, uint64_t bytes,
                       const Site& site) {
  if (emulated_path(dst, src, site)) return;
  ascsan::gate::Request request = copy_request(ascsan::gate::Op::kDataCopy, dst, src, site);
  request.params.copy = ascsan::gate::CopyParams{bytes, 0, 0, 0, 0, 1};
  ascsan_gate(&request);
}

inline void copy_blocks(const ascsan::gate::Operand& dst, const ascsan::gate::Operand& src,
                        const DataCopyParams& params, const Site& site) {
  if (emulated_path(dst, src, site)) return;
  ascsan::gate::Request request = copy_request(ascsan::gate::Op::kDataCopy, dst, src, site);
  request.params.copy =
      ascsan::gate::CopyParams{0, params.blockCount, params.blockLen, params.srcGap, params.dstGap, 0};
  ascsan_gate(&request);
}

inline void copy_nd_to_nz(const ascsan::gate::Operand& dst, const ascsan::gate::Operand& src, const Nd2NzParams& p,
                          const Site& site) {
  if (emulated_path(dst, src, site)) return;
  ascsan::gate::Request request = copy_request(ascsan::gate::Op::kNd2Nz, dst, src, site);
  request.params.nd_nz = ascsan::gate::NdNzParams{p.ndNum,     p.nValue,        p.dValue,       p.srcNdMatrixStride,
                                                  p.srcDValue, p.dstNzC0Stride, p.dstNzNStride, p.dstNzMatrixStride};
  ascsan_gate(&request);
}

inline void copy_nz_to_nd(const ascsan::gate::Operand& dst, const ascsan::gate::Operand& src, const Nz2NdParamsFull& p,
                          const Site& site) {
  ascsan::gate::Request request = copy_request(ascsan::gate::Op::kNz2Nd, dst, src, site);
  request.params.nd_nz = ascsan::gate::NdNzParams{p.ndNum,      p.nValue,     p.dValue, p.srcNdMatrixStride,
                                                  p.srcNStride, p.dstDStride, 0,        p.dstNdMatrixStride};
  ascsan_gate(&request);
}

inline void copy_pad(const ascsan::gate::Operand& dst, const ascsan::gate::Operand& src,
                     const ascsan::gate::PadParams& params, const Site& site) {
  if (emulated_path(dst, src, site)) return;
  ascsan::gate::Request request = copy_request(ascsan::gate::Op::kDataCopyPad, dst, src, site);
  request.params.pad = params;
  ascsan_gate(&request);
}

/// One dimension of a slice: elements of a piece and from piece to piece, number of pieces.
struct SliceAxis {
  uint64_t piece, step, pieces;
};
constexpr SliceAxis slice_axis(const SliceInfo& info, uint64_t piece) {
  const uint64_t step = piece + info.stride;
  const uint64_t span = info.endIndex >= info.startIndex ? uint64_t{info.endIndex} - info.startIndex + 1 : 0;
  return {piece, step, step == 0 ? 0 : (span + info.stride) / step};
}

/// Visits corresponding pieces of both sides: emit(dst element offset, src element offset).
template <typename Emit>
void for_each_slice(const SliceInfo* dst, const SliceInfo* src, uint32_t dims, uint64_t dst_base, uint64_t src_base,
                    uint64_t dst_pitch, uint64_t src_pitch, uint32_t elements_per_block, const Emit& emit) {
  if (dims == 0) return;
  const uint32_t axis = dims - 1;
  // Pitch of this axis: product of the extents below it.
  for (uint32_t i = 0; i < axis; ++i) dst_pitch *= dst[i].shapeValue, src_pitch *= src[i].shapeValue;
  const uint64_t piece = axis == 0 ? uint64_t{src[0].burstLen} * elements_per_block : 1;
  const SliceAxis from = slice_axis(src[axis], piece), to = slice_axis(dst[axis], piece);
  const uint64_t pieces = from.pieces < to.pieces ? from.pieces : to.pieces;
  for (uint64_t i = 0; i < pieces; ++i) {
    const uint64_t dst_at = dst_base + (dst[axis].startIndex + i * to.step) * dst_pitch;
    const uint64_t src_at = src_base + (src[axis].startIndex + i * from.step) * src_pitch;
    if (axis == 0) {
      emit(dst_at, src_at);
    } else {
      for_each_slice(dst, src, axis, dst_at, src_at, 1, 1, elements_per_block, emit);
    }
  }
}

template <typename Dst, typename Src>
void copy_slices(const Dst& dst, const Src& src, const SliceInfo* dst_info, const SliceInfo* src_info, uint32_t dims,
                 const Site& site) {
  using T = typename Dst::PrimType;
  const uint32_t elements_per_block = 32 * 8 / ascsan::gate::bits_of(data_type_of<T>());
  if (src_info[0].burstLen != dst_info[0].burstLen) {
    unsupported("DataCopy with slices of different burstLen", site);
    return;
  }
  const DataCopyParams one_piece(1, static_cast<uint16_t>(src_info[0].burstLen), 0, 0);
  for_each_slice(dst_info, src_info, dims, 0, 0, 1, 1, elements_per_block, [&](uint64_t dst_at, uint64_t src_at) {
    copy_blocks(dst[dst_at].operand(), src[src_at].operand(), one_piece, site);
  });
}

}  // namespace detail

// --- DataCopy, `count` elements ---

template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, uint32_t count, Site site = ASCSAN_HERE) {
  detail::copy_count(dst.operand(), src.operand(), elements_to_bytes<T>(count), site);
}
template <typename T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, uint32_t count, Site site = ASCSAN_HERE) {
  detail::copy_count(dst.operand(), src.operand(), elements_to_bytes<T>(count), site);
}
template <typename T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint32_t count, Site site = ASCSAN_HERE) {
  detail::copy_count(dst.operand(), src.operand(), elements_to_bytes<T>(count), site);
}

// --- DataCopy, blocks with gaps ---

template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& params,
              Site site = ASCSAN_HERE) {
  detail::copy_blocks(dst.operand(), src.operand(), params, site);
}
template <typename T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params,
              Site site = ASCSAN_HERE) {
  detail::copy_blocks(dst.operand(), src.operand(), params, site);
}
template <typename T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params,
              Site site = ASCSAN_HERE) {
  detail::copy_blocks(dst.operand(), src.operand(), params, site);
}
/// L1 -> BT with conversion half -> float (bias).
template <typename T, typename U, std::enable_if_t<!std::is_same_v<T, U>, int> = 0>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyParams& params,
              Site site = ASCSAN_HERE) {
  detail::copy_blocks(dst.operand(), src.operand(), params, site);
}

// --- DataCopy with the extras of older chips: a plain move on A2/A3 ---

template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& params,
              const DataCopyEnhancedParams&, Site site = ASCSAN_HERE) {
  detail::copy_blocks(dst.operand(), src.operand(), params, site);
}
template <typename T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params,
              const DataCopyEnhancedParams&, Site site = ASCSAN_HERE) {
  detail::copy_blocks(dst.operand(), src.operand(), params, site);
}
template <typename T, typename U>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyParams& params,
              const DataCopyEnhancedParams&, Site site = ASCSAN_HERE) {
  detail::copy_blocks(dst.operand(), src.operand(), params, site);
}

// --- DataCopy, slices ---

template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const SliceInfo dstSliceInfo[],
              const SliceInfo srcSliceInfo[], uint32_t dimValue = 1, Site site = ASCSAN_HERE) {
  detail::copy_slices(dst, src, dstSliceInfo, srcSliceInfo, dimValue, site);
}
template <typename T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const SliceInfo dstSliceInfo[],
              const SliceInfo srcSliceInfo[], uint32_t dimValue = 1, Site site = ASCSAN_HERE) {
  detail::copy_slices(dst, src, dstSliceInfo, srcSliceInfo, dimValue, site);
}

// --- DataCopy with change of layout ---

template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const Nd2NzParams& params,
              Site site = ASCSAN_HERE) {
  detail::copy_nd_to_nz(dst.operand(), src.operand(), params, site);
}
template <typename T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const Nd2NzParams& params,
              Site site = ASCSAN_HERE) {
  detail::copy_nd_to_nz(dst.operand(), src.operand(), params, site);
}
template <typename T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const Nz2NdParamsFull& params,
              Site site = ASCSAN_HERE) {
  detail::copy_nz_to_nd(dst.operand(), src.operand(), params, site);
}

// --- DataCopyPad ---

template <typename T>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyExtParams& params,
                 const DataCopyPadExtParams<T>& pad, Site site = ASCSAN_HERE) {
  detail::copy_pad(dst.operand(), src.operand(),
                   {params.blockCount, params.blockLen, params.srcStride, params.dstStride, pad.leftPadding,
                    pad.rightPadding, pad.isPad, raw_bits(pad.paddingValue)},
                   site);
}
template <typename T>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& params,
                 const DataCopyPadParams& pad, Site site = ASCSAN_HERE) {
  detail::copy_pad(dst.operand(), src.operand(),
                   {params.blockCount, params.blockLen, params.srcGap, params.dstGap, pad.leftPadding, pad.rightPadding,
                    pad.isPad, pad.paddingValue},
                   site);
}
template <typename T>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyExtParams& params,
                 Site site = ASCSAN_HERE) {
  detail::copy_pad(dst.operand(), src.operand(),
                   {params.blockCount, params.blockLen, params.srcStride, params.dstStride, 0, 0, 0, 0}, site);
}
template <typename T>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params,
                 Site site = ASCSAN_HERE) {
  detail::copy_pad(dst.operand(), src.operand(),
                   {params.blockCount, params.blockLen, params.srcGap, params.dstGap, 0, 0, 0, 0}, site);
}
/// UB -> L1 with change of layout: an emulated path.
template <typename T>
void DataCopyPad(const LocalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyExtParams&, const Nd2NzParams&,
                 Site site = ASCSAN_HERE) {
  (void)dst, (void)src;
  detail::unsupported("DataCopyPad UB -> L1", site);
}

/// Value that later DataCopyPad calls with isPad = false fill in (spec/execution-model.md 6.3).
template <typename T, TPosition position = TPosition::MAX>
void SetPadValue(T value, Site site = ASCSAN_HERE) {
  ascsan::gate::Request request = detail::frame_request(ascsan::gate::Op::kSetPadValue, site);
  request.params.frame.value[0] = raw_bits(value);
  ascsan_gate(&request);
}

}  // namespace AscendC
