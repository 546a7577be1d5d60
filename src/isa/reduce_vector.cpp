#include "isa/reduce_vector.h"

#include <algorithm>

#include "isa/fp.h"
#include "isa/simd/reduce.h"

namespace ascsan::isa {
namespace {
constexpr uint32_t kMinusZero = 0x80000000u;
constexpr uint16_t kHalfMinusZero = 0x8000u;
}  // namespace

bool reducible(gate::DataType type) {
  return type == gate::DataType::kHalf || type == gate::DataType::kFloat;
}

void RepeatValues::load(const Lane& lane, uint32_t repeat, LaneMask mask, uint32_t lanes) {
  half_ = lane.walk.bits == 16;
  mask_ = mask;
  values_ = raw_.bytes;
  if (mask.count() < lanes) {
    if (half_)
      std::fill_n(reinterpret_cast<uint16_t*>(raw_.bytes), lanes, kHalfMinusZero);
    else
      std::fill_n(reinterpret_cast<uint32_t*>(raw_.bytes), lanes, kMinusZero);
  } else if (lane.walk.block_stride == kBlockBytes) {
    const std::byte* at = lane.base + lane.walk.offset(repeat, 0);
    if (reinterpret_cast<uintptr_t>(at) % 4 == 0) {
      values_ = at;
      return;
    }
  }
  for_each_piece(lane.walk, repeat, mask, [&](uint64_t offset, uint32_t first, uint32_t count) {
    std::memcpy(raw_.bytes + lane.walk.bytes(first), lane.base + offset, lane.walk.bytes(count));
  });
}

uint32_t RepeatValues::sum(uint32_t first, uint32_t width, bool saturate) const {
  if (half_) return simd::tree_sum_half(reinterpret_cast<const uint16_t*>(values_) + first, width, saturate);
  return std::bit_cast<uint32_t>(simd::tree_sum(reinterpret_cast<const float*>(values_) + first, width));
}

uint32_t RepeatValues::extreme(uint32_t first, uint32_t width, bool largest) const {
  float wide[128], dense[128];
  const float* values = reinterpret_cast<const float*>(values_) + first;
  if (half_) {
    simd::widen(wide, reinterpret_cast<const uint16_t*>(values_) + first, width);
    values = wide;
  }
  const LaneMask part = first == 0 ? mask_ : LaneMask{first < 64 ? mask_.low >> first : mask_.high >> (first - 64), 0};
  if ((part & LaneMask::leading(width)) == LaneMask::leading(width)) {
    return first + simd::first_extreme(values, width, largest);
  }
  uint8_t lane_of[128];
  uint32_t n = 0;
  for (uint32_t i = 0; i < width; ++i) {
    lane_of[n] = static_cast<uint8_t>(first + i);
    dense[n] = values[i];
    n += mask_.test(first + i) ? 1 : 0;
  }
  return lane_of[simd::first_extreme(dense, n, largest)];
}

uint32_t RepeatValues::bits(uint32_t lane, bool saturate) const {
  if (half_) {
    uint16_t bits;
    std::memcpy(&bits, values_ + lane * 2, 2);
    if ((bits & 0x7FFFu) > 0x7C00u) bits = fp::kHalfNanBits;
    return saturate ? fp::saturate_half(bits) : bits;
  }
  uint32_t bits;
  std::memcpy(&bits, values_ + lane * 4, 4);
  return (bits & 0x7FFFFFFFu) > 0x7F800000u ? fp::kNanBits : bits;
}

uint32_t add_elements(gate::DataType type, uint32_t a, uint32_t b, bool saturate) {
  if (type == gate::DataType::kHalf) {
    const uint16_t pair[2] = {static_cast<uint16_t>(a), static_cast<uint16_t>(b)};
    return simd::tree_sum_half(pair, 2, saturate);
  }
  const float pair[2] = {std::bit_cast<float>(a), std::bit_cast<float>(b)};
  return std::bit_cast<uint32_t>(simd::tree_sum(pair, 2));
}

uint32_t tree_over(gate::DataType type, const std::byte* values, uint64_t count, bool saturate) {
  const uint32_t bytes = gate::bytes_of(type), lanes = kRepeatBytes / bytes;
  if (count == 0) return 0;  // no groups would never become one
  std::vector<std::byte> level(values, values + count * bytes), next;
  while (true) {
    const uint64_t groups = (count + lanes - 1) / lanes;
    next.resize(groups * bytes);
    for (uint64_t g = 0; g < groups; ++g) {
      const auto part = static_cast<uint32_t>(std::min<uint64_t>(lanes, count - g * lanes));
      RepeatValues group;
      group.load({level.data() + g * kRepeatBytes, {0, bytes * 8, kBlockBytes, kRepeatBytes}}, 0,
                 LaneMask::leading(part), lanes);
      store_element(next.data() + g * bytes, group.sum(0, lanes, saturate), bytes);
    }
    if (groups == 1) return load_element(next.data(), bytes);
    level.swap(next);
    count = groups;
  }
}

Walk reduce_source(const gate::Request& request, int index, uint32_t lanes) {
  Walk walk = walk_of(request, 1, lanes);  // strides of src0 wherever the source stands
  walk.address = request.operand[index].address;
  walk.bits = gate::bits_of(request.operand[index].type);
  if (request.mask_form == gate::MaskForm::kCount) walk.repeat_stride = kRepeatBytes;
  return walk;
}

}  // namespace ascsan::isa
