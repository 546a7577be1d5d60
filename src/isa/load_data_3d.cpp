// LoadData 3D v2: a piece of the im2col matrix of an image in L1 goes to L0A or L0B as fractals. The matrix product
// uses it with a 1 x 1 filter to turn an NZ panel into Zz or Zn tiles; that case moves whole fractals. Rows and columns
// are read and written only inside mExtension x kExtension (kExtension in whole blocks of 32 bytes).
#include <cstring>
#include <vector>

#include "isa/copy_ops.h"
#include "isa/fractal.h"
#include "isa/im2col.h"

namespace ascsan::isa {
namespace {

using gate::Space;

constexpr uint64_t kFractal = 512;

gate::Pipe pipe(const gate::Request&) {
  return gate::Pipe::kMte1;
}

/// FeatureMap, padding value and repeat come from the call or from the registers; a call that brings them sets them.
void prepare(gate::Request& request, gate::Registers& sticky) {
  gate::Load3dParams& p = request.params.load3d;
  gate::FeatureMap& map = p.from_right != 0 ? sticky.cube.map_right : sticky.cube.map_left;
  if (p.use_map != 0) {
    map = p.map;
  } else {
    p.map = map;
  }
  if (p.use_padding != 0) {
    sticky.cube.load_padding = p.pad_value;
  } else {
    p.pad_value = sticky.cube.load_padding;
  }
  p.repeat_stride = sticky.cube.repeat_stride;
  p.repeat_times = sticky.cube.repeat_times;
  p.repeat_along_k = sticky.cube.repeat_along_k;
  request.registers = sticky;
}

bool channels_allowed(uint32_t bits, uint32_t rest) {
  switch (bits) {
    case 4:
      return rest == 0 || rest == 8 || rest == 16 || rest == 32;
    case 8:
      return rest == 0 || rest == 4 || rest == 8 || rest == 16;
    case 16:
      return rest == 0 || rest == 4 || rest == 8;
    default:
      return rest == 0 || rest == 4;
  }
}

void check(const gate::Request& request, machine::Violations& violations) {
  Limits limits(violations);
  const gate::Load3dParams& p = request.params.load3d;
  const gate::Operand &dst = request.operand[0], &src = request.operand[1];
  if (src.space != Space::kL1 || (dst.space != Space::kL0a && dst.space != Space::kL0b)) {
    limits.no_path(dst, src, "the 3D LoadData moves L1 -> L0A and L1 -> L0B");
    return;
  }
  const uint32_t bits = gate::bits_of(src.type);
  if (bits == 0 || bits > 32) {
    limits.fatal("type", "elements have 4, 8, 16 or 32 bits, given ", name_of(src.type));
    return;
  }
  if (bits < 16 && (dst.space == Space::kL0b || p.transpose != 0)) {
    limits.fatal("type", name_of(src.type), dst.space == Space::kL0b ? " cannot go to L0B" : " cannot be transposed",
                 " with a 3D LoadData; use LoadDataWithTranspose");
    return;
  }
  if (dst.type != src.type) {
    limits.fatal("type", "destination of ", name_of(dst.type), " and source of ", name_of(src.type),
                 " must have one type");
    return;
  }
  limits.range("length", "l1H", p.map.h, 0, 32767);
  limits.range("length", "l1W", p.map.w, 0, 32767);
  limits.range("stride", "strideW", p.stride_w, 1, 63);
  limits.range("stride", "strideH", p.stride_h, 1, 63);
  limits.range("stride", "dilationFilterW", p.dilation_w, 1, 255);
  limits.range("stride", "dilationFilterH", p.dilation_h, 1, 255);
  limits.aligned("destination", dst);
  limits.aligned("source", src);
  const uint32_t c0 = 256 / bits;
  if (!channels_allowed(bits, p.channels % c0)) {
    limits.error("length", "channelSize is ", p.channels, "; its remainder by ", c0, " may not be ", p.channels % c0);
  }
  if (p.k_start % c0 != 0) limits.error("alignment", "kStartPt is ", p.k_start, ", it must be a multiple of ", c0);
  if (p.channels > 65535) {
    limits.fatal("length", "channelSize is ", p.channels, ", allowed is 1..65535");
    return;
  }
  const Im2Col matrix(request);
  if (matrix.nothing() || !limits.pieces({matrix.rows(), matrix.blocks()})) return;
  if (const uint64_t end = p.k_start + uint64_t{p.k_extension}; end > matrix.matrix_columns()) {
    limits.error("length", "kStartPt + kExtension is ", end, " but the matrix has ", matrix.matrix_columns(),
                 " columns (channelSize * filterH * filterW)");
  }
  if (const uint64_t end = p.m_start + uint64_t{p.m_extension}; end > ceil_to(matrix.out_positions(), 16)) {
    limits.error("length", "mStartPt + mExtension is ", end, " but the matrix has ", matrix.out_positions(),
                 " rows (Ho * Wo)");
  }
}

/// Loaded rows that one fractal takes, and its rows and bytes a row that are written.
struct Piece {
  uint64_t lanes, rows, row_bytes, row_offset;
};

Piece piece_of(const Im2Col& m, uint64_t i, uint64_t j) {
  if (!m.transposed()) return {16, std::min<uint64_t>(16, m.rows() - i), 32, 0};
  const uint64_t lanes = m.c0();
  // Blocks of 32-bit data fill half a fractal each.
  return {lanes, lanes, std::min<uint64_t>(lanes, m.rows() - i) * m.size(), j * lanes % 16 * 32};
}

void footprint_destination(const Im2Col& m, const gate::Operand& dst, machine::Footprint& out) {
  const uint64_t lanes = m.transposed() ? m.c0() : 16;
  const auto add = [&](uint64_t i, uint64_t j) {
    const Piece piece = piece_of(m, i, j);
    out.add_strided(dst.address + m.fractal_at(i, j) + piece.row_offset, piece.row_bytes, piece.rows, 32);
  };
  // In the order of addresses, so that neighbours coalesce: L0A transposed runs over rows inside a column block.
  const bool columns_outside = m.transposed() && dst.space == Space::kL0a;
  if (!columns_outside) {
    for (uint64_t i = 0; i < m.rows(); i += lanes)
      for (uint64_t j = 0; j < m.blocks(); ++j) add(i, j);
    return;
  }
  const uint64_t together = 16 / lanes;  // blocks in one fractal
  for (uint64_t j = 0; j < m.blocks(); j += together)
    for (uint64_t i = 0; i < m.rows(); i += lanes)
      for (uint64_t half = j; half < std::min(j + together, m.blocks()); ++half) add(i, half);
}

void footprint_source(const Im2Col& m, const gate::Operand& src, machine::Footprint& out) {
  constexpr uint64_t kMostChunks = 1 << 16;
  const uint64_t chunks = m.image_bytes() / 32;
  bool tail = false;
  for (uint64_t j = 0; j < m.blocks(); ++j) tail = tail || m.in_tail(m.block_at(j));
  if (tail || chunks > kMostChunks) {
    out.add(src.address, m.image_bytes());
    return;
  }
  if (m.plain() && m.row_at(m.rows() - 1) == m.row_at(0) + m.rows() - 1) {
    const uint64_t first = m.row_at(0), end = std::min(first + m.rows(), m.out_positions());
    for (uint64_t j = 0; j < m.blocks() && first < end; ++j)
      out.add(src.address + m.block_at(j) * m.plane_bytes() + first * 32, (end - first) * 32);
    return;
  }
  std::vector<bool> touched(chunks, false);
  for (uint64_t j = 0; j < m.blocks(); ++j)
    for (uint64_t i = 0; i < m.rows(); ++i)
      if (const uint64_t at = m.chunk(m.row_at(i), m.block_at(j)); at != Im2Col::kOutside) touched[at / 32] = true;
  for (uint64_t c = 0; c < chunks; ++c)
    if (touched[c]) out.add(src.address + c * 32, 32);
}

void footprint(const gate::Request& request, machine::Footprint& out) {
  const Im2Col m(request);
  out.open(request.operand[0], 0, event::Role::kWrite);
  if (!m.nothing()) footprint_destination(m, request.operand[0], out);
  out.open(request.operand[1], 1, event::Role::kRead);
  if (!m.nothing()) footprint_source(m, request.operand[1], out);
}

/// Chunks of loaded rows [i, i + count) of block j, one behind the other.
const std::byte* gather(const Im2Col& m, const std::byte* image, uint64_t i, uint64_t count, uint64_t j,
                        std::byte* buffer) {
  const uint64_t block = m.block_at(j), first = m.row_at(i);
  const bool run = m.row_at(i + count - 1) == first + count - 1;
  if (m.plain() && run && first + count <= m.out_positions()) return image + block * m.plane_bytes() + first * 32;
  for (uint64_t r = 0; r < count; ++r) m.fetch(buffer + r * 32, image, m.row_at(i + r), block);
  return buffer;
}

void put_transposed_b16(std::byte* fractal, const std::byte* chunks, uint64_t count) {
  if (count == 16) return transpose_16x16_b16(fractal, chunks);
  for (uint64_t r = 0; r < count; ++r)
    for (uint64_t c = 0; c < 16; ++c)
      store_element(fractal + c * 32 + r * 2, load_element<uint16_t>(chunks + r * 32 + c * 2));
}

void put_transposed_b32(std::byte* half, const std::byte* chunks, uint64_t count) {
  for (uint64_t r = 0; r < count; ++r)
    for (uint64_t c = 0; c < 8; ++c)
      store_element(half + c * 32 + r * 4, load_element<uint32_t>(chunks + r * 32 + c * 4));
}

void execute(const gate::Request& request, const machine::Memories& memories) {
  const Im2Col m(request);
  if (m.nothing()) return;
  std::byte* dst = memories.at(request.operand[0]);
  const std::byte* image = memories.at(request.operand[1]);
  const uint64_t lanes = m.transposed() ? m.c0() : 16;
  std::byte buffer[kFractal];
  for (uint64_t i = 0; i < m.rows(); i += lanes) {
    const uint64_t count = std::min(lanes, m.rows() - i);
    for (uint64_t j = 0; j < m.blocks(); ++j) {
      const std::byte* chunks = gather(m, image, i, count, j, buffer);
      std::byte* fractal = dst + m.fractal_at(i, j) + piece_of(m, i, j).row_offset;
      if (!m.transposed()) {
        std::memcpy(fractal, chunks, count * 32);
      } else if (m.size() == 2) {
        put_transposed_b16(fractal, chunks, count);
      } else {
        put_transposed_b32(fractal, chunks, count);
      }
    }
  }
}

}  // namespace

void add_load_data_3d(machine::OpTable& table) {
  set_op(table, gate::Op::kLoadData3d, pipe, prepare, check, footprint, execute);
}

}  // namespace ascsan::isa
