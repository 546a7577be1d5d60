#include "check/states.h"

#include <algorithm>
#include <tuple>

namespace ascsan::check {
namespace {
uint64_t mix(uint64_t hash, uint64_t value) {
  hash ^= value + 0x9E3779B97F4A7C15ull + (hash << 6) + (hash >> 2);
  return hash * 0xFF51AFD7ED558CCDull;
}

uint64_t hash_of(const Crowd& content) {
  uint64_t hash = content.writers.size();
  for (const Member& member : content.writers) hash = mix(hash, member.id);
  for (const Member& member : content.readers) hash = mix(hash, member.id);
  for (const PairRef& pair : content.pairs) hash = mix(hash, pair.id);
  return hash;
}

bool member_before(const Member& a, const Member& b) {
  return std::tie(a.core, a.pipe, a.index, a.id) < std::tie(b.core, b.pipe, b.index, b.id);
}
}  // namespace

Cell States::intern(Crowd& content) {
  if (!std::is_sorted(content.writers.begin(), content.writers.end(), member_before))
    std::sort(content.writers.begin(), content.writers.end(), member_before);
  if (!std::is_sorted(content.readers.begin(), content.readers.end(), member_before))
    std::sort(content.readers.begin(), content.readers.end(), member_before);
  std::sort(content.pairs.begin(), content.pairs.end(), [](const PairRef& a, const PairRef& b) { return a.id < b.id; });
  if (content.writers.size() <= 1 && content.readers.size() <= 1 && content.pairs.empty())
    return {content.writers.empty() ? 0 : content.writers[0].id, content.readers.empty() ? 0 : content.readers[0].id};
  content.hash = hash_of(content);
  for (auto [at, end] = by_hash_.equal_range(content.hash); at != end; ++at) {
    const Crowd& known = crowds_[at->second];
    if (known.writers == content.writers && known.readers == content.readers && known.pairs == content.pairs)
      return {Cell::kCrowd | at->second, 0};
  }
  uint32_t id;
  if (free_crowds_.empty()) {
    id = static_cast<uint32_t>(crowds_.size());
    crowds_.emplace_back();
  } else {
    id = free_crowds_.back();
    free_crowds_.pop_back();
  }
  Crowd& crowd = crowds_[id];
  crowd.writers = content.writers;
  crowd.readers = content.readers;
  crowd.pairs = content.pairs;
  crowd.hash = content.hash;
  crowd.refs = 0;
  for (const Member& member : crowd.writers) accesses.ref(member.id, 1);
  for (const Member& member : crowd.readers) accesses.ref(member.id, 1);
  for (const PairRef& pair : crowd.pairs) ++pairs_[pair.id].refs;
  by_hash_.emplace(crowd.hash, id);
  return {Cell::kCrowd | id, 0};
}

void States::free_crowd(uint32_t id) {
  Crowd& crowd = crowds_[id];
  for (auto [at, end] = by_hash_.equal_range(crowd.hash); at != end; ++at) {
    if (at->second != id) continue;
    by_hash_.erase(at);
    break;
  }
  for (const PairRef& pair : crowd.pairs) unref_pair(pair.id);
  for (const Member& member : crowd.writers) accesses.unref(member.id, 1);
  for (const Member& member : crowd.readers) accesses.unref(member.id, 1);
  crowd.clear();
  free_crowds_.push_back(id);
}

PairId States::new_pair(AccessId first, AccessId second) {
  PairId id;
  if (free_pairs_.empty()) {
    id = static_cast<PairId>(pairs_.size());
    pairs_.emplace_back();
  } else {
    id = free_pairs_.back();
    free_pairs_.pop_back();
    pairs_[id] = Pair{};
  }
  pairs_[id].first = first;
  pairs_[id].second = second;
  accesses.ref(first, 1);
  accesses.ref(second, 1);
  ++pairs_in_use_;
  return id;
}

void States::unref_pair(PairId id) {
  Pair& pair = pairs_[id];
  if (--pair.refs != 0) return;
  if (pair.committed)
    finished_.push_back(id);
  else
    forget(id);
}

void States::forget(PairId id) {
  const Pair& pair = pairs_[id];
  accesses.unref(pair.first, 1);
  accesses.unref(pair.second, 1);
  free_pairs_.push_back(id);
  --pairs_in_use_;
}

void States::commit(PairId id, uint64_t begin, uint64_t end) {
  Pair& pair = pairs_[id];
  if (on_commit && pair.judgement.rule != Rule::kASC1502)
    on_commit(accesses[pair.first], accesses[pair.second], begin, end);
  if (!pair.committed) {
    pair.begin = begin;
    pair.end = end;
  } else if (begin == pair.end) {
    pair.end = end;
  } else if (end == pair.begin) {
    pair.begin = begin;
  } else if (begin < pair.begin) {
    pair.begin = begin;
    pair.end = end;
  }
  pair.committed = true;
}

size_t States::bytes() const {
  return accesses.capacity() * sizeof(Access) + crowds_.capacity() * sizeof(Crowd) + pairs_.capacity() * sizeof(Pair);
}

}  // namespace ascsan::check
