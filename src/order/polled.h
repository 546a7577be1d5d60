// Words of global memory through which cores talk without flags (spec/hb-rules.md R-30): a scalar load that returns
// what another core's scalar store left in the same word comes after that store and all its core knew. Only where both
// sides go past the data caches, or through them with the cache instructions that make the store visible and the load
// fresh. Which store a load meets hangs on the schedule, so a run that uses this rule is never complete.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "order/clock.h"

namespace ascsan::order {

/// What a core knew when it made a word visible.
struct Published {
  event::CoreId core = 0;
  uint32_t bytes = 0;
  Clock clock;
  std::shared_ptr<const std::vector<uint32_t>> remote;
  uint64_t moment = 0;
};

class PolledWords {
 public:
  static constexpr uint64_t kLine = 64;

  void reset(size_t cores);
  /// A store into the data cache; visible when its line is cleaned.
  void store_cached(event::CoreId core, uint64_t address, uint32_t bytes) {
    caches_[core].dirty[address / kLine][address] = bytes;
  }
  void publish(uint64_t address, const Published& published);
  /// CacheStep: line filled (0), cleaned (1) or dropped (2). A clean publishes the stored words of the line.
  void cache_step(event::CoreId core, uint64_t line_address, int step, const Published& published);
  /// What a load of the word meets, or null. `bypass`: read from memory, not from the data cache.
  const Published* meet(event::CoreId core, uint64_t address, uint32_t bytes, bool bypass) const;
  /// The newest load of the core came from memory: bypass, or the first from a line since its fill.
  bool take_fresh(event::CoreId core, uint64_t address, bool bypass);

 private:
  struct Cache {
    std::map<uint64_t, std::map<uint64_t, uint32_t>> dirty;  ///< by line: address and bytes of stored words
    std::map<uint64_t, uint64_t> filled;                     ///< by line: moment
    uint64_t newest_fill = ~uint64_t{0};
  };
  std::vector<Cache> caches_;
  std::map<uint64_t, Published> words_;
  uint64_t now_ = 0;
};

}  // namespace ascsan::order
