// The race checker: FastTrack on ranges. Every data instruction and scalar access updates the shadow of the bytes it
// touches; the common case (one writer, one reader, all ordered) is decided per run of equal cells in race.cpp,
// everything else in race_contested.cpp. Order comes from order::Order, which must have seen the event first.
//
// What is promised, per byte and launch: every reported pair is unordered, conflicting and not exempt; where such a
// pair exists, at least one is reported; and a pair X, Y is reported unless some later access stands for X and races
// with Y as well, or the other way round (then that pair is reported in its place, or one hiding it).
// tests/unit/race_oracle_test.cpp asserts exactly this against the graph oracle.
#pragma once

#include <string>

#include "check/checker.h"
#include "check/race_findings.h"
#include "check/shadow.h"

namespace ascsan::check {

class RaceChecker : public Checker {
 public:
  RaceChecker(order::Order& order, const event::SiteTable& sites, RaceOptions options = {})
      : order_(order), options_(options), shadow_(states_), findings_(order, sites, objects_) {}

  void on_event(const event::Event& event) override;
  /// Keeps what a store to GM will find there, where another core has written (E-9). Not called: nothing is the same.
  void before_execution(const event::Event& event, event::Execution& execution) override;
  /// Between launches.
  void set_options(const RaceOptions& options) { options_ = options; }
  const char* name() const override { return "race"; }
  std::vector<report::Finding> take_findings() override;
  /// Called for every run of bytes for which a race of two accesses (in the order of events) stands; tests use it.
  using CommitObserver = std::function<void(const Access& first, const Access& second, uint64_t begin, uint64_t end)>;
  void observe(CommitObserver observer) { states_.on_commit = std::move(observer); }
  /// visit(access, begin, end): who wrote these bytes of GM last, by runs; several where writers are unordered.
  /// Includes the accesses of the event that was checked last.
  template <typename Visit>
  void visit_writers(uint64_t begin, uint64_t end, Visit&& visit) {
    shadow_.update(gate::Space::kGm, 0, begin, end, [&](Cell cell, uint64_t from, uint64_t to) {
      if (cell.is_crowd())
        for (const Member& member : states_.crowd(cell).writers) visit(states_.accesses[member.id], from, to);
      else if (cell.a != 0)
        visit(states_.accesses[cell.a], from, to);
      return cell;
    });
  }
  /// What lies at an address of GM.
  const Object& object_at(uint64_t address) {
    return objects_.at(objects_.find(gate::Space::kGm, 0, address, address));
  }
  /// Bytes of all footprints checked.
  uint64_t bytes_checked() const { return bytes_checked_; }

  struct Usage {
    size_t accesses, crowds, pairs, escaped_blocks, shadow_bytes, state_bytes;
  };
  Usage usage() const {
    return {states_.accesses.in_use(), states_.crowds_in_use(), states_.pairs_in_use(),
            shadow_.escaped_blocks(),  shadow_.bytes(),         states_.bytes()};
  }

 private:
  void begin_launch(const event::Event& event);
  void end_launch();
  void check(const event::Event& event);
  void check_access(const event::Event& event, const event::Access& access);
  void begin_event(const event::Event& event);
  void begin_access(const event::Event& event, const event::Access& access);
  /// The event also reads bytes that it writes.
  bool in_place(const event::Event& event, const event::Access& write) const;
  void commit_all(Cell cell, uint64_t begin, uint64_t end);
  /// `x` is complete when the current access starts, or needs no order with it.
  bool before(const Access& x) const;
  /// The same for a conflicting `x`: the compiler may have to wait for it.
  bool settled(const Access& x);
  Cell transition(Cell old, uint64_t begin, uint64_t end);
  void finish_event();
  void fold_finished();

  // race_contested.cpp
  Cell contested(Cell old, uint64_t begin, uint64_t end);
  void gather(Cell cell);
  void find_races(uint64_t begin);
  void order_of_sum(uint64_t begin);
  void compare_values(uint64_t begin, uint64_t end);
  void decide_pairs(uint64_t begin, uint64_t end);
  PairId pair_with(const Access& x, AccessId id, const Judgement& judgement, uint64_t begin);
  bool crossed(const Access& x) const;
  bool polled_again(const Access& load, const Access& store) const;
  bool stands_for(const Access& by, const Access& x);

  order::Order& order_;
  RaceOptions options_;
  States states_;
  Shadow shadow_;
  Objects objects_;
  RaceFindings findings_;
  uint32_t launches_ended_ = 0;
  bool in_launch_ = false;
  uint64_t bytes_checked_ = 0;
  std::vector<std::array<uint32_t, gate::kPipeCount>> last_cross_set_;  ///< per core: instructions before the newest

  // The access being checked.
  AccessId me_ = 0;
  Access* mine_ = nullptr;
  Access common_;                    ///< what all accesses of the event share
  const uint32_t* known_ = nullptr;  ///< what its core knows of all cores
  bool same_pipe_settled_ = false, simple_write_ = false;
  Cell memo_old_, memo_now_;
  bool memo_valid_ = false;
  /// GM as it was before the current instruction, where it stores over bytes of another core.
  struct Kept {
    uint64_t begin, end;
    size_t first;  ///< into kept_bytes_
  };
  std::vector<Kept> kept_;
  std::vector<uint8_t> kept_bytes_;
  std::vector<PairRef> event_pairs_;  ///< pairs of the current event, each held once
  // Scratch of contested().
  Crowd content_;
  std::vector<PairRef> new_pairs_;
  bool decided_ = false;
};

inline bool RaceChecker::before(const Access& x) const {
  const Access& me = *mine_;
  if (x.core != me.core) return known_[order::dense_index(x.core, x.pipe)] >= x.index;
  if (x.pipe == me.pipe)
    return x.index == me.index || me.start[x.pipe] >= x.index || (same_pipe_settled_ && x.index < me.index);
  if (x.pipe == gate::Pipe::kS && x.writes() && options_.stores_need_flag())
    return me.start.at[order::kStoreSlot] >= x.index;
  return me.start[x.pipe] >= x.index;
}

inline bool RaceChecker::settled(const Access& x) {
  if (before(x)) return true;
  if (!waited_by_compiler(options_, x, *mine_)) return false;
  order_.wait_for(x.pipe, x.index, x.start);
  mine_->start = common_.start = order_.start_clock();
  return true;
}

}  // namespace ascsan::check
