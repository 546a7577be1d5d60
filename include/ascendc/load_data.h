// LoadData 2D / 3D / with transpose, Fill, and the registers of the 3D load: how operands reach L0A and L0B. Semantics:
// spec/api-semantics.md 6. Left out, reported when called: 3D v1, sparse and compressed loads, images.
#pragma once

#include "ascendc/cube_params.h"
#include "ascendc/data_copy.h"

namespace AscendC {

namespace detail {

inline void load_2d(ascsan::gate::Op op, const ascsan::gate::Operand& dst, const ascsan::gate::Operand& src,
                    const ascsan::gate::LoadParams& params, const Site& site) {
  ascsan::gate::Request request = copy_request(op, dst, src, site);
  request.params.load = params;
  ascsan_gate(&request);
}

inline void load_3d(const ascsan::gate::Operand& dst, const ascsan::gate::Operand& src,
                    const ascsan::gate::Load3dParams& params, const Site& site) {
  ascsan::gate::Request request = copy_request(ascsan::gate::Op::kLoadData3d, dst, src, site);
  request.params.load3d = params;
  ascsan_gate(&request);
}

constexpr ascsan::gate::LoadParams load_params(const LoadData2DParams& p) {
  return {p.startIndex, p.repeatTimes, p.srcStride, p.dstGap, 0, p.ifTranspose, p.addrMode};
}

inline void set_cube_register(const ascsan::gate::CubeRegisterParams& params, const Site& site) {
  ascsan::gate::Request request;
  request.op = ascsan::gate::Op::kSetCubeRegister;
  request.params.cube_register = params;
  request.site = site;
  ascsan_gate(&request);
}

constexpr uint16_t filter_extent(uint8_t size, bool plus_256) {
  return static_cast<uint16_t>(size + (plus_256 ? 256 : 0));
}

}  // namespace detail

// --- 2D ---

template <typename T>
void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData2DParams& params,
              Site site = ASCSAN_HERE) {
  detail::load_2d(ascsan::gate::Op::kLoadData, dst.operand(), src.operand(), detail::load_params(params), site);
}
template <typename T>
void LoadData(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const LoadData2DParams& params,
              Site site = ASCSAN_HERE) {
  detail::load_2d(ascsan::gate::Op::kLoadData, dst.operand(), src.operand(), detail::load_params(params), site);
}
template <typename T>
void LoadDataWithTranspose(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData2dTransposeParams& p,
                           Site site = ASCSAN_HERE) {
  detail::load_2d(ascsan::gate::Op::kLoadDataTranspose, dst.operand(), src.operand(),
                  {p.startIndex, p.repeatTimes, p.srcStride, p.dstGap, p.dstFracGap, 1, p.addrMode}, site);
}

// --- 3D ---

template <typename T, const IsResetLoad3dConfig& config = IS_RESER_LOAD3D_DEFAULT_CONFIG, typename U = T>
void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData3DParamsV2<U>& p,
              Site site = ASCSAN_HERE) {
  static_assert(std::is_same_v<T, U>, "LoadData: the parameters must have the element type of the tensors");
  ascsan::gate::Load3dParams params{};
  params.map = {p.l1H, p.l1W, {p.padList[0], p.padList[1], p.padList[2], p.padList[3]}};
  params.channels = p.channelSize;
  params.k_extension = p.kExtension, params.m_extension = p.mExtension;
  params.k_start = p.kStartPt, params.m_start = p.mStartPt;
  params.filter_w = detail::filter_extent(p.filterW, p.filterSizeW);
  params.filter_h = detail::filter_extent(p.filterH, p.filterSizeH);
  params.stride_w = p.strideW, params.stride_h = p.strideH;
  params.dilation_w = p.dilationFilterW, params.dilation_h = p.dilationFilterH;
  params.transpose = p.enTranspose, params.from_right = p.fMatrixCtrl;
  params.use_map = config.isSetFMatrix, params.use_padding = config.isSetPadding;
  params.pad_value = raw_bits(p.padValue);
  detail::load_3d(dst.operand(), src.operand(), params, site);
}

template <typename T>
void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData3DParamsV2Pro& p,
              Site site = ASCSAN_HERE) {
  const auto filter_byte = [&p](int shift) { return static_cast<uint8_t>(p.filterConfig >> shift); };
  ascsan::gate::Load3dParams params{};
  params.channels = p.channelSize;
  params.k_extension = p.extConfig & 0xFFFF, params.m_extension = (p.extConfig >> 16) & 0xFFFF;
  params.k_start = (p.extConfig >> 32) & 0xFFFF, params.m_start = (p.extConfig >> 48) & 0xFFFF;
  params.stride_w = filter_byte(0), params.stride_h = filter_byte(8);
  params.filter_w = detail::filter_extent(filter_byte(16), p.filterSizeW);
  params.filter_h = detail::filter_extent(filter_byte(24), p.filterSizeH);
  params.dilation_w = filter_byte(32), params.dilation_h = filter_byte(40);
  params.transpose = p.enTranspose, params.from_right = p.fMatrixCtrl;
  detail::load_3d(dst.operand(), src.operand(), params, site);
}

/// FeatureMap of the 3D loads that do not bring one.
inline void SetFmatrix(uint16_t l1H, uint16_t l1W, const uint8_t padList[4], const FmatrixMode& mode,
                       Site site = ASCSAN_HERE) {
  ascsan::gate::CubeRegisterParams params{};
  params.which = static_cast<uint8_t>(mode == FmatrixMode::FMATRIX_LEFT ? ascsan::gate::CubeRegister::kFeatureMapLeft
                                                                        : ascsan::gate::CubeRegister::kFeatureMapRight);
  params.map = {l1H, l1W, {padList[0], padList[1], padList[2], padList[3]}};
  detail::set_cube_register(params, site);
}
template <typename T>
void SetLoadDataPaddingValue(const T value, Site site = ASCSAN_HERE) {
  ascsan::gate::CubeRegisterParams params{};
  params.which = static_cast<uint8_t>(ascsan::gate::CubeRegister::kLoadPadding);
  params.value[0] = raw_bits(value);
  detail::set_cube_register(params, site);
}
inline void SetLoadDataRepeat(const LoadDataRepeatParam& repeat, Site site = ASCSAN_HERE) {
  ascsan::gate::CubeRegisterParams params{};
  params.which = static_cast<uint8_t>(ascsan::gate::CubeRegister::kLoadRepeat);
  params.value[0] = repeat.repeatStride, params.value[1] = repeat.repeatTime, params.value[2] = repeat.repeatMode;
  detail::set_cube_register(params, site);
}
/// Wraps source addresses of 3D loads at `bytes` of L1; 0 switches it off, which is the only value modelled.
inline void SetLoadDataBoundary(uint32_t bytes, Site site = ASCSAN_HERE) {
  if (bytes != 0) detail::unsupported("SetLoadDataBoundary", site);
}

// --- Fill ---

template <typename T, typename U = T>
void Fill(const LocalTensor<T>& dst, const InitConstValueParams<U>& p, Site site = ASCSAN_HERE) {
  static_assert(std::is_same_v<T, U>, "Fill: the value must have the element type of the tensor");
  ascsan::gate::Request request;
  request.op = ascsan::gate::Op::kFillCube;
  request.operand_count = 1;
  request.operand[0] = dst.operand();
  request.params.fill = {p.repeatTimes, p.blockNum, p.dstGap, raw_bits(p.initValue)};
  request.site = site;
  ascsan_gate(&request);
}
template <typename T, typename U = T>
void InitConstValue(const LocalTensor<T>& dst, const InitConstValueParams<U>& params, Site site = ASCSAN_HERE) {
  Fill(dst, params, site);
}

// --- Not modelled ---

template <typename T, typename U>
void LoadDataWithSparse(const LocalTensor<T>&, const LocalTensor<T>&, const LocalTensor<U>&, const LoadData2DParams&,
                        Site site = ASCSAN_HERE) {
  detail::unsupported("LoadDataWithSparse", site);
}
template <typename T>
void LoadUnzipIndex(const GlobalTensor<T>&, uint32_t, Site site = ASCSAN_HERE) {
  detail::unsupported("LoadUnzipIndex", site);
}
template <typename T>
void LoadDataUnzip(const LocalTensor<T>&, const GlobalTensor<T>&, Site site = ASCSAN_HERE) {
  detail::unsupported("LoadDataUnzip", site);
}

}  // namespace AscendC
