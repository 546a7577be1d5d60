// How a schedule is chosen. The machine keeps the set of actors that may take a step (a core's scalar program, or the
// head of one of its pipes) and asks a Scheduler which one goes next. Strategies live in src/schedule, one file each.
// Semantics of what may go next: spec/execution-model.md 3.3 and 8.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "ascendc/gate.h"
#include "event/event.h"

namespace ascsan::machine {

struct Actor {
  event::CoreId core = 0;
  gate::Pipe pipe = gate::Pipe::kS;
  friend bool operator==(const Actor&, const Actor&) = default;
};

/// Set of actors, ordered by core, then pipe (S first).
class ReadySet {
 public:
  void resize(int cores) { words_.assign((static_cast<size_t>(cores) * 8 + 63) / 64, 0); }
  void set(Actor actor, bool on) {
    const size_t bit = index(actor);
    const uint64_t mask = uint64_t{1} << (bit & 63);
    words_[bit >> 6] = on ? (words_[bit >> 6] | mask) : (words_[bit >> 6] & ~mask);
  }
  bool test(Actor actor) const { return (words_[index(actor) >> 6] >> (index(actor) & 63)) & 1; }
  uint32_t count() const {
    uint32_t total = 0;
    for (uint64_t word : words_) total += static_cast<uint32_t>(std::popcount(word));
    return total;
  }
  bool empty() const {
    for (uint64_t word : words_)
      if (word != 0) return false;
    return true;
  }
  /// The n-th member, n < count().
  Actor nth(uint32_t n) const;
  /// The first ready scalar program of core `core` or a later one.
  std::optional<Actor> next_scalar(event::CoreId core) const {
    constexpr uint64_t kScalars = 0x0101010101010101;  // pipe S is bit 0 of each core's eight
    for (size_t w = core / 8; w < words_.size(); ++w) {
      uint64_t word = words_[w] & kScalars;
      if (w == core / 8) word &= ~uint64_t{0} << (core % 8 * 8);
      if (word != 0) return actor_of(w * 64 + static_cast<size_t>(std::countr_zero(word)));
    }
    return std::nullopt;
  }
  /// Calls f(Actor) in order until it returns true; says whether it did.
  template <typename F>
  bool any(F&& f) const {
    for (size_t w = 0; w < words_.size(); ++w)
      for (uint64_t word = words_[w]; word != 0; word &= word - 1)
        if (f(actor_of(w * 64 + static_cast<size_t>(std::countr_zero(word))))) return true;
    return false;
  }

 private:
  static size_t index(Actor actor) { return static_cast<size_t>(actor.core) * 8 + static_cast<size_t>(actor.pipe); }
  static Actor actor_of(size_t bit) { return {static_cast<event::CoreId>(bit / 8), static_cast<gate::Pipe>(bit % 8)}; }
  std::vector<uint64_t> words_;
};

/// What a scheduler may look at.
class MachineView {
 public:
  virtual ~MachineView() = default;
  virtual int core_count() const = 0;
  virtual gate::CoreKind kind(event::CoreId core) const = 0;
  virtual const ReadySet& ready() const = 0;
  /// How many leading instructions of a ready pipe may complete next, at least 1: transfers of the MTE and FIX pipes
  /// may finish out of order up to the next flag or barrier (spec/execution-model.md 3.4); V, M and S always answer 1.
  virtual uint32_t window(Actor pipe) const = 0;
  /// True if the actor has work left (scalar program not returned, or queue not empty).
  virtual bool has_work(Actor actor) const = 0;
  /// For an actor that has work but is not ready: an actor whose progress it waits for. Following blocker() from a
  /// stalled actor ends at a ready one, or comes back to an actor already seen (a hang).
  virtual Actor blocker(Actor actor) const = 0;
  /// Position in its queue of instruction `index` of a pipe; on pipe S 0 when the scalar program stands before its
  /// access `index` (see Scheduler::stops_before). -1: not issued yet, or complete.
  virtual int slot_of(Actor, uint32_t /*index*/) const { return -1; }
  /// True once instruction `index` of a pipe, or scalar access `index` (pipe S), is complete.
  virtual bool completed(Actor, uint32_t /*index*/) const { return false; }
};

struct Step {
  Actor actor;
  uint32_t slot = 0;  ///< < window(actor): which of the leading instructions completes
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  /// A launch begins. Must reset all state, so that equal launches with equal seeds run alike.
  virtual void begin(const MachineView& view, uint32_t launch) = 0;
  /// Chooses one member of view.ready(), which is not empty.
  virtual Step next(const MachineView& view) = 0;
  /// True: an instruction whose pipe is idle and whose waits are satisfied completes at issue, without asking next().
  virtual bool completes_at_issue() const { return false; }
  /// The scalar program of `core` is about to make its access `index`: true lets the others go on first. Not asked by
  /// schedules that complete at issue.
  virtual bool stops_before(event::CoreId, uint32_t /*index*/) const { return false; }
};

}  // namespace ascsan::machine
