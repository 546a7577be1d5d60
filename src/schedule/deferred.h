// As late as synchronisation allows: scalar programs run first, round over the cores; instructions wait in their queues
// until a blocked scalar needs one, and then only the chain it needs is executed (spec/execution-model.md 8.3b). At the
// end the rest drains, consumers before producers. Shows most missing flags and barriers as wrong results. Left out:
// chance. What a launch shows once it shows every time.
#pragma once

#include "machine/scheduler.h"

namespace ascsan::schedule {

class Deferred : public machine::Scheduler {
 public:
  void begin(const machine::MachineView& view, uint32_t launch) override;
  machine::Step next(const machine::MachineView& view) override;

 private:
  machine::Actor needed(const machine::MachineView& view);

  event::CoreId next_core_ = 0;                     ///< scalar round
  event::CoreId drain_core_ = 0, served_core_ = 0;  ///< round over cores when nothing in particular is needed
  uint64_t scalar_steps_ = 0;                       ///< since an instruction was executed
  uint64_t patience_ = 0;  ///< scalar steps per core before queues move although every scalar can run
};

}  // namespace ascsan::schedule
