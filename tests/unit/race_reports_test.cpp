// What becomes a finding: one cause one report, who represents it, what stays apart, names of memory.
#include "support/race_fixture.h"

namespace ascsan::test {
namespace {
using event::CoreId;
using report::Severity;

constexpr uint64_t kTensor = 0x100000;  // any address: GM is host memory
const Bytes kStore = writes(Space::kGm, kTensor + 0x40, kTensor + 0x80);
const Bytes kLoad = reads(Space::kGm, kTensor + 0x40, kTensor + 0x80);

void store(Stream& s, CoreId core, uint32_t line = 10, Pipe pipe = Pipe::kMte3) {
  s.run(core, pipe, line, {kStore});
}
void load(Stream& s, CoreId core, uint32_t line = 20) {
  s.run(core, Pipe::kMte2, line, {kLoad});
}

TEST(RaceReports, OneCauseIsOneFinding) {
  const auto scenario = [](bool backwards) {
    return [=](Stream& s) {
      s.tensor("shared", kTensor, kTensor + 0x10000);
      s.launch(0, 48);
      for (int i = 0; i < 48; ++i) {
        const auto core = static_cast<CoreId>(backwards ? 47 - i : i);
        s.run(core, Pipe::kMte3, 10, {writes(Space::kGm, kTensor + core * 128u, kTensor + core * 128u + 128)});
      }
      for (int i = 0; i < 48; ++i) {
        const auto core = static_cast<CoreId>(backwards ? 47 - i : i);
        const uint64_t next = (core + 1) % 48 * 128u;
        s.run(core, Pipe::kMte2, 20, {reads(Space::kGm, kTensor + next, kTensor + next + 128)});
      }
    };
  };
  for (bool backwards : {false, true}) {
    const report::Finding finding = expect_one(scenario(backwards), "ASC1101", 10, 20);
    EXPECT_EQ(finding.merged, 48u);
    // The lowest byte stands for all: written by AIV 0, read by AIV 47.
    EXPECT_EQ(finding.bytes[0], 0u);
    EXPECT_EQ(finding.bytes[1], 128u);
    EXPECT_EQ(finding.accesses[0].core, "AIV 0");
    EXPECT_EQ(finding.accesses[1].core, "AIV 47");
  }
}

TEST(RaceReports, OtherPlacesTensorsAndPipesStayApart) {
  const auto findings = findings_of([](Stream& s) {
    s.tensor("a", kTensor, kTensor + 0x100);
    s.tensor("b", kTensor + 0x100, kTensor + 0x200);
    s.launch(0, 2);
    s.run(0, Pipe::kMte3, 10, {writes(Space::kGm, kTensor, kTensor + 0x200)});
    s.run(1, Pipe::kMte2, 20, {reads(Space::kGm, kTensor, kTensor + 0x20)});
    s.run(1, Pipe::kMte2, 21, {reads(Space::kGm, kTensor + 0x20, kTensor + 0x40)});
    s.run(1, Pipe::kMte2, 20, {reads(Space::kGm, kTensor + 0x100, kTensor + 0x120)});
  });
  ASSERT_EQ(findings.size(), 3u) << text_of(findings);
  std::set<std::string> ids;
  for (const report::Finding& finding : findings) ids.insert(finding.id);
  EXPECT_EQ(ids.size(), 3u);
}

TEST(RaceReports, LastOfSeveralStoresRepresentsTheCause) {
  // Zero fill, then the real store of the same core: the reader races with both, which is one missing link.
  const report::Finding finding = expect_one(
      [](Stream& s) {
        s.launch(0, 2);
        store(s, 0, 9);
        s.barrier(0, Pipe::kMte3);
        store(s, 0, 10);
        load(s, 1);
      },
      "ASC1101", 10, 20);
  EXPECT_EQ(finding.merged, 1u);
  // The same when the reader ran in between.
  expect_one(
      [](Stream& s) {
        s.launch(0, 2);
        store(s, 0, 9);
        load(s, 1);
        s.barrier(0, Pipe::kMte3);
        store(s, 0, 10);
      },
      "ASC1101", 10, 20);
}

TEST(RaceReports, ThreeUnorderedWritersAreAllReported) {
  const auto findings = findings_of([](Stream& s) {
    s.launch(0, 3);
    store(s, 0, 10);
    store(s, 1, 20);
    store(s, 2, 30);
  });
  ASSERT_EQ(findings.size(), 3u) << text_of(findings);  // 10-20, 10-30, 20-30
}

TEST(RaceReports, ReleasedMemoryIsForgottenButItsRacesAreNot) {
  expect_clean([](Stream& s) {
    s.tensor("a", kTensor, kTensor + 0x100);
    s.launch(0, 2);
    store(s, 0);
    s.release(kTensor, kTensor + 0x100);
    s.tensor("b", kTensor, kTensor + 0x100);
    load(s, 1);
  });
  const report::Finding finding = expect_one(
      [](Stream& s) {
        s.tensor("a", kTensor, kTensor + 0x100);
        s.launch(0, 2);
        store(s, 0);
        load(s, 1);
        s.release(kTensor, kTensor + 0x100);
        s.tensor("b", kTensor, kTensor + 0x100);
      },
      "ASC1101", 10, 20);
  EXPECT_EQ(finding.tensor, "a");
}

TEST(RaceReports, OnChipNames) {
  const auto scenario = [](const char* name) {
    return [=](Stream& s) {
      s.launch(0, 1);
      if (name != nullptr) s.buffer(0, name, Space::kUb, 0x1A0, 0x2A0);
      s.run(0, Pipe::kMte2, 10, {writes(Space::kUb, 0x1C0, 0x200)});
      s.run(0, Pipe::kV, 20, {reads(Space::kUb, 0x1C0, 0x200)});
    };
  };
  const report::Finding named = expect_one(scenario("inQueueX"), "ASC1201", 10, 20);
  EXPECT_EQ(named.tensor, "inQueueX");
  EXPECT_EQ(named.bytes[0], 0x20u);
  const report::Finding placed = expect_one(scenario(""), "ASC1201", 10, 20);
  EXPECT_EQ(placed.tensor, "UB+0x1a0");
  EXPECT_EQ(placed.bytes[0], 0x20u);
  const report::Finding bare = expect_one(scenario(nullptr), "ASC1201", 10, 20);
  EXPECT_EQ(bare.tensor, "UB+0x1c0");
  EXPECT_EQ(bare.bytes[0], 0u);
}

TEST(RaceReports, OnChipMemoryIsPerCore) {
  expect_clean([](Stream& s) {
    s.launch(0, 2);
    s.run(0, Pipe::kMte2, 10, {writes(Space::kUb, 0, 64)});
    s.run(1, Pipe::kV, 20, {reads(Space::kUb, 0, 64)});
  });
}

}  // namespace
}  // namespace ascsan::test
