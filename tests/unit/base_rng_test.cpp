// Random numbers against published vectors, a second implementation, and the statistics that schedules rely on.
#include "base/rng.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>

namespace {

using ascsan::base::derive_seed;
using ascsan::base::Rng;
using ascsan::base::split_mix;

/// xoshiro256** written down from its definition, without std::rotl.
struct Reference {
  std::array<uint64_t, 4> s;
  static uint64_t rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  uint64_t next() {
    const uint64_t result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0], s[3] ^= s[1], s[1] ^= s[2], s[0] ^= s[3], s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
  }
};

TEST(Rng, SplitMixMatchesPublishedSequence) {
  uint64_t state = 1234567;
  for (const uint64_t expected :
       {6457827717110365317u, 3203168211198807973u, 9817491932198370423u, 4593380528125082431u, 16408922859458223821u})
    EXPECT_EQ(split_mix(state), expected);
}

TEST(Rng, ReferenceMatchesPublishedSequence) {
  Reference reference{{1, 2, 3, 4}};
  for (const uint64_t expected : {11520u, 0u, 1509978240u}) EXPECT_EQ(reference.next(), expected);
  EXPECT_EQ(reference.next(), 1215971899390074240u);
}

TEST(Rng, SequenceIsXoshiroSeededBySplitMix) {
  for (const uint64_t seed : {uint64_t{0}, uint64_t{1}, uint64_t{0xDEADBEEF}, ~uint64_t{0}}) {
    uint64_t state = seed;
    Reference reference{};
    for (uint64_t& word : reference.s) word = split_mix(state);
    Rng rng(seed);
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(rng.next(), reference.next()) << "seed " << seed << ", number " << i;
  }
}

TEST(Rng, BelowIsInRangeAndEven) {
  Rng rng(7);
  EXPECT_EQ(rng.below(0), 0u);
  EXPECT_EQ(rng.below(1), 0u);
  for (const uint64_t n : {2u, 3u, 7u, 10u, 97u}) {
    std::map<uint64_t, int> counts;
    const int draws = 20000 * static_cast<int>(n) / 10;
    for (int i = 0; i < draws; ++i) ++counts[rng.below(n)];
    ASSERT_EQ(counts.size(), n);
    ASSERT_LT(counts.rbegin()->first, n);
    double chi = 0;
    for (const auto& [value, count] : counts) {
      const double expected = static_cast<double>(draws) / static_cast<double>(n);
      chi += (count - expected) * (count - expected) / expected;
    }
    // Mean n - 1, deviation sqrt(2 (n - 1)): six deviations.
    EXPECT_LT(chi, static_cast<double>(n - 1) + 6 * std::sqrt(2.0 * static_cast<double>(n - 1)) + 6) << "n = " << n;
  }
}

TEST(Rng, BelowHugeBoundUsesAllBits) {
  Rng rng(11);
  uint64_t seen = 0;
  for (int i = 0; i < 200; ++i) {
    const uint64_t value = rng.below(uint64_t{3} << 62);
    EXPECT_LT(value, uint64_t{3} << 62);
    seen |= value;
  }
  EXPECT_EQ(seen, ~uint64_t{0});
}

TEST(Rng, ChanceHitsItsProbability) {
  Rng rng(5);
  int hits = 0;
  for (int i = 0; i < 40000; ++i) hits += rng.chance(1, 8);
  EXPECT_NEAR(hits, 5000, 6 * 66);  // six deviations
  EXPECT_TRUE(rng.chance(4, 4));
  EXPECT_FALSE(rng.chance(0, 4));
}

TEST(Rng, DerivedSeedsDiffer) {
  std::map<uint64_t, std::pair<uint64_t, uint64_t>> seen;
  for (uint64_t seed = 0; seed < 100; ++seed)
    for (uint64_t index = 0; index < 100; ++index) {
      const auto [at, fresh] = seen.insert({derive_seed(seed, index), {seed, index}});
      EXPECT_TRUE(fresh) << "seed " << seed << " index " << index << " repeats " << at->second.first;
    }
}

}  // namespace
