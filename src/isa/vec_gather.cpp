// Gather (one element per lane) and Gatherb (8 blocks per repeat) by byte offsets that lie in UB.
// Which source bytes are read is known only when the instruction runs: the footprint at issue names the whole source
// tensor, exact_footprint the bytes. Offsets outside UB read zeros here; the bounds of the exact footprint report them.
// Rules: spec/api-semantics.md 5 and 8. Left out: Scatter (not on A2/A3).
#include "isa/legal_vector.h"
#include "isa/vec_lanes.h"
#include "isa/vec_ops.h"

namespace ascsan::isa {
namespace {

using gate::Op;

uint32_t element_bytes(const gate::Request& request) {
  return gate::bytes_of(request.operand[0].type);
}
uint64_t source_base(const gate::Request& request) {
  return request.operand[1].address + request.params.vector.extra[0];
}

// ---- Gather

LaneShape shape_of(const gate::Request& request) {
  return lane_shape(request, lanes_of(gate::bits_of(request.operand[0].type)), repeat8(request));
}
/// One 32-bit offset per lane, contiguous over all repeats.
Walk offset_walk(const gate::Request& request, const LaneShape& shape) {
  return {request.operand[2].address, 32, kBlockBytes, shape.lanes * 4};
}

void check_gather(const gate::Request& request, machine::Violations& violations) {
  Limits limits(violations);
  if (!check_operands(request, limits)) return;
  const uint32_t bits = gate::bits_of(request.operand[0].type);
  if (request.operand[0].type != request.operand[1].type || (bits != 16 && bits != 32)) {
    limits.fatal("type", "the types ", name_of(request.operand[1].type), " -> ", name_of(request.operand[0].type),
                 " do not exist for this instruction; it takes 16- and 32-bit types");
    return;
  }
  const LaneShape shape = shape_of(request);
  check_repeats(request, shape.lanes, limits, false);
  if (!check_amount(shape.total, 32, limits)) return;
  const Walk dst = walk_of(request, 0, shape.lanes), offsets = offset_walk(request, shape);
  const uint64_t dst_bytes = extent_of(dst, shape);
  check_disjoint("the destination", dst.address, dst_bytes, "the offsets", offsets.address, extent_of(offsets, shape),
                 limits);
  check_disjoint("the destination", dst.address, dst_bytes, "the source", request.operand[1].address,
                 request.operand[1].bytes, limits);
}

/// The source as far as it is known: the tensor, else the rest of UB.
void add_whole_source(const gate::Request& request, machine::Footprint& out) {
  const gate::Operand& src = request.operand[1];
  out.open(src, 1, event::Role::kRead);
  const uint64_t end = src.bytes != 0 ? src.address + src.bytes : kUbBytes;
  if (end > src.address) out.add(src.address, end - src.address);
}

void footprint_gather(const gate::Request& request, machine::Footprint& out) {
  const LaneShape shape = shape_of(request);
  add_lanes(out, request, 0, event::Role::kWrite, walk_of(request, 0, shape.lanes), shape);
  if (shape.repeats > 0) add_whole_source(request, out);
  add_lanes(out, request, 2, event::Role::kRead, offset_walk(request, shape), shape);
}

/// Calls f(byte address in UB) for every enabled lane.
template <typename F>
void for_each_gathered(const gate::Request& request, const machine::Memories& memories, const LaneShape& shape, F&& f) {
  const Lane offsets{memories.at(request.operand[2]), offset_walk(request, shape)};
  for (uint32_t r = 0; r < shape.repeats; ++r) {
    uint32_t values[128];
    const LaneMask mask = shape.of(r);
    gather_lanes(offsets, r, mask, values);
    for (uint32_t i = 0; i < mask.count(); ++i) f(source_base(request) + values[i], r, i);
  }
}

void exact_gather(const gate::Request& request, const machine::Memories& memories, machine::Footprint& out) {
  const LaneShape shape = shape_of(request);
  add_lanes(out, request, 0, event::Role::kWrite, walk_of(request, 0, shape.lanes), shape);
  out.open(request.operand[1], 1, event::Role::kRead);
  RunSet runs;
  for_each_gathered(request, memories, shape,
                    [&](uint64_t at, uint32_t, uint32_t) { runs.add(at, element_bytes(request)); });
  runs.flush(out);
  add_lanes(out, request, 2, event::Role::kRead, offset_walk(request, shape), shape);
}

template <typename T>
void gather(const gate::Request& request, const machine::Memories& memories) {
  const LaneShape shape = shape_of(request);
  const std::byte* ub = memories.base[static_cast<size_t>(gate::Space::kUb)];
  const Lane dst{memories.at(request.operand[0]), walk_of(request, 0, shape.lanes)};
  T values[128];
  for_each_gathered(request, memories, shape, [&](uint64_t at, uint32_t r, uint32_t i) {
    values[i] = 0;
    if (at + sizeof(T) <= kUbBytes) std::memcpy(&values[i], ub + at, sizeof(T));
    if (i + 1 == shape.of(r).count()) scatter_lanes(dst, r, shape.of(r), values);
  });
}

void execute_gather(const gate::Request& request, const machine::Memories& memories) {
  if (element_bytes(request) == 4)
    gather<uint32_t>(request, memories);
  else
    gather<uint16_t>(request, memories);
}

// ---- Gatherb

uint64_t block_stride(const gate::Request& request) {
  const uint16_t blocks = request.params.vector.dst_block;
  return (blocks == 0 ? 1 : blocks) * uint64_t{kBlockBytes};  // 0 means 1 (spec/execution-model.md 7)
}
uint64_t repeat_stride(const gate::Request& request) {
  return request.params.vector.dst_repeat * uint64_t{kBlockBytes};
}

void check_gatherb(const gate::Request& request, machine::Violations& violations) {
  Limits limits(violations);
  if (!check_operands(request, limits)) return;
  const uint32_t bits = gate::bits_of(request.operand[0].type);
  if (request.operand[0].type != request.operand[1].type || (bits != 16 && bits != 32)) {
    limits.fatal("type", "the types ", name_of(request.operand[1].type), " -> ", name_of(request.operand[0].type),
                 " do not exist for this instruction; it takes 16- and 32-bit types");
    return;
  }
  check_repeat8(request, limits);
  check_stride_fields(request, limits);
}

void add_gatherb_dst(const gate::Request& request, machine::Footprint& out) {
  RunSet runs;
  for (uint32_t r = 0; r < repeat8(request); ++r) {
    for (uint32_t b = 0; b < kBlocksPerRepeat; ++b) {
      runs.add(request.operand[0].address + r * repeat_stride(request) + b * block_stride(request), kBlockBytes);
    }
  }
  out.open(request.operand[0], 0, event::Role::kWrite);
  runs.flush(out);
}
void add_gatherb_offsets(const gate::Request& request, machine::Footprint& out) {
  out.open(request.operand[2], 2, event::Role::kRead);
  out.add(request.operand[2].address, uint64_t{repeat8(request)} * kBlocksPerRepeat * 4);
}

void footprint_gatherb(const gate::Request& request, machine::Footprint& out) {
  add_gatherb_dst(request, out);
  if (repeat8(request) > 0) add_whole_source(request, out);
  add_gatherb_offsets(request, out);
}

uint64_t gatherb_source(const gate::Request& request, const machine::Memories& memories, uint32_t block) {
  uint32_t offset;
  std::memcpy(&offset, memories.at(request.operand[2]) + uint64_t{block} * 4, 4);
  return request.operand[1].address + offset;
}

void exact_gatherb(const gate::Request& request, const machine::Memories& memories, machine::Footprint& out) {
  add_gatherb_dst(request, out);
  RunSet runs;
  for (uint32_t i = 0; i < repeat8(request) * kBlocksPerRepeat; ++i)
    runs.add(gatherb_source(request, memories, i), kBlockBytes);
  out.open(request.operand[1], 1, event::Role::kRead);
  runs.flush(out);
  add_gatherb_offsets(request, out);
}

void execute_gatherb(const gate::Request& request, const machine::Memories& memories) {
  const std::byte* ub = memories.base[static_cast<size_t>(gate::Space::kUb)];
  std::byte* dst = memories.at(request.operand[0]);
  for (uint32_t r = 0; r < repeat8(request); ++r) {
    std::byte blocks[kBlocksPerRepeat][kBlockBytes] = {};
    for (uint32_t b = 0; b < kBlocksPerRepeat; ++b) {
      const uint64_t at = gatherb_source(request, memories, r * kBlocksPerRepeat + b);
      if (at + kBlockBytes <= kUbBytes) std::memcpy(blocks[b], ub + at, kBlockBytes);
    }
    for (uint32_t b = 0; b < kBlocksPerRepeat; ++b) {
      std::memcpy(dst + r * repeat_stride(request) + b * block_stride(request), blocks[b], kBlockBytes);
    }
  }
}

}  // namespace

void add_gather_ops(machine::OpTable& table) {
  machine::OpInfo& gather_info = table[static_cast<size_t>(Op::kGather)];
  gather_info.prepare = prepare_masked;
  gather_info.check = check_gather;
  gather_info.footprint = footprint_gather;
  gather_info.execute = execute_gather;
  gather_info.exact_footprint = exact_gather;
  machine::OpInfo& gatherb = table[static_cast<size_t>(Op::kGatherb)];
  gatherb.prepare = prepare_reset_mask;
  gatherb.check = check_gatherb;
  gatherb.footprint = footprint_gatherb;
  gatherb.execute = execute_gatherb;
  gatherb.exact_footprint = exact_gatherb;
}

}  // namespace ascsan::isa
