// Where the lanes of an operand lie, and the byte runs they touch.
// Rules: spec/api-semantics.md 0 (address of a lane), 8; hb-rules.md E-7 (lane-exact). The usual case - full mask,
// strides that make everything contiguous - is one run and is found without looking at lanes. Left out: operands whose
// addresses lie in memory (vec_gather.cpp).
#pragma once

#include <cstring>
#include <vector>

#include "isa/mask_vector.h"

namespace ascsan::isa {

/// Walk of one operand through blocks and repeats; strides in bytes, start to start.
struct Walk {
  uint64_t address = 0;
  uint32_t bits = 32;  ///< of one element
  uint32_t block_stride = kBlockBytes;
  uint32_t repeat_stride = kRepeatBytes;

  /// Lanes of one block; widths are powers of two, so lane arithmetic is shifts.
  uint32_t block_shift() const { return 8u - static_cast<uint32_t>(std::countr_zero(bits)); }
  uint32_t block_lanes() const { return 1u << block_shift(); }
  uint64_t bytes(uint64_t lanes) const { return (lanes * bits + 7) / 8; }
  /// Bytes that hold `lanes` elements from lane `first` on; a 4-bit run may begin in the upper half of a byte.
  uint64_t bytes_from(uint32_t first, uint64_t lanes) const {
    return bits >= 8 ? bytes(lanes) : bytes(lanes + first % 2);
  }
  /// Byte offset of a lane; for 4-bit elements of the byte that holds it.
  uint64_t offset(uint32_t repeat, uint32_t lane) const {
    return static_cast<uint64_t>(repeat) * repeat_stride + static_cast<uint64_t>(lane >> block_shift()) * block_stride +
           static_cast<uint64_t>(lane & (block_lanes() - 1)) * bits / 8;
  }
  /// The lanes of one repeat follow each other without gaps.
  bool dense(uint32_t lanes_used) const { return block_stride == kBlockBytes || lanes_used <= block_lanes(); }
};

/// All enabled lanes of the operand are one run of `shape.total` elements from its address.
inline bool is_flat(const Walk& walk, const LaneShape& shape) {
  if (!shape.leading_only()) return false;
  if (shape.repeats <= 1) return walk.dense(shape.tail.end());
  return walk.dense(shape.lanes) && walk.repeat_stride == shape.lanes * walk.bits / 8;
}

/// Calls f(byte_offset, first_lane, lanes) for the pieces of one repeat that are contiguous in memory, in lane order.
template <typename F>
void for_each_piece(const Walk& walk, uint32_t repeat, LaneMask mask, F&& f) {
  const uint32_t block_lanes = walk.block_lanes();
  for_each_run(mask, [&](uint32_t first, uint32_t count) {
    if (walk.block_stride == kBlockBytes) return f(walk.offset(repeat, first), first, count);
    while (count > 0) {
      const uint32_t room = block_lanes - (first & (block_lanes - 1));
      const uint32_t part = count < room ? count : room;
      f(walk.offset(repeat, first), first, part);
      first += part;
      count -= part;
    }
  });
}

/// Byte runs in arrival order; sorts and merges before they go out. For walks that meet themselves.
class RunSet {
 public:
  void add(uint64_t begin, uint64_t bytes) {
    if (bytes != 0) runs_.push_back({begin, begin + bytes});
  }
  void flush(machine::Footprint& out);

 private:
  std::vector<event::Span> runs_;
};

/// Opens the access of operand `index` and adds the bytes of its enabled lanes.
void add_lanes(machine::Footprint& out, const gate::Request& request, int index, event::Role role, const Walk& walk,
               const LaneShape& shape);

/// First byte offset behind the last enabled lane, relative to the address.
uint64_t extent_of(const Walk& walk, const LaneShape& shape);

/// Walks of the operands of an ordinary lane instruction: dst, src0, src1 with the strides of the request. In the count
/// form every operand is contiguous whatever its width.
Walk walk_of(const gate::Request& request, int index, uint32_t lanes);

}  // namespace ascsan::isa
