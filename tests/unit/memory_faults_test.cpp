// Undefined values (ASC3101 to ASC3103): for each way to become visible a kernel that is reported with both lines, one
// that is not, and near misses. What is computed on padding and dropped stays silent, and so does a race. Then accesses
// that leave their tensor (ASC2101 to ASC2104, ASC2301) and slices that run into each other.
// links: ascsan_run
#include <numeric>

#include "checked_launch.h"

namespace ascsan::test {
namespace {
using namespace AscendC;
using Findings = std::vector<report::Finding>;

constexpr uint32_t kLanes = 64;

void flag_v_mte3() {
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
}
void flag_mte2_v() {
  SetFlag<HardEvent::MTE2_V>(EVENT_ID1);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID1);
}

/// A core with two tiles of UB and an output.
struct Tiles {
  TPipe pipe;
  TBuf<TPosition::VECCALC> first, second;
  Tiles() {
    pipe.InitBuffer(first, 1024);
    pipe.InitBuffer(second, 1024);
  }
  template <typename T>
  LocalTensor<T> a() {
    return first.Get<T>();
  }
  template <typename T>
  LocalTensor<T> b() {
    return second.Get<T>();
  }
};
template <typename T>
GlobalTensor<T> global(T* data, uint64_t elements) {
  GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(data), elements);
  return tensor;
}

TEST(InitOutput, StoreOfMemoryNobodyWrote) {
  CheckedLaunch launch;
  float* const out = launch.tensor<float>("out", kLanes);
  uint32_t line = 0;
  const Findings findings = launch.run(1, [&] {
    Tiles tiles;
    line = __LINE__ + 1;
    DataCopy(global(out, kLanes), tiles.a<float>(), kLanes);
  });
  const report::Finding finding = expect_only(findings, "ASC3101", {line});
  EXPECT_EQ(finding.tensor, "out");
  EXPECT_EQ(finding.elements[0], 0u);
  EXPECT_EQ(finding.elements[1], kLanes);
  EXPECT_EQ(finding.severity, report::Severity::kError);
  EXPECT_NE(finding.detail.find("bytes 0..255 of UB+0x0 (64 elements)"), std::string::npos) << finding.detail;
}

TEST(InitOutput, ThroughArithmeticNamesTheFirstReader) {
  CheckedLaunch launch;
  auto* const out = launch.tensor<int32_t>("out", kLanes);
  uint32_t first = 0, last = 0;
  const Findings findings = launch.run(1, [&] {
    Tiles tiles;
    Duplicate(tiles.a<float>(), 1.0f, 48);
    PipeBarrier<PIPE_V>();
    first = __LINE__ + 1;
    Adds(tiles.b<float>(), tiles.a<float>(), 2.0f, kLanes);
    PipeBarrier<PIPE_V>();
    Cast(tiles.a<int32_t>(), tiles.b<float>(), RoundMode::CAST_RINT, kLanes);
    flag_v_mte3();
    last = __LINE__ + 1;
    DataCopy(global(out, kLanes), tiles.a<int32_t>(), kLanes);
  });
  const report::Finding finding = expect_only(findings, "ASC3101", {first, last});
  EXPECT_EQ(finding.elements[0], 48u);
  EXPECT_EQ(finding.elements[1], 64u);
  EXPECT_NE(finding.detail.find("bytes 192..255 of UB+0x0 (16 elements)"), std::string::npos) << finding.detail;
}

TEST(InitOutput, RestOfABlockIsAWarningAtomicsAreErrors) {
  for (const bool atomic : {false, true}) {
    CheckedLaunch launch;
    auto* const out = launch.tensor<int32_t>("counts", 16);
    uint32_t line = 0;
    const Findings findings = launch.run(1, [&] {
      Tiles tiles;
      Duplicate(tiles.a<int32_t>(), 1, 10);
      flag_v_mte3();
      if (atomic) SetAtomicAdd<int32_t>();
      line = __LINE__ + 1;
      DataCopy(global(out, 16), tiles.a<int32_t>(), 16);
      if (atomic) SetAtomicNone();
    });
    const report::Finding finding = expect_only(findings, "ASC3101", {line});
    EXPECT_EQ(finding.severity, atomic ? report::Severity::kError : report::Severity::kWarning);
    EXPECT_EQ(finding.elements[0], 10u);
    EXPECT_EQ(finding.elements[1], 16u);
  }
}

TEST(InitOutput, PaddingThatIsComputedAndDroppedIsSilent) {
  for (const uint32_t count : {1u, 7u, 13u, 63u}) {
    CheckedLaunch launch;
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 1.0f);
    float* const x = launch.tensor<float>("x", count, values);
    float* const y = launch.tensor<float>("y", count);
    expect_clean(launch.run(1, [&] {
      Tiles tiles;
      const DataCopyExtParams part{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
      DataCopyPad(tiles.a<float>(), global(x, count), part, {false, 0, 0, 0.0f});
      flag_mte2_v();
      Muls(tiles.b<float>(), tiles.a<float>(), 2.0f, kLanes);
      flag_v_mte3();
      DataCopyPad(global(y, count), tiles.b<float>(), part);
    }));
    for (uint32_t i = 0; i < count; ++i) EXPECT_EQ(y[i], 2.0f * values[i]) << "the probe must leave values alone";
  }
}

TEST(InitOutput, WrittenLaterOrInAWorkspaceIsSilent) {
  for (const char* name : {"out", "user_workspace"}) {
    CheckedLaunch launch;
    float* const out = launch.tensor<float>(name, kLanes);
    const bool repaired = std::string(name) == "out";
    expect_clean(launch.run(1, [&] {
      Tiles tiles;
      Duplicate(tiles.b<float>(), 3.0f, kLanes);
      flag_v_mte3();
      DataCopy(global(out, kLanes), tiles.a<float>(), kLanes);
      PipeBarrier<PIPE_MTE3>();
      if (repaired) DataCopy(global(out, kLanes), tiles.b<float>(), kLanes);
    }));
  }
}

TEST(InitOutput, CompareAndSelectFollowSingleBits) {
  CheckedLaunch launch;
  std::vector<float> values(kLanes);
  std::iota(values.begin(), values.end(), -5.0f);
  float* const x = launch.tensor<float>("x", 16, values);
  float* const y = launch.tensor<float>("y", 16);
  for (const uint32_t wanted : {8u, 16u}) {
    uint32_t first = 0, last = 0;
    const Findings findings = launch.run(1, [&] {
      Tiles tiles;
      const DataCopyExtParams part{1, 8 * sizeof(float), 0, 0, 0};
      const DataCopyExtParams store{1, static_cast<uint32_t>(wanted * sizeof(float)), 0, 0, 0};
      LocalTensor<float> in = tiles.a<float>();
      LocalTensor<uint8_t> mask = tiles.b<uint8_t>();
      DataCopyPad(in, global(x, 16), part, {false, 0, 0, 0.0f});
      Duplicate(in[128], 9.0f, kLanes);
      flag_mte2_v();
      first = __LINE__ + 1;
      CompareScalar(mask, in, 0.0f, CMPMODE::GT, kLanes);
      PipeBarrier<PIPE_V>();
      Select(in[64], mask, in[128], 1.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, kLanes);
      flag_v_mte3();
      last = __LINE__ + 1;
      DataCopyPad(global(y, 16), in[64], store);
    });
    if (wanted == 8) {
      expect_clean(findings);
      for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(y[i], values[i] > 0 ? 9.0f : 1.0f) << i;
    } else {
      expect_only(findings, "ASC3101", {first, last});
    }
  }
}

TEST(InitReduction, DefinedAndUndefinedLanes) {
  for (const uint32_t counted : {40u, 10u}) {
    CheckedLaunch launch;
    float* const x = launch.tensor<float>("x", 16, std::vector<float>(16, 1.5f));
    float* const y = launch.tensor<float>("y", 8);
    uint32_t line = 0;
    const Findings findings = launch.run(1, [&] {
      Tiles tiles;
      Duplicate(tiles.b<float>(), 0.0f, 8);
      const DataCopyExtParams part{1, 10 * sizeof(float), 0, 0, 0};
      DataCopyPad(tiles.a<float>(), global(x, 16), part, {false, 0, 0, 0.0f});
      flag_mte2_v();
      line = __LINE__ + 1;
      WholeReduceSum(tiles.b<float>(), tiles.a<float>(), static_cast<int32_t>(counted), 1, 1, 1, 8);
      flag_v_mte3();
      DataCopy(global(y, 8), tiles.b<float>(), 8);
    });
    if (counted == 10) {
      expect_clean(findings);
      EXPECT_EQ(y[0], 15.0f);
    } else {
      EXPECT_EQ(expect_only(findings, "ASC3102", {line}).tensor, "UB+0x0");
    }
  }
}

TEST(InitReduction, RowsThatAreUndefinedAsAWholeMayBeDropped) {
  CheckedLaunch launch;
  float* const y = launch.tensor<float>("y", 8);
  expect_clean(launch.run(1, [&] {
    Tiles tiles;
    Duplicate(tiles.a<float>(), 1.0f, kLanes);  // the first of two rows
    PipeBarrier<PIPE_V>();
    WholeReduceSum(tiles.b<float>(), tiles.a<float>(), kLanes, 2, 1, 1, 8);
    flag_v_mte3();
    DataCopyPad(global(y, 8), tiles.b<float>(), {1, sizeof(float), 0, 0, 0});
  }));
  EXPECT_EQ(y[0], 64.0f);
}

TEST(InitUse, ScalarRead) {
  for (const bool written : {false, true}) {
    CheckedLaunch launch;
    uint32_t line = 0;
    const Findings findings = launch.run(1, [&] {
      Tiles tiles;
      LocalTensor<int32_t> words = tiles.a<int32_t>();
      words.SetValue(written ? 3 : 4, 7);
      line = __LINE__ + 1;
      for (int turn = 0; turn < 5; ++turn) (void)words.GetValue(3);
    });
    if (written)
      expect_clean(findings);
    else
      EXPECT_EQ(expect_only(findings, "ASC3103", {line}).elements[0], 3u);
  }
}

TEST(InitUse, OffsetsOfGather) {
  for (const uint32_t defined : {32u, 64u}) {
    CheckedLaunch launch;
    uint32_t line = 0;
    const Findings findings = launch.run(1, [&] {
      Tiles tiles;
      LocalTensor<float> data = tiles.a<float>();
      LocalTensor<uint32_t> offsets = tiles.b<uint32_t>();
      Duplicate(data, 1.0f, kLanes);
      Duplicate(tiles.b<int32_t>(), 4, defined);
      PipeBarrier<PIPE_V>();
      line = __LINE__ + 1;
      Gather(tiles.b<float>()[128], data, offsets, 0u, kLanes);
    });
    if (defined == 64)
      expect_clean(findings);
    else
      expect_only(findings, "ASC3103", {line});
  }
}

TEST(InitOrigin, AReadThatComesTooEarlyIsARace) {
  for (const char* schedule : {"in_order", "deferred", "random", "pct"}) {
    CheckedLaunch launch;
    launch.schedule = schedule;
    launch.seed = 3;
    float* const x = launch.tensor<float>("x", kLanes, std::vector<float>(kLanes, 1.0f));
    float* const y = launch.tensor<float>("y", kLanes);
    const Findings findings = launch.run(1, [&] {
      Tiles tiles;
      DataCopy(tiles.a<float>(), global(x, kLanes), kLanes);
      Muls(tiles.b<float>(), tiles.a<float>(), 2.0f, kLanes);  // no MTE2_V
      flag_v_mte3();
      DataCopy(global(y, kLanes), tiles.b<float>(), kLanes);
    });
    ASSERT_EQ(findings.size(), 1u) << schedule << "\n" << text_of_all(findings);
    EXPECT_EQ(findings[0].rule, "ASC1201") << schedule;
  }
}

TEST(InitOrigin, PoisonedGlobalMemory) {
  for (const bool written : {false, true}) {
    CheckedLaunch launch;
    launch.options.poison = 0xA5;
    float* const x =
        launch.tensor<float>("x", kLanes, written ? std::vector<float>(kLanes, 1.0f) : std::vector<float>());
    float* const y = launch.tensor<float>("y", kLanes);
    uint32_t first = 0, last = 0;
    const Findings findings = launch.run(1, [&] {
      Tiles tiles;
      first = __LINE__ + 1;
      DataCopy(tiles.a<float>(), global(x, kLanes), kLanes);
      SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
      WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
      last = __LINE__ + 1;
      DataCopy(global(y, kLanes), tiles.a<float>(), kLanes);
    });
    if (written)
      expect_clean(findings);
    else
      EXPECT_NE(expect_only(findings, "ASC3101", {first, last}).detail.find("of x (64 elements)"), std::string::npos);
  }
}

// Adding to memory that nobody has cleared leaves it undefined, however many cores add.
TEST(InitOrigin, AtomicStoresDefineNothing) {
  for (const bool cleared : {false, true}) {
    CheckedLaunch launch;
    launch.options.poison = 0xA5;
    float* const y =
        launch.tensor<float>("y", kLanes, cleared ? std::vector<float>(kLanes, 0.0f) : std::vector<float>());
    uint32_t line = 0;
    const Findings findings = launch.run(2, [&] {
      Tiles tiles;
      Duplicate(tiles.a<float>(), 1.0f, kLanes);
      flag_v_mte3();
      SetAtomicAdd<float>();
      line = __LINE__ + 1;
      DataCopy(global(y, kLanes), tiles.a<float>(), kLanes);
      SetAtomicNone();
    });
    if (cleared)
      expect_clean(findings);
    else
      expect_only(findings, "ASC3101", {line, line});
  }
}

TEST(InitOrigin, CoresAndTurnsAreOneFinding) {
  for (const char* schedule : {"in_order", "random"}) {
    CheckedLaunch launch;
    launch.schedule = schedule;
    constexpr uint32_t kCores = 6, kTurns = 9;
    float* const out = launch.tensor<float>("out", uint64_t{kCores} * kTurns * kLanes);
    uint32_t line = 0;
    const Findings findings = launch.run(kCores, [&] {
      Tiles tiles;
      for (uint32_t turn = 0; turn < kTurns; ++turn) {
        const uint64_t at = (static_cast<uint64_t>(GetBlockIdx()) * kTurns + turn) * kLanes;
        line = __LINE__ + 1;
        DataCopy(global(out + at, kLanes), tiles.a<float>(), kLanes);
      }
    });
    const report::Finding finding = expect_only(findings, "ASC3101", {line});
    EXPECT_EQ(finding.merged, kCores);
    EXPECT_EQ(finding.accesses[0].core, "AIV 0") << schedule;
  }
}

TEST(InitSwitch, OffIsOff) {
  CheckedLaunch launch;
  launch.options.checkers.bits = 1u << static_cast<uint32_t>(check::CheckerId::kRace);
  float* const out = launch.tensor<float>("out", kLanes);
  expect_clean(launch.run(1, [&] {
    Tiles tiles;
    DataCopy(global(out, kLanes), tiles.a<float>(), kLanes);
  }));
}

TEST(Bounds, WriteIntoTheNextBuffer) {
  for (const uint32_t count : {256u, 264u}) {
    CheckedLaunch launch;
    uint32_t line = 0;
    const Findings findings = launch.run(1, [&] {
      Tiles tiles;
      line = __LINE__ + 1;
      Duplicate(tiles.a<float>(), 1.0f, static_cast<int32_t>(count));
    });
    if (count == 256) {
      expect_clean(findings);
      continue;
    }
    const std::string title = expect_only(findings, "ASC2301", {line}).title;
    EXPECT_NE(title.find("32 bytes past the end of the tensor it was given (1024 bytes in UB)"), std::string::npos)
        << title;
    EXPECT_NE(title.find("bytes 1024..1055 (elements 256..263)"), std::string::npos) << title;
    EXPECT_NE(title.find("from the buffer at bytes 0..1023 of UB it runs into the buffer at bytes 1024..2047 of UB"),
              std::string::npos)
        << title;
  }
}

TEST(Bounds, WritePastAPartOfItsOwnBufferOrIntoFreeMemory) {
  CheckedLaunch launch;
  uint32_t line = 0;
  const Findings findings = launch.run(1, [&] {
    Tiles tiles;
    line = __LINE__ + 1;
    Duplicate(tiles.b<float>(), 1.0f, 264);  // nothing lies behind the second buffer
  });
  expect_only(findings, "ASC2102", {line});
}

TEST(Bounds, LoadRoundedPastTheEnd) {
  for (const uint32_t used : {12u, 16u}) {
    CheckedLaunch launch;
    float* const x = launch.tensor<float>("x", 12, std::vector<float>(12, 2.0f));
    float* const y = launch.tensor<float>("y", 16);
    uint32_t load = 0, store = 0;
    const Findings findings = launch.run(1, [&] {
      Tiles tiles;
      load = __LINE__ + 1;
      DataCopy(tiles.a<float>(), global(x, 12), 16);
      SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
      WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
      store = __LINE__ + 1;
      DataCopyPad(global(y, 16), tiles.a<float>(), {1, static_cast<uint32_t>(used * sizeof(float)), 0, 0, 0});
    });
    ASSERT_EQ(findings.size(), used == 12 ? 1u : 2u) << text_of_all(findings);
    EXPECT_EQ(findings[0].rule, "ASC2104");
    EXPECT_EQ(findings[0].severity, report::Severity::kWarning);
    EXPECT_EQ(findings[0].accesses[0].line, load);
    EXPECT_NE(findings[0].title.find("16 bytes past the end of x (48 bytes)"), std::string::npos) << findings[0].title;
    if (used == 12) continue;
    EXPECT_EQ(findings[1].rule, "ASC3101");
    EXPECT_EQ(findings[1].accesses.back().line, store);
    EXPECT_EQ(findings[1].elements[0], 12u);
  }
}

TEST(Bounds, LoadPastTheEndByMoreThanABlock) {
  CheckedLaunch launch;
  float* const x = launch.tensor<float>("x", 8);
  uint32_t line = 0;
  const Findings findings = launch.run(1, [&] {
    Tiles tiles;
    line = __LINE__ + 1;
    DataCopy(tiles.a<float>(), global(x, 8), 16);
  });
  expect_only(findings, "ASC2101", {line});
}

TEST(Bounds, SlicesRoundedUpRunIntoEachOther) {
  CheckedLaunch launch;
  float* const y = launch.tensor<float>("y", 64);
  uint32_t line = 0;
  const Findings findings = launch.run(2, [&] {
    Tiles tiles;
    Duplicate(tiles.a<float>(), 1.0f, 16);
    flag_v_mte3();
    line = __LINE__ + 1;
    DataCopy(global(y + 12 * GetBlockIdx(), 64 - 12 * GetBlockIdx()), tiles.a<float>(), 16);
  });
  const report::Finding finding = expect_only(findings, "ASC1102", {line, line});
  ASSERT_FALSE(finding.notes.empty());
  EXPECT_EQ(finding.notes[0],
            "the slice of AIV 0 runs 16 bytes into that of AIV 1: its length was rounded up to 32 bytes; DataCopyPad "
            "stores the exact length");
}

}  // namespace
}  // namespace ascsan::test
