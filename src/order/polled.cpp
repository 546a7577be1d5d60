#include "order/polled.h"

namespace ascsan::order {

void PolledWords::reset(size_t cores) {
  caches_.assign(cores, {});
  words_.clear();
  now_ = 0;
}

void PolledWords::publish(uint64_t address, const Published& published) {
  Published& word = words_[address];
  word = published;
  word.moment = ++now_;
}

void PolledWords::cache_step(event::CoreId core, uint64_t line_address, int step, const Published& published) {
  Cache& cache = caches_[core];
  const uint64_t line = line_address / kLine;
  if (step == 0) {
    cache.filled[line] = ++now_;
    cache.newest_fill = line;
    return;
  }
  const auto stored = cache.dirty.find(line);
  if (stored != cache.dirty.end()) {
    for (const auto& [address, bytes] : stored->second) {
      if (step != 1) break;  // dropped unwritten: nobody will ever see the stores
      Published word = published;
      word.bytes = bytes;
      publish(address, word);
    }
    cache.dirty.erase(stored);
  }
  if (step == 2) cache.filled.erase(line);
}

const Published* PolledWords::meet(event::CoreId core, uint64_t address, uint32_t bytes, bool bypass) const {
  const auto word = words_.find(address);
  if (word == words_.end() || word->second.bytes != bytes || word->second.core == core) return nullptr;
  if (bypass) return &word->second;
  const auto filled = caches_[core].filled.find(address / kLine);
  return filled != caches_[core].filled.end() && word->second.moment < filled->second ? &word->second : nullptr;
}

bool PolledWords::take_fresh(event::CoreId core, uint64_t address, bool bypass) {
  Cache& cache = caches_[core];
  const bool fresh = bypass || cache.newest_fill == address / kLine;
  cache.newest_fill = ~uint64_t{0};
  return fresh;
}

}  // namespace ascsan::order
