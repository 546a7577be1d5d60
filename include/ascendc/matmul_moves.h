// The instructions of the high-level Matmul: panels GM -> L1 (MTE2), tiles L1 -> L0A / L0B / BT (MTE1), results L0C ->
// GM (FIX). Every function issues requests through the public APIs' helpers, so the checkers see real traffic. Layouts:
// an L1 panel is NZ (columns of 32 bytes, rows padded to `padded_rows`), L0A is Zz, L0B is Zn
// (spec/execution-model.md 1.3).
#pragma once

#include "ascendc/atomics.h"
#include "ascendc/cube.h"
#include "ascendc/matmul_plan.h"

namespace AscendC {
namespace matmul_detail {

inline Operand on_chip(Space space, uint32_t address, uint32_t bytes, DataType type) {
  Operand operand;
  operand.space = space;
  operand.address = address;
  operand.bytes = bytes;
  operand.type = type;
  return operand;
}

/// Window `bytes` further on.
inline Operand shifted(Operand operand, uint64_t bytes) {
  operand.address += bytes;
  if (operand.bytes != 0) operand.bytes = bytes < operand.bytes ? operand.bytes - bytes : 1;
  return operand;
}

/// Part of a matrix in memory order: rows row .. row + rows, columns column .. column + columns.
struct Block {
  uint32_t row, rows, column, columns;
};

/// An NZ panel in L1.
struct Panel {
  Operand tensor;
  uint32_t rows, padded_rows, columns;
};

inline Nd2NzParams nd_to_nz(uint32_t matrices, uint32_t rows, uint32_t columns, uint32_t pitch, uint32_t padded_rows,
                            uint32_t matrix_stride) {
  return {static_cast<uint16_t>(matrices),
          static_cast<uint16_t>(rows),
          static_cast<uint16_t>(columns),
          0,
          static_cast<uint16_t>(pitch),
          static_cast<uint16_t>(padded_rows),
          1,
          static_cast<uint16_t>(matrix_stride)};
}

/// Row-major source. `twice`: a single row is written as rows 0 and 1, because Mmad with m = 1 reads A as a plain
/// vector.
inline void load_panel_nd(const Panel& panel, const Operand& src, const Block& block, uint32_t pitch, bool twice,
                          const Site& site) {
  const uint32_t size = ascsan::gate::bytes_of(src.type);
  const Operand first = shifted(src, (uint64_t{block.row} * pitch + block.column) * size);
  if (twice) {
    detail::copy_nd_to_nz(panel.tensor, first,
                          nd_to_nz(2, 1, block.columns, block.columns, panel.padded_rows, 32 / size), site);
  } else if (pitch <= 65535) {
    detail::copy_nd_to_nz(panel.tensor, first, nd_to_nz(1, block.rows, block.columns, pitch, panel.padded_rows, 0),
                          site);
  } else {  // the pitch does not fit the instruction: row by row
    for (uint32_t row = 0; row < block.rows; ++row)
      detail::copy_nd_to_nz(shifted(panel.tensor, uint64_t{row} * 32), shifted(first, uint64_t{row} * pitch * size),
                            nd_to_nz(1, 1, block.columns, block.columns, panel.padded_rows, 0), site);
  }
}

/// NZ source: `src_rows` rows in every column of 32 bytes.
inline void load_panel_nz(const Panel& panel, const Operand& src, const Block& block, uint32_t src_rows,
                          const Site& site) {
  const uint32_t c0 = 32 / ascsan::gate::bytes_of(src.type);
  const Operand first = shifted(src, (uint64_t{block.column / c0} * src_rows + block.row) * 32);
  const uint32_t columns = ceil_div(block.columns, c0), gap = src_rows - block.rows;
  if (gap <= 65535) {
    const DataCopyParams params(static_cast<uint16_t>(columns), static_cast<uint16_t>(block.rows),
                                static_cast<uint16_t>(gap), static_cast<uint16_t>(panel.padded_rows - block.rows));
    detail::copy_blocks(panel.tensor, first, params, site);
  } else {
    for (uint32_t c = 0; c < columns; ++c)
      detail::copy_blocks(shifted(panel.tensor, uint64_t{c} * panel.padded_rows * 32),
                          shifted(first, uint64_t{c} * src_rows * 32),
                          DataCopyParams(1, static_cast<uint16_t>(block.rows), 0, 0), site);
  }
}

/// An L1 panel seen as the image of a 3D load with a 1 x 1 filter: rows are pixels, columns are channels.
inline void load_tile_3d(const Operand& dst, const Panel& panel, const Block& block, bool transpose, const Site& site) {
  ascsan::gate::Load3dParams p{};
  p.map.h = 1, p.map.w = static_cast<uint16_t>(panel.padded_rows);
  p.channels = panel.columns;
  p.k_start = block.column, p.k_extension = block.columns;
  p.m_start = block.row, p.m_extension = block.rows;
  p.filter_w = p.filter_h = 1;
  p.stride_w = p.stride_h = p.dilation_w = p.dilation_h = 1;
  p.transpose = transpose;
  p.use_map = p.use_padding = 1;
  detail::load_3d(dst, panel.tensor, p, site);
}

inline void load_fractals(const Operand& dst, const Operand& src, uint32_t start, uint32_t count, const Site& site) {
  constexpr uint32_t kMost = 255;
  for (uint32_t done = 0; done < count; done += kMost) {
    const uint32_t part = std::min(kMost, count - done);
    detail::load_2d(ascsan::gate::Op::kLoadData, shifted(dst, uint64_t{done} * 512), src,
                    {start + done, part, 1, 0, 0, 0, 0}, site);
  }
}

/// Rows of the result in L0A: m x k from a panel of A. `k` is where the tile starts in the panel.
inline void load_l0a(const Operand& dst, const Panel& panel, const Types& types, bool transposed, uint32_t m,
                     uint32_t k, uint32_t k_size, const Site& site) {
  const uint32_t c0 = types.c0();
  if (!transposed) return load_tile_3d(dst, panel, {0, m, k, ceil_to(k_size, c0)}, false, site);
  if (!types.integer()) return load_tile_3d(dst, panel, {k, k_size, 0, ceil_to(m, 16)}, true, site);
  const uint32_t tiles_k = ceil_div(k_size, 32), panel_tiles = panel.padded_rows / 32;
  for (uint32_t i = 0; i < ceil_div(m, 32); ++i) {
    detail::load_2d(ascsan::gate::Op::kLoadDataTranspose, shifted(dst, uint64_t{i} * tiles_k * 1024), panel.tensor,
                    {i * panel_tiles + k / 32, tiles_k, 1, 0, tiles_k - 1, 1, 0}, site);
  }
}

/// Columns of the result in L0B: k x n from a panel of B.
inline void load_l0b(const Operand& dst, const Panel& panel, const Types& types, bool transposed, uint32_t n,
                     uint32_t k, uint32_t k_size, const Site& site) {
  const uint32_t c0 = types.c0();
  if (transposed) {  // fractals of the panel lie in the order of L0B already, if n covers all its rows
    const uint32_t blocks_n = panel.padded_rows / 16, used_n = ceil_div(n, 16);
    if (blocks_n == used_n)
      return load_fractals(dst, panel.tensor, k / c0 * blocks_n, ceil_div(k_size, c0) * blocks_n, site);
    for (uint32_t i = 0; i < ceil_div(k_size, c0); ++i)
      load_fractals(shifted(dst, uint64_t{i} * used_n * 512), panel.tensor, (k / c0 + i) * blocks_n, used_n, site);
    return;
  }
  if (!types.integer()) return load_tile_3d(dst, panel, {k, k_size, 0, ceil_to(n, 16)}, true, site);
  const uint32_t tiles_n = ceil_div(n, 32), panel_tiles = panel.padded_rows / 32;
  for (uint32_t i = 0; i < ceil_div(k_size, 32); ++i) {
    detail::load_2d(ascsan::gate::Op::kLoadDataTranspose, shifted(dst, uint64_t{i} * tiles_n * 1024), panel.tensor,
                    {k / 32 + i, tiles_n, panel_tiles, 1, 0, 1, 0}, site);
  }
}

/// Bias values of one tile to L1; the padding behind them is defined.
inline void load_bias(const Operand& dst, const Operand& bias, uint32_t column, uint32_t n, const Site& site) {
  const uint32_t size = ascsan::gate::bytes_of(bias.type);
  detail::copy_pad(dst, shifted(bias, uint64_t{column} * size), {1, n * size, 0, 0, 0, 0, 1, 0}, site);
}

/// L1 -> BT; half becomes float on the way.
inline void load_bias_table(const Operand& table, const Operand& staged, uint32_t n, const Site& site) {
  detail::copy_blocks(table, staged, DataCopyParams(1, static_cast<uint16_t>(ceil_div(n * 4, 64)), 0, 0), site);
}

/// quantPre of an accumulator on its way to the output type.
inline ascsan::gate::Quant quant_mode(const Types& types, bool table) {
  using ascsan::gate::Quant;
  switch (types.output) {
    case DataType::kHalf:
      return types.integer() ? (table ? Quant::kVecDeqF16 : Quant::kDeqF16) : Quant::kF32ToF16;
    case DataType::kBfloat16:
      return Quant::kF32ToBf16;
    case DataType::kInt8:
    case DataType::kUint8:
      if (types.integer()) return table ? Quant::kVecReq8 : Quant::kReq8;
      return table ? Quant::kVecF32ToB8 : Quant::kF32ToB8;
    default:
      return Quant::kNone;
  }
}

inline void set_flag(HardEvent event, int32_t id, const Site& site) {
  detail::flag_call(ascsan::gate::Op::kSetFlag, pipes_of(event), id, site);
}
inline void wait_flag(HardEvent event, int32_t id, const Site& site) {
  detail::flag_call(ascsan::gate::Op::kWaitFlag, pipes_of(event), id, site);
}

}  // namespace matmul_detail
}  // namespace AscendC
