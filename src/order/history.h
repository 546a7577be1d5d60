// The newest synchronisation steps of each core, for explanations only (why_not.h): what was the last point ordered
// before both sides of a race, what did each side do next. Bounded rings; the order itself never reads them.
#pragma once

#include <vector>

#include "order/clock.h"
#include "order/ring.h"

namespace ascsan::order {

/// One synchronisation step of one core.
struct Step {
  event::Kind kind{};
  gate::Op op = gate::Op::kNop;
  gate::Pipe pipe = gate::Pipe::kS, other = gate::Pipe::kS;
  uint8_t mode = 0;
  event::CoreId core = 0;
  int16_t id = 0;
  event::SiteId site = 0;
  uint32_t ordinal = 0;
  uint32_t index = 0;    ///< instructions of `pipe` before it
  IssuePoint issue;      ///< for a scalar join: the point right after it
  uint32_t program = 0;  ///< Event::program_index
  uint32_t group = 0;    ///< joins: serial of the release joined (CrossWait), from 1
};

struct Release {
  uint32_t serial = 0;
  uint8_t mode = 0;
  int16_t id = 0;
  uint32_t ordinal = 0;
  std::vector<event::CoreId> members;
};

class History {
 public:
  static constexpr size_t kJoins = 1024, kSignals = 256, kReleases = 256;

  void reset(size_t cores);
  void add(const event::Event& event, IssuePoint after_join, uint32_t group);
  uint32_t add_release(const event::Event& event);

  /// Scalar joins: FullBarrier, CrossWait, GroupPass, WaitFlag on S.
  const Ring<Step>& joins(event::CoreId core) const { return cores_[core].joins; }
  /// What a core tells others or its own pipes: CrossSet, GroupArrive, SetFlag.
  const Ring<Step>& signals(event::CoreId core) const { return cores_[core].signals; }
  /// WaitFlag and PipeBarrier inside pipes.
  const Ring<Step>& waits(event::CoreId core) const { return cores_[core].waits; }
  /// Null when forgotten.
  const Release* release(uint32_t serial) const;

 private:
  struct PerCore {
    Ring<Step> joins{kJoins}, signals{kSignals}, waits{kSignals};
  };
  std::vector<PerCore> cores_;
  Ring<Release> releases_{kReleases};
  uint32_t next_serial_ = 1;
};

}  // namespace ascsan::order
