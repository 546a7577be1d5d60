// Happens-before of a launch, from its events, in O(1) per query (spec/hb-rules.md 2, 3 and 8; rules.def lists the
// rules applied). A sink like the checkers, but it must see each event before they do: while an event is handed round,
// start_clock() is the clock of that event's instruction or scalar access.
//
// Events may come in any linearisation of happens-before; the answer depends on the program only. Everything is reset
// at LaunchBegin: launches are totally ordered, so no access of an earlier launch can race, and scalar versions
// and pipe indices count from the beginning of the launch.
//
// Scalar stores have two readings. By rule R-1 a scalar access is complete when it is issued. A store to UB or GM may
// still need an S_V / S_MTE flag on a chip without automatic synchronisation; slot 8 of a clock tells for that stricter
// reading which stores are covered by a flag, PIPE_ALL or DataSyncBarrier. The checker decides which one it asks.
//
// Left out: KFC messages (R-27..29). Unit flags are flags with ids from kFirstUnitFlag on.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "event/names.h"
#include "event/sink.h"
#include "order/history.h"
#include "order/polled.h"
#include "order/scalar_clocks.h"

namespace ascsan::order {

class Order : public event::Sink {
 public:
  void on_event(const event::Event& event) override;

  /// Clock of the Instruction or ScalarAccess that is being handed round.
  const Clock& start_clock() const { return start_; }
  /// Is instruction `n` of pipe `p` on core `a` complete before the access Y on core `b` with clock `start` starts?
  /// `start` must be the current start_clock(): knowledge about other cores is kept only as long as instructions need
  /// it.
  bool ordered_before(event::CoreId a, gate::Pipe p, uint32_t n, event::CoreId b, const Clock& start) const {
    return a == b ? start[p] >= n : dense_of(b, start)[dense_index(a, p)] >= n;
  }
  /// What core `b` knows of all cores at `start`; valid until the next event.
  const uint32_t* dense_of(event::CoreId b, const Clock& start) const {
    return cores_[b].remote.at(start.at[kRemoteSlot]).data();
  }
  /// The same for those who keep it longer than the core does.
  std::shared_ptr<const std::vector<uint32_t>> remote_of(event::CoreId b, const Clock& start) const {
    return cores_[b].remote.shared(start.at[kRemoteSlot]);
  }
  /// the compiler makes the current scalar access wait for instruction X of its core (pipe, index, start clock).
  /// The scalar unit learns all that X knew; raises start_clock() as well.
  void wait_for(gate::Pipe pipe, uint32_t index, const Clock& start);

  /// The scalar load that is being handed round came from memory, not from a line cached before.
  bool fresh_load() const { return fresh_load_; }
  /// Orders found through polled words in this launch: they hang on the schedule, the verdict is incomplete.
  uint64_t polled_joins() const { return polled_joins_; }

  const event::CoreCounts& cores() const { return counts_; }
  const History& history() const { return history_; }
  /// Clocks kept for instructions still queued; for memory bounds in tests.
  size_t kept_clocks() const;

 private:
  static constexpr size_t kFlagIds = 8, kMaxWaiting = 64;
  static constexpr int16_t kFirstUnitFlag = 1000;  ///< ids of flags that stand for unit flags
  using Dense = RemoteClocks::Dense;
  struct Fired {
    uint32_t ordinal;
    Clock clock;
  };
  /// Sets of one key that have fired and not been waited for; nearly always one.
  using FlagQueue = std::vector<Fired>;
  struct CrossFired {
    uint32_t ordinal;
    Dense dense;
  };
  struct Delivered {
    uint32_t serial, ordinal;
    std::shared_ptr<const Dense> dense;
  };
  struct Core {
    std::array<Clock, gate::kPipeCount> gate{};     ///< what the waits and barriers passed inside a pipe have brought
    std::array<uint32_t, gate::kPipeCount> done{};  ///< highest instruction seen
    uint32_t version = 0, scalar_index = 0;
    ScalarClocks scalar;
    RemoteClocks remote;
    std::vector<FlagQueue> flags;                          ///< ids 0..7
    std::map<uint32_t, FlagQueue> far_flags;               ///< other ids
    std::map<uint32_t, std::vector<CrossFired>> sets;      ///< key mode, id
    std::map<int16_t, std::vector<Delivered>> deliveries;  ///< key id
    std::map<int16_t, std::vector<CrossFired>> arrivals;   ///< key barrier object; the newest few
  };

  void begin_launch(const event::Event& event);
  Core& core_of(const event::Event& event);
  void issue_clock(const Core& core, const event::Event& event, Clock& clock) const;
  void fire_clock(const Core& core, const event::Event& event, Clock& clock) const;
  FlagQueue& flag(Core& core, gate::Pipe src, gate::Pipe dst, int16_t id);
  void start_instruction(Core& core, const event::Event& event);
  void start_scalar(Core& core, const event::Event& event);
  void scalar_word(Core& core, const event::Event& event);
  Published snapshot(const Core& core, event::CoreId id, uint32_t scalars, uint32_t bytes) const;
  void set_flag(Core& core, const event::Event& event);
  void wait_flag(Core& core, const event::Event& event);
  void full_barrier(Core& core, const event::Event& event);
  void cross_release(const event::Event& event);
  void cross_wait(Core& core, const event::Event& event);
  void group_arrive(Core& core, const event::Event& event);
  void group_pass(Core& core, const event::Event& event);
  void scalar_join(Core& core, const event::Event& event, Clock clock, uint32_t group);
  void learn(Core& core, event::CoreId id, const Dense& news, Clock& clock);
  Dense to_dense(const Core& core, event::CoreId id, const Clock& clock) const;

  event::CoreCounts counts_;
  std::vector<Core> cores_;
  Clock start_;
  event::CoreId start_core_ = 0;
  event::Kind start_kind_ = event::Kind::kLaunchBegin;
  IssuePoint start_point_;
  History history_;
  PolledWords polled_;
  bool fresh_load_ = false;
  uint64_t polled_joins_ = 0;
  std::set<uint64_t> annotated_;  ///< addresses whose meaning the kernel itself declares (ASCSAN_RELEASE)
  // The join of one soft barrier round is the same for all who pass it.
  struct GroupJoin {
    int16_t id = 0;
    uint32_t ordinal = 0;
    std::vector<event::CoreId> members;
    Dense dense;
    bool valid = false;
  } group_join_;
};

}  // namespace ascsan::order
