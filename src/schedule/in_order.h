// The "looks right" schedule: every instruction completes at issue, and all cores advance together, a few operations
// each in turn (AIVs before AICs among equals), as they do on a chip where nobody is slow. A missing flag, barrier or
// cross-core wait does not show in the results (spec/execution-model.md 8.3a).
#pragma once

#include <vector>

#include "machine/scheduler.h"

namespace ascsan::schedule {

class InOrder : public machine::Scheduler {
 public:
  void begin(const machine::MachineView& view, uint32_t launch) override;
  machine::Step next(const machine::MachineView& view) override;
  bool completes_at_issue() const override { return true; }

 private:
  std::vector<uint64_t> turns_;  ///< per core: turns taken; a core that was blocked does not catch up
  uint64_t floor_ = 0;           ///< turns of the core chosen last
};

}  // namespace ascsan::schedule
