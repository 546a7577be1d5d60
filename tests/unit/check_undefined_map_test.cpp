// The map of undefined bits against a plain array, on random ranges at odd places.
#include "check/undefined_map.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace ascsan::check {
namespace {

constexpr uint64_t kBytes = 3 * 65536 + 777;

struct Both {
  explicit Both(bool undefined) : map(undefined), bits(kBytes, undefined ? 0xFF : 0), tags(kBytes / 32 + 1, 0) {}
  UndefinedMap map;
  std::vector<uint8_t> bits;
  std::vector<uint32_t> tags;
};

void check_all(const Both& both, uint64_t seed) {
  std::vector<uint8_t> got(kBytes);
  both.map.read(0, kBytes, got.data());
  ASSERT_EQ(got, both.bits) << "seed " << seed;
}

TEST(UndefinedMap, AgreesWithAPlainArray) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    std::mt19937_64 rng(seed);
    Both both(seed % 2 == 0);
    for (int step = 0; step < 300; ++step) {
      const uint64_t begin = rng() % kBytes, length = rng() % 5 == 0 ? rng() % 70000 : rng() % 600;
      const uint64_t end = std::min(kBytes, begin + length);
      switch (rng() % 4) {
        case 0:
          both.map.define(begin, end);
          std::fill(both.bits.begin() + static_cast<long>(begin), both.bits.begin() + static_cast<long>(end),
                    uint8_t{0});
          break;
        case 1: {
          std::vector<uint8_t> bits(end - begin);
          for (uint8_t& byte : bits) byte = rng() % 3 == 0 ? static_cast<uint8_t>(rng()) : 0;
          const auto tag = static_cast<uint32_t>(rng() % 1000 + 1);
          both.map.write(begin, end, bits.data(), tag);
          for (uint64_t at = begin; at < end; ++at) {
            both.bits[at] = bits[at - begin];
            if (bits[at - begin] != 0) both.tags[at / 32] = tag;
          }
          break;
        }
        case 2: {
          both.map.undefine(begin, end);
          for (uint64_t at = begin; at < end; ++at) both.bits[at] = 0xFF, both.tags[at / 32] = 0;
          break;
        }
        default: {
          bool any = false;
          for (uint64_t at = begin; at < end; ++at) any = any || both.bits[at] != 0;
          ASSERT_EQ(both.map.any(begin, end), any) << "seed " << seed << " step " << step;
          if (end > begin && both.bits[begin] != 0) {
            ASSERT_EQ(both.map.tag_at(begin), both.tags[begin / 32]) << "seed " << seed << " step " << step;
          }
        }
      }
    }
    check_all(both, seed);
  }
}

TEST(UndefinedMap, RunsOfUndefinedBytesHaveOneTag) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 rng(seed);
    Both both(false);
    for (int step = 0; step < 60; ++step) {
      const uint64_t begin = rng() % kBytes, end = std::min(kBytes, begin + rng() % 300);
      const std::vector<uint8_t> bits(end - begin, 0xFF);
      const auto tag = static_cast<uint32_t>(rng() % 9 + 1);
      both.map.write(begin, end, bits.data(), tag);
      for (uint64_t at = begin; at < end; ++at) both.bits[at] = 0xFF, both.tags[at / 32] = tag;
    }
    uint64_t last = 0, total = 0;
    both.map.each_undefined([&](uint64_t begin, uint64_t end, uint32_t tag) {
      ASSERT_LE(last, begin);
      ASSERT_LT(begin, end);
      for (uint64_t at = begin; at < end; ++at) {
        ASSERT_NE(both.bits[at], 0) << "seed " << seed;
        ASSERT_EQ(both.tags[at / 32], tag) << "seed " << seed;
      }
      last = end;
      total += end - begin;
    });
    uint64_t expected = 0;
    for (const uint8_t byte : both.bits) expected += byte != 0;
    EXPECT_EQ(total, expected) << "seed " << seed;
  }
}

TEST(UndefinedMap, UniformMemoryCostsNextToNothing) {
  UndefinedMap map(true);
  EXPECT_TRUE(map.any(1 << 20, (1 << 20) + 1));
  EXPECT_EQ(map.bytes(), 0u);
  map.define(0, 1 << 18);
  EXPECT_FALSE(map.any(0, 1 << 18));
  EXPECT_TRUE(map.any(0, (1 << 18) + 1));
  EXPECT_LT(map.bytes(), size_t{1} << 16);
}

}  // namespace
}  // namespace ascsan::check
