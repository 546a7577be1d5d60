// TransDataTo5HD: 16 source blocks become 16 destination blocks, transposed (spec/api-semantics.md 5). 16-bit: a 16 x
// 16 matrix; 32-bit: 8 columns, two destination blocks each; 8-bit: one half of every block on both sides. The blocks
// are given as UB offsets in the request, or as lists of 16 uint64 offsets in UB (flags bit 2), which are known only
// when the instruction runs. Left out: nothing of A2/A3.
#include "isa/legal_vector.h"
#include "isa/vec_ops.h"

namespace ascsan::isa {
namespace {

constexpr uint32_t kList = 16;

bool lists_in_memory(const gate::Request& request) {
  return (request.params.vector.flags & 4) != 0;
}
gate::DataType element_type(const gate::Request& request) {
  return lists_in_memory(request) ? request.params.vector.scalar_type : request.operand[0].type;
}

struct Blocks {
  uint64_t dst[kList], src[kList];
};
Blocks from_request(const gate::Request& request) {
  Blocks blocks;
  for (uint32_t i = 0; i < kList; ++i) {
    blocks.dst[i] = request.params.vector.list[i];
    blocks.src[i] = request.params.vector.list[kList + i];
  }
  return blocks;
}
Blocks blocks_of(const gate::Request& request, const machine::Memories& memories) {
  if (!lists_in_memory(request)) return from_request(request);
  Blocks blocks;
  std::memcpy(blocks.dst, memories.at(request.operand[0]), sizeof(blocks.dst));
  std::memcpy(blocks.src, memories.at(request.operand[1]), sizeof(blocks.src));
  return blocks;
}

/// Byte shift of repeat `r`; a single repeat is shifted once.
uint64_t shift(const gate::Request& request, uint32_t r, bool dst) {
  const gate::VectorParams& p = request.params.vector;
  const uint64_t step = (dst ? p.dst_repeat : p.src0_repeat) * uint64_t{kBlockBytes};
  return repeat8(request) == 1 ? step : r * step;
}
/// 8-bit data uses 16 bytes of each block.
uint64_t half_offset(const gate::Request& request, bool dst) {
  return gate::bytes_of(element_type(request)) == 1 && (request.params.vector.flags & (dst ? 1 : 2)) != 0 ? 16 : 0;
}
uint64_t part_bytes(const gate::Request& request) {
  return gate::bytes_of(element_type(request)) == 1 ? 16 : kBlockBytes;
}

void check(const gate::Request& request, machine::Violations& violations) {
  Limits limits(violations);
  if (!check_operand(request, 0, kBlockBytes, limits) || !check_operand(request, 1, kBlockBytes, limits)) return;
  const uint32_t bytes = gate::bytes_of(element_type(request));
  if ((bytes != 1 && bytes != 2 && bytes != 4) || request.operand[0].type != request.operand[1].type) {
    limits.fatal("type", "the types ", types_text(request),
                 " do not exist for this instruction; it takes 8-, 16- and 32-bit types");
    return;
  }
  check_repeat8(request, limits);
  check_stride_fields(request, limits);
  const gate::VectorParams& p = request.params.vector;
  if (repeat8(request) == 1 && (p.dst_repeat != 0 || p.src0_repeat != 0)) {
    limits.error("stride", "with repeatTimes 1 the repeat strides (", p.dst_repeat, ", ", p.src0_repeat,
                 ") are added to every list address; they must be 0");
  }
  if (lists_in_memory(request)) return;
  for (uint32_t i = 0; i < 2 * kList; ++i) {
    if (p.list[i] % kBlockBytes != 0) {
      limits.error("alignment", i < kList ? "destination" : "source", " block ", i % kList, " starts at byte ",
                   p.list[i], ", it must start at a multiple of 32");
    }
  }
}

void add_side(const gate::Request& request, machine::Footprint& out, const uint64_t* list, bool dst) {
  RunSet runs;
  for (uint32_t r = 0; r < repeat8(request); ++r)
    for (uint32_t i = 0; i < kList; ++i)
      runs.add(list[i] + shift(request, r, dst) + half_offset(request, dst), part_bytes(request));
  gate::Operand operand = request.operand[dst ? 0 : 1];
  operand.bytes = 0;
  operand.type = element_type(request);
  if (repeat8(request) > 0) operand.address = list[0];
  out.open(operand, dst ? 0 : 1, dst ? event::Role::kWrite : event::Role::kRead);
  runs.flush(out);
}
void add_lists(const gate::Request& request, machine::Footprint& out) {
  for (int i = 0; i < 2; ++i) {
    out.open(request.operand[i], i, event::Role::kRead);
    out.add(request.operand[i].address, kList * 8);
  }
}

/// With lists in memory only the lists themselves are known at issue.
void footprint(const gate::Request& request, machine::Footprint& out) {
  if (lists_in_memory(request)) return add_lists(request, out);
  const Blocks blocks = from_request(request);
  add_side(request, out, blocks.dst, true);
  add_side(request, out, blocks.src, false);
}
void exact_footprint(const gate::Request& request, const machine::Memories& memories, machine::Footprint& out) {
  const Blocks blocks = blocks_of(request, memories);
  add_side(request, out, blocks.dst, true);
  add_side(request, out, blocks.src, false);
  if (lists_in_memory(request)) add_lists(request, out);
}

/// out[j][i] = in[i][j], with the column split of 32-bit data.
template <typename T>
void transpose_blocks(const std::byte in[kList][kBlockBytes], std::byte out[kList][kBlockBytes]) {
  constexpr uint32_t kColumns = sizeof(T) == 4 ? 8 : 16;
  for (uint32_t i = 0; i < kList; ++i) {
    for (uint32_t j = 0; j < kColumns; ++j) {
      const uint32_t row = sizeof(T) == 4 ? 2 * j + i / 8 : j;
      const uint32_t column = sizeof(T) == 4 ? i % 8 : i;
      std::memcpy(&out[row][column * sizeof(T)], &in[i][j * sizeof(T)], sizeof(T));
    }
  }
}

void execute(const gate::Request& request, const machine::Memories& memories) {
  const Blocks blocks = blocks_of(request, memories);
  std::byte* ub = memories.base[static_cast<size_t>(gate::Space::kUb)];
  const uint64_t bytes = part_bytes(request);
  for (uint32_t r = 0; r < repeat8(request); ++r) {
    std::byte in[kList][kBlockBytes] = {}, out[kList][kBlockBytes] = {};
    for (uint32_t i = 0; i < kList; ++i) {
      const uint64_t at = blocks.src[i] + shift(request, r, false) + half_offset(request, false);
      if (at <= kUbBytes - bytes) std::memcpy(in[i], ub + at, bytes);
    }
    switch (gate::bytes_of(element_type(request))) {
      case 1:
        transpose_blocks<uint8_t>(in, out);
        break;
      case 2:
        transpose_blocks<uint16_t>(in, out);
        break;
      default:
        transpose_blocks<uint32_t>(in, out);
        break;
    }
    for (uint32_t j = 0; j < kList; ++j) {
      const uint64_t at = blocks.dst[j] + shift(request, r, true) + half_offset(request, true);
      if (at <= kUbBytes - bytes) std::memcpy(ub + at, out[j], bytes);
    }
  }
}

}  // namespace

void add_to_5hd_op(machine::OpTable& table) {
  machine::OpInfo& info = table[static_cast<size_t>(gate::Op::kTransDataTo5HD)];
  info.prepare = prepare_plain;
  info.check = check;
  info.footprint = footprint;
  info.execute = execute;
  info.exact_footprint = exact_footprint;
}

}  // namespace ascsan::isa
