// Reductions per repeat, block and pair, and the composite ReduceSum / ReduceMax / ReduceMin, against trees and scans
// written recursively; the order of the requests a composite call issues.
#include "vector_gate.h"
#include "vector_reference.h"

namespace vec {
namespace {

using namespace AscendC;

class Reduce : public Test {
 protected:
  template <typename T>
  static double number(uint64_t at) {
    if constexpr (std::is_same_v<T, half>)
      return ref::half_value(load<uint16_t>(at));
    else
      return load<float>(at);
  }
  template <typename T>
  static double rounded(double x) {
    if constexpr (std::is_same_v<T, half>)
      return ref::half_value(ref::half_bits(x));
    else
      return static_cast<double>(ref::f32(ref::float_bits(x)));
  }
  template <typename T>
  static uint32_t bits_of(double x) {
    if constexpr (std::is_same_v<T, half>)
      return ref::half_bits(x);
    else
      return ref::float_bits(x);
  }
  template <typename T>
  void fill(size_t begin, size_t end, bool special) {
    for (size_t at = begin; at < end; at += sizeof(T)) {
      double x = (static_cast<double>(pick(0, 4000)) - 2000) / 37;
      if (chance(20)) x = static_cast<double>(static_cast<int>(pick(0, 4)) - 2);
      if (special && chance(3)) {
        constexpr double kSpecial[] = {INFINITY, -INFINITY, NAN, 65504, -65504, -0.0, 0.0};
        x = kSpecial[pick(0, 6)];
      }
      const uint32_t bits = bits_of<T>(x);
      std::memcpy(core().ub.data() + at, &bits, sizeof(T));
    }
  }

  /// Lanes that take part, by position; absent ones pass their partner through.
  struct Item {
    bool present;
    double value;
  };
  template <typename T>
  static Item tree(const std::vector<Item>& items, size_t begin, size_t width) {
    if (width == 1) return items[begin];
    const Item a = tree<T>(items, begin, width / 2), b = tree<T>(items, begin + width / 2, width / 2);
    if (!a.present || !b.present) return a.present ? a : b;
    return {true, rounded<T>(a.value + b.value)};
  }
  static int extreme(const std::vector<Item>& items, size_t begin, size_t width, bool largest) {
    int best = -1;
    for (size_t i = begin; i < begin + width; ++i) {
      if (!items[i].present) continue;
      if (std::isnan(items[i].value)) return static_cast<int>(i);
      if (best < 0 || (largest ? items[i].value > items[static_cast<size_t>(best)].value
                               : items[i].value < items[static_cast<size_t>(best)].value))
        best = static_cast<int>(i);
    }
    return best;
  }

  enum class What { kSum, kMax, kMin };

  /// One repeat as items.
  template <typename T>
  static std::vector<Item> items_of(uint64_t src, uint32_t block, uint32_t rep, uint32_t r,
                                    const std::vector<uint32_t>& lanes) {
    constexpr uint32_t kLanes = 256 / sizeof(T);
    std::vector<Item> items(kLanes, {false, 0});
    for (uint32_t lane : lanes)
      items[lane] = {true, number<T>(ref::lane_address({src, sizeof(T), block, rep, false}, kLanes, r, lane))};
    return items;
  }

  template <typename T>
  void whole(What what, int rounds) {
    constexpr uint32_t kLanes = 256 / sizeof(T);
    for (int round = 0; round < rounds; ++round) {
      fill<T>(8192, 24576, round % 3 == 0);
      fill_random(0, 4096);
      const std::vector<std::byte> before = core().ub;
      const uint64_t mask[2] = {chance(30) ? ~0ull : word(), sizeof(T) == 2 ? (chance(30) ? ~0ull : word()) : 0};
      const uint32_t repeat = pick(0, 6), block = pick(0, 2), rep = pick(0, 20), dst_rep = pick(1, 5),
                     lead = pick(0, kLanes);
      const int shape = static_cast<int>(pick(0, 3));
      const auto order = static_cast<ReduceOrder>(pick(0, 3));
      const auto d = tensor<T>(0, 1000), s = tensor<T>(8192, 4000);
      core().clear();
      core().prove = round % 8 == 0;
      const ref::Lanes lanes = shape == 0   ? ref::lanes_masked(kLanes, mask[0], mask[1], repeat)
                               : shape == 1 ? ref::lanes_masked(kLanes, lead >= 64 ? ~0ull : (1ull << lead) - 1,
                                                                lead <= 64    ? 0
                                                                : lead >= 128 ? ~0ull
                                                                              : (1ull << (lead - 64)) - 1,
                                                                repeat)
                                            : ref::lanes_total(kLanes, pick(0, 5 * kLanes));
      uint64_t total = 0;
      for (const auto& one : lanes) total += one.size();
      if (shape >= 2) {
        SetMaskCount();
        SetVectorMask<T, MaskMode::COUNTER>(static_cast<int32_t>(total));
      }
      const auto i32 = [](uint32_t x) { return static_cast<int32_t>(x); };
      if (what == What::kSum) {
        if (shape == 0)
          WholeReduceSum(d, s, mask, i32(repeat), i32(dst_rep), i32(block), i32(rep));
        else if (shape == 1)
          RepeatReduceSum(d, s, i32(repeat), i32(lead), 0, i32(block), i32(dst_rep), i32(rep));
        else
          WholeReduceSum<T, false>(d, s, MASK_PLACEHOLDER, i32(repeat), i32(dst_rep), i32(block), i32(rep));
      } else if (what == What::kMax) {
        if (shape == 0)
          WholeReduceMax(d, s, mask, i32(repeat), i32(dst_rep), i32(block), i32(rep), order);
        else if (shape == 1)
          WholeReduceMax(d, s, i32(lead), i32(repeat), i32(dst_rep), i32(block), i32(rep), order);
        else
          WholeReduceMax<T, false>(d, s, MASK_PLACEHOLDER, i32(repeat), i32(dst_rep), i32(block), i32(rep), order);
      } else {
        if (shape == 0)
          WholeReduceMin(d, s, mask, i32(repeat), i32(dst_rep), i32(block), i32(rep), order);
        else
          WholeReduceMin<T, false>(d, s, static_cast<int32_t>(shape == 1 ? lead : 0), i32(repeat), i32(dst_rep),
                                   i32(block), i32(rep), order);
      }
      if (what == What::kMin && shape == 1) continue;  // register form with all ones: covered by the others
      std::vector<std::byte> expected = before;
      const auto put = [&expected](uint64_t at, uint32_t bits, uint32_t bytes) {
        std::memcpy(expected.data() + at, &bits, bytes);
      };
      for (uint32_t r = 0; r < lanes.size(); ++r) {
        const std::vector<Item> items = items_of<T>(8192, block, rep, r, lanes[r]);
        if (what == What::kSum) {
          put(uint64_t{r} * dst_rep * sizeof(T), bits_of<T>(tree<T>(items, 0, kLanes).value), sizeof(T));
          continue;
        }
        const int lane = extreme(items, 0, kLanes, what == What::kMax);
        const uint32_t value = bits_of<T>(items[static_cast<size_t>(lane)].value);
        const auto index = static_cast<uint32_t>(lane);
        const uint64_t pair = uint64_t{r} * dst_rep * 2 * sizeof(T);
        if (order == ReduceOrder::ORDER_VALUE_INDEX)
          put(pair, value, sizeof(T)), put(pair + sizeof(T), index, sizeof(T));
        else if (order == ReduceOrder::ORDER_INDEX_VALUE)
          put(pair, index, sizeof(T)), put(pair + sizeof(T), value, sizeof(T));
        else if (order == ReduceOrder::ORDER_ONLY_VALUE)
          put(uint64_t{r} * dst_rep * sizeof(T), value, sizeof(T));
        else
          put(uint64_t{r} * dst_rep * 4, index, 4);
        EXPECT_TRUE(r + 1 < lanes.size() || (core().results.value == value && core().results.index == index));
      }
      ASSERT_EQ(std::memcmp(core().ub.data(), expected.data(), kWindow), 0)
          << "round " << round << " shape " << shape << " repeat " << repeat << " order " << static_cast<int>(order);
      EXPECT_TRUE(core().violations.empty()) << core().texts();
    }
  }

  template <typename T>
  void parts(int rounds) {
    constexpr uint32_t kLanes = 256 / sizeof(T);
    for (int round = 0; round < rounds; ++round) {
      fill<T>(8192, 24576, round % 3 == 0);
      fill_random(0, 8192);
      const std::vector<std::byte> before = core().ub;
      const uint64_t mask[2] = {chance(30) ? ~0ull : word() & word(),
                                sizeof(T) == 2 ? (chance(30) ? ~0ull : word() & word()) : 0};
      const uint32_t repeat = pick(0, 6), block = pick(0, 2), rep = pick(0, 20), dst_rep = pick(0, 4);
      const int kind = static_cast<int>(pick(0, 3));
      const auto d = tensor<T>(0, 2000), s = tensor<T>(8192, 4000);
      const auto r32 = static_cast<int32_t>(repeat), dr = static_cast<int32_t>(dst_rep),
                 b = static_cast<int32_t>(block), sr = static_cast<int32_t>(rep);
      core().clear();
      core().prove = round % 8 == 0;
      if (kind == 0)
        BlockReduceSum(d, s, r32, mask, dr, b, sr);
      else if (kind == 1)
        BlockReduceMax(d, s, r32, mask, dr, b, sr);
      else if (kind == 2)
        BlockReduceMin(d, s, r32, mask, dr, b, sr);
      else
        PairReduceSum(d, s, r32, mask, dr, b, sr);
      const uint32_t group = kind == 3 ? 2 : kLanes / 8;
      const uint64_t step = uint64_t{dst_rep} * (kind == 3 ? 128 : 8 * sizeof(T));
      std::vector<std::byte> expected = before;
      const ref::Lanes lanes = ref::lanes_masked(kLanes, mask[0], mask[1], repeat);
      for (uint32_t r = 0; r < lanes.size(); ++r) {
        const std::vector<Item> items = items_of<T>(8192, block, rep, r, lanes[r]);
        for (uint32_t g = 0; g < kLanes / group; ++g) {
          const int lane = extreme(items, g * group, group, kind == 1);
          if (lane < 0) continue;
          const bool sum = kind == 0 || kind == 3;
          const uint32_t bits =
              bits_of<T>(sum ? tree<T>(items, g * group, group).value : items[static_cast<size_t>(lane)].value);
          std::memcpy(expected.data() + r * step + g * sizeof(T), &bits, sizeof(T));
        }
      }
      ASSERT_EQ(std::memcmp(core().ub.data(), expected.data(), kWindow), 0)
          << "round " << round << " kind " << kind << " repeat " << repeat;
    }
  }

  template <typename T>
  double sequential_sum(uint64_t src, uint32_t count) {
    constexpr uint32_t kLanes = 256 / sizeof(T);
    double sum = 0;
    const ref::Lanes lanes = ref::lanes_total(kLanes, count);
    for (uint32_t r = 0; r < lanes.size(); ++r) {
      const Item part = tree<T>(items_of<T>(src, 1, 8, r, lanes[r]), 0, kLanes);
      sum = r == 0 ? part.value : rounded<T>(sum + part.value);
    }
    return sum;
  }
};

TEST_F(Reduce, WholeSum) {
  whole<float>(What::kSum, 1000);
  whole<half>(What::kSum, 1000);
}
TEST_F(Reduce, WholeMax) {
  whole<float>(What::kMax, 1000);
  whole<half>(What::kMax, 1000);
}
TEST_F(Reduce, WholeMin) {
  whole<float>(What::kMin, 1000);
  whole<half>(What::kMin, 1000);
}
TEST_F(Reduce, BlocksAndPairs) {
  parts<float>(1000);
  parts<half>(1000);
}

TEST_F(Reduce, SaturatingSumOfTheDocuments) {
  // 60000 + 60000 - 30000 + 100 by the tree: 65504 - 29900 = 35604, which rounds to 35616; Inf/NaN mode gives inf.
  const float x[] = {60000, 60000, -30000, 100};
  for (uint32_t i = 0; i < 4; ++i) store<uint16_t>(1024 + 2 * i, ref::half_bits(x[i]));
  WholeReduceSum(tensor<half>(0, 16), tensor<half>(1024, 128), 4, 1, 1, 1, 8);
  EXPECT_EQ(load<uint16_t>(0), 0x7C00);
  core().registers.float_saturate = true;
  WholeReduceSum(tensor<half>(0, 16), tensor<half>(1024, 128), 4, 1, 1, 1, 8);
  EXPECT_EQ(load<uint16_t>(0), ref::half_bits(65504 + ref::half_value(ref::half_bits(-29900))));
}

TEST_F(Reduce, SumInPlaceFollowsTheRepeats) {
  fill<float>(0, 8192, false);
  const std::vector<std::byte> before = core().ub;
  WholeReduceSum(tensor<float>(0, 64), tensor<float>(0, 1024), 64, 16, 1, 1, 8);
  const std::vector<std::byte> after = core().ub;
  core().ub = before;
  core().memories.base[static_cast<size_t>(gate::Space::kUb)] = core().ub.data();
  for (uint32_t r = 0; r < 16; ++r) {
    std::vector<uint32_t> all(64);
    for (uint32_t i = 0; i < 64; ++i) all[i] = i;
    const uint32_t bits = bits_of<float>(tree<float>(items_of<float>(0, 1, 8, r, all), 0, 64).value);
    store<uint32_t>(4 * r, bits);
  }
  EXPECT_EQ(std::memcmp(after.data(), core().ub.data(), 8192), 0);
}

TEST_F(Reduce, ReduceSumCount) {
  for (int round = 0; round < 1000; ++round) {
    core().clear();
    const uint32_t n = chance(50) ? pick(0, 200) : pick(0, 2000);
    if (chance(50)) {
      fill<float>(8192, 16384, round % 5 == 0);
      fill_random(0, 64);
      ReduceSum(tensor<float>(0, 8), tensor<float>(8192, 2048), tensor<float>(4096, 64), static_cast<int32_t>(n));
      if (n == 0) continue;
      ASSERT_EQ(load<uint32_t>(0), bits_of<float>(sequential_sum<float>(8192, n))) << n;
      EXPECT_EQ(raw_bits(GetReduceRepeatSumSpr<float>()), load<uint32_t>(0));
    } else {
      fill<half>(8192, 16384, round % 5 == 0);
      ReduceSum(tensor<half>(0, 16), tensor<half>(8192, 4096), tensor<half>(4096, 64), static_cast<int32_t>(n));
      if (n == 0) continue;
      ASSERT_EQ(load<uint16_t>(0), bits_of<half>(sequential_sum<half>(8192, n))) << n;
    }
  }
}

TEST_F(Reduce, ReduceSumRepeats) {
  for (int round = 0; round < 400; ++round) {
    core().clear();
    core().prove = round % 8 == 0;
    fill<float>(8192, 32768, false);
    fill_random(0, 8192);
    const uint32_t repeat = chance(20) ? pick(65, 90) : pick(1, 64), rep = pick(0, 8), lead = pick(1, 64);
    ReduceSum(tensor<float>(0, 8), tensor<float>(8192, 6144), tensor<float>(4096, 512), static_cast<int32_t>(lead),
              static_cast<int32_t>(repeat), static_cast<int32_t>(rep));
    std::vector<Item> parts(1);
    while (parts.size() < repeat) parts.resize(parts.size() * 2);
    std::fill(parts.begin(), parts.end(), Item{false, 0});
    const ref::Lanes lanes = ref::lanes_masked(64, lead >= 64 ? ~0ull : (1ull << lead) - 1, 0, repeat);
    for (uint32_t r = 0; r < repeat; ++r) parts[r] = tree<float>(items_of<float>(8192, 1, rep, r, lanes[r]), 0, 64);
    ASSERT_EQ(load<uint32_t>(0), bits_of<float>(tree<float>(parts, 0, parts.size()).value)) << repeat << " " << lead;
  }
}

TEST_F(Reduce, CompositeOrderOfRequests) {
  fill<float>(8192, 16384, false);
  const std::vector<Op> tail = {Op::kEventFetch,  Op::kSetFlag,    Op::kWaitFlag, Op::kReadResultRegister,
                                Op::kStoreScalar, Op::kEventFetch, Op::kSetFlag,  Op::kWaitFlag,
                                Op::kEventFetch,  Op::kSetFlag,    Op::kWaitFlag};
  const auto expect = [&tail](std::vector<Op> head) {
    head.insert(head.end(), tail.begin(), tail.end());
    EXPECT_EQ(core().log, head);
    core().clear();
  };
  const auto d = tensor<float>(0, 8), s = tensor<float>(8192, 2048), t = tensor<float>(4096, 512);
  ReduceSum(d, s, t, 100);
  expect({Op::kReduceSumCount});
  ReduceSum(d, s, t, 64, 3, 8);
  expect({Op::kReduceSumStage, Op::kPipeBarrier, Op::kReduceSumFinish});
  ReduceMax(d, s, t, 200);
  expect({Op::kReduceMaxStage, Op::kPipeBarrier, Op::kReduceMaxFinish});
  ReduceMin(d, s, t, 30);
  expect({Op::kReduceMinStage});
  ReduceSum(d, s, t, 64, 65, 0);
  EXPECT_EQ(core().log, (std::vector<Op>{Op::kReduceSumStage, Op::kPipeBarrier, Op::kReduceSumTree}));
  core().clear();
  core().kind = gate::CoreKind::kAic;
  ReduceSum(d, s, t, 100);
  ReduceMax(d, s, t, 100, true);
  CreateVecIndex(d, 0.0f, 100);
  EXPECT_TRUE(core().log.empty()) << "vector calls do nothing on AIC";
}

template <typename T>
uint64_t index_bits(uint64_t at) {
  return sizeof(T) == 2 ? load<uint16_t>(at) : load<uint32_t>(at);
}

TEST_F(Reduce, ReduceMaxMinCount) {
  const auto go = [&](auto type, int rounds) {
    using T = decltype(type);
    constexpr uint32_t kLanes = 256 / sizeof(T);
    for (int round = 0; round < rounds; ++round) {
      core().clear();
      core().prove = round % 8 == 0;
      fill<T>(8192, 24576, round % 4 == 0);
      fill_random(0, 8192);
      const std::vector<std::byte> before = core().ub;
      const uint32_t n = chance(30) ? pick(1, 5000 / static_cast<uint32_t>(sizeof(T))) : pick(1, 300);
      const bool largest = chance(50), index = chance(70);
      const auto d = tensor<T>(0, 16), s = tensor<T>(8192, 8192), t = tensor<T>(1024, 2048);
      if (largest)
        ReduceMax(d, s, t, static_cast<int32_t>(n), index);
      else
        ReduceMin(d, s, t, static_cast<int32_t>(n), index);
      std::vector<Item> items(n);
      for (uint32_t i = 0; i < n; ++i) items[i] = {true, number<T>(8192 + i * sizeof(T))};
      const int best = extreme(items, 0, n, largest);
      const uint32_t value = bits_of<T>(items[static_cast<size_t>(best)].value);
      ASSERT_EQ(index_bits<T>(0), value) << n;
      if (index)
        ASSERT_EQ(index_bits<T>(sizeof(T)), static_cast<uint64_t>(best)) << n;
      else
        EXPECT_EQ(std::memcmp(core().ub.data() + sizeof(T), before.data() + sizeof(T), 32), 0);
      // Only the documented part of tmp is used.
      const uint32_t repeats = (n + kLanes - 1) / kLanes, block = 32 / sizeof(T);
      uint32_t used = (2 * repeats + block - 1) / block * block, level = 2 * repeats;
      while (index && level > 2) {
        level = 2 * ((level + kLanes - 1) / kLanes);
        used += (level + block - 1) / block * block;
      }
      EXPECT_EQ(std::memcmp(core().ub.data() + 1024 + used * sizeof(T), before.data() + 1024 + used * sizeof(T), 512),
                0)
          << n;
      EXPECT_TRUE(core().violations.empty()) << core().texts();
    }
  };
  go(float{}, 800);
  go(half{}, 800);
}

TEST_F(Reduce, ReduceMaxRepeatsWithStrideAndMask) {
  for (int round = 0; round < 500; ++round) {
    core().clear();
    fill<float>(8192, 32768, round % 4 == 0);
    const uint32_t repeat = pick(1, 60), rep = pick(1, 9);
    const uint64_t mask[2] = {word() | 1, 0};
    ReduceMax(tensor<float>(0, 8), tensor<float>(8192, 6144), tensor<float>(1024, 1024), mask,
              static_cast<int32_t>(repeat), static_cast<int32_t>(rep), true);
    const ref::Lanes lanes = ref::lanes_masked(64, mask[0], 0, repeat);
    double value = 0;
    uint64_t index = 0;
    for (uint32_t r = 0; r < repeat; ++r) {
      const std::vector<Item> items = items_of<float>(8192, 1, rep, r, lanes[r]);
      const int lane = extreme(items, 0, 64, true);
      const double x = items[static_cast<size_t>(lane)].value;
      if (r == 0 || (!std::isnan(value) && (std::isnan(x) || x > value)))
        value = x, index = uint64_t{r} * rep * 8 + static_cast<uint64_t>(lane);
    }
    ASSERT_EQ(load<uint32_t>(0), bits_of<float>(value));
    ASSERT_EQ(load<uint32_t>(4), index);
  }
}

TEST_F(Reduce, DstMayAliasTmpAndTmpMayAliasSrc) {
  fill<float>(8192, 24576, false);
  std::vector<Item> items(1000);
  for (uint32_t i = 0; i < 1000; ++i) items[i] = {true, load<float>(8192 + 4 * i)};
  const int best = extreme(items, 0, 1000, true);
  const auto s = tensor<float>(8192, 1024);
  ReduceMax(s, s, s, 1000, true);
  EXPECT_EQ(load<uint32_t>(8192), bits_of<float>(items[static_cast<size_t>(best)].value));
  EXPECT_EQ(load<uint32_t>(8196), static_cast<uint32_t>(best));
}

}  // namespace
}  // namespace vec
