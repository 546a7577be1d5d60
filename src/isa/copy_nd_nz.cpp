// Copies that change between row-major (ND) and column-block (NZ) layout: Nd2Nz GM -> L1 (hardware) and GM -> UB (a
// software loop on the device, one instruction here: its pieces never overlap), Nz2Nd UB -> GM. Formulas:
// spec/api-semantics.md 1. Everything moves in whole blocks: 32 bytes for Nd2Nz, 16 elements for Nz2Nd.
#include <algorithm>
#include <vector>

#include "isa/copy_ops.h"
#include "isa/gm_store.h"
#include "isa/violation.h"

namespace ascsan::isa {
namespace {

using gate::Space;

uint32_t element_bytes(const gate::Request& request) {
  return std::max(1u, gate::bytes_of(request.operand[0].type));
}

// --- Nd2Nz ---

/// Runs of `bytes` in rows of several matrices, which may overlap.
void add_rows(machine::Footprint& out, uint64_t base, uint64_t matrices, uint64_t matrix_step, uint64_t rows,
              uint64_t bytes, uint64_t row_step) {
  if (rows == 0 || bytes == 0) return;
  if (matrices == 1 && row_step >= bytes) return out.add_strided(base, bytes, rows, static_cast<int64_t>(row_step));
  std::vector<event::Span> runs;
  for (uint64_t m = 0; m < matrices; ++m)
    for (uint64_t r = 0; r < rows; ++r) {
      const uint64_t begin = base + m * matrix_step + r * row_step;
      runs.push_back({begin, begin + bytes});
    }
  add_union(out, runs);
}

/// All distances in bytes.
struct NzPlan {
  uint64_t matrices, rows, row_bytes, columns;  ///< columns of 32 bytes
  uint64_t src_matrix, src_row, dst_matrix, dst_column, dst_row;
};

NzPlan nz_plan(const gate::Request& request) {
  const gate::NdNzParams& p = request.params.nd_nz;
  const uint64_t size = element_bytes(request);
  const uint64_t row_bytes = p.d * size;
  const bool nothing = p.n == 0 || p.d == 0;
  return {nothing ? 0 : p.nd_num,
          p.n,
          row_bytes,
          ceil_div(row_bytes, 32),
          p.src_matrix_stride * size,
          p.src_d * size,
          p.dst_matrix_stride * size,
          p.dst_c0_stride * uint64_t{32},
          p.dst_n_stride * uint64_t{32}};
}

/// True when the destination blocks of one matrix cannot meet: one of the two block strides spans all of the other.
bool nested(const NzPlan& p) {
  return p.rows <= 1 || p.columns <= 1 || p.dst_row * p.rows <= p.dst_column || p.dst_column * p.columns <= p.dst_row;
}

std::vector<uint64_t> block_starts(const NzPlan& p) {
  std::vector<uint64_t> starts;
  for (uint64_t m = 0; m < p.matrices; ++m)
    for (uint64_t c = 0; c < p.columns; ++c)
      for (uint64_t n = 0; n < p.rows; ++n) starts.push_back(m * p.dst_matrix + c * p.dst_column + n * p.dst_row);
  std::sort(starts.begin(), starts.end());
  return starts;
}

uint64_t nz_extent(const NzPlan& p) {
  return (p.columns - 1) * p.dst_column + (p.rows - 1) * p.dst_row + 32;
}

/// Blocks of one matrix are apart and matrices are apart: the footprint needs no sorting.
bool regular(const NzPlan& p) {
  if (p.matrices == 0) return true;
  const bool rows_apart = p.rows <= 1 || p.dst_row >= 32, columns_apart = p.columns <= 1 || p.dst_column >= 32;
  return rows_apart && columns_apart && nested(p) && (p.matrices <= 1 || p.dst_matrix >= nz_extent(p));
}

void check_nz(const gate::Request& request, machine::Violations& violations) {
  Limits limits(violations);
  const gate::NdNzParams& p = request.params.nd_nz;
  const gate::Operand &dst = request.operand[0], &src = request.operand[1];
  if (src.space != Space::kGm || (dst.space != Space::kL1 && dst.space != Space::kUb)) {
    limits.no_path(dst, src, "Nd2Nz moves GM -> L1 and GM -> UB");
    return;
  }
  if (const uint32_t bits = gate::bits_of(dst.type); bits != 8 && bits != 16 && bits != 32) {
    limits.fatal("type", "Nd2Nz knows elements of 8, 16 and 32 bits, given ", name_of(dst.type));
    return;
  }
  limits.range("repeat", "ndNum", p.nd_num, 0, 4095);
  limits.range("length", "nValue", p.n, 0, 16384);
  limits.range("length", "dValue", p.d, 0, 65535);
  limits.range("stride", "srcDValue", p.src_d, 1, 65535);
  limits.range("stride", "dstNzC0Stride", p.dst_c0_stride, 1, 16384);
  limits.range("stride", "dstNzNStride", p.dst_n_stride, 1, 16384);
  if (p.nd_num > 1) limits.range("stride", "dstNzMatrixStride", p.dst_matrix_stride, 1, 65535);
  limits.aligned("destination", dst);
  limits.aligned("source", src);
  const NzPlan plan = nz_plan(request);
  if (!limits.pieces({plan.matrices, plan.rows, plan.columns})) return;
  if (plan.dst_matrix % 32 != 0 && plan.matrices > 1) {
    limits.error("alignment", "dstNzMatrixStride of ", p.dst_matrix_stride, " elements puts the matrices ",
                 plan.dst_matrix, " bytes apart; they must start at multiples of 32 bytes");
  }
  if (regular(plan)) return;
  const std::vector<uint64_t> starts = block_starts(plan);
  for (size_t i = 1; i < starts.size(); ++i) {
    if (starts[i] - starts[i - 1] >= 32) continue;
    limits.error("overlap", "destination blocks overwrite each other at byte ", starts[i], ": nValue ", p.n,
                 ", dValue ", p.d, ", dstNzC0Stride ", p.dst_c0_stride, ", dstNzNStride ", p.dst_n_stride,
                 "; dstNzC0Stride must be at least nValue * dstNzNStride");
    return;
  }
}

void footprint_nz(const gate::Request& request, machine::Footprint& out) {
  const NzPlan p = nz_plan(request);
  const gate::Operand &dst = request.operand[0], &src = request.operand[1];
  out.open(dst, 0, event::Role::kWrite);
  if (regular(p)) {
    for (uint64_t m = 0; m < p.matrices; ++m) {
      const uint64_t base = dst.address + m * p.dst_matrix;
      if (p.dst_row <= p.dst_column || p.columns == 1) {
        for (uint64_t c = 0; c < p.columns; ++c)
          out.add_strided(base + c * p.dst_column, 32, p.rows, static_cast<int64_t>(p.dst_row));
      } else {
        for (uint64_t n = 0; n < p.rows; ++n)
          out.add_strided(base + n * p.dst_row, 32, p.columns, static_cast<int64_t>(p.dst_column));
      }
    }
  } else {
    std::vector<event::Span> runs;
    for (uint64_t start : block_starts(p)) runs.push_back({dst.address + start, dst.address + start + 32});
    add_union(out, runs);
  }
  out.open(src, 1, event::Role::kRead);
  if (p.matrices == 0) return;
  add_rows(out, src.address, p.matrices, p.src_matrix, p.rows, p.row_bytes, p.src_row);
}

void execute_nz(const gate::Request& request, const machine::Memories& memories) {
  const NzPlan p = nz_plan(request);
  std::byte* dst = memories.at(request.operand[0]);
  const std::byte* src = memories.at(request.operand[1]);
  const uint64_t full = p.row_bytes / 32, tail = p.row_bytes % 32;
  for (uint64_t m = 0; m < p.matrices; ++m) {
    for (uint64_t n = 0; n < p.rows; ++n) {
      const std::byte* from = src + m * p.src_matrix + n * p.src_row;
      std::byte* to = dst + m * p.dst_matrix + n * p.dst_row;
      for (uint64_t c = 0; c < full; ++c, from += 32, to += p.dst_column) std::memcpy(to, from, 32);
      if (tail != 0) {
        std::byte block[32] = {};
        std::memcpy(block, from, tail);
        std::memcpy(to, block, 32);
      }
    }
  }
}

gate::Pipe pipe_nz(const gate::Request&) {
  return gate::Pipe::kMte2;
}

// --- Nz2Nd ---

/// All distances in bytes; a column block is 16 elements wide.
struct NdPlan {
  uint64_t matrices, rows, columns, block;
  uint64_t src_matrix, src_column, dst_matrix, dst_row;
};

NdPlan nd_plan(const gate::Request& request) {
  const gate::NdNzParams& p = request.params.nd_nz;
  const uint64_t size = element_bytes(request);
  return {p.n == 0 ? 0 : p.nd_num,
          p.n,
          p.d / 16,
          16 * size,
          p.src_matrix_stride * 256 * size,
          p.src_d * 16 * size,
          p.dst_matrix_stride * size,
          p.dst_c0_stride * size};
}

void check_nd(const gate::Request& request, machine::Violations& violations) {
  Limits limits(violations);
  const gate::NdNzParams& p = request.params.nd_nz;
  const gate::Operand &dst = request.operand[0], &src = request.operand[1];
  if (src.space != Space::kUb || dst.space != Space::kGm) {
    limits.no_path(dst, src, "Nz2Nd moves UB -> GM; from L0C use Fixpipe with CFG_ROW_MAJOR");
    return;
  }
  if (const uint32_t bits = gate::bits_of(dst.type); bits < 8 || bits > 32) {
    limits.fatal("type", "Nz2Nd knows elements of 8, 16 and 32 bits, given ", name_of(dst.type));
    return;
  }
  limits.range("repeat", "ndNum", p.nd_num, 0, 4095);
  limits.range("length", "nValue", p.n, 1, 8192);
  limits.range("length", "dValue", p.d, 1, 8192);
  if (p.d % 16 != 0)
    limits.error("length", "dValue is ", p.d, ", it must be a multiple of 16; the last ", p.d % 16,
                 " columns are not moved");
  limits.range("stride", "srcNStride", p.src_d, 0, 4096);
  limits.range("stride", "dstDStride", p.dst_c0_stride, 1, 65535);
  if (p.nd_num > 1) {
    limits.range("stride", "srcNdMatrixStride", p.src_matrix_stride, 1, 512);
    limits.range("stride", "dstNdMatrixStride", p.dst_matrix_stride, 1, 65535);
  }
  limits.aligned("source", src);
  limits.aligned("destination", dst);
  if (p.n > 1 && p.dst_c0_stride < p.d) {
    limits.error("overlap", "dstDStride ", p.dst_c0_stride, " is smaller than dValue ", p.d,
                 ": rows overwrite each other in GM");
  }
  const NdPlan plan = nd_plan(request);
  if (!limits.pieces({plan.matrices, plan.rows, std::max<uint64_t>(1, plan.columns)})) return;
  check_atomic(limits, request, plan.block);
}

void footprint_nd(const gate::Request& request, machine::Footprint& out) {
  const NdPlan p = nd_plan(request);
  const gate::Operand &dst = request.operand[0], &src = request.operand[1];
  out.open(dst, 0, store_role(request));
  add_rows(out, dst.address, p.matrices, p.dst_matrix, p.rows, p.columns * p.block, p.dst_row);
  out.open(src, 1, event::Role::kRead);
  add_rows(out, src.address, p.matrices, p.src_matrix, p.columns, p.rows * p.block, p.src_column);
}

void execute_nd(const gate::Request& request, const machine::Memories& memories) {
  const NdPlan p = nd_plan(request);
  std::byte* dst = memories.at(request.operand[0]);
  const std::byte* src = memories.at(request.operand[1]);
  const GmStore store(request);
  for (uint64_t m = 0; m < p.matrices; ++m)
    for (uint64_t n = 0; n < p.rows; ++n) {
      const std::byte* from = src + m * p.src_matrix + n * p.block;
      std::byte* to = dst + m * p.dst_matrix + n * p.dst_row;
      for (uint64_t c = 0; c < p.columns; ++c) store(to + c * p.block, from + c * p.src_column, p.block);
    }
}

gate::Pipe pipe_nd(const gate::Request&) {
  return gate::Pipe::kMte3;
}

}  // namespace

void add_copy_nd_nz(machine::OpTable& table) {
  set_op(table, gate::Op::kNd2Nz, pipe_nz, keep_registers, check_nz, footprint_nz, execute_nz);
  set_op(table, gate::Op::kNz2Nd, pipe_nd, keep_registers, check_nd, footprint_nd, execute_nd);
}

}  // namespace ascsan::isa
