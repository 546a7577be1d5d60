// Random numbers for schedules and tests: xoshiro256** (Blackman and Vigna, 2018), its state filled by SplitMix64 from
// one 64-bit seed. Integers only, so equal seeds give equal sequences on every host and compiler. Left out:
// cryptographic quality.
#pragma once

#include <cstdint>

namespace ascsan::base {

/// One step of SplitMix64: advances `state` and returns a well mixed word. Also good for deriving seeds.
uint64_t split_mix(uint64_t& state);

/// A seed for part `index` of something seeded with `seed` (a launch, an actor): unequal inputs give unrelated results.
uint64_t derive_seed(uint64_t seed, uint64_t index);

class Rng {
 public:
  explicit Rng(uint64_t seed) { reseed(seed); }
  void reseed(uint64_t seed);
  /// Uniform over all 64-bit words.
  uint64_t next();
  /// Uniform over 0..n-1 without bias; 0 for n = 0.
  uint64_t below(uint64_t n);
  /// True with probability part / whole; part <= whole, whole > 0.
  bool chance(uint64_t part, uint64_t whole) { return below(whole) < part; }

 private:
  uint64_t state_[4];
};

}  // namespace ascsan::base
