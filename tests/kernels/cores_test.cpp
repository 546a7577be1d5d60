// Kernels of many cores that are right: hard and soft SyncAll, IBSet/IBWait, block tokens, polled words, atomics, data
// cache.
#include "chain_case.h"
#include "corpus.h"
#include "kernel/all_core_sum.h"
#include "kernel/atomic_add.h"
#include "kernel/scalar_paths.h"

namespace {

using namespace corpus;
using AscendC::KernelMode;

template <kernels::Barrier barrier>
void check_sum(KernelMode mode, uint32_t blocks, uint32_t cores, uint32_t per_core) {
  SCOPED_TRACE("blocks " + std::to_string(blocks) + ", per core " + std::to_string(per_core));
  Random random(blocks * 97 + per_core);
  const auto x = random.integers<float>(size_t{cores} * per_core, -300, 300);
  double sum = 0;
  for (const float value : x) sum += value;
  Gm<float> gx(x, "x"), partial(cores * 8, "partial"), y(8, "y");
  Gm<int32_t> slots(cores * 8, "slots");
  Gm<kernels::SumTiling> tiling(std::vector<kernels::SumTiling>{{per_core}}, "tiling");
  AscendC::SetKernelMode(mode);
  for (const Schedule& schedule : all_schedules()) {
    use(schedule);
    partial.clear(), y.clear(), slots.clear();
    ICPU_RUN_KF((kernels::all_core_sum<barrier, kernels::SyncFault::kNone>), blocks, gx, partial, y, slots, tiling);
    EXPECT_EQ(y[0], static_cast<float>(sum)) << schedule.text();
  }
}

TEST(Cores, SumBehindHardSyncAll) {
  check_sum<kernels::Barrier::kHard>(KernelMode::MIX_AIV_1_0, 1, 1, 8);
  check_sum<kernels::Barrier::kHard>(KernelMode::MIX_AIV_1_0, 7, 7, 104);
  check_sum<kernels::Barrier::kHard>(KernelMode::MIX_AIV_1_0, 40, 40, 16);
}

TEST(Cores, SumBehindSyncAllOfAicAndAiv) {
  check_sum<kernels::Barrier::kHardMix>(KernelMode::MIX_MODE, 5, 10, 64);
}

TEST(Cores, SumBehindSoftSyncAll) {
  check_sum<kernels::Barrier::kSoft>(KernelMode::AIV_MODE, 1, 1, 8);
  check_sum<kernels::Barrier::kSoft>(KernelMode::AIV_MODE, 6, 6, 40);
  check_sum<kernels::Barrier::kSoft>(KernelMode::AIV_MODE, 31, 31, 24);
}

template <typename T>
void check_atomic(uint32_t cols, uint32_t rows_per_core, uint32_t blocks) {
  SCOPED_TRACE("cols " + std::to_string(cols) + ", blocks " + std::to_string(blocks));
  Random random(cols + blocks);
  const auto x = random.integers<T>(size_t{cols} * rows_per_core * blocks, -20, 20);
  std::vector<double> expected(cols, 3.0);
  for (size_t i = 0; i < x.size(); ++i) expected[i % cols] += static_cast<double>(x[i]);
  Gm<T> gx(x, "x"), gy(cols, "y");
  Gm<kernels::AtomicTiling> tiling(std::vector<kernels::AtomicTiling>{{cols, rows_per_core, 3.0f}}, "tiling");
  AscendC::SetKernelMode(KernelMode::MIX_AIV_1_0);
  for (const Schedule& schedule : all_schedules()) {
    use(schedule);
    gy.clear();
    ICPU_RUN_KF((kernels::atomic_add_rows<T, false>), blocks, gx, gy, tiling);
    expect_equal(gy, expected, schedule.text());
  }
}

TEST(Cores, AtomicAdd) {
  check_atomic<float>(16, 1, 1);
  check_atomic<float>(208, 3, 5);
  check_atomic<half>(64, 2, 8);
  check_atomic<int32_t>(112, 3, 7);
}

TEST(Cores, ChainByIbSetAndIbWait) {
  check_chain<kernels::Chain::kIb>(1, 8, 2);
  check_chain<kernels::Chain::kIb>(5, 24, 3);
}
TEST(Cores, ChainByBlockToken) {
  check_chain<kernels::Chain::kToken>(1, 8, 2);
  check_chain<kernels::Chain::kToken>(6, 16, 3);
}

TEST(Cores, ScalarHistogram) {
  for (const uint32_t per_core : {8u, 104u}) {
    constexpr uint32_t kBlocks = 3;
    Random random(per_core);
    const auto x = random.integers<int32_t>(size_t{kBlocks} * per_core, 0, 15);
    std::vector<int32_t> expected(kBlocks * kernels::kBins);
    for (size_t i = 0; i < x.size(); ++i) ++expected[i / per_core * kernels::kBins + static_cast<size_t>(x[i])];
    Gm<int32_t> gx(x, "x"), counts(expected.size(), "counts");
    Gm<kernels::HistogramTiling> tiling(std::vector<kernels::HistogramTiling>{{per_core}}, "tiling");
    AscendC::SetKernelMode(KernelMode::AIV_MODE);
    for (const Schedule& schedule : all_schedules()) {
      use(schedule);
      counts.clear();
      ICPU_RUN_KF(kernels::histogram, kBlocks, gx, counts, tiling);
      expect_equal(counts, expected, schedule.text());
    }
  }
}

TEST(Cores, WordsThroughTheDataCache) {
  constexpr uint32_t kBlocks = 5;
  std::vector<int32_t> expected(kBlocks * 16);
  for (uint32_t core = 0; core < kBlocks; ++core) expected[core * 16] = 100 * kBlocks + kBlocks * (kBlocks - 1) / 2;
  Gm<int32_t> words(kBlocks * 16, "words"), sums(kBlocks * 16, "sums");
  AscendC::SetKernelMode(KernelMode::MIX_AIV_1_0);
  for (const Schedule& schedule : all_schedules()) {
    use(schedule);
    words.clear(), sums.clear();
    ICPU_RUN_KF(kernels::cached_words<kernels::CacheFault::kNone>, kBlocks, words, sums, nullptr);
    expect_equal(sums, expected, schedule.text());
  }
}

}  // namespace
