// Data, launch and comparison of the chained_cores kernel, for every kind of hand-over.
#pragma once

#include "corpus.h"
#include "kernel/chained_cores.h"

namespace corpus {

template <kernels::Chain chain>
void check_chain(uint32_t blocks, uint32_t cols, uint32_t rounds) {
  SCOPED_TRACE("blocks " + std::to_string(blocks) + ", rounds " + std::to_string(rounds));
  Random random(blocks * 13 + cols);
  const auto x = random.integers<float>(size_t{rounds} * blocks * cols, -99, 99);
  std::vector<float> expected(x);
  for (size_t i = 0; i < x.size(); ++i)
    if (i / cols % blocks != 0) expected[i] += expected[i - cols];
  Gm<float> gx(x, "x"), gy(x.size(), "y");
  Gm<int32_t> slots(blocks * 32, "slots");
  Gm<kernels::ChainTiling> tiling(std::vector<kernels::ChainTiling>{{cols, rounds}}, "tiling");
  AscendC::SetKernelMode(AscendC::KernelMode::AIV_MODE);
  for (const Schedule& schedule : all_schedules()) {
    use(schedule);
    gy.clear(), slots.clear();
    ICPU_RUN_KF((kernels::chained_cores<chain, kernels::ChainFault::kNone>), blocks, gx, gy, slots, tiling);
    expect_equal(gy, expected, schedule.text());
  }
}

}  // namespace corpus
