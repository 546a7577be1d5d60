#include "machine/scheduler.h"

namespace ascsan::machine {

Actor ReadySet::nth(uint32_t n) const {
  for (size_t w = 0; w < words_.size(); ++w) {
    uint64_t word = words_[w];
    const auto here = static_cast<uint32_t>(std::popcount(word));
    if (n >= here) {
      n -= here;
      continue;
    }
    while (n-- > 0) word &= word - 1;
    return actor_of(w * 64 + static_cast<size_t>(std::countr_zero(word)));
  }
  return {};
}

}  // namespace ascsan::machine
