// Brcb (one element per block) and the framework's scratch write of Select.
// Rules: spec/api-semantics.md 5, hb-rules.md 5 row 27 (destination block stride 0 acts as 1, with a warning).
// Left out: Copy and Duplicate, which are lane instructions (vec_elementwise.cpp).
#include "isa/legal_vector.h"
#include "isa/vec_ops.h"

namespace ascsan::isa {
namespace {

constexpr uint32_t kElements = 8;  ///< of the source per repeat

uint64_t block_stride(const gate::Request& request) {
  const uint16_t blocks = request.params.vector.dst_block;
  return (blocks == 0 ? 1 : blocks) * uint64_t{kBlockBytes};
}
uint64_t repeat_stride(const gate::Request& request) {
  return request.params.vector.dst_repeat * uint64_t{kBlockBytes};
}

void check_brcb(const gate::Request& request, machine::Violations& violations) {
  Limits limits(violations);
  if (!check_operands(request, limits)) return;
  const uint32_t bits = gate::bits_of(request.operand[0].type);
  if (request.operand[0].type != request.operand[1].type || (bits != 16 && bits != 32)) {
    limits.fatal("type", "the types ", types_text(request),
                 " do not exist for this instruction; it takes 16- and 32-bit types");
    return;
  }
  check_repeat8(request, limits);
  check_stride_fields(request, limits);
  if (request.params.vector.dst_block == 0) {
    limits.warning("stride", "the block stride of the destination is 0; the device acts as if it were 1, write 1");
  }
  const uint32_t repeat = repeat8(request);
  if (repeat == 0) return;
  const uint64_t dst_bytes = (repeat - 1) * repeat_stride(request) + 7 * block_stride(request) + kBlockBytes;
  check_disjoint("the destination", request.operand[0].address, dst_bytes, "the source", request.operand[1].address,
                 uint64_t{repeat} * kElements * bits / 8, limits);
}

void footprint_brcb(const gate::Request& request, machine::Footprint& out) {
  const uint32_t repeat = repeat8(request);
  out.open(request.operand[0], 0, event::Role::kWrite);
  const uint64_t base = request.operand[0].address;
  if (block_stride(request) == kBlockBytes && repeat_stride(request) >= kRepeatBytes) {
    out.add_strided(base, kRepeatBytes, repeat, static_cast<int64_t>(repeat_stride(request)));
  } else {
    RunSet runs;
    for (uint32_t r = 0; r < repeat; ++r)
      for (uint32_t b = 0; b < kElements; ++b)
        runs.add(base + r * repeat_stride(request) + b * block_stride(request), kBlockBytes);
    runs.flush(out);
  }
  out.open(request.operand[1], 1, event::Role::kRead);
  out.add(request.operand[1].address, uint64_t{repeat} * kElements * gate::bytes_of(request.operand[1].type));
}

template <typename T>
void brcb(const gate::Request& request, const machine::Memories& memories) {
  const std::byte* src = memories.at(request.operand[1]);
  std::byte* dst = memories.at(request.operand[0]);
  for (uint32_t r = 0; r < repeat8(request); ++r) {
    T values[kElements];
    std::memcpy(values, src + uint64_t{r} * sizeof(values), sizeof(values));
    for (uint32_t b = 0; b < kElements; ++b) {
      T block[kBlockBytes / sizeof(T)];
      for (T& element : block) element = values[b];
      std::memcpy(dst + r * repeat_stride(request) + b * block_stride(request), block, kBlockBytes);
    }
  }
}

void execute_brcb(const gate::Request& request, const machine::Memories& memories) {
  if (gate::bytes_of(request.operand[0].type) == 4)
    brcb<uint32_t>(request, memories);
  else
    brcb<uint16_t>(request, memories);
}

void check_stage(const gate::Request& request, machine::Violations& violations) {
  Limits limits(violations);
  check_operands(request, limits);
}
void footprint_stage(const gate::Request& request, machine::Footprint& out) {
  out.open(request.operand[0], 0, event::Role::kWrite);
  out.add(request.operand[0].address, kBlockBytes);
}
void execute_stage(const gate::Request& request, const machine::Memories& memories) {
  uint32_t block[kBlockBytes / 4];
  for (uint32_t& word : block) word = static_cast<uint32_t>(request.params.vector.scalar);
  std::memcpy(memories.at(request.operand[0]), block, kBlockBytes);
}

}  // namespace

void add_move_ops(machine::OpTable& table) {
  machine::OpInfo& brcb_info = table[static_cast<size_t>(gate::Op::kBrcb)];
  brcb_info.prepare = prepare_reset_mask;
  brcb_info.check = check_brcb;
  brcb_info.footprint = footprint_brcb;
  brcb_info.execute = execute_brcb;
  machine::OpInfo& stage = table[static_cast<size_t>(gate::Op::kSelectStage)];
  stage.prepare = prepare_plain;
  stage.check = check_stage;
  stage.footprint = footprint_stage;
  stage.execute = execute_stage;
}

}  // namespace ascsan::isa
