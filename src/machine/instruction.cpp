#include "machine/instruction.h"

namespace ascsan::machine {

void Footprint::open(const gate::Operand& operand, int index, event::Role role) {
  event::Access access;
  access.space = operand.space;
  access.role = role;
  access.operand = static_cast<uint8_t>(index);
  access.buffer = operand.buffer;
  access.first_span = static_cast<uint32_t>(spans_.size());
  access.span_count = 0;
  access.tensor_begin = operand.address;
  access.tensor_bytes = operand.bytes;
  access.type = operand.type;
  accesses_.push_back(access);
}

void Footprint::add(uint64_t begin, uint64_t bytes) {
  if (bytes == 0) return;
  event::Access& access = accesses_.back();
  if (access.span_count > 0 && spans_.back().end == begin) {
    spans_.back().end = begin + bytes;
    return;
  }
  spans_.push_back({begin, begin + bytes});
  ++access.span_count;
}

void Footprint::add_strided(uint64_t begin, uint64_t bytes, uint64_t count, int64_t stride) {
  if (count == 0 || bytes == 0) return;
  if (static_cast<int64_t>(bytes) == stride) return add(begin, bytes * count);
  for (uint64_t i = 0; i < count; ++i) add(begin + static_cast<uint64_t>(static_cast<int64_t>(i) * stride), bytes);
}

}  // namespace ascsan::machine
