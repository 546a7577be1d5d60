// Forces chosen pairs into the order they did not have: a hold keeps one instruction back until another one is
// complete. Everything else follows a base schedule (in_order or deferred), so what happens is legal under every other
// rule: a held pipe is simply slow. Where transfers may finish out of order (spec/execution-model.md 3.4) the others
// behind a held one may overtake it. A hold that cannot be kept because nothing else can go on is given up, and said.
// Left out: finding the holds (src/run/witness.h).
#pragma once

#include <memory>
#include <vector>

#include "machine/scheduler.h"

namespace ascsan::schedule {

/// Instruction `index` of a pipe, or scalar access `index` of pipe S.
struct Point {
  machine::Actor actor;
  uint32_t index = 0;
};

/// `held` does not complete before `until` has.
struct Hold {
  Point held, until;
};

class Directed : public machine::Scheduler {
 public:
  Directed(std::unique_ptr<machine::Scheduler> base, std::vector<Hold> holds);
  void begin(const machine::MachineView& view, uint32_t launch) override;
  machine::Step next(const machine::MachineView& view) override;
  bool stops_before(event::CoreId core, uint32_t index) const override;
  /// Holds that were kept to the end; the others were given up or never met.
  uint32_t kept() const { return kept_; }

 private:
  class Narrowed;
  bool settle(const machine::MachineView& view);
  machine::Step overtake(const machine::MachineView& view);

  std::unique_ptr<machine::Scheduler> base_;
  std::vector<Hold> holds_;
  std::vector<Hold> active_;
  uint32_t kept_ = 0;
  uint64_t stuck_steps_ = 0;  ///< steps since something was first kept back
};

}  // namespace ascsan::schedule
