// LoadData 2D: fractals of 512 bytes from GM or L1 to L1, L0A, L0B, each 16 x 16 block of 16-bit elements transposed on
// request. Formulas: spec/api-semantics.md 6. Also InitConstValue / Fill, which writes blocks of one value.
#include <cstring>

#include "isa/copy_ops.h"
#include "isa/fractal.h"
#include "isa/violation.h"

namespace ascsan::isa {
namespace {

using gate::Space;

constexpr uint64_t kFractal = 512;

bool has_path(Space src, Space dst) {
  if (src == Space::kGm) return dst == Space::kL1 || dst == Space::kL0a || dst == Space::kL0b;
  return src == Space::kL1 && (dst == Space::kL0a || dst == Space::kL0b);
}

gate::Pipe pipe_2d(const gate::Request& request) {
  return request.operand[1].space == Space::kGm ? gate::Pipe::kMte2 : gate::Pipe::kMte1;
}

/// Byte offset of source fractal r; false below 0.
bool source_at(const gate::LoadParams& p, uint64_t r, uint64_t& offset) {
  const uint64_t step = r * p.src_stride;
  if (p.descending != 0 && step > p.start_index) return false;
  offset = (p.descending != 0 ? p.start_index - step : p.start_index + step) * kFractal;
  return true;
}

void check_2d(const gate::Request& request, machine::Violations& violations) {
  Limits limits(violations);
  const gate::LoadParams& p = request.params.load;
  const gate::Operand &dst = request.operand[0], &src = request.operand[1];
  if (!has_path(src.space, dst.space)) {
    limits.no_path(dst, src, "LoadData moves GM -> L1, GM -> L0A / L0B and L1 -> L0A / L0B");
    return;
  }
  limits.range("repeat", "repeatTimes", p.repeat, 0, 255);
  limits.range("stride", "startIndex", p.start_index, 0, 65535);
  limits.range("stride", "srcStride", p.src_stride, 0, 65535);
  limits.range("stride", "dstGap", p.dst_gap, 0, 65535);
  limits.aligned("destination", dst);
  limits.aligned("source", src);
  if (!limits.pieces({p.repeat})) return;
  if (p.transpose != 0 && (gate::bits_of(src.type) != 16 || src.space != Space::kL1)) {
    limits.fatal("type", "ifTranspose works on 16-bit elements from L1 only, given ", name_of(src.type), " from ",
                 name_of(src.space), "; use LoadDataWithTranspose");
    return;
  }
  uint64_t offset = 0;
  if (p.repeat > 0 && !source_at(p, p.repeat - 1, offset)) {
    limits.fatal("stride", "addrMode 1 counts down from fractal ", p.start_index, " by ", p.src_stride,
                 ", which passes 0 before ", p.repeat, " repeats");
  }
}

void footprint_2d(const gate::Request& request, machine::Footprint& out) {
  const gate::LoadParams& p = request.params.load;
  const gate::Operand& src = request.operand[1];
  add_runs(out, request, 0, event::Role::kWrite, kFractal, p.repeat, kFractal * (1 + uint64_t{p.dst_gap}));
  out.open(src, 1, event::Role::kRead);
  if (p.repeat == 0) return;
  if (p.src_stride == 0) {  // the same fractal again and again
    out.add(src.address + p.start_index * kFractal, kFractal);
    return;
  }
  uint64_t lowest = p.start_index * kFractal;
  if (p.descending != 0) source_at(p, p.repeat - 1, lowest);
  out.add_strided(src.address + lowest, kFractal, p.repeat, static_cast<int64_t>(p.src_stride * kFractal));
}

void execute_2d(const gate::Request& request, const machine::Memories& memories) {
  const gate::LoadParams& p = request.params.load;
  std::byte* dst = memories.at(request.operand[0]);
  const std::byte* src = memories.at(request.operand[1]);
  if (p.src_stride == 1 && p.dst_gap == 0 && p.transpose == 0 && p.descending == 0) {
    std::memcpy(dst, src + p.start_index * kFractal, p.repeat * kFractal);
    return;
  }
  for (uint64_t r = 0; r < p.repeat; ++r, dst += kFractal * (1 + uint64_t{p.dst_gap})) {
    uint64_t offset = 0;
    if (!source_at(p, r, offset)) return;
    if (p.transpose != 0) {
      transpose_16x16_b16(dst, src + offset);
    } else {
      std::memcpy(dst, src + offset, kFractal);
    }
  }
}

// --- Fill ---

uint64_t fill_block(const gate::Request& request) {
  return request.operand[0].space == Space::kL1 ? 32 : kFractal;
}

gate::Pipe pipe_fill(const gate::Request& request) {
  return request.operand[0].space == Space::kL1 ? gate::Pipe::kMte2 : gate::Pipe::kMte1;
}

void check_fill(const gate::Request& request, machine::Violations& violations) {
  Limits limits(violations);
  const gate::FillParams& p = request.params.fill;
  const gate::Operand& dst = request.operand[0];
  if (dst.space != Space::kL1 && dst.space != Space::kL0a && dst.space != Space::kL0b) {
    limits.fatal("path", "InitConstValue / Fill writes L1, L0A and L0B, given ", name_of(dst.space),
                 "; use Duplicate in UB");
    return;
  }
  if (const uint32_t bits = gate::bits_of(dst.type); bits != 16 && bits != 32) {
    limits.fatal("type", "the value has 16 or 32 bits, given ", name_of(dst.type));
    return;
  }
  limits.range("repeat", "repeatTimes", p.repeat, 0, 32767);
  limits.range("length", "blockNum", p.blocks, 0, 32767);
  limits.range("stride", "dstGap", p.dst_gap, 0, 32767);
  limits.aligned("destination", dst);
  limits.pieces({p.repeat, std::max(1u, p.blocks)});
}

void footprint_fill(const gate::Request& request, machine::Footprint& out) {
  const gate::FillParams& p = request.params.fill;
  const uint64_t block = fill_block(request);
  add_runs(out, request, 0, event::Role::kWrite, p.blocks * block, p.repeat, (uint64_t{p.blocks} + p.dst_gap) * block);
}

void execute_fill(const gate::Request& request, const machine::Memories& memories) {
  const gate::FillParams& p = request.params.fill;
  const uint64_t block = fill_block(request), bytes = p.blocks * block;
  std::byte* dst = memories.at(request.operand[0]);
  const uint32_t size = gate::bytes_of(request.operand[0].type);
  std::byte pattern[32];
  for (uint32_t i = 0; i < 32; i += size) std::memcpy(pattern + i, &request.params.fill.value, size);
  for (uint64_t r = 0; r < p.repeat; ++r, dst += bytes + p.dst_gap * block)
    for (uint64_t i = 0; i < bytes; i += 32) std::memcpy(dst + i, pattern, 32);
}

}  // namespace

void add_load_data_2d(machine::OpTable& table) {
  set_op(table, gate::Op::kLoadData, pipe_2d, keep_registers, check_2d, footprint_2d, execute_2d);
}

void add_fill(machine::OpTable& table) {
  set_op(table, gate::Op::kFillCube, pipe_fill, keep_registers, check_fill, footprint_fill, execute_fill);
}

}  // namespace ascsan::isa
