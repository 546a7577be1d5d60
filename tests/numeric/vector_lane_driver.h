// Runs lane instructions in every call shape on random layouts and compares the whole memory with a simulation that
// works element by element, the declared footprint with the simulated one, and the mask registers with what the call
// must leave.
#pragma once

#include <functional>

#include "vector_gate.h"
#include "vector_reference.h"

namespace vec {

enum class Shape { kCount, kBits, kLanes, kRegister, kCounterLanes, kCounterRegister };
constexpr int kShapes = 6;

struct Form {
  Shape shape = Shape::kCount;
  uint32_t count = 0;
  uint64_t bits[2] = {0, 0};
  uint64_t lanes = 0;
  int32_t repeat = 1;
  AscendC::BinaryRepeatParams binary;
  AscendC::UnaryRepeatParams unary() const {
    return {binary.dstBlkStride, binary.src0BlkStride, binary.dstRepStride, binary.src0RepStride};
  }
};

/// Calls one of: count(n), masked(mask argument), registered().
template <typename T, typename Count, typename Masked, typename Registered>
void dispatch(const Form& form, Count&& count, Masked&& masked, Registered&& registered) {
  switch (form.shape) {
    case Shape::kCount:
      return count(static_cast<int32_t>(form.count));
    case Shape::kBits:
      return masked(static_cast<const uint64_t*>(form.bits));
    case Shape::kLanes:
      return masked(form.lanes);
    case Shape::kRegister:
      AscendC::SetVectorMask<T>(form.bits[1], form.bits[0]);
      return registered();
    case Shape::kCounterLanes:
      AscendC::SetMaskCount();
      return masked(static_cast<uint64_t>(form.count));
    case Shape::kCounterRegister:
      AscendC::SetMaskCount();
      AscendC::SetVectorMask<T, AscendC::MaskMode::COUNTER>(static_cast<int32_t>(form.count));
      return registered();
  }
}

struct Place {
  uint32_t dst = 0, src0 = 0, src1 = 0;
  uint64_t scalar = 0;
};

using Value = std::function<uint64_t(uint64_t a, uint64_t b, uint64_t old, uint64_t scalar)>;
using Fill = std::function<uint64_t()>;

struct LaneCase {
  std::string name;
  uint32_t dst_bytes, src_bytes;
  int sources;
  bool reads_dst;
  std::function<void(const Form&, const Place&)> call;
  Value value;
  Fill fill_src, fill_dst, fill_scalar;
};

class LaneTest : public Test {
 protected:
  static constexpr uint32_t kRegion = 8192;

  void run(const LaneCase& test, int rounds) { run_shapes(test, rounds, kShapes); }
  /// The first `shapes` call shapes in turn.
  void run_shapes(const LaneCase& test, int rounds, int shapes) {
    dst_pool_.clear();
    src_pool_.clear();
    for (int i = 0; i < rounds; ++i) {
      SCOPED_TRACE(test.name + " round " + std::to_string(i));
      one(test, i, static_cast<Shape>(i % shapes));
      if (HasFailure()) return;
    }
  }

 private:
  Form random_form(const LaneCase& test, uint32_t lanes, Shape shape) {
    Form form;
    form.shape = shape;
    constexpr uint32_t kCounts[] = {0, 1, 7, 8, 63, 64, 65, 127, 128, 129, 251, 256, 509};
    form.count = chance(50) ? kCounts[pick(0, 12)] : pick(0, lanes <= 32 ? 700 : 1300);
    if (shape != Shape::kCount) form.count = std::min(form.count, 6 * lanes);
    form.bits[0] = chance(30) ? ~0ull : chance(20) ? 1ull << pick(0, 63) : word() & (chance(50) ? word() : ~0ull);
    form.bits[1] = lanes <= 64 ? 0 : chance(30) ? ~0ull : chance(10) ? 0 : word() & word();
    if (lanes == 32) form.bits[0] &= 0xFFFFFFFFull;
    if (chance(3)) form.bits[0] = form.bits[1] = 0;
    form.lanes = chance(40) ? lanes : pick(0, lanes);
    form.repeat = static_cast<int32_t>(chance(10) ? pick(0, 16) : pick(0, 6));
    const bool plain = chance(30);
    const auto dst_rep = static_cast<uint8_t>(lanes * test.dst_bytes / 32),
               src_rep = static_cast<uint8_t>(lanes * test.src_bytes / 32);
    form.binary = {1, 1, 1, dst_rep, src_rep, src_rep};
    if (!plain) {
      const uint32_t most = form.repeat > 6 ? 10 : 30;
      form.binary.dstBlkStride = static_cast<uint8_t>(pick(1, 3));
      form.binary.src0BlkStride = static_cast<uint8_t>(pick(0, 3));
      form.binary.src1BlkStride = static_cast<uint8_t>(pick(0, 3));
      form.binary.dstRepStride = static_cast<uint8_t>(chance(40) ? dst_rep : pick(0, most));
      form.binary.src0RepStride = static_cast<uint8_t>(chance(40) ? src_rep : pick(0, most));
      form.binary.src1RepStride = static_cast<uint8_t>(chance(40) ? src_rep : pick(0, most));
    }
    return form;
  }

  Place random_place(const LaneCase& test, Form& form) {
    Place place;
    place.dst = pick(0, 40) * 32;
    place.src0 = kRegion + pick(0, 40) * 32;
    place.src1 = 2 * kRegion + pick(0, 40) * 32;
    const uint32_t alias = pick(0, 99);
    if (alias < 15 && test.dst_bytes == test.src_bytes) {  // in place
      place.dst = place.src0;
      form.binary.dstBlkStride = std::max<uint8_t>(1, form.binary.src0BlkStride);
      form.binary.src0BlkStride = form.binary.dstBlkStride;
      form.binary.dstRepStride = form.binary.src0RepStride;
    } else if (alias < 25 && test.sources == 2 && test.dst_bytes == test.src_bytes) {  // accumulation into src1
      place.dst = place.src1;
      form.binary.dstBlkStride = std::max<uint8_t>(1, form.binary.src1BlkStride);
      form.binary.src1BlkStride = form.binary.dstBlkStride;
      form.binary.dstRepStride = form.binary.src1RepStride = chance(50) ? 0 : form.binary.src1RepStride;
    } else if (alias < 33) {  // overlap that the device forbids; the order of repeats still decides
      place.dst = place.src0 + pick(0, 20) * 32;
    }
    place.scalar = test.fill_scalar();
    return place;
  }

  void one(const LaneCase& test, int round, Shape shape) {
    const uint32_t lanes = 256 / std::max(test.dst_bytes, test.src_bytes);
    Form form = random_form(test, lanes, shape);
    const Place place = random_place(test, form);
    fill_values(0, kRegion, test.dst_bytes, dst_pool_, test.fill_dst);
    fill_values(kRegion, 3 * kRegion, test.src_bytes, src_pool_, test.fill_src);
    std::vector<std::byte> expected(core().ub.begin(), core().ub.begin() + kWindow);
    std::vector<uint8_t> reads(kWindow), writes(kWindow);
    simulate(test, form, place, lanes, expected, reads, writes);

    core().clear();
    core().prove = round % 8 == 3;
    test.call(form, place);
    compare(form, place, expected, reads, writes);
    expect_registers(form, lanes);
  }

  std::vector<std::byte> dst_pool_, src_pool_;

  static ref::Lanes lanes_of(const Form& form, uint32_t lanes) {
    switch (form.shape) {
      case Shape::kBits:
      case Shape::kRegister:
        return ref::lanes_masked(lanes, form.bits[0], form.bits[1], static_cast<uint32_t>(form.repeat));
      case Shape::kLanes: {
        const uint64_t n = std::min<uint64_t>(form.lanes, lanes);
        return ref::lanes_masked(lanes, n >= 64 ? ~0ull : (1ull << n) - 1,
                                 n >= 128  ? ~0ull
                                 : n <= 64 ? 0
                                           : (1ull << (n - 64)) - 1,
                                 static_cast<uint32_t>(form.repeat));
      }
      default:
        return ref::lanes_total(lanes, form.count);
    }
  }

  static void simulate(const LaneCase& test, const Form& form, const Place& place, uint32_t lanes,
                       std::vector<std::byte>& memory, std::vector<uint8_t>& reads, std::vector<uint8_t>& writes) {
    const bool dense = form.shape == Shape::kCount;
    const ref::Operand dst{place.dst, test.dst_bytes, form.binary.dstBlkStride, form.binary.dstRepStride, dense};
    const ref::Operand src0{place.src0, test.src_bytes, form.binary.src0BlkStride, form.binary.src0RepStride, dense};
    const ref::Operand src1{place.src1, test.src_bytes, form.binary.src1BlkStride, form.binary.src1RepStride, dense};
    const auto get = [&](const ref::Operand& operand, uint32_t r, uint32_t lane) {
      const uint64_t at = ref::lane_address(operand, lanes, r, lane);
      uint64_t value = 0;
      std::memcpy(&value, memory.data() + at, operand.bytes);
      std::fill_n(reads.begin() + static_cast<ptrdiff_t>(at), operand.bytes, 1);
      return value;
    };
    const ref::Lanes all = lanes_of(form, lanes);
    for (uint32_t r = 0; r < all.size(); ++r) {
      std::vector<uint64_t> results;
      for (uint32_t lane : all[r]) {
        const uint64_t a = test.sources > 0 ? get(src0, r, lane) : 0, b = test.sources > 1 ? get(src1, r, lane) : 0;
        results.push_back(test.value(a, b, test.reads_dst ? get(dst, r, lane) : 0, place.scalar));
      }
      for (size_t i = 0; i < all[r].size(); ++i) {
        const uint64_t at = ref::lane_address(dst, lanes, r, all[r][i]);
        std::memcpy(memory.data() + at, &results[i], dst.bytes);
        std::fill_n(writes.begin() + static_cast<ptrdiff_t>(at), dst.bytes, 1);
      }
    }
  }

  static std::string describe(const Form& form, const Place& place) {
    const auto& p = form.binary;
    return "shape " + std::to_string(static_cast<int>(form.shape)) + " count " + std::to_string(form.count) + " bits " +
           std::to_string(form.bits[0]) + "," + std::to_string(form.bits[1]) + " lanes " + std::to_string(form.lanes) +
           " repeat " + std::to_string(form.repeat) + " strides " + std::to_string(p.dstBlkStride) + "," +
           std::to_string(p.src0BlkStride) + "," + std::to_string(p.src1BlkStride) + "," +
           std::to_string(p.dstRepStride) + "," + std::to_string(p.src0RepStride) + "," +
           std::to_string(p.src1RepStride) + " at " + std::to_string(place.dst) + "," + std::to_string(place.src0) +
           "," + std::to_string(place.src1) + " scalar " + std::to_string(place.scalar);
  }

  void compare(const Form& form, const Place& place, const std::vector<std::byte>& expected,
               const std::vector<uint8_t>& reads, const std::vector<uint8_t>& writes) {
    if (std::memcmp(core().ub.data(), expected.data(), kWindow) != 0) {
      const auto at = std::mismatch(expected.begin(), expected.end(), core().ub.begin()).first - expected.begin();
      uint32_t got = 0, want = 0;
      std::memcpy(&got, core().ub.data() + at / 4 * 4, 4);
      std::memcpy(&want, expected.data() + at / 4 * 4, 4);
      ADD_FAILURE() << "byte " << at << ": got word " << std::hex << got << " want " << want << std::dec << "\n"
                    << describe(form, place);
    }
    ASSERT_EQ(core().requests.size(), 1u) << core().texts();
    if (core().last_writes == writes && core().last_reads == reads) return;
    for (size_t b = 0; b < kWindow; ++b) {
      ASSERT_EQ(core().last_writes[b], writes[b]) << "write footprint at byte " << b << "\n" << describe(form, place);
      ASSERT_EQ(core().last_reads[b], reads[b]) << "read footprint at byte " << b << "\n" << describe(form, place);
    }
  }

  void expect_registers(const Form& form, uint32_t lanes) {
    const gate::Registers& r = core().registers;
    switch (form.shape) {
      case Shape::kCount:
        EXPECT_FALSE(r.counter_mode);
        EXPECT_EQ(r.mask_low, ~0ull);
        EXPECT_EQ(r.mask_high, ~0ull);
        return;
      case Shape::kBits:
      case Shape::kRegister:
        EXPECT_EQ(r.mask_low, form.bits[0]);
        if (lanes > 64) {
          EXPECT_EQ(r.mask_high, form.bits[1]);
        }
        return;
      case Shape::kLanes:
        for (uint32_t i = 0; i < lanes; ++i) {
          EXPECT_EQ(((i < 64 ? r.mask_low >> i : r.mask_high >> (i - 64)) & 1) != 0, i < form.lanes);
        }
        return;
      case Shape::kCounterLanes:
      case Shape::kCounterRegister:
        EXPECT_TRUE(r.counter_mode);
        EXPECT_EQ(r.mask_low, form.count);
        return;
    }
  }
};

}  // namespace vec
