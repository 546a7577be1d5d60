// Compare, CompareScalar, the CMPMASK register and Select in its three modes, against element-wise references.
#include "vector_gate.h"
#include "vector_reference.h"

namespace vec {
namespace {

using namespace AscendC;

class CompareSelect : public Test {
 protected:
  float value() {
    constexpr float kSpecial[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1.0f, -1.0f, 65504.0f};
    return chance(30) ? kSpecial[pick(0, 7)] : static_cast<float>(static_cast<int>(pick(0, 40)) - 20) / 4;
  }
  /// NaN compares false in every mode, NE included.
  static bool holds(double a, double b, int mode) {
    if (std::isnan(a) || std::isnan(b)) return false;
    const bool truth[] = {a<b, a> b, a == b, a <= b, a >= b, a != b};
    return truth[mode];
  }
  template <typename T>
  static double number(uint64_t address) {
    if constexpr (std::is_same_v<T, half>)
      return ref::half_value(load<uint16_t>(address));
    else
      return static_cast<double>(load<T>(address));
  }
  template <typename T>
  void fill(size_t begin, size_t end) {
    for (size_t at = begin; at < end; at += sizeof(T)) {
      const float x = value();
      if constexpr (std::is_same_v<T, half>)
        store<uint16_t>(at, ref::half_bits(x));
      else if constexpr (std::is_same_v<T, int32_t>)
        store<int32_t>(at, std::isfinite(x) ? static_cast<int32_t>(x) : 7);
      else
        store<T>(at, x);
    }
  }
  bool bit(uint64_t address, uint64_t i) { return ((load<uint8_t>(address + i / 8) >> (i % 8)) & 1) != 0; }

  template <typename T>
  void compare(int rounds) {
    constexpr uint32_t kLanes = 256 / sizeof(T);
    const bool only_equal = std::is_same_v<T, int32_t>;
    for (int round = 0; round < rounds; ++round) {
      fill_random(0, 4096);
      fill<T>(8192, 24576);
      const std::vector<std::byte> before = core().ub;
      const int mode = only_equal ? 2 : static_cast<int>(pick(0, 5));
      const bool count_form = chance(50), scalar = chance(50);
      const uint32_t repeats = pick(0, 6);
      const float s = only_equal ? 3.0f : value();
      BinaryRepeatParams p{
          1, static_cast<uint8_t>(count_form ? 1 : pick(0, 3)),  static_cast<uint8_t>(count_form ? 1 : pick(0, 3)),
          8, static_cast<uint8_t>(count_form ? 8 : pick(0, 12)), static_cast<uint8_t>(count_form ? 8 : pick(0, 12))};
      const auto d = tensor<uint8_t>(0, 4096);
      const auto a = tensor<T>(8192, 2000), b = tensor<T>(16384, 2000);
      const auto m = static_cast<CMPMODE>(mode);
      core().clear();
      core().prove = round % 8 == 0;
      core().registers.mask_low = 5;  // tensor forms ignore the mask
      if (scalar && count_form)
        CompareScalar(d, a, static_cast<T>(s), m, repeats * kLanes);
      else if (scalar)
        CompareScalar(d, a, static_cast<T>(s), m, uint64_t{kLanes}, static_cast<int32_t>(repeats),
                      {1, p.src0BlkStride, 8, p.src0RepStride});
      else if (count_form)
        Compare(d, a, b, m, repeats * kLanes);
      else
        Compare(d, a, b, m, uint64_t{kLanes}, static_cast<int32_t>(repeats), p);
      for (uint32_t r = 0; r < repeats; ++r) {
        for (uint32_t i = 0; i < kLanes; ++i) {
          const uint64_t at0 =
              ref::lane_address({8192, sizeof(T), p.src0BlkStride, p.src0RepStride, false}, kLanes, r, i);
          const uint64_t at1 =
              ref::lane_address({16384, sizeof(T), p.src1BlkStride, p.src1RepStride, false}, kLanes, r, i);
          const double right = scalar ? static_cast<double>(static_cast<float>(static_cast<T>(s))) : number<T>(at1);
          ASSERT_EQ(bit(0, uint64_t{r} * kLanes + i), holds(number<T>(at0), right, mode))
              << "repeat " << r << " lane " << i << " mode " << mode;
        }
      }
      const uint32_t bytes = repeats * kLanes / 8;
      EXPECT_EQ(std::memcmp(core().ub.data() + bytes, before.data() + bytes, 512), 0);
      for (uint32_t i = 0; i < 1024; ++i) ASSERT_EQ(core().last_writes[i], i < bytes ? 1 : 0);
      EXPECT_TRUE(core().violations.empty()) << core().texts();
    }
  }
};

TEST_F(CompareSelect, TensorForms) {
  compare<float>(1000);
  compare<half>(1000);
  compare<int32_t>(500);
}

TEST_F(CompareSelect, CountTailIsReportedAndLeftAlone) {
  fill<float>(8192, 24576);
  fill_random(0, 4096);
  const std::vector<std::byte> before = core().ub;
  Compare(tensor<uint8_t>(0, 4096), tensor<float>(8192, 1000), tensor<float>(16384, 1000), CMPMODE::LT, 100);
  EXPECT_TRUE(core().violated("length"));
  EXPECT_EQ(std::memcmp(core().ub.data() + 8, before.data() + 8, 100), 0);
}

TEST_F(CompareSelect, RegisterFormHonoursTheMask) {
  for (int round = 0; round < 500; ++round) {
    fill<half>(8192, 24576);
    core().clear();
    const uint64_t mask[2] = {word(), word()};
    const int mode = static_cast<int>(pick(0, 5));
    Compare(tensor<half>(8192, 1000), tensor<half>(16384, 1000), static_cast<CMPMODE>(mode), mask, {1, 1, 2, 8, 8, 8});
    GetCmpMask(tensor<uint8_t>(512, 128));
    for (uint32_t i = 0; i < 128; ++i) {
      const bool enabled = ((i < 64 ? mask[0] >> i : mask[1] >> (i - 64)) & 1) != 0;
      const bool want =
          enabled && holds(number<half>(8192 + 2 * i), number<half>(16384 + i / 16 * 64 + i % 16 * 2), mode);
      ASSERT_EQ(bit(512, i), want) << i;
      ASSERT_EQ(((core().results.compare_mask[i / 64] >> (i % 64)) & 1) != 0, want);
    }
    EXPECT_EQ(core().registers.mask_low, mask[0]);
  }
}

TEST_F(CompareSelect, SetCmpMaskLoads16Bytes) {
  fill_random(0, 64);
  core().prove = true;
  SetCmpMask(tensor<uint8_t>(32, 16));
  EXPECT_EQ(core().results.compare_mask[0], load<uint64_t>(32));
  EXPECT_EQ(core().results.compare_mask[1], load<uint64_t>(40));
}

template <typename T>
void select_rounds(Test&, std::mt19937_64& random, int rounds) {
  constexpr uint32_t kLanes = 256 / sizeof(T);
  const auto pick = [&random](uint32_t low, uint32_t high) {
    return low + static_cast<uint32_t>(random() % (high - low + 1));
  };
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < kWindow; i += 8) store<uint64_t>(i, random());
    const int mode = static_cast<int>(pick(0, 2));
    const bool count_form = pick(0, 1) == 0;
    const uint32_t count = pick(0, 700), repeats = pick(0, 5);
    const uint64_t mask[2] = {random(), random()};
    const BinaryRepeatParams p{static_cast<uint8_t>(pick(1, 2)),  static_cast<uint8_t>(pick(0, 2)),
                               static_cast<uint8_t>(pick(0, 2)),  static_cast<uint8_t>(pick(0, 14)),
                               static_cast<uint8_t>(pick(0, 14)), static_cast<uint8_t>(pick(0, 14))};
    const bool in_place = pick(0, 3) == 0 && count_form;
    const uint32_t dst_at = in_place ? 8192 : 0;
    const auto d = tensor<T>(dst_at, 3000), a = tensor<T>(8192, 3000), b = tensor<T>(16384, 3000);
    const auto bits = tensor<uint8_t>(28672, 2048);
    const T scalar = from_raw_bits<T>(random() & 0xFFFFFFFFu & (sizeof(T) == 2 ? 0xFFFF : ~0ull));
    const std::vector<std::byte> before = core().ub;
    core().clear();
    const auto m = static_cast<SELMODE>(mode);
    if (mode == 1 && count_form)
      Select(d, bits, a, scalar, m, count);
    else if (mode == 1)
      Select(d, bits, a, scalar, m, mask, static_cast<int32_t>(repeats), p);
    else if (count_form)
      Select(d, bits, a, b, m, count);
    else
      Select(d, bits, a, b, m, mask, static_cast<int32_t>(repeats), p);
    std::vector<std::byte> expected = before;
    const ref::Lanes lanes =
        count_form ? ref::lanes_total(kLanes, count) : ref::lanes_masked(kLanes, mask[0], mask[1], repeats);
    const ref::Operand od{dst_at, sizeof(T), p.dstBlkStride, p.dstRepStride, count_form},
        oa{8192, sizeof(T), p.src0BlkStride, p.src0RepStride, count_form},
        ob{16384, sizeof(T), p.src1BlkStride, p.src1RepStride, count_form};
    for (uint32_t r = 0; r < lanes.size(); ++r) {
      for (uint32_t i : lanes[r]) {
        const uint64_t index = mode == 0 ? i : uint64_t{r} * kLanes + i;
        const bool first = ((static_cast<uint8_t>(before[28672 + index / 8]) >> (index % 8)) & 1) != 0;
        uint64_t value = raw_bits(scalar);
        if (first)
          std::memcpy(&value, expected.data() + ref::lane_address(oa, kLanes, r, i), sizeof(T));
        else if (mode != 1)
          std::memcpy(&value, expected.data() + ref::lane_address(ob, kLanes, r, i), sizeof(T));
        std::memcpy(expected.data() + ref::lane_address(od, kLanes, r, i), &value, sizeof(T));
      }
    }
    ASSERT_EQ(std::memcmp(core().ub.data(), expected.data(), kWindow), 0)
        << "round " << round << " mode " << mode << " count form " << count_form;
  }
}

TEST_F(CompareSelect, SelectAllModes) {
  select_rounds<float>(*this, random_, 1000);
  select_rounds<half>(*this, random_, 1000);
}

TEST_F(CompareSelect, SelectFootprintsAreExact) {
  for (int round = 0; round < 300; ++round) {
    fill_random(0, kWindow);
    core().clear();
    core().prove = true;
    const uint64_t mask[2] = {word(), word() & word()};
    const BinaryRepeatParams p{
        1, static_cast<uint8_t>(pick(0, 2)), 1, static_cast<uint8_t>(pick(8, 12)), static_cast<uint8_t>(pick(0, 10)),
        8};
    if (chance(50))
      Select(tensor<half>(0, 3000), tensor<uint8_t>(28672, 512), tensor<half>(8192, 3000), tensor<half>(16384, 3000),
             SELMODE::VSEL_TENSOR_TENSOR_MODE, mask, 4, p);
    else
      Select(tensor<float>(0, 3000), tensor<uint8_t>(28672, 512), tensor<float>(8192, 3000), 1.5f,
             SELMODE::VSEL_TENSOR_SCALAR_MODE, pick(0, 600));
  }
}

TEST_F(CompareSelect, SelectExpandsAsTheFrameworkDoes) {
  const auto ops = [] { return core().log; };
  Select(tensor<float>(0, 64), tensor<uint8_t>(1024, 32), tensor<float>(2048, 64), tensor<float>(4096, 64),
         SELMODE::VSEL_CMPMASK_SPR, 64);
  EXPECT_EQ(ops(), (std::vector<Op>{Op::kSetCmpMask, Op::kPipeBarrier, Op::kSelect, Op::kPipeBarrier}));
  core().clear();
  Select(tensor<float>(0, 64), tensor<uint8_t>(1024, 32), tensor<float>(2048, 64), tensor<float>(4096, 64),
         SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);
  EXPECT_EQ(ops(),
            (std::vector<Op>{Op::kSelectStage, Op::kPipeBarrier, Op::kSetCmpMask, Op::kPipeBarrier, Op::kSelect}));
  EXPECT_EQ(core().requests[0].operand[0].address, TMP_UB_OFFSET);
  EXPECT_EQ(load<uint32_t>(TMP_UB_OFFSET), 1024u) << "the scratch holds the address of the mask";
}

TEST_F(CompareSelect, SelectFormsWithoutMaskArgument) {
  for (int round = 0; round < 200; ++round) {
    fill_random(0, kWindow);
    const std::vector<std::byte> before = core().ub;
    core().clear();
    const int mode = static_cast<int>(pick(0, 2));
    const auto d = tensor<float>(0, 64), a = tensor<float>(8192, 64), b = tensor<float>(16384, 64);
    const auto bits = tensor<uint8_t>(28672, 64);
    SetVectorMask<float>(64);
    if (mode == 0) {
      SetCmpMask(bits);
      Select<float, SELMODE::VSEL_CMPMASK_SPR>(d, a, b, 2, {1, 1, 1, 8, 8, 8});
    } else if (mode == 1) {
      SetCmpMask(tensor<uint8_t>(20480, 16));
      Select<float, uint8_t>(d, bits, a, 2, {1, 1, 1, 8, 8, 8});
    } else {
      store<uint32_t>(20480, 28672);
      SetCmpMask(tensor<uint8_t>(20480, 16));
      core().prove = true;
      Select<float, SELMODE::VSEL_TENSOR_TENSOR_MODE>(d, a, b, 2, {1, 1, 1, 8, 8, 8});
    }
    for (uint32_t i = 0; i < 128; ++i) {
      const uint32_t index = mode == 0 ? i % 64 : i;
      const bool first = ((static_cast<uint8_t>(before[28672 + index / 8]) >> (index % 8)) & 1) != 0;
      const uint32_t other = mode == 1 ? load<uint32_t>(20480) : load<uint32_t>(16384 + 4 * i);
      ASSERT_EQ(load<uint32_t>(4 * i), first ? load<uint32_t>(8192 + 4 * i) : other) << mode << " " << i;
    }
  }
}

}  // namespace
}  // namespace vec
