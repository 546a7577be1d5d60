// Brcb, Gather, Gatherb, GatherMask, CreateVecIndex, Arange, Transpose, TransDataTo5HD, Sort32, MrgSort against plain
// loops.
#include <numeric>

#include "vector_gate.h"
#include "vector_reference.h"

namespace vec {
namespace {

using namespace AscendC;

class Move : public Test {
 protected:
  std::vector<std::byte> snapshot() const { return {core().ub.begin(), core().ub.begin() + kWindow}; }
  void expect_memory(const std::vector<std::byte>& expected, const std::string& what) {
    ASSERT_EQ(std::memcmp(core().ub.data(), expected.data(), kWindow), 0) << what;
    EXPECT_TRUE(core().violations.empty()) << core().texts();
  }
  void start(int round) {
    fill_random(0, kWindow);
    core().clear();
    core().prove = round % 8 == 0;
  }
};

TEST_F(Move, Brcb) {
  const auto go = [&](auto type) {
    using T = decltype(type);
    for (int round = 0; round < 1000; ++round) {
      start(round);
      std::vector<std::byte> expected = snapshot();
      const uint32_t repeat = pick(0, 8), block = pick(1, 4), rep = pick(0, 32);
      AscendC::Brcb(tensor<T>(0, 8192 / sizeof(T)), tensor<T>(20480, 1024), static_cast<int32_t>(repeat),
                    {static_cast<uint16_t>(block), static_cast<uint16_t>(rep)});
      for (uint32_t r = 0; r < repeat; ++r)
        for (uint32_t e = 0; e < 8; ++e)
          for (uint32_t k = 0; k < 32; k += sizeof(T))
            std::memcpy(&expected[(r * rep + e * block) * 32 + k], &expected[20480 + (r * 8 + e) * sizeof(T)],
                        sizeof(T));
      expect_memory(expected, "round " + std::to_string(round));
      EXPECT_EQ(core().registers.mask_low, ~0ull);
    }
  };
  go(uint32_t{});
  go(uint16_t{});
}

TEST_F(Move, Gather) {
  const auto go = [&](auto type) {
    using T = decltype(type);
    constexpr uint32_t kLanes = 256 / sizeof(T);
    for (int round = 0; round < 1000; ++round) {
      start(round);
      for (uint32_t i = 0; i < 1024; ++i) store<uint32_t>(16384 + 4 * i, pick(0, 1000) * sizeof(T));
      std::vector<std::byte> expected = snapshot();
      const uint32_t base = pick(0, 8) * 32, repeat = pick(0, 6), dst_rep = pick(0, 12), count = pick(0, 700);
      const uint64_t mask[2] = {word(), sizeof(T) == 2 ? word() : 0};
      const bool count_form = chance(50);
      const auto d = tensor<T>(0, 4096 / sizeof(T)), s = tensor<T>(8192, 8192 / sizeof(T));
      const auto o = tensor<uint32_t>(16384, 1024);
      if (count_form)
        AscendC::Gather(d, s, o, base, count);
      else
        AscendC::Gather(d, s, o, base, mask, static_cast<int32_t>(repeat), static_cast<uint16_t>(dst_rep));
      const ref::Lanes lanes =
          count_form ? ref::lanes_total(kLanes, count) : ref::lanes_masked(kLanes, mask[0], mask[1], repeat);
      for (uint32_t r = 0; r < lanes.size(); ++r) {
        for (uint32_t i : lanes[r]) {
          uint32_t offset;
          std::memcpy(&offset, &expected[16384 + (r * kLanes + i) * 4], 4);
          const uint64_t at = ref::lane_address({0, sizeof(T), 1, dst_rep, count_form}, kLanes, r, i);
          std::memcpy(&expected[at], &expected[8192 + base + offset], sizeof(T));
        }
      }
      expect_memory(expected, "round " + std::to_string(round));
    }
  };
  go(uint32_t{});
  go(uint16_t{});
}

TEST_F(Move, GatherOutsideUbReadsZeroAndIsInTheExactFootprint) {
  fill_random(0, kWindow);
  store<uint32_t>(16384, 0xFFFFFFF0u);
  AscendC::Gather(tensor<uint32_t>(0, 64), tensor<uint32_t>(8192, 64), tensor<uint32_t>(16384, 64), 0u, 1u);
  EXPECT_EQ(load<uint32_t>(0), 0u);
  machine::Footprint exact;
  const gate::Request& request = core().requests.back();
  core().table[static_cast<size_t>(Op::kGather)].exact_footprint(request, core().memories, exact);
  EXPECT_EQ(exact.spans()[exact.accesses()[1].first_span].begin, 8192 + 0xFFFFFFF0ull);
}

TEST_F(Move, Gatherb) {
  for (int round = 0; round < 1000; ++round) {
    start(round);
    for (uint32_t i = 0; i < 256; ++i) store<uint32_t>(16384 + 4 * i, pick(0, 200) * 32);
    std::vector<std::byte> expected = snapshot();
    const uint32_t repeat = pick(0, 8), block = pick(0, 3), rep = pick(0, 24);
    AscendC::Gatherb(tensor<uint32_t>(0, 2048), tensor<uint32_t>(8192, 2048), tensor<uint32_t>(16384, 256),
                     static_cast<int32_t>(repeat), {static_cast<uint8_t>(block), static_cast<uint8_t>(rep)});
    for (uint32_t r = 0; r < repeat; ++r) {
      for (uint32_t b = 0; b < 8; ++b) {
        uint32_t offset;
        std::memcpy(&offset, &expected[16384 + (r * 8 + b) * 4], 4);
        std::memcpy(&expected[(r * rep + b * std::max(1u, block)) * 32], &expected[8192 + offset], 32);
      }
    }
    expect_memory(expected, "round " + std::to_string(round));
  }
}

TEST_F(Move, GatherMask) {
  const auto go = [&](auto type, auto pattern_type) {
    using T = decltype(type);
    using P = decltype(pattern_type);
    constexpr uint32_t kLanes = 256 / sizeof(T), kBlock = 32 / sizeof(T);
    for (int round = 0; round < 1000; ++round) {
      start(round);
      std::vector<std::byte> expected = snapshot();
      const bool reduce = chance(50), number = chance(50), in_place = chance(20);
      const uint32_t elements = reduce ? pick(0, 500) : kLanes, repeat = pick(0, 4), rep = pick(0, 16),
                     pattern_rep = pick(0, 3);
      const uint32_t block = in_place ? 1 : pick(0, 2);
      const auto number_of = static_cast<uint8_t>(pick(1, 7));
      const uint32_t dst_at = in_place ? 8192 : 0;
      const auto d = tensor<T>(dst_at, 8192 / sizeof(T)), s = tensor<T>(8192, 8192 / sizeof(T));
      const GatherMaskParams params{static_cast<uint8_t>(block), static_cast<uint16_t>(repeat),
                                    static_cast<uint16_t>(rep), static_cast<uint8_t>(pattern_rep)};
      uint64_t written = 0;
      if (number)
        AscendC::GatherMask(d, s, number_of, reduce, elements, params, written);
      else
        AscendC::GatherMask(d, s, tensor<P>(24576, 1024), reduce, elements, params, written);
      uint64_t count = 0;
      for (uint32_t r = 0; r < repeat; ++r) {
        for (uint32_t i = 0; i < elements; ++i) {
          bool take;
          if (number)
            take = number_of == 7 || (number_of == 1 && i % 2 == 0) || (number_of == 2 && i % 2 == 1) ||
                   (number_of > 2 && i % 4 == number_of - 3u);
          else
            take = ((static_cast<uint8_t>(expected[24576 + r * pattern_rep * 32 + i / 8]) >> (i % 8)) & 1) != 0;
          if (!take) continue;
          const uint64_t from = 8192 + (uint64_t{r} * rep + i / kBlock * block) * 32 + i % kBlock * sizeof(T);
          std::memmove(&expected[dst_at + count * sizeof(T)], &expected[from], sizeof(T));
          ++count;
        }
      }
      ASSERT_EQ(written, count);
      expect_memory(expected, "round " + std::to_string(round) + " number " + std::to_string(number));
      EXPECT_FALSE(core().registers.counter_mode);
    }
  };
  go(uint32_t{}, uint32_t{});
  go(uint16_t{}, uint16_t{});
}

TEST_F(Move, GatherMaskLeavesNormalMode) {
  SetMaskCount();
  uint64_t written = 0;
  AscendC::GatherMask(tensor<float>(0, 64), tensor<float>(8192, 64), 7, false, 0, {1, 1, 8, 0}, written);
  EXPECT_FALSE(core().registers.counter_mode);
  EXPECT_EQ(written, 64u);
}

TEST_F(Move, CreateVecIndexAndArange) {
  for (int round = 0; round < 500; ++round) {
    start(1);
    std::vector<std::byte> expected = snapshot();
    const uint32_t n = pick(0, 1500);
    const auto first = static_cast<int32_t>(pick(0, 100)) - 50, diff = static_cast<int32_t>(pick(0, 20)) - 10;
    if (chance(50)) {
      CreateVecIndex(tensor<int32_t>(0, 2048), first, n);
      for (uint32_t i = 0; i < n; ++i) {
        const int32_t value = first + static_cast<int32_t>(i);
        std::memcpy(&expected[4 * i], &value, 4);
      }
    } else {
      Arange(tensor<float>(0, 2048), static_cast<float>(first), static_cast<float>(diff), static_cast<int32_t>(n));
      for (uint32_t i = 0; i < n; ++i) {
        const float value = static_cast<float>(first + diff * static_cast<int32_t>(i));
        std::memcpy(&expected[4 * i], &value, 4);
      }
    }
    expect_memory(expected, "count " + std::to_string(n));
  }
}

TEST_F(Move, CreateVecIndexRepeatForm) {
  for (int round = 0; round < 100; ++round) {
    start(1);
    const uint32_t repeat = pick(1, 6), lanes = pick(8, 64);
    CreateVecIndex(tensor<int32_t>(0, 2048), 5, uint64_t{lanes}, static_cast<int32_t>(repeat), 1, 8);
    for (uint32_t r = 0; r < repeat; ++r)
      for (uint32_t i = 0; i < lanes; ++i)
        ASSERT_EQ(load<int32_t>((r * 64 + i) * 4), static_cast<int32_t>(5 + r * 64 + i)) << r << " " << i;
  }
}

TEST_F(Move, CreateVecIndexOrderOfRequests) {
  CreateVecIndex(tensor<int32_t>(0, 64), 0, 20);
  std::vector<Op> want(8, Op::kStoreScalar);
  for (Op op : {Op::kEventFetch, Op::kSetFlag, Op::kWaitFlag, Op::kIndexStep, Op::kPipeBarrier, Op::kIndexStep})
    want.push_back(op);
  EXPECT_EQ(core().log, want) << "scalar stores without a wait, S_V, steps with a barrier between, none after the last";
}

TEST_F(Move, Transpose16x16) {
  for (int round = 0; round < 1000; ++round) {
    start(round);
    std::vector<std::byte> expected = snapshot();
    const bool in_place = chance(30);
    Transpose(tensor<half>(in_place ? 8192 : 0, 256), tensor<half>(8192, 256));
    const std::vector<std::byte> before = expected;
    for (uint32_t i = 0; i < 16; ++i)
      for (uint32_t j = 0; j < 16; ++j)
        std::memcpy(&expected[(in_place ? 8192 : 0) + (j * 16 + i) * 2], &before[8192 + (i * 16 + j) * 2], 2);
    expect_memory(expected, "round " + std::to_string(round));
  }
}

TEST_F(Move, TransposeNchwNhwc) {
  const auto go = [&](auto type) {
    using T = decltype(type);
    for (int round = 0; round < 200; ++round) {
      start(round);
      const uint32_t n = pick(1, 3), c = pick(1, 9), h = pick(1, 5), w = pick(1, 7);
      const bool to_nhwc = chance(50);
      std::vector<std::byte> expected = snapshot();
      Transpose(tensor<T>(0, 4096 / sizeof(T)), tensor<T>(8192, 4096 / sizeof(T)), tensor<uint8_t>(16384, 8192),
                TransposeParamsExt(static_cast<uint16_t>(n), static_cast<uint16_t>(c), static_cast<uint16_t>(h),
                                   static_cast<uint16_t>(w),
                                   to_nhwc ? TransposeType::TRANSPOSE_NCHW2NHWC : TransposeType::TRANSPOSE_NHWC2NCHW));
      for (uint32_t a = 0; a < n; ++a)
        for (uint32_t b = 0; b < c; ++b)
          for (uint32_t y = 0; y < h; ++y)
            for (uint32_t x = 0; x < w; ++x) {
              const uint32_t nchw = ((a * c + b) * h + y) * w + x, nhwc = ((a * h + y) * w + x) * c + b;
              std::memcpy(&expected[(to_nhwc ? nhwc : nchw) * sizeof(T)],
                          &expected[8192 + (to_nhwc ? nchw : nhwc) * sizeof(T)], sizeof(T));
            }
      ASSERT_EQ(std::memcmp(core().ub.data(), expected.data(), 8192), 0);
      EXPECT_TRUE(core().violations.empty()) << core().texts();
    }
  };
  go(uint8_t{});
  go(uint16_t{});
  go(uint32_t{});
}

TEST_F(Move, TransDataTo5HD) {
  const auto go = [&](auto type) {
    using T = decltype(type);
    for (int round = 0; round < 700; ++round) {
      start(round);
      std::vector<uint32_t> blocks(200);
      std::iota(blocks.begin(), blocks.end(), 0u);
      std::shuffle(blocks.begin(), blocks.end(), random_);
      TransDataTo5HDParams params;
      params.repeatTimes = static_cast<uint8_t>(pick(0, 3));
      params.dstHighHalf = chance(50), params.srcHighHalf = chance(50);
      if (params.repeatTimes > 1)
        params.dstRepStride = static_cast<uint16_t>(pick(200, 220)),
        params.srcRepStride = static_cast<uint16_t>(pick(0, 3));
      LocalTensor<T> dst[16], src[16];
      uint64_t da[16], sa[16];
      for (uint32_t i = 0; i < 16; ++i) {
        da[i] = blocks[i] * 32, sa[i] = 24576 + i * 256 + pick(0, 4) * 32;
        dst[i] = tensor<T>(static_cast<uint32_t>(da[i]), 32 / sizeof(T));
        src[i] = tensor<T>(static_cast<uint32_t>(sa[i]), 32 / sizeof(T));
      }
      for (uint32_t i = 0; i < 16; ++i)
        store<uint64_t>(23552 + 8 * i, da[i]), store<uint64_t>(23552 + 128 + 8 * i, sa[i]);
      std::vector<std::byte> expected = snapshot();
      const uint32_t shape = pick(0, 2);
      if (shape == 0)
        AscendC::TransDataTo5HD(dst, src, params);
      else if (shape == 1)
        AscendC::TransDataTo5HD<T>(da, sa, params);
      else
        AscendC::TransDataTo5HD<T>(tensor<uint64_t>(23552, 16), tensor<uint64_t>(23552 + 128, 16), params);
      for (uint32_t r = 0; r < params.repeatTimes; ++r) {
        const std::vector<std::byte> in = expected;
        const uint64_t ds = params.repeatTimes == 1 ? 0 : uint64_t{r} * params.dstRepStride * 32,
                       ss = params.repeatTimes == 1 ? 0 : uint64_t{r} * params.srcRepStride * 32;
        for (uint32_t i = 0; i < 16; ++i) {
          for (uint32_t j = 0; j < (sizeof(T) == 4 ? 8 : 16); ++j) {
            uint64_t from = sa[i] + ss + j * sizeof(T), to = da[j] + ds + i * sizeof(T);
            if (sizeof(T) == 4) to = i < 8 ? da[2 * j] + ds + i * 4 : da[2 * j + 1] + ds + (i - 8) * 4;
            if (sizeof(T) == 1) from += params.srcHighHalf ? 16 : 0, to += params.dstHighHalf ? 16 : 0;
            std::memcpy(&expected[to], &in[from], sizeof(T));
          }
        }
      }
      expect_memory(expected, "round " + std::to_string(round) + " bytes " + std::to_string(sizeof(T)));
    }
  };
  go(uint8_t{});
  go(uint16_t{});
  go(uint32_t{});
}

struct Entry {
  double score;
  uint32_t bits, index;
};

TEST_F(Move, Sort32) {
  const auto go = [&](auto type) {
    using T = decltype(type);
    for (int round = 0; round < 1000; ++round) {
      start(round);
      const uint32_t repeat = pick(0, 5);
      for (uint32_t i = 0; i < 160; ++i) {
        const float x = static_cast<float>(static_cast<int>(pick(0, 60)) - 30) / 4;
        if (sizeof(T) == 2)
          store<uint16_t>(8192 + 2 * i, ref::half_bits(x));
        else
          store<float>(8192 + 4 * i, x);
      }
      std::vector<std::byte> expected = snapshot();
      AscendC::Sort32(tensor<T>(0, 4096 / sizeof(T)), tensor<T>(8192, 256), tensor<uint32_t>(16384, 256),
                      static_cast<int32_t>(repeat));
      for (uint32_t r = 0; r < repeat; ++r) {
        std::vector<Entry> entries;
        for (uint32_t i = r * 32; i < r * 32 + 32; ++i) {
          Entry e{};
          std::memcpy(&e.bits, &expected[8192 + i * sizeof(T)], sizeof(T));
          std::memcpy(&e.index, &expected[16384 + i * 4], 4);
          e.score = sizeof(T) == 2 ? ref::half_value(static_cast<uint16_t>(e.bits)) : ref::f32(e.bits);
          auto at = entries.begin();  // insertion keeps equal scores in order
          while (at != entries.end() && at->score >= e.score) ++at;
          entries.insert(at, e);
        }
        for (uint32_t i = 0; i < 32; ++i)
          std::memcpy(&expected[r * 256 + i * 8], &entries[i].bits, 4),
              std::memcpy(&expected[r * 256 + i * 8 + 4], &entries[i].index, 4);
      }
      expect_memory(expected, "round " + std::to_string(round));
    }
  };
  go(float{});
  go(half{});
}

TEST_F(Move, MrgSort) {
  for (int round = 0; round < 1000; ++round) {
    start(round);
    const uint32_t lists = pick(2, 4);
    const bool repeated = lists == 4 && chance(30), suspend = !repeated && chance(40);
    const uint32_t repeats = repeated ? pick(1, 3) : 1, same = pick(0, 30);
    uint16_t lengths[4] = {0, 0, 0, 0};
    uint32_t at[4];
    for (uint32_t i = 0; i < lists; ++i) {
      lengths[i] = static_cast<uint16_t>(repeated ? same : pick(0, 50));
      at[i] = repeated ? 8192 + i * same * 8 : 8192 + i * 4096;
    }
    const uint32_t total = lengths[0] + lengths[1] + lengths[2] + lengths[3];
    for (uint32_t r = 0; r < repeats; ++r) {
      for (uint32_t i = 0; i < lists; ++i) {
        int value = 40;
        for (uint32_t k = 0; k < lengths[i]; ++k) {
          value -= static_cast<int>(pick(0, 2));
          store<float>(at[i] + (r * total + k) * 8, static_cast<float>(value));
        }
      }
    }
    std::vector<std::byte> expected = snapshot();
    const MrgSort4Info info(lengths, suspend, lists == 2 ? 3 : lists == 3 ? 7 : 15, static_cast<uint16_t>(repeats));
    const MrgSortSrcList<float> sources(tensor<float>(at[0], 1024), tensor<float>(at[1], 1024),
                                        lists > 2 ? tensor<float>(at[2], 1024) : tensor<float>(0, 0),
                                        lists > 3 ? tensor<float>(at[3], 1024) : tensor<float>(0, 0));
    AscendC::MrgSort(tensor<float>(0, 2048), sources, info);
    uint32_t taken[4] = {0, 0, 0, 0};
    for (uint32_t r = 0; r < repeats; ++r) {
      std::fill_n(taken, 4, 0);
      for (uint32_t out = 0; out < total; ++out) {
        int best = -1;
        float best_score = 0;
        bool empty = false;
        for (uint32_t i = 0; i < lists; ++i) {
          if (taken[i] == lengths[i]) {
            empty = true;
            continue;
          }
          float score;
          std::memcpy(&score, &expected[at[i] + (r * total + taken[i]) * 8], 4);
          if (best < 0 || score > best_score) best = static_cast<int>(i), best_score = score;
        }
        if (suspend && empty) break;
        std::memcpy(&expected[(r * total + out) * 8], &expected[at[best] + (r * total + taken[best]) * 8], 8);
        ++taken[best];
      }
    }
    expect_memory(expected, "round " + std::to_string(round) + " lists " + std::to_string(lists) + " suspend " +
                                std::to_string(suspend));
    uint16_t got[4];
    GetMrgSortResult(got[0], got[1], got[2], got[3]);
    for (uint32_t i = 0; i < lists; ++i) EXPECT_EQ(got[i], taken[i]);
  }
}

template <typename T>
void full_sort(Test&, std::mt19937_64& random, int32_t groups) {
  const uint32_t n = static_cast<uint32_t>(groups) * 32;
  for (uint32_t i = 0; i < n; ++i) {
    const float x = static_cast<float>(static_cast<int>(random() % 90) - 45) / 8;
    if (sizeof(T) == 2)
      store<uint16_t>(16384 + 2 * i, ref::half_bits(x));
    else
      store<float>(16384 + 4 * i, x);
    store<uint32_t>(20480 + 4 * i, i);
  }
  std::vector<uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  const auto score = [](uint32_t i) {
    return sizeof(T) == 2 ? ref::half_value(load<uint16_t>(16384 + 2 * i)) : load<float>(16384 + 4 * i);
  };
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return score(a) > score(b); });
  auto tmp = tensor<T>(8192, 8192 / sizeof(T));
  LocalTensor<T> concat;
  Concat(concat, tensor<T>(16384, n), tmp, groups * 2);
  Sort<T, true>(tensor<T>(0, 8192 / sizeof(T)), concat, tensor<uint32_t>(20480, n), tmp, groups);
  Extract(tensor<T>(24576, 1024), tensor<uint32_t>(28672, 1024), tensor<T>(0, 8192 / sizeof(T)), groups);
  for (uint32_t i = 0; i < n; ++i) {
    ASSERT_EQ(load<uint32_t>(28672 + 4 * i), order[i]) << i << " of " << n;
    ASSERT_EQ(sizeof(T) == 2 ? ref::half_value(load<uint16_t>(24576 + 2 * i)) : load<float>(24576 + 4 * i),
              score(order[i]));
  }
}

TEST_F(Move, FullSortAndExtract) {
  for (int32_t groups : {1, 2, 3, 4, 5, 7, 15, 16, 17, 20, 31}) {
    start(1);
    full_sort<float>(*this, random_, groups);
    start(1);
    full_sort<half>(*this, random_, groups);
    EXPECT_TRUE(core().violations.empty()) << core().texts();
  }
}

TEST_F(Move, TensorOperators) {
  fill_random(0, kWindow);
  for (uint32_t i = 0; i < 64; ++i)
    store<float>(8192 + 4 * i, static_cast<float>(i % 5)), store<float>(16384 + 4 * i, 2.0f);
  const auto a = tensor<float>(8192, 64), b = tensor<float>(16384, 64);
  LocalTensor<float> d = tensor<float>(0, 64);
  const uint32_t line = __LINE__ + 1;
  d = a * b;
  EXPECT_EQ(core().requests.back().site.line, line) << "the finding names the line of the expression";
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(load<float>(4 * i), static_cast<float>(i % 5) * 2);
  d = d - a;
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(load<float>(4 * i), static_cast<float>(i % 5));
  LocalTensor<uint8_t> bits = tensor<uint8_t>(24576, 8);
  bits = a >= b;
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(((load<uint8_t>(24576 + i / 8) >> (i % 8)) & 1) != 0, i % 5 >= 2);
  LocalTensor<int32_t> w = tensor<int32_t>(0, 16);
  w = tensor<int32_t>(8192, 16) & tensor<int32_t>(16384, 16);
  for (uint32_t i = 0; i < 16; ++i)
    EXPECT_EQ(load<uint32_t>(4 * i), load<uint32_t>(8192 + 4 * i) & load<uint32_t>(16384 + 4 * i));
}

}  // namespace
}  // namespace vec
