#include "isa/footprint_vector.h"

#include <algorithm>

namespace ascsan::isa {

void RunSet::flush(machine::Footprint& out) {
  std::sort(runs_.begin(), runs_.end(), [](const event::Span& a, const event::Span& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  for (size_t i = 0; i < runs_.size();) {
    uint64_t end = runs_[i].end;
    size_t next = i + 1;
    while (next < runs_.size() && runs_[next].begin <= end) end = std::max(end, runs_[next++].end);
    out.add(runs_[i].begin, end - runs_[i].begin);
    i = next;
  }
  runs_.clear();
}

namespace {

/// Bytes from the start of a repeat to behind its last enabled lane.
uint64_t repeat_extent(const Walk& walk, const LaneMask& mask) {
  const uint32_t end = mask.end();
  return end == 0 ? 0 : walk.offset(0, end - 1) + walk.bytes(1);
}

/// Repeats, and blocks inside them, come at ascending addresses and never meet.
bool ascending(const Walk& walk, const LaneShape& shape) {
  if (walk.block_stride < kBlockBytes || walk.bits < 8) return false;
  return shape.repeats <= 1 || walk.repeat_stride >= repeat_extent(walk, shape.mask);
}

/// The lanes of all blocks laid over each other.
LaneMask fold(LaneMask mask, uint32_t block_lanes) {
  LaneMask folded;
  for (uint32_t block = 0; block < kBlocksPerRepeat; ++block) {
    const uint32_t first = block * block_lanes;
    folded.low |= (first < 64 ? mask.low >> first : mask.high >> (first - 64)) & LaneMask::leading(block_lanes).low;
  }
  return folded;
}
LaneShape fold_blocks(const LaneShape& shape, uint32_t block_lanes) {
  LaneShape folded = shape;
  folded.mask = fold(shape.mask, block_lanes);
  folded.tail = fold(shape.tail, block_lanes);
  return folded;
}

}  // namespace

uint64_t extent_of(const Walk& walk, const LaneShape& shape) {
  if (shape.repeats == 0) return 0;
  if (is_flat(walk, shape)) return walk.bytes(shape.total);
  uint64_t extent = static_cast<uint64_t>(shape.repeats - 1) * walk.repeat_stride + repeat_extent(walk, shape.tail);
  if (shape.repeats > 1) {
    extent = std::max(extent,
                      static_cast<uint64_t>(shape.repeats - 2) * walk.repeat_stride + repeat_extent(walk, shape.mask));
  }
  return extent;
}

void add_lanes(machine::Footprint& out, const gate::Request& request, int index, event::Role role, const Walk& given,
               const LaneShape& given_shape) {
  out.open(request.operand[index], index, role);
  if (given_shape.repeats == 0) return;
  if (is_flat(given, given_shape)) return out.add(given.address, given.bytes(given_shape.total));
  // Block stride 0: all blocks of a repeat are one block.
  const bool folded = given.block_stride == 0 && given.bits >= 8;
  const Walk walk = folded ? Walk{given.address, given.bits, kBlockBytes, given.repeat_stride} : given;
  const LaneShape shape = folded ? fold_blocks(given_shape, given.block_lanes()) : given_shape;
  if (ascending(walk, shape)) {
    uint32_t plain = shape.repeats;
    if (walk.dense(shape.mask.end()) && shape.mask.leading_only()) {
      plain = shape.repeats - (shape.tail == shape.mask ? 0 : 1);
      out.add_strided(walk.address, walk.bytes(shape.mask.end()), plain, walk.repeat_stride);
    } else {
      plain = 0;
    }
    for (uint32_t r = plain; r < shape.repeats; ++r) {
      for_each_piece(walk, r, shape.of(r), [&](uint64_t offset, uint32_t, uint32_t lanes) {
        out.add(walk.address + offset, walk.bytes(lanes));
      });
    }
    return;
  }
  RunSet runs;
  const uint32_t distinct = walk.repeat_stride == 0 && shape.repeats > 1 ? 1 : shape.repeats;
  for (uint32_t r = 0; r < distinct; ++r) {
    for_each_piece(walk, r, shape.of(r), [&](uint64_t offset, uint32_t first, uint32_t lanes) {
      runs.add(walk.address + offset, walk.bytes_from(first, lanes));
    });
  }
  runs.flush(out);
}

Walk walk_of(const gate::Request& request, int index, uint32_t lanes) {
  const gate::VectorParams& p = request.params.vector;
  Walk walk;
  walk.address = request.operand[index].address;
  walk.bits = gate::bits_of(request.operand[index].type);
  if (walk.bits == 0) walk.bits = 32;
  if (request.mask_form == gate::MaskForm::kCount) {
    walk.repeat_stride = lanes * walk.bits / 8;
    return walk;
  }
  const uint16_t block[] = {p.dst_block, p.src0_block, p.src1_block};
  const uint16_t repeat[] = {p.dst_repeat, p.src0_repeat, p.src1_repeat};
  walk.block_stride = block[index] * kBlockBytes;
  walk.repeat_stride = repeat[index] * kBlockBytes;
  return walk;
}

}  // namespace ascsan::isa
