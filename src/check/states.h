// What a byte remembers, as a value of 8 bytes. Nearly always: one last writer and one reader (FastTrack epochs). More
// than that is a Crowd: several unordered writers or readers and the races found among them, interned by content so
// that equal states have equal cells and runs of equal cells stay runs. Everything is counted by the cells that hold
// it.
//
// A pair of accesses that race is kept in the crowd until it is decided: when a later access takes the place of one
// side and races with the other side too, the pair tells nothing new and is dropped; otherwise it is committed for
// those bytes. So a missing synchronisation shows as the last unordered accesses, however the schedule interleaved the
// earlier ones.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "check/access.h"
#include "check/judge.h"
#include "order/why_not.h"

namespace ascsan::check {

using PairId = uint32_t;

struct Cell {
  static constexpr uint32_t kCrowd = 1u << 31, kBytes = 1u << 30;
  uint32_t a = 0;  ///< writer, or kCrowd | crowd, or kBytes | block of byte cells
  uint32_t b = 0;  ///< reader
  bool simple() const { return a < kBytes; }
  bool is_crowd() const { return (a & kCrowd) != 0; }
  bool is_bytes() const { return (a & (kCrowd | kBytes)) == kBytes; }
  uint32_t crowd() const { return a & ~kCrowd; }
  uint32_t block() const { return a & ~kBytes; }
  friend bool operator==(const Cell&, const Cell&) = default;
};

/// Two accesses that race, and the bytes for which that stands.
struct Pair {
  AccessId first = 0, second = 0;  ///< in the order of events
  uint32_t refs = 0;
  Judgement judgement;
  uint32_t object = 0;  ///< Objects handle of the bytes
  bool committed = false;
  bool same_values = false;          ///< E-9: the later store changed none of the bytes
  uint64_t begin = 0, end = 0;       ///< lowest committed run
  std::optional<order::WhyNot> why;  ///< kept for pairs that may represent their finding
};

struct Member {
  AccessId id = 0;
  uint32_t index = 0;
  event::CoreId core = 0;
  gate::Pipe pipe = gate::Pipe::kS;
  friend bool operator==(const Member&, const Member&) = default;
};

struct PairRef {
  PairId id = 0;
  AccessId first = 0, second = 0;
  friend bool operator==(const PairRef&, const PairRef&) = default;
};

struct Crowd {
  std::vector<Member> writers, readers;  ///< sorted by core, pipe, index
  std::vector<PairRef> pairs;
  uint32_t refs = 0;
  uint64_t hash = 0;
  void clear() {
    writers.clear();
    readers.clear();
    pairs.clear();
  }
};

class States {
 public:
  AccessTable accesses;
  /// Called for every commit when set; tests look at single bytes with it.
  std::function<void(const Access& first, const Access& second, uint64_t begin, uint64_t end)> on_commit;

  void ref(Cell cell, uint32_t count) {
    if (cell.is_crowd()) {
      crowds_[cell.crowd()].refs += count;
      return;
    }
    if (cell.a != 0) accesses.ref(cell.a, count);
    if (cell.b != 0) accesses.ref(cell.b, count);
  }
  void unref(Cell cell, uint32_t count) {
    if (cell.is_crowd()) {
      if ((crowds_[cell.crowd()].refs -= count) == 0) free_crowd(cell.crowd());
      return;
    }
    if (cell.a != 0) accesses.unref(cell.a, count);
    if (cell.b != 0) accesses.unref(cell.b, count);
  }
  const Crowd& crowd(Cell cell) const { return crowds_[cell.crowd()]; }
  /// The cell for this content; sorts its lists. A new crowd has no references yet.
  Cell intern(Crowd& content);

  PairId new_pair(AccessId first, AccessId second);
  Pair& pair(PairId id) { return pairs_[id]; }
  void unref_pair(PairId id);
  /// For those bytes the race of the pair stands.
  void commit(PairId id, uint64_t begin, uint64_t end);
  /// Pairs nobody refers to any more and that were committed; the caller calls forget() for each.
  std::vector<PairId>& finished() { return finished_; }
  void forget(PairId id);
  template <typename F>
  void each_committed(F&& f) const {
    for (const Pair& pair : pairs_)
      if (pair.refs != 0 && pair.committed) f(pair);
  }

  size_t pairs_in_use() const { return pairs_in_use_; }
  size_t crowds_in_use() const { return crowds_.size() - free_crowds_.size(); }
  size_t bytes() const;

 private:
  void free_crowd(uint32_t id);
  std::vector<Crowd> crowds_;
  std::vector<uint32_t> free_crowds_;
  std::unordered_multimap<uint64_t, uint32_t> by_hash_;
  std::vector<Pair> pairs_;
  std::vector<PairId> free_pairs_, finished_;
  size_t pairs_in_use_ = 0;
};

}  // namespace ascsan::check
