// Fixpipe and DataCopy out of L0C: results leave the cube through the FIX pipe, with conversion and layout change.
// Semantics: spec/api-semantics.md 6, arithmetic fp.md 6. Left out, reported when called: clip ReLU, element-wise
// operand (both other chips).
#pragma once

#include "ascendc/cube_params.h"
#include "ascendc/load_data.h"
#include "ascendc/sync.h"

namespace AscendC {

namespace detail {

inline ascsan::gate::FixpipeParams fixpipe_params(const FixpipeParamsV220& p, CO2Layout format) {
  ascsan::gate::FixpipeParams result{};
  result.n = p.nSize, result.m = p.mSize;
  result.src_stride = p.srcStride, result.dst_stride = p.dstStride;
  result.scalar = p.deqScalar;
  result.nd_num = p.ndNum, result.src_nd_stride = p.srcNdStride, result.dst_nd_stride = p.dstNdStride;
  result.quant = static_cast<uint8_t>(p.quantPre);
  result.relu = p.reluEn, result.unit_flag = p.unitFlag, result.channel_split = p.isChannelSplit;
  result.layout = format == CO2Layout::NZ ? 0 : 1;
  return result;
}

inline void fixpipe(ascsan::gate::Op op, const ascsan::gate::Operand& dst, const ascsan::gate::Operand& src,
                    const ascsan::gate::FixpipeParams& params, const Site& site) {
  ascsan::gate::Request request = copy_request(op, dst, src, site);
  request.params.fixpipe = params;
  ascsan_gate(&request);
}

inline void set_quant_address(const ascsan::gate::Operand& table, bool clear_unit_flags, const Site& site) {
  ascsan::gate::Request request = frame_request(ascsan::gate::Op::kSetQuantAddress, site);
  if (table.space == ascsan::gate::Space::kFb) add_operand(request, table);
  request.params.frame.flag = clear_unit_flags;
  ascsan_gate(&request);
}

/// Fixpipe with the scale words of `workspace` (L1): the composite brings 256 columns at a time to FB (2 KB), then
/// converts them. The barriers on FIX order the table between its users.
template <typename Dst>
void fixpipe_with_table(const Dst& dst, const ascsan::gate::Operand& src, const LocalTensor<uint64_t>& workspace,
                        const ascsan::gate::FixpipeParams& params, const Site& site) {
  constexpr uint32_t kColumns = 256;
  const LocalTensor<uint64_t> table(TPosition::C2PIPE2GM, 0, kColumns);
  const bool bytes_out = ascsan::gate::bits_of(dst.operand().type) == 8;
  for (uint32_t column = 0; column < params.n; column += kColumns) {
    ascsan::gate::FixpipeParams part = params;
    part.n = params.n - column < kColumns ? params.n - column : kColumns;
    if (column != 0) barrier_call(PIPE_FIX, site);
    const auto blocks = static_cast<uint16_t>((part.n * sizeof(uint64_t) + 127) / 128);
    copy_blocks(table.operand(), workspace[column].operand(), DataCopyParams(1, blocks, 0, 0), site);
    set_quant_address(table.operand(), false, site);
    barrier_call(PIPE_FIX, site);
    ascsan::gate::Operand to = dst.operand(), from = src;
    const uint64_t nz_columns = column / (bytes_out ? 32 : 16);
    const uint64_t skip =
        params.layout == 0 ? nz_columns * params.dst_stride * 32 : uint64_t{column} * ascsan::gate::bytes_of(to.type);
    to.address += skip;
    if (to.bytes != 0) to.bytes = skip < to.bytes ? to.bytes - skip : 1;
    const uint64_t read = uint64_t{column} / 16 * params.src_stride * 64;
    from.address += read;
    if (from.bytes != 0) from.bytes = read < from.bytes ? from.bytes - read : 1;
    fixpipe(ascsan::gate::Op::kFixpipe, to, from, part, site);
  }
}

template <typename Dst>
void copy_out_of_l0c(const Dst& dst, const ascsan::gate::Operand& src, const DataCopyCO12DstParams& p,
                     const Site& site) {
  if (p.clipReluPre != 0 || p.eltWiseOp != 0) {
    unsupported("DataCopy from CO1 with clipReluPre or eltWiseOp", site);
    return;
  }
  ascsan::gate::FixpipeParams params{};
  params.n = p.nSize, params.m = p.mSize;
  params.src_stride = p.srcStride, params.dst_stride = p.dstStride;
  params.quant = static_cast<uint8_t>(p.quantPre);
  params.relu = p.reluPre, params.unit_flag = p.unitFlag, params.channel_split = p.channelSplit;
  params.layout = p.nz2ndEn ? 1 : 0;
  params.from_registers = 1;
  fixpipe(ascsan::gate::Op::kFixpipeCopy, dst.operand(), src, params, site);
}

}  // namespace detail

template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParamsV220& params,
             Site site = ASCSAN_HERE) {
  detail::fixpipe(ascsan::gate::Op::kFixpipe, dst.operand(), src.operand(),
                  detail::fixpipe_params(params, config.format), site);
}
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParamsV220& params,
             Site site = ASCSAN_HERE) {
  detail::fixpipe(ascsan::gate::Op::kFixpipe, dst.operand(), src.operand(),
                  detail::fixpipe_params(params, config.format), site);
}
/// With a table of scale words, one a column, in L1 (VDEQF16, VQF322B8_PRE, VREQ8).
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const LocalTensor<uint64_t>& cbufWorkspace,
             const FixpipeParamsV220& params, Site site = ASCSAN_HERE) {
  detail::fixpipe_with_table(dst, src.operand(), cbufWorkspace, detail::fixpipe_params(params, config.format), site);
}
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src, const LocalTensor<uint64_t>& cbufWorkspace,
             const FixpipeParamsV220& params, Site site = ASCSAN_HERE) {
  detail::fixpipe_with_table(dst, src.operand(), cbufWorkspace, detail::fixpipe_params(params, config.format), site);
}

/// Out of L0C by DataCopy: what Fixpipe does, with the registers below.
template <typename T, typename U>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyCO12DstParams& params,
              Site site = ASCSAN_HERE) {
  detail::copy_out_of_l0c(dst, src.operand(), params, site);
}
template <typename T, typename U>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyCO12DstParams& params,
              Site site = ASCSAN_HERE) {
  detail::copy_out_of_l0c(dst, src.operand(), params, site);
}

/// Table of scale words in FB for the vector quantisation modes.
template <typename T, bool setRelu = false>
void SetFixPipeConfig(const LocalTensor<T>& preData, bool isUnitFlag = false, Site site = ASCSAN_HERE) {
  static_assert(!setRelu, "SetFixPipeConfig: only the quantisation table can be set on A2/A3");
  detail::set_quant_address(preData.operand(), isUnitFlag, site);
}
template <typename T>
void SetFixPipeConfig(const LocalTensor<T>&, const LocalTensor<T>& quantPre, bool isUnitFlag = false,
                      Site site = ASCSAN_HERE) {
  detail::set_quant_address(quantPre.operand(), isUnitFlag, site);
}
/// Scale word of the scalar quantisation modes.
inline void SetFixpipePreQuantFlag(uint64_t config, Site site = ASCSAN_HERE) {
  ascsan::gate::Request request = detail::frame_request(ascsan::gate::Op::kSetQuantScalar, site);
  request.params.frame.value[0] = config;
  ascsan_gate(&request);
}
/// Number of matrices and their distances: source in 1024 bytes, destination in elements.
inline void SetFixpipeNz2ndFlag(uint16_t ndNum, uint16_t srcNdStride, uint16_t dstNdStride, Site site = ASCSAN_HERE) {
  ascsan::gate::CubeRegisterParams params{};
  params.which = static_cast<uint8_t>(ascsan::gate::CubeRegister::kNz2Nd);
  params.value[0] = ndNum, params.value[1] = srcNdStride, params.value[2] = dstNdStride;
  detail::set_cube_register(params, site);
}
inline void SetFixPipeClipRelu(uint64_t, Site site = ASCSAN_HERE) {
  detail::unsupported("SetFixPipeClipRelu", site);
}
template <typename T>
void SetFixPipeAddr(const LocalTensor<T>&, uint16_t, Site site = ASCSAN_HERE) {
  detail::unsupported("SetFixPipeAddr", site);
}

}  // namespace AscendC
