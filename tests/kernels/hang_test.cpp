// Kernels that never end on the device. Here each launch must end, under every schedule, with a report of who waits.
#include "corpus.h"
#include "kernel/all_core_sum.h"
#include "kernel/chained_cores.h"
#include "kernel/mix_scale_matmul.h"
#include "matrix_reference.h"

namespace {

using namespace corpus;
using AscendC::KernelMode;

class Hang : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(ascsan::set_option("check", "off")); }
};

extern "C" __global__ __aicore__ void wait_without_set(GM_ADDR x) {
  using namespace AscendC;
  TPipe pipe;
  TBuf<> buffer;
  pipe.InitBuffer(buffer, 64);
  GlobalTensor<float> gm;
  gm.SetGlobalBuffer((__gm__ float*)x, 16);
  DataCopy(buffer.Get<float>(), gm, 16);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID3);
  DataCopy(gm, buffer.Get<float>(), 16);
}

extern "C" __global__ __aicore__ void scalar_waits_without_set(GM_ADDR) {
  AscendC::TPipe pipe;
  AscendC::WaitFlag<AscendC::HardEvent::MTE2_S>(EVENT_ID0);
}

/// Set after the wait that needs it: pipes V and MTE3 wait for each other.
extern "C" __global__ __aicore__ void crossed_flags(GM_ADDR) {
  using namespace AscendC;
  TPipe pipe;
  WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  SetFlag<HardEvent::MTE3_V>(EVENT_ID0);
}

TEST_F(Hang, WaitFlagWithoutSetFlag) {
  Gm<float> x(16, "x");
  AscendC::SetKernelMode(KernelMode::AIV_MODE);
  expect_hang("wait_without_set", "WaitFlag", [&] { ICPU_RUN_KF(wait_without_set, 2, x); });
  expect_hang("scalar_waits_without_set", "WaitFlag", [&] { ICPU_RUN_KF(scalar_waits_without_set, 1, x); });
  expect_hang("crossed_flags", "WaitFlag", [&] { ICPU_RUN_KF(crossed_flags, 1, x); });
}

template <kernels::Barrier barrier>
void check_sum(const char* kernel, KernelMode mode) {
  constexpr uint32_t kPerCore = 16, kCores = 4;
  Gm<float> x(kCores * kPerCore, "x"), partial(kCores * 8, "partial"), y(8, "y");
  Gm<int32_t> slots(kCores * 8, "slots");
  Gm<kernels::SumTiling> tiling(std::vector<kernels::SumTiling>{{kPerCore}}, "tiling");
  AscendC::SetKernelMode(mode);
  const uint32_t blocks = barrier == kernels::Barrier::kHardMix ? kCores / 2 : kCores;
  expect_hang(kernel, "all_core_sum.h:", [&] {  // the place of the SyncAll
    slots.clear();
    ICPU_RUN_KF((kernels::all_core_sum<barrier, kernels::SyncFault::kOneCoreLeaves>), blocks, x, partial, y, slots,
                tiling);
  });
}

TEST_F(Hang, OneCoreLeavesBeforeSyncAll) {
  check_sum<kernels::Barrier::kHard>("kernels::all_core_sum", KernelMode::MIX_AIV_1_0);
  check_sum<kernels::Barrier::kHardMix>("kernels::all_core_sum", KernelMode::MIX_MODE);
  check_sum<kernels::Barrier::kSoft>("kernels::all_core_sum", KernelMode::AIV_MODE);
}

TEST_F(Hang, AicNeverSignals) {
  MixCase data(3, 2);
  AscendC::SetKernelMode(KernelMode::MIX_MODE);
  expect_hang("kernels::mix_scale_matmul", "CrossCoreWaitFlag", [&] {
    ICPU_RUN_KF(kernels::mix_scale_matmul<kernels::MixFault::kAicNeverSignals>, 2, data.a, data.b, data.bias, data.y,
                data.scaled, data.product, data.tiling);
  });
}

TEST_F(Hang, IbWaitWithoutIbSet) {
  Gm<float> x(4 * 8, "x"), y(4 * 8, "y");
  Gm<int32_t> slots(4 * 32, "slots");
  Gm<kernels::ChainTiling> tiling(std::vector<kernels::ChainTiling>{{8, 1}}, "tiling");
  AscendC::SetKernelMode(KernelMode::AIV_MODE);
  expect_hang("kernels::chained_cores", "IBWait", [&] {
    slots.clear();
    ICPU_RUN_KF((kernels::chained_cores<kernels::Chain::kIb, kernels::ChainFault::kNoSet>), 4, x, y, slots, tiling);
  });
}

TEST_F(Hang, IsAFindingOfACheckedRun) {
  Gm<float> x(16, "x");
  AscendC::SetKernelMode(KernelMode::AIV_MODE);
  EXPECT_EXIT(
      {
        ascsan::set_option("check", "on");
        ICPU_RUN_KF(wait_without_set, 2, x);
        std::exit(0);
      },
      ::testing::ExitedWithCode(1), "ASC5001");
}

}  // namespace
