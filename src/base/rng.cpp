// SplitMix64 and xoshiro256**; see rng.h.
#include "base/rng.h"

#include <bit>

namespace ascsan::base {

uint64_t split_mix(uint64_t& state) {
  state += 0x9E3779B97F4A7C15u;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

uint64_t derive_seed(uint64_t seed, uint64_t index) {
  uint64_t state = seed;
  const uint64_t mixed = split_mix(state);
  state = mixed ^ (index * 0xD1342543DE82EF95u + 0x632BE59BD9B4E019u);
  return split_mix(state);
}

void Rng::reseed(uint64_t seed) {
  // SplitMix64 never yields four zero words in a row, the one state xoshiro cannot leave.
  for (uint64_t& word : state_) word = split_mix(seed);
}

uint64_t Rng::next() {
  const uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

uint64_t Rng::below(uint64_t n) {
  if (n == 0) return 0;
  // Lemire 2019: the high half of a product is uniform once the few low halves that come up too often are rejected.
  unsigned __int128 product = static_cast<unsigned __int128>(next()) * n;
  if (static_cast<uint64_t>(product) < n) {
    const uint64_t rejected = -n % n;
    while (static_cast<uint64_t>(product) < rejected) product = static_cast<unsigned __int128>(next()) * n;
  }
  return static_cast<uint64_t>(product >> 64);
}

}  // namespace ascsan::base
