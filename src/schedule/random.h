// Random walk over the ready actors. Per launch each actor draws a speed between 1 and 1/1024 (uniform on a logarithmic
// scale), so that some pipes and cores are very slow: uniform choice alone rarely lets one pipe fall far behind.
// Transfers that may finish out of order do so. Equal seeds and launches give equal schedules.
#pragma once

#include <vector>

#include "base/rng.h"
#include "machine/scheduler.h"

namespace ascsan::schedule {

class Random : public machine::Scheduler {
 public:
  explicit Random(uint64_t seed) : seed_(seed), rng_(seed) {}
  void begin(const machine::MachineView& view, uint32_t launch) override;
  machine::Step next(const machine::MachineView& view) override;

 private:
  uint32_t weight(machine::Actor actor) const {
    return weights_[static_cast<size_t>(actor.core) * 8 + static_cast<size_t>(actor.pipe)];
  }
  machine::Actor exact(const machine::ReadySet& ready);

  uint64_t seed_;
  base::Rng rng_;
  std::vector<uint32_t> weights_;  ///< by core * 8 + pipe
};

}  // namespace ascsan::schedule
