// The "looks right" schedule: every instruction completes at issue; a core runs until it blocks, then the lowest AIV,
// then the lowest AIC. A missing flag, barrier or cross-core wait does not show in the results
// (spec/execution-model.md 8.3a).
#pragma once

#include <optional>

#include "machine/scheduler.h"

namespace ascsan::schedule {

class InOrder : public machine::Scheduler {
 public:
  void begin(const machine::MachineView& view, uint32_t launch) override;
  machine::Step next(const machine::MachineView& view) override;
  bool completes_at_issue() const override { return true; }

 private:
  std::optional<machine::Actor> last_;  ///< the step taken before
  std::optional<event::CoreId> running_;
};

}  // namespace ascsan::schedule
