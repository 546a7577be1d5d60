// GatherMask: writes the elements whose pattern bit is 1 one after another and leaves their number in a register.
// Built-in patterns 1..7, or a tensor of bits consumed low first; each repeat covers 256 bytes, or extra[0] elements in
// reduce mode. The amount written depends on the tensor pattern, so the exact footprint comes at execution.
// Rules: spec/api-semantics.md 3. dst may equal src0. Left out: nothing of A2/A3.
#include <algorithm>

#include "isa/legal_vector.h"
#include "isa/vec_ops.h"

namespace ascsan::isa {
namespace {

bool tensor_pattern(const gate::Request& request) {
  return request.operand_count > 2;
}
uint32_t element_bytes(const gate::Request& request) {
  return gate::bytes_of(request.operand[0].type);
}

struct Span3 {
  uint32_t repeats;
  uint64_t elements;  ///< of one repeat
};
Span3 amount_of(const gate::Request& request) {
  const gate::VectorParams& p = request.params.vector;
  const bool reduce = (p.flags & 1) != 0;
  return {static_cast<uint32_t>(p.repeat), reduce ? p.extra[0] : kRepeatBytes / element_bytes(request)};
}

/// Built-in pattern bit of element `i` of a repeat.
bool built_in(uint8_t number, uint64_t i) {
  switch (number) {
    case 1:
      return i % 2 == 0;
    case 2:
      return i % 2 == 1;
    case 3:
    case 4:
    case 5:
    case 6:
      return i % 4 == number - 3u;
    default:
      return true;
  }
}
uint64_t built_in_count(uint8_t number, uint64_t elements) {
  switch (number) {
    case 1:
      return (elements + 1) / 2;
    case 2:
      return elements / 2;
    case 3:
    case 4:
    case 5:
    case 6:
      return (elements + 3 - (number - 3u)) / 4;
    default:
      return elements;
  }
}

uint64_t source_offset(const gate::Request& request, uint32_t repeat, uint64_t element) {
  const gate::VectorParams& p = request.params.vector;
  const uint32_t per_block = kBlockBytes / element_bytes(request);
  return (uint64_t{repeat} * p.src0_repeat + element / per_block * p.src0_block) * kBlockBytes +
         element % per_block * element_bytes(request);
}

void check(const gate::Request& request, machine::Violations& violations) {
  Limits limits(violations);
  if (!check_operands(request, limits)) return;
  const uint32_t bits = gate::bits_of(request.operand[0].type);
  if (request.operand[0].type != request.operand[1].type || (bits != 16 && bits != 32)) {
    limits.fatal("type", "the types ", name_of(request.operand[1].type), " -> ", name_of(request.operand[0].type),
                 " do not exist for this instruction; it takes 16- and 32-bit types");
    return;
  }
  check_stride_fields(request, limits);
  const uint8_t number = request.params.vector.mode;
  if (tensor_pattern(request)) {
    if (gate::bits_of(request.operand[2].type) != bits) {
      limits.error("type", "the pattern tensor of ", bits, "-bit data must be uint", bits, "_t, given is ",
                   name_of(request.operand[2].type));
    }
  } else if (number < 1 || number > 7) {
    limits.fatal("mode", "pattern ", int{number}, " does not exist; built-in patterns are 1..7");
    return;
  }
  const Span3 amount = amount_of(request);
  if (!limits.pieces({amount.repeats})) return;
  if (amount.elements > kUbBytes * 8 || !check_amount(amount.elements * amount.repeats, bits, limits)) {
    if (amount.elements > kUbBytes * 8) check_amount(amount.elements, bits, limits);
  }
}

void add_sources(const gate::Request& request, machine::Footprint& out) {
  const Span3 amount = amount_of(request);
  const uint32_t per_block = kBlockBytes / element_bytes(request);
  RunSet runs;
  out.open(request.operand[1], 1, event::Role::kRead);
  for (uint32_t r = 0; r < amount.repeats; ++r) {
    if (request.params.vector.src0_block == 1) {
      runs.add(request.operand[1].address + source_offset(request, r, 0), amount.elements * element_bytes(request));
      continue;
    }
    for (uint64_t i = 0; i < amount.elements; i += per_block) {
      const uint64_t part = std::min<uint64_t>(per_block, amount.elements - i);
      runs.add(request.operand[1].address + source_offset(request, r, i), part * element_bytes(request));
    }
  }
  runs.flush(out);
  if (!tensor_pattern(request)) return;
  out.open(request.operand[2], 2, event::Role::kRead);
  for (uint32_t r = 0; r < amount.repeats; ++r) {
    runs.add(request.operand[2].address + uint64_t{r} * request.params.vector.src1_repeat * kBlockBytes,
             (amount.elements + 7) / 8);
  }
  runs.flush(out);
}

void add_all(const gate::Request& request, machine::Footprint& out, uint64_t written) {
  out.open(request.operand[0], 0, event::Role::kWrite);
  out.add(request.operand[0].address, written * element_bytes(request));
  add_sources(request, out);
}

void footprint(const gate::Request& request, machine::Footprint& out) {
  const Span3 amount = amount_of(request);
  const uint64_t all = amount.repeats * amount.elements;
  if (!tensor_pattern(request))
    return add_all(request, out, amount.repeats * built_in_count(request.params.vector.mode, amount.elements));
  // At most everything, and never more than the destination was made for.
  const uint64_t room = request.operand[0].bytes / element_bytes(request);
  add_all(request, out, request.operand[0].bytes != 0 ? std::min(all, room) : all);
}

bool selected(const gate::Request& request, const machine::Memories& memories, uint32_t repeat, uint64_t element) {
  if (!tensor_pattern(request)) return built_in(request.params.vector.mode, element);
  const auto* bits = memories.as<const uint8_t>(request.operand[2]) +
                     uint64_t{repeat} * request.params.vector.src1_repeat * kBlockBytes;
  return ((bits[element / 8] >> (element % 8)) & 1) != 0;
}

void exact_footprint(const gate::Request& request, const machine::Memories& memories, machine::Footprint& out) {
  const Span3 amount = amount_of(request);
  uint64_t written = 0;
  for (uint32_t r = 0; r < amount.repeats; ++r)
    for (uint64_t i = 0; i < amount.elements; ++i) written += selected(request, memories, r, i) ? 1 : 0;
  add_all(request, out, written);
}

template <typename T>
void gather_mask(const gate::Request& request, const machine::Memories& memories) {
  const Span3 amount = amount_of(request);
  std::byte* dst = memories.at(request.operand[0]);
  const std::byte* src = memories.at(request.operand[1]);
  const uint64_t room = (kUbBytes - std::min(kUbBytes, request.operand[0].address)) / sizeof(T);
  uint64_t written = 0;
  for (uint32_t r = 0; r < amount.repeats; ++r) {
    for (uint64_t i = 0; i < amount.elements; ++i) {
      if (!selected(request, memories, r, i)) continue;
      if (written < room) std::memmove(dst + written * sizeof(T), src + source_offset(request, r, i), sizeof(T));
      ++written;
    }
  }
  memories.results->reserved_count = written;
}

void execute(const gate::Request& request, const machine::Memories& memories) {
  if (element_bytes(request) == 4)
    gather_mask<uint32_t>(request, memories);
  else
    gather_mask<uint16_t>(request, memories);
}

}  // namespace

void add_gather_mask_op(machine::OpTable& table) {
  machine::OpInfo& info = table[static_cast<size_t>(gate::Op::kGatherMask)];
  info.prepare = prepare_gather_mask;
  info.check = check;
  info.footprint = footprint;
  info.execute = execute;
  info.exact_footprint = exact_footprint;
}

}  // namespace ascsan::isa
