// The kernels of this folder with one wait left out. Each is right under in_order and wrong under at least one other
// schedule; and a single checked run under in_order, where it looks right, names the fault.
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

/// Launches a kernel once and says whether its output is right. Owns the buffers.
using Attempt = std::function<bool()>;

struct Case {
  const char* name;
  const char* rule;  ///< what the checkers call it
  Attempt (*make)();
};

template <kernels::AxpbFault fault>
Attempt axpb() {
  constexpr uint32_t kTotal = 700;
  Random random(static_cast<uint64_t>(fault));
  const auto x = random.integers<float>(kTotal, 1, 100);
  std::vector<float> expected(kTotal);
  for (uint32_t i = 0; i < kTotal; ++i) expected[i] = std::max(0.0f, 3.0f * x[i] + 7.0f);
  const auto gx = std::make_shared<Gm<float>>(x, "x"), gy = std::make_shared<Gm<float>>(kTotal, "y");
  const auto tiling =
      std::make_shared<Gm<kernels::AxpbTiling>>(std::vector<kernels::AxpbTiling>{{kTotal, 64, 3.0f, 7.0f}}, "tiling");
  return [=] {
    AscendC::SetKernelMode(KernelMode::AIV_MODE);
    gy->clear();
    ICPU_RUN_KF(kernels::axpb_flags<fault>, 2, static_cast<uint8_t*>(*gx), static_cast<uint8_t*>(*gy),
                static_cast<uint8_t*>(*tiling));
    return first_difference(*gy, expected) < 0;
  };
}

template <kernels::MatmulFault fault>
Attempt matmul() {
  constexpr uint32_t kM = 32, kN = 32, kK = 96;
  Random random(static_cast<uint64_t>(fault));
  const auto a = random.integers<half>(size_t{kM} * kK, 1, 8), b = random.integers<half>(size_t{kK} * kN, 1, 8);
  const auto expected = product(a, b, kM, kN, kK);
  const auto ga = std::make_shared<Gm<half>>(a, "a"), gb = std::make_shared<Gm<half>>(b, "b");
  const auto gc = std::make_shared<Gm<float>>(expected.size(), "c");
  const auto tiling =
      std::make_shared<Gm<kernels::MatmulTiling>>(std::vector<kernels::MatmulTiling>{{kM, kN, kK, 16, 16}}, "tiling");
  return [=] {
    AscendC::SetKernelMode(KernelMode::AIC_MODE);
    gc->clear();
    ICPU_RUN_KF(kernels::matmul_basic<fault>, 2, static_cast<uint8_t*>(*ga), static_cast<uint8_t*>(*gb),
                static_cast<uint8_t*>(*gc), static_cast<uint8_t*>(*tiling));
    return first_difference(*gc, expected) < 0;
  };
}

Attempt aic_does_not_wait() {
  const auto data = std::make_shared<MixCase>(1, 2);
  return [=] {
    AscendC::SetKernelMode(KernelMode::MIX_MODE);
    data->clear();
    ICPU_RUN_KF(kernels::mix_scale_matmul<kernels::MixFault::kAicDoesNotWait>, 2, static_cast<uint8_t*>(data->a),
                static_cast<uint8_t*>(data->b), static_cast<uint8_t*>(data->bias), static_cast<uint8_t*>(data->y),
                static_cast<uint8_t*>(data->scaled), static_cast<uint8_t*>(data->product),
                static_cast<uint8_t*>(data->tiling));
    return first_difference(data->y, data->expected) < 0;
  };
}

template <kernels::Barrier barrier>
Attempt sum_without_barrier() {
  constexpr bool kMix = barrier == kernels::Barrier::kHardMix;
  constexpr uint32_t kPerCore = 64, kCores = 6;
  Random random(kMix);
  const auto x = random.integers<float>(size_t{kCores} * kPerCore, 1, 300);
  double sum = 0;
  for (const float value : x) sum += value;
  const auto gx = std::make_shared<Gm<float>>(x, "x"), partial = std::make_shared<Gm<float>>(kCores * 8, "partial");
  const auto y = std::make_shared<Gm<float>>(8, "y");
  const auto slots = std::make_shared<Gm<int32_t>>(kCores * 8, "slots");
  const auto tiling = std::make_shared<Gm<kernels::SumTiling>>(std::vector<kernels::SumTiling>{{kPerCore}}, "tiling");
  return [=] {
    AscendC::SetKernelMode(kMix ? KernelMode::MIX_MODE : KernelMode::MIX_AIV_1_0);
    partial->clear(), y->clear(), slots->clear();
    ICPU_RUN_KF((kernels::all_core_sum<barrier, kernels::SyncFault::kNoBarrier>), kMix ? kCores / 2 : kCores,
                static_cast<uint8_t*>(*gx), static_cast<uint8_t*>(*partial), static_cast<uint8_t*>(*y),
                static_cast<uint8_t*>(*slots), static_cast<uint8_t*>(*tiling));
    return (*y)[0] == static_cast<float>(sum);
  };
}

Attempt plain_store_before_atomics() {
  constexpr uint32_t kCols = 64, kBlocks = 6;
  Random random(1);
  const auto x = random.integers<float>(size_t{kCols} * kBlocks, 1, 20);
  std::vector<float> expected(kCols, 3.0f);
  for (size_t i = 0; i < x.size(); ++i) expected[i % kCols] += x[i];
  const auto gx = std::make_shared<Gm<float>>(x, "x"), gy = std::make_shared<Gm<float>>(kCols, "y");
  const auto tiling =
      std::make_shared<Gm<kernels::AtomicTiling>>(std::vector<kernels::AtomicTiling>{{kCols, 1, 3.0f}}, "tiling");
  return [=] {
    AscendC::SetKernelMode(KernelMode::MIX_AIV_1_0);
    gy->clear();
    ICPU_RUN_KF((kernels::atomic_add_rows<float, true>), kBlocks, static_cast<uint8_t*>(*gx),
                static_cast<uint8_t*>(*gy), static_cast<uint8_t*>(*tiling));
    return first_difference(*gy, expected) < 0;
  };
}

Attempt chain_without_wait() {
  constexpr uint32_t kCols = 16, kBlocks = 4;
  Random random(2);
  const auto x = random.integers<float>(size_t{kCols} * kBlocks, 1, 99);
  std::vector<float> expected(x);
  for (size_t i = kCols; i < x.size(); ++i) expected[i] += expected[i - kCols];
  const auto gx = std::make_shared<Gm<float>>(x, "x"), gy = std::make_shared<Gm<float>>(x.size(), "y");
  const auto slots = std::make_shared<Gm<int32_t>>(kBlocks * 32, "slots");
  const auto tiling =
      std::make_shared<Gm<kernels::ChainTiling>>(std::vector<kernels::ChainTiling>{{kCols, 1}}, "tiling");
  return [=] {
    AscendC::SetKernelMode(KernelMode::AIV_MODE);
    gy->clear(), slots->clear();
    ICPU_RUN_KF((kernels::chained_cores<kernels::Chain::kPolled, kernels::ChainFault::kNoWait>), kBlocks,
                static_cast<uint8_t*>(*gx), static_cast<uint8_t*>(*gy), static_cast<uint8_t*>(*slots),
                static_cast<uint8_t*>(*tiling));
    return first_difference(*gy, expected) < 0;
  };
}

const Case kCases[] = {
    {"NoFlagFromLoadToVector", "ASC1201", axpb<kernels::AxpbFault::kNoMte2ToV>},
    {"NoFlagFromVectorToStore", "ASC1201", axpb<kernels::AxpbFault::kNoVToMte3>},
    {"NoFlagFromStoreToNextLoad", "ASC1202", axpb<kernels::AxpbFault::kNoMte3ToMte2>},
    {"NoFlagFromLoadToL0", "ASC1201", matmul<kernels::MatmulFault::kNoMte2ToMte1>},
    {"NoFlagFromL0ToMmad", "ASC1201", matmul<kernels::MatmulFault::kNoMte1ToM>},
    {"NoFlagFromMmadToFixpipe", "ASC1201", matmul<kernels::MatmulFault::kNoMToFix>},
    {"NoFlagFromMmadToNextL0Load", "ASC1202", matmul<kernels::MatmulFault::kNoMToMte1>},
    {"AicDoesNotWaitForItsAivs", "ASC1101", aic_does_not_wait},
    {"NoSyncAll", "ASC1101", sum_without_barrier<kernels::Barrier::kHard>},
    {"NoSyncAllInMix", "ASC1101", sum_without_barrier<kernels::Barrier::kHardMix>},
    {"PlainStoreNotOrderedBeforeAtomics", "ASC1102", plain_store_before_atomics},
    {"ChainWithoutWait", "ASC1101", chain_without_wait},
};

class Racy : public ::testing::TestWithParam<Case> {};

TEST_P(Racy, WrongUnderSomeSchedule) {
  ASSERT_TRUE(ascsan::set_option("check", "off"));  // a finding would fail this program
  expect_racy(GetParam().make());
}

TEST_P(Racy, FoundInARunThatLooksRight) {
  EXPECT_EXIT(
      {
        use({"in_order", 1});
        ascsan::set_option("check", "on");
        const bool right = GetParam().make()();
        std::exit(right ? 0 : 9);  // the session turns 0 into 1 when there are findings
      },
      ::testing::ExitedWithCode(1), GetParam().rule);
}

INSTANTIATE_TEST_SUITE_P(Kernels, Racy, ::testing::ValuesIn(kCases), [](const auto& info) { return info.param.name; });

/// Not a matter of order: a word that stays in a core's data cache is not seen by others, whatever the schedule.
TEST(DataCache, WordThatIsNotCleanedIsNotSeen) {
  constexpr uint32_t kBlocks = 4;
  ASSERT_TRUE(ascsan::set_option("check", "off"));
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
