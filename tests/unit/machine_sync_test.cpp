// Flags, barriers, cross-core counters and soft barriers of the machine: values under every schedule, events, hangs.
// links: ascsan_machine ascsan_schedule
#include "machine_fixture.h"

extern "C" uint64_t ascsan_gate(ascsan::gate::Request* request) {
  ascsan::machine::Machine* machine = ascsan::machine::Machine::current();
  return machine != nullptr ? machine->perform(*request) : 0;
}

namespace ascsan::test {
namespace {
using namespace AscendC;
using machine::KernelType;

TEST_F(MachineTest, QueueMovesEveryTileUnderEverySchedule) {
  constexpr uint32_t kTiles = 7, kElems = 64;
  const auto* x = allocate<float>(4 * kTiles * kElems, "x");
  auto* y = allocate<float>(4 * kTiles * kElems, "y");
  for (uint32_t i = 0; i < 4 * kTiles * kElems; ++i) const_cast<float*>(x)[i] = static_cast<float>(i) + 0.5f;
  for (const auto& [schedule, seed] : all_schedules()) {
    std::memset(y, 0, 4 * kTiles * kElems * sizeof(float));
    const auto outcome = run(
        KernelType::kAivOnly, 4,
        [&] {
          TPipe pipe;
          TQue<TPosition::VECIN, 2> in;
          TQue<TPosition::VECOUT, 2> out;
          pipe.InitBuffer(in, 2, kElems * sizeof(float));
          pipe.InitBuffer(out, 2, kElems * sizeof(float));
          GlobalTensor<float> gx, gy;
          gx.SetGlobalBuffer(x + GetBlockIdx() * kTiles * kElems, kTiles * kElems);
          gy.SetGlobalBuffer(y + GetBlockIdx() * kTiles * kElems, kTiles * kElems);
          for (uint32_t tile = 0; tile < kTiles; ++tile) {
            LocalTensor<float> a = in.AllocTensor<float>();
            copy(a, gx[tile * kElems], kElems * sizeof(float));
            in.EnQue(a);
            LocalTensor<float> b = in.DeQue<float>();
            LocalTensor<float> c = out.AllocTensor<float>();
            copy(c, b, kElems * sizeof(float));
            in.FreeTensor(b);
            out.EnQue(c);
            LocalTensor<float> d = out.DeQue<float>();
            copy(gy[tile * kElems], d, kElems * sizeof(float));
            out.FreeTensor(d);
          }
        },
        schedule, seed);
    ASSERT_EQ(outcome.end, End::kDone) << schedule << " " << seed << "\n" << outcome.text;
    EXPECT_EQ(std::memcmp(x, y, 4 * kTiles * kElems * sizeof(float)), 0) << schedule << " " << seed;
    EXPECT_EQ(recorder.count(event::Kind::kViolation), 0u) << recorder.text_of(event::Kind::kViolation);
    EXPECT_EQ(outcome.instructions, 4u * kTiles * 3);
  }
}

TEST_F(MachineTest, MissingFlagGoesWrongWhereTheScheduleAllowsIt) {
  constexpr uint32_t kElems = 64;
  auto* x = allocate<int32_t>(kElems, "x");
  auto* y = allocate<int32_t>(kElems, "y");
  for (uint32_t i = 0; i < kElems; ++i) x[i] = static_cast<int32_t>(i) + 1;
  size_t wrong = 0;
  for (const auto& [schedule, seed] : all_schedules()) {
    std::memset(y, 0, kElems * sizeof(int32_t));
    run(
        KernelType::kAivOnly, 1,
        [&] {
          TPipe pipe;
          TBuf<TPosition::VECCALC> buffer;
          pipe.InitBuffer(buffer, kElems * sizeof(int32_t));
          LocalTensor<int32_t> local = buffer.Get<int32_t>();
          GlobalTensor<int32_t> gx, gy;
          gx.SetGlobalBuffer(x, kElems);
          gy.SetGlobalBuffer(y, kElems);
          copy(local, gx, kElems * sizeof(int32_t));
          copy(gy, local, kElems * sizeof(int32_t));  // MTE3 reads before MTE2 has written: no flag
        },
        schedule, seed);
    const bool right = std::memcmp(x, y, kElems * sizeof(int32_t)) == 0;
    if (schedule == "in_order") {
      EXPECT_TRUE(right);
    }
    wrong += right ? 0 : 1;
  }
  EXPECT_GT(wrong, 3u);
}

TEST_F(MachineTest, SyncAllOrdersAllCoresOfAMixLaunch) {
  constexpr uint32_t kBlocks = 5;
  auto* slots = allocate<int32_t>(3 * kBlocks * 16, "slots");
  for (const auto& [schedule, seed] : all_schedules()) {
    std::memset(slots, 0, 3 * kBlocks * 16 * sizeof(int32_t));
    std::vector<int32_t> seen(3 * kBlocks, -1);
    const auto outcome = run(
        KernelType::kMixAic12, kBlocks,
        [&] {
          const auto who = static_cast<uint32_t>(GetBlockIdx()) + (g_coreType == AIC ? 2 * kBlocks : 0);
          GlobalTensor<int32_t> gm;
          gm.SetGlobalBuffer(slots, 3 * kBlocks * 16);
          gm.SetValue(who * 16, static_cast<int32_t>(who) + 1);
          DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(gm[who * 16]);
          SyncAll<false>();
          int32_t sum = 0;
          for (uint32_t i = 0; i < 3 * kBlocks; ++i) sum += gm.GetValue(i * 16);
          seen[who] = sum;
        },
        schedule, seed);
    ASSERT_EQ(outcome.end, End::kDone) << schedule << "\n" << outcome.text;
    for (const int32_t sum : seen)
      EXPECT_EQ(sum, static_cast<int32_t>(3 * kBlocks * (3 * kBlocks + 1) / 2)) << schedule << seed;
  }
}

TEST_F(MachineTest, CrossCoreModeTwoHandsTilesFromAicToBothAivs) {
  constexpr uint32_t kBlocks = 3, kTiles = 20;
  auto* tile = allocate<int32_t>(kBlocks * 16, "tile");
  for (const auto& [schedule, seed] : all_schedules()) {
    bool right = true;
    const auto outcome = run(
        KernelType::kMixAic12, kBlocks,
        [&] {
          const bool cube = g_coreType == AIC;
          const auto block = static_cast<uint32_t>(cube ? GetBlockIdx() : GetBlockIdx() / 2);
          GlobalTensor<int32_t> gm;
          gm.SetGlobalBuffer(tile, kBlocks * 16);
          for (uint32_t i = 0; i < kTiles; ++i) {
            if (cube) {
              if (i > 0) CrossCoreWaitFlag(3);
              WriteGmByPassDCache<int32_t>(tile + block * 16, static_cast<int32_t>(i) + 100);
              CrossCoreSetFlag<2, PIPE_MTE3>(2);
            } else {
              CrossCoreWaitFlag(2);
              right = right && ReadGmByPassDCache<int32_t>(tile + block * 16) == static_cast<int32_t>(i) + 100;
              if (i + 1 < kTiles) CrossCoreSetFlag<2, PIPE_MTE3>(3);
            }
          }
        },
        schedule, seed);
    ASSERT_EQ(outcome.end, End::kDone) << schedule << "\n" << outcome.text;
    EXPECT_TRUE(right) << schedule << " " << seed;
    EXPECT_EQ(recorder.count(event::Kind::kCrossRelease), kBlocks * (kTiles + kTiles - 1));
  }
}

TEST_F(MachineTest, SoftBarriersOrderVectorCores) {
  constexpr uint32_t kCores = 6;
  auto* words = allocate<int32_t>(kCores * 8 * 4, "workspace");
  for (const auto& [schedule, seed] : all_schedules()) {
    std::memset(words, 0, kCores * 8 * 4 * sizeof(int32_t));
    std::vector<int> order;
    const auto outcome = run(
        KernelType::kAivOnly, kCores,
        [&] {
          TPipe pipe;
          TBuf<TPosition::VECCALC> buffer;
          pipe.InitBuffer(buffer, kCores * 32 + 64);
          GlobalTensor<int32_t> gm;
          gm.SetGlobalBuffer(words, kCores * 8 * 4);
          LocalTensor<int32_t> ub = buffer.Get<int32_t>();
          SyncAll(gm, ub);
          InitDetermineComputeWorkspace(gm, ub);
          WaitPreBlock(gm, ub);
          order.push_back(static_cast<int>(GetBlockIdx()));
          NotifyNextBlock(gm, ub);
        },
        schedule, seed);
    ASSERT_EQ(outcome.end, End::kDone) << schedule << "\n" << outcome.text;
    ASSERT_EQ(order.size(), kCores);
    for (size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], static_cast<int>(i)) << schedule;
    EXPECT_EQ(recorder.count(event::Kind::kGroupArrive), 2 * kCores);
  }
}

TEST_F(MachineTest, HangsEndWithWhoWaitsForWhom) {
  const auto flag = run(KernelType::kAivOnly, 2, [] {
    if (GetBlockIdx() == 1) WaitFlag<HardEvent::MTE2_S>(3);
  });
  EXPECT_EQ(flag.end, End::kStalled);
  EXPECT_NE(flag.text.find("AIV 1 waits in WaitFlag<MTE2_S>(3)"), std::string::npos) << flag.text;
  EXPECT_NE(flag.text.find("machine_sync_test.cpp:"), std::string::npos) << flag.text;
  EXPECT_EQ(recorder.count(event::Kind::kStall), 1u);

  const auto barrier = run(
      KernelType::kMixAic12, 2,
      [] {
        if (g_coreType == AIV && GetBlockIdx() == 3) return;
        SyncAll<false>();
      },
      "random", 5);
  EXPECT_EQ(barrier.end, End::kStalled);
  EXPECT_NE(barrier.text.find("AIV 3"), std::string::npos) << barrier.text;

  const auto pipe = run(KernelType::kAivOnly, 1, [] { WaitFlag<HardEvent::MTE2_V>(0); });
  EXPECT_EQ(pipe.end, End::kStalled);
  EXPECT_NE(pipe.text.find("WaitFlag<MTE2_V>(0)"), std::string::npos) << pipe.text;
}

TEST_F(MachineTest, AFullQueueStopsTheScalarUnit) {
  // The queue of V holds 32 entries; the wait at its head is for a flag that the program would set only after the 33rd.
  const auto outcome = run(
      KernelType::kAivOnly, 1,
      [] {
        WaitFlag<HardEvent::MTE2_V>(0);
        for (int i = 0; i < 32; ++i) PipeBarrier<PIPE_V>();
        SetFlag<HardEvent::MTE2_V>(0);
      },
      "random");
  EXPECT_EQ(outcome.end, End::kStalled);
  EXPECT_NE(outcome.text.find("full queue of pipe V (32 entries)"), std::string::npos) << outcome.text;
  const auto fits = run(
      KernelType::kAivOnly, 1,
      [] {
        WaitFlag<HardEvent::MTE2_V>(0);
        for (int i = 0; i < 31; ++i) PipeBarrier<PIPE_V>();
        SetFlag<HardEvent::MTE2_V>(0);
      },
      "random");
  EXPECT_EQ(fits.end, End::kDone) << fits.text;
}

TEST_F(MachineTest, StepLimitEndsAnEndlessLaunch) {
  const auto outcome = run(
      KernelType::kAivOnly, 1,
      [] {
        for (;;) PipeBarrier<PIPE_V>();
      },
      "random");
  EXPECT_EQ(outcome.end, End::kStepLimit);
}

TEST_F(MachineTest, DeclaredKernelTypeReplacesTheMode) {
  std::vector<int> kinds;
  const auto outcome = run(KernelType::kMixAic12, 4, [&] {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    kinds.push_back(g_coreType == AIC ? 1 : 0);
  });
  EXPECT_EQ(outcome.end, End::kDone);
  EXPECT_EQ(outcome.type, KernelType::kAivOnly);
  EXPECT_EQ(kinds, (std::vector<int>{0, 0, 0, 0}));
}

TEST_F(MachineTest, SeventyTwoCoresAndRefusals) {
  size_t cores = 0;
  EXPECT_EQ(run(KernelType::kMixAic12, 24, [&] { ++cores; }).end, End::kDone);
  EXPECT_EQ(cores, 72u);
  cores = 0;
  EXPECT_EQ(run(KernelType::kMixAic12, 25, [&] { ++cores; }).end, End::kDone) << "a block more than the chip has cores";
  EXPECT_EQ(cores, 75u);
  EXPECT_EQ(run(KernelType::kMixAic12, 342, [] {}).end, End::kRefused);
  EXPECT_EQ(run(KernelType::kAivOnly, 0, [] {}).end, End::kRefused);
}

TEST_F(MachineTest, MisuseIsReportedAndSurvived) {
  auto* x = allocate<float>(8, "x");
  run(KernelType::kAivOnly, 1, [&] {
    TPipe pipe;
    TQue<TPosition::VECIN, 1> unbound, queue;
    (void)unbound.AllocTensor<float>();
    pipe.InitBuffer(queue, 1, 64);
    LocalTensor<float> a = queue.AllocTensor<float>();
    GlobalTensor<float> gx;
    gx.SetGlobalBuffer(x, 8);
    copy(a, gx[4], 32);  // 16 bytes past the end of x
    SetFlag<HardEvent::MTE2_V>(9);
    CrossCoreSetFlag<2, PIPE_MTE3>(1);  // not in an AIV_ONLY kernel
  });
  std::string all;
  for (const auto& line : recorder.lines)
    if (line.event.kind == event::Kind::kViolation) all += line.text + "\n";
  EXPECT_NE(all.find("before InitBuffer"), std::string::npos) << all;
  EXPECT_NE(all.find("16 bytes past the end of x (32 bytes)"), std::string::npos) << all;
  EXPECT_NE(all.find("event id 9 is outside 0..7"), std::string::npos) << all;
  EXPECT_NE(all.find("cross-core flags need a MIX type"), std::string::npos) << all;
}

TEST_F(MachineTest, ScalarCacheIsStaleUntilInvalidated) {
  auto* x = allocate<int32_t>(16, "x");
  int32_t before = -1, stale = -1, fresh = -1;
  run(KernelType::kAivOnly, 1, [&] {
    GlobalTensor<int32_t> gx;
    gx.SetGlobalBuffer(x, 16);
    before = gx.GetValue(0);
    WriteGmByPassDCache<int32_t>(x, 7);
    stale = gx.GetValue(0);
    DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(gx);
    fresh = gx.GetValue(0);
    gx.SetValue(1, 5);
  });
  EXPECT_EQ(before, 0);
  EXPECT_EQ(stale, 0);
  EXPECT_EQ(fresh, 7);
  EXPECT_EQ(x[1], 5) << "dirty lines reach memory at the end of the kernel";
}

TEST_F(MachineTest, EqualSeedsGiveEqualEvents) {
  auto* x = allocate<float>(64 * 48, "x");
  const auto trace = [&](uint64_t seed) {
    run(
        KernelType::kAivOnly, 8,
        [&] {
          TPipe pipe;
          TBuf<TPosition::VECCALC> buffer;
          pipe.InitBuffer(buffer, 256);
          GlobalTensor<float> gx;
          gx.SetGlobalBuffer(x, 64 * 48);
          for (int i = 0; i < 6; ++i) copy(buffer.Get<float>(), gx[static_cast<uint64_t>(GetBlockIdx()) * 64], 256);
        },
        "random", seed);
    std::string text;
    for (const auto& line : recorder.lines)
      text += std::to_string(static_cast<int>(line.event.kind)) + ":" + std::to_string(line.event.core) + ":" +
              std::to_string(line.event.index) + " ";
    return text;
  };
  const std::string first = trace(3), again = trace(3), other = trace(4);
  EXPECT_EQ(first, again);
  EXPECT_NE(first, other);
}

}  // namespace
}  // namespace ascsan::test
