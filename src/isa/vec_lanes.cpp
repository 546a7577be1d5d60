#include "isa/vec_lanes.h"

#include <type_traits>

namespace ascsan::isa {
namespace {

int8_t nibble(const std::byte* base, uint64_t offset, bool upper) {
  const auto bits = static_cast<uint8_t>(base[offset]);
  const int value = upper ? bits >> 4 : bits & 0xF;
  return static_cast<int8_t>((value ^ 8) - 8);
}

void set_nibble(std::byte* base, uint64_t offset, bool upper, int8_t value) {
  const auto bits = static_cast<uint8_t>(base[offset]);
  const auto low = static_cast<uint8_t>(value & 0xF);
  base[offset] = static_cast<std::byte>(upper ? (bits & 0x0F) | (low << 4) : (bits & 0xF0) | low);
}

/// Whole blocks are the usual piece; their size is known when compiling.
void copy_piece(std::byte* to, const std::byte* from, uint64_t bytes) {
  if (bytes == kBlockBytes)
    std::memcpy(to, from, kBlockBytes);
  else
    std::memcpy(to, from, bytes);
}

/// Calls f(byte offset, size) lane by lane, the size as a constant: masks with many short runs are faster this way.
template <uint32_t kBytes, typename F>
void for_each_element_of(const Walk& walk, uint32_t repeat, LaneMask mask, F&& f) {
  constexpr std::integral_constant<uint32_t, kBytes> kSize;
  for (uint32_t base = 0; base <= 64; base += 64) {
    for (uint64_t word = base == 0 ? mask.low : mask.high; word != 0; word &= word - 1) {
      f(walk.offset(repeat, base + static_cast<uint32_t>(std::countr_zero(word))), kSize);
    }
  }
}
template <typename F>
void for_each_element(const Walk& walk, uint32_t repeat, LaneMask mask, F&& f) {
  switch (walk.bits) {
    case 8:
      return for_each_element_of<1>(walk, repeat, mask, f);
    case 16:
      return for_each_element_of<2>(walk, repeat, mask, f);
    case 32:
      return for_each_element_of<4>(walk, repeat, mask, f);
    default:
      return for_each_element_of<8>(walk, repeat, mask, f);
  }
}

/// Bytes of one element in a dense buffer.
uint32_t buffer_bytes(const Walk& walk) {
  return walk.bits < 8 ? 1 : walk.bits / 8;
}

bool aligned(const Lane& lane) {
  return lane.base == nullptr || reinterpret_cast<uintptr_t>(lane.base) % buffer_bytes(lane.walk) == 0;
}

/// Loops may run over both in one go: nothing shared, or exactly the same elements.
bool separate(const Lane& dst, uint64_t dst_bytes, const Lane& src, uint64_t src_bytes) {
  if (src.base == nullptr) return true;
  if (dst.base == src.base && dst.walk.bits == src.walk.bits) return true;
  return dst.base + dst_bytes <= src.base || src.base + src_bytes <= dst.base;
}

bool flat_lane(const Lane& lane, const LaneShape& shape) {
  return lane.base == nullptr || (lane.walk.bits >= 8 && is_flat(lane.walk, shape) && aligned(lane));
}

/// Where one repeat of an operand can be used in place: dense, aligned, no 4-bit elements.
std::byte* in_place(const Lane& lane, uint32_t repeat, LaneMask mask) {
  if (lane.walk.bits < 8 || !mask.leading_only() || !lane.walk.dense(mask.end())) return nullptr;
  std::byte* at = lane.base + lane.walk.offset(repeat, 0);
  return reinterpret_cast<uintptr_t>(at) % buffer_bytes(lane.walk) == 0 ? at : nullptr;
}

const std::byte* source_of(const Lane& lane, uint32_t repeat, LaneMask mask, RepeatBuffer& buffer) {
  if (lane.base == nullptr) return nullptr;
  if (std::byte* at = in_place(lane, repeat, mask)) return at;
  gather_lanes(lane, repeat, mask, buffer.bytes);
  return buffer.bytes;
}

/// A destination used in place must not cut into a source that is used in place.
bool clear_of(const std::byte* dst, uint64_t dst_bytes, const std::byte* src, uint64_t src_bytes, bool same_bits) {
  return src == nullptr || (dst == src && same_bits) || dst + dst_bytes <= src || src + src_bytes <= dst;
}

void run_repeat(const LaneRun& run, uint32_t repeat, simd::Kernel kernel, simd::KernelArgs& args) {
  RepeatBuffer dst_buffer, src0_buffer, src1_buffer;
  const LaneMask mask = run.shape.of(repeat);
  const uint32_t lanes = mask.count();
  const std::byte* a = source_of(run.src0, repeat, mask, src0_buffer);
  const std::byte* b = source_of(run.src1, repeat, mask, src1_buffer);
  std::byte* out = in_place(run.dst, repeat, mask);
  if (out != nullptr) {
    const uint64_t bytes = run.dst.walk.bytes(lanes);
    const bool clear = clear_of(out, bytes, a, run.src0.walk.bytes(lanes), run.src0.walk.bits == run.dst.walk.bits) &&
                       clear_of(out, bytes, b, run.src1.walk.bytes(lanes), run.src1.walk.bits == run.dst.walk.bits);
    if (!clear) out = nullptr;
  }
  args.n = lanes;
  args.src0 = a;
  args.src1 = b;
  args.dst = out != nullptr ? out : dst_buffer.bytes;
  if (out == nullptr && run.dst_is_read) gather_lanes(run.dst, repeat, mask, dst_buffer.bytes);
  kernel(args);
  if (out == nullptr) scatter_lanes(run.dst, repeat, mask, dst_buffer.bytes);
}

}  // namespace

bool runs_flat(const LaneRun& run) {
  if (!flat_lane(run.dst, run.shape) || !flat_lane(run.src0, run.shape) || !flat_lane(run.src1, run.shape))
    return false;
  const uint64_t dst_bytes = run.dst.walk.bytes(run.shape.total);
  return separate(run.dst, dst_bytes, run.src0, run.src0.walk.bytes(run.shape.total)) &&
         separate(run.dst, dst_bytes, run.src1, run.src1.walk.bytes(run.shape.total));
}

void gather_lanes(const Lane& lane, uint32_t repeat, LaneMask mask, void* out) {
  auto* to = static_cast<std::byte*>(out);
  if (lane.walk.bits < 8) {
    for (uint32_t i = 0; i < 128; ++i) {
      if (!mask.test(i)) continue;
      *to++ = static_cast<std::byte>(nibble(lane.base, lane.walk.offset(repeat, i), i % 2 != 0));
    }
    return;
  }
  if (!mask.leading_only()) {
    const std::byte* from = lane.base;
    for_each_element(lane.walk, repeat, mask, [&](uint64_t offset, auto size) {
      std::memcpy(to, from + offset, size());
      to += size();
    });
    return;
  }
  for_each_piece(lane.walk, repeat, mask, [&](uint64_t offset, uint32_t, uint32_t lanes) {
    const uint64_t bytes = lane.walk.bytes(lanes);
    copy_piece(to, lane.base + offset, bytes);
    to += bytes;
  });
}

void scatter_lanes(const Lane& lane, uint32_t repeat, LaneMask mask, const void* in) {
  const auto* from = static_cast<const std::byte*>(in);
  if (lane.walk.bits < 8) {
    for (uint32_t i = 0; i < 128; ++i) {
      if (!mask.test(i)) continue;
      set_nibble(lane.base, lane.walk.offset(repeat, i), i % 2 != 0, static_cast<int8_t>(*from++));
    }
    return;
  }
  if (!mask.leading_only()) {
    std::byte* to = lane.base;
    for_each_element(lane.walk, repeat, mask, [&](uint64_t offset, auto size) {
      std::memcpy(to + offset, from, size());
      from += size();
    });
    return;
  }
  for_each_piece(lane.walk, repeat, mask, [&](uint64_t offset, uint32_t, uint32_t lanes) {
    const uint64_t bytes = lane.walk.bytes(lanes);
    copy_piece(lane.base + offset, from, bytes);
    from += bytes;
  });
}

LaneRun lane_run(const gate::Request& request, const machine::Memories& memories, const LaneShape& shape) {
  LaneRun run;
  run.shape = shape;
  Lane* lanes[] = {&run.dst, &run.src0, &run.src1};
  for (int i = 0; i < request.operand_count && i < 3; ++i) {
    if (request.operand[i].space == gate::Space::kNone) continue;
    lanes[i]->base = memories.at(request.operand[i]);
    lanes[i]->walk = walk_of(request, i, shape.lanes);
  }
  return run;
}

void run_lanes(const LaneRun& run, simd::Kernel kernel, simd::KernelArgs args) {
  if (run.shape.repeats == 0) return;
  if (runs_flat(run)) {
    args.dst = run.dst.base;
    args.src0 = run.src0.base;
    args.src1 = run.src1.base;
    args.n = run.shape.total;
    return kernel(args);
  }
  for (uint32_t repeat = 0; repeat < run.shape.repeats; ++repeat) run_repeat(run, repeat, kernel, args);
}

}  // namespace ascsan::isa
