// Probabilistic concurrency testing (Burckhardt et al., ASPLOS 2010): actors have random priorities, the highest ready
// one runs, and at depth - 1 random steps the running actor falls below all others. A bug that needs d ordering
// constraints among n actors and k steps shows with probability at least 1 / (n k^(d-1)). k is not known before the
// launch: it is drawn as a power of two per launch, which costs the guarantee a factor of at most 2^(d-1) * 17. Left
// out: priorities per instruction.
#pragma once

#include <vector>

#include "base/rng.h"
#include "machine/scheduler.h"

namespace ascsan::schedule {

class Pct : public machine::Scheduler {
 public:
  /// depth >= 1.
  Pct(uint64_t seed, uint32_t depth) : seed_(seed), depth_(depth), rng_(seed) {}
  void begin(const machine::MachineView& view, uint32_t launch) override;
  machine::Step next(const machine::MachineView& view) override;

 private:
  int64_t& priority(machine::Actor actor) {
    return priorities_[static_cast<size_t>(actor.core) * 8 + static_cast<size_t>(actor.pipe)];
  }
  machine::Actor highest(const machine::MachineView& view);

  uint64_t seed_;
  uint32_t depth_;
  base::Rng rng_;
  std::vector<int64_t> priorities_;  ///< by core * 8 + pipe; higher runs first; all different
  std::vector<uint64_t> changes_;    ///< steps of the priority changes, ascending
  size_t next_change_ = 0;
  int64_t lowest_ = 0;  ///< priority the next demoted actor gets
  uint64_t step_ = 0;
  machine::Actor last_;
  uint64_t in_a_row_ = 0;
};

}  // namespace ascsan::schedule
