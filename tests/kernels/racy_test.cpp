// The same kernels with one wait left out: right under in_order, wrong under at least one other schedule. Values only:
// the checkers are off, so that a wrong kernel does not fail the program by its findings.
#include "corpus.h"
#include "kernel/all_core_sum.h"
#include "kernel/atomic_add.h"
#include "kernel/axpb_flags.h"
#include "kernel/chained_cores.h"
#include "kernel/matmul_basic.h"
#include "kernel/mix_scale_matmul.h"
#include "kernel/scalar_paths.h"
#include "matrix_reference.h"

namespace {

using namespace corpus;
using AscendC::KernelMode;

class Racy : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(ascsan::set_option("check", "off")); }
};

template <kernels::AxpbFault fault>
void check_axpb() {
  constexpr uint32_t kTotal = 700;
  Random random(static_cast<uint64_t>(fault));
  const auto x = random.integers<float>(kTotal, 1, 100);
  std::vector<float> expected(kTotal);
  for (uint32_t i = 0; i < kTotal; ++i) expected[i] = std::max(0.0f, 3.0f * x[i] + 7.0f);
  Gm<float> gx(x, "x"), gy(kTotal, "y");
  Gm<kernels::AxpbTiling> tiling(std::vector<kernels::AxpbTiling>{{kTotal, 64, 3.0f, 7.0f}}, "tiling");
  AscendC::SetKernelMode(KernelMode::AIV_MODE);
  expect_racy([&] {
    gy.clear();
    ICPU_RUN_KF(kernels::axpb_flags<fault>, 2, gx, gy, tiling);
    return first_difference(gy, expected) < 0;
  });
}

TEST_F(Racy, NoFlagFromLoadToVector) {
  check_axpb<kernels::AxpbFault::kNoMte2ToV>();
}
TEST_F(Racy, NoFlagFromVectorToStore) {
  check_axpb<kernels::AxpbFault::kNoVToMte3>();
}
TEST_F(Racy, NoFlagFromStoreToNextLoad) {
  check_axpb<kernels::AxpbFault::kNoMte3ToMte2>();
}

template <kernels::MatmulFault fault>
void check_matmul() {
  constexpr uint32_t kM = 32, kN = 32, kK = 96;
  Random random(static_cast<uint64_t>(fault));
  const auto a = random.integers<half>(size_t{kM} * kK, 1, 8), b = random.integers<half>(size_t{kK} * kN, 1, 8);
  const auto expected = product(a, b, kM, kN, kK);
  Gm<half> ga(a, "a"), gb(b, "b");
  Gm<float> gc(expected.size(), "c");
  Gm<kernels::MatmulTiling> tiling(std::vector<kernels::MatmulTiling>{{kM, kN, kK, 16, 16}}, "tiling");
  AscendC::SetKernelMode(KernelMode::AIC_MODE);
  expect_racy([&] {
    gc.clear();
    ICPU_RUN_KF(kernels::matmul_basic<fault>, 2, ga, gb, gc, tiling);
    return first_difference(gc, expected) < 0;
  });
}

TEST_F(Racy, NoFlagFromLoadToL0) {
  check_matmul<kernels::MatmulFault::kNoMte2ToMte1>();
}
TEST_F(Racy, NoFlagFromL0ToMmad) {
  check_matmul<kernels::MatmulFault::kNoMte1ToM>();
}
TEST_F(Racy, NoFlagFromMmadToFixpipe) {
  check_matmul<kernels::MatmulFault::kNoMToFix>();
}
TEST_F(Racy, NoFlagFromMmadToNextL0Load) {
  check_matmul<kernels::MatmulFault::kNoMToMte1>();
}

TEST_F(Racy, AicDoesNotWaitForItsAivs) {
  MixCase data(1, 2);
  AscendC::SetKernelMode(KernelMode::MIX_MODE);
  expect_racy([&] {
    data.clear();
    ICPU_RUN_KF(kernels::mix_scale_matmul<kernels::MixFault::kAicDoesNotWait>, 2, data.a, data.b, data.bias, data.y,
                data.scaled, data.product, data.tiling);
    return first_difference(data.y, data.expected) < 0;
  });
}

template <kernels::Barrier barrier>
void check_sum(KernelMode mode, uint32_t blocks, uint32_t cores) {
  constexpr uint32_t kPerCore = 64;
  Random random(blocks);
  const auto x = random.integers<float>(size_t{cores} * kPerCore, 1, 300);
  double sum = 0;
  for (const float value : x) sum += value;
  Gm<float> gx(x, "x"), partial(cores * 8, "partial"), y(8, "y");
  Gm<int32_t> slots(cores * 8, "slots");
  Gm<kernels::SumTiling> tiling(std::vector<kernels::SumTiling>{{kPerCore}}, "tiling");
  AscendC::SetKernelMode(mode);
  expect_racy([&] {
    partial.clear(), y.clear(), slots.clear();
    ICPU_RUN_KF((kernels::all_core_sum<barrier, kernels::SyncFault::kNoBarrier>), blocks, gx, partial, y, slots,
                tiling);
    return y[0] == static_cast<float>(sum);
  });
}

TEST_F(Racy, NoSyncAll) {
  check_sum<kernels::Barrier::kHard>(KernelMode::MIX_AIV_1_0, 6, 6);
}
TEST_F(Racy, NoSyncAllInMix) {
  check_sum<kernels::Barrier::kHardMix>(KernelMode::MIX_MODE, 3, 6);
}

TEST_F(Racy, PlainStoreNotOrderedBeforeAtomics) {
  constexpr uint32_t kCols = 64, kBlocks = 6;
  Random random(1);
  const auto x = random.integers<float>(size_t{kCols} * kBlocks, 1, 20);
  std::vector<float> expected(kCols, 3.0f);
  for (size_t i = 0; i < x.size(); ++i) expected[i % kCols] += x[i];
  Gm<float> gx(x, "x"), gy(kCols, "y");
  Gm<kernels::AtomicTiling> tiling(std::vector<kernels::AtomicTiling>{{kCols, 1, 3.0f}}, "tiling");
  AscendC::SetKernelMode(KernelMode::MIX_AIV_1_0);
  expect_racy([&] {
    gy.clear();
    ICPU_RUN_KF((kernels::atomic_add_rows<float, true>), kBlocks, gx, gy, tiling);
    return first_difference(gy, expected) < 0;
  });
}

TEST_F(Racy, ChainWithoutWait) {
  constexpr uint32_t kCols = 16, kBlocks = 4;
  Random random(2);
  const auto x = random.integers<float>(size_t{kCols} * kBlocks, 1, 99);
  std::vector<float> expected(x);
  for (size_t i = kCols; i < x.size(); ++i) expected[i] += expected[i - kCols];
  Gm<float> gx(x, "x"), gy(x.size(), "y");
  Gm<int32_t> slots(kBlocks * 32, "slots");
  Gm<kernels::ChainTiling> tiling(std::vector<kernels::ChainTiling>{{kCols, 1}}, "tiling");
  AscendC::SetKernelMode(KernelMode::AIV_MODE);
  expect_racy([&] {
    gy.clear(), slots.clear();
    ICPU_RUN_KF((kernels::chained_cores<kernels::Chain::kPolled, kernels::ChainFault::kNoWait>), kBlocks, gx, gy, slots,
                tiling);
    return first_difference(gy, expected) < 0;
  });
}

/// Not a matter of order: a word that stays in a core's data cache is not seen by others, whatever the schedule.
TEST_F(Racy, WordNotCleanedFromTheDataCacheIsNotSeen) {
  constexpr uint32_t kBlocks = 4;
  Gm<int32_t> words(kBlocks * 16, "words"), sums(kBlocks * 16, "sums");
  AscendC::SetKernelMode(KernelMode::MIX_AIV_1_0);
  for (const Schedule& schedule : all_schedules()) {
    use(schedule);
    words.clear(), sums.clear();
    ICPU_RUN_KF(kernels::cached_words<kernels::CacheFault::kNoClean>, kBlocks, words, sums, nullptr);
    for (uint32_t core = 0; core < kBlocks; ++core)
      EXPECT_EQ(sums[core * 16], static_cast<int32_t>(100 + core))
          << schedule.text() << ": a core sees only its own word";
  }
}

}  // namespace
