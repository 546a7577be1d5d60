// Order rules of the cube: accumulation in L0C (E-3, E-4) and a pipeline with all its flags. The pair is always at
// lines 10 and 20.
#include "support/race_fixture.h"

namespace ascsan::test {
namespace {
using report::Severity;

Stream::Extra mmad(uint64_t m, uint64_t n) {
  Stream::Extra extra;
  extra.op = gate::Op::kMmad;
  extra.m = m;
  extra.n = n;
  return extra;
}

Scenario two_mmads(uint64_t m, uint64_t n, bool barrier, uint64_t second_base = 0) {
  return [=](Stream& s) {
    s.launch(1, 0);
    s.run(0, Pipe::kM, 10, {updates(Space::kL0c, 0, m * n * 4)}, mmad(m, n));
    if (barrier) s.barrier(0, Pipe::kM);
    s.run(0, Pipe::kM, 20, {updates(Space::kL0c, second_base, second_base + m * n * 4)}, mmad(m, n));
  };
}

TEST(RaceCubeRules, MmadAccumulation) {
  expect_clean(two_mmads(64, 48, false));                   // 4 * 3 = 12
  expect_clean(two_mmads(80, 32, false));                   // 10
  expect_one(two_mmads(48, 48, false), "ASC1301", 10, 20);  // 9
  expect_one(two_mmads(79, 47, false), "ASC1301", 10, 20);  // floors: 4 * 2
  expect_clean(two_mmads(48, 48, true));
  expect_one(two_mmads(64, 64, false, 1024), "ASC1301", 10, 20);  // overlapping, not the same tile
}

TEST(RaceCubeRules, AccumulatingMmadWritesItsTile) {
  const auto scenario = [](bool flag, bool read_first) {
    return [=](Stream& s) {
      s.launch(1, 0);
      const auto compute = [&](uint32_t line) {
        s.run(0, Pipe::kM, line, {updates(Space::kL0c, 0, 4096)}, mmad(32, 32));
      };
      const auto fixpipe = [&](uint32_t line) {
        s.run(0, Pipe::kFix, line, {reads(Space::kL0c, 0, 4096), writes(Space::kGm, 0x10000, 0x11000)});
      };
      read_first ? fixpipe(10) : compute(10);
      if (flag) read_first ? s.flag(0, Pipe::kFix, Pipe::kM) : s.flag(0, Pipe::kM, Pipe::kFix);
      read_first ? compute(20) : fixpipe(20);
    };
  };
  expect_one(scenario(false, false), "ASC1201", 10, 20);
  expect_clean(scenario(true, false));
  expect_one(scenario(false, true), "ASC1202", 10, 20);
  expect_clean(scenario(true, true));
}

TEST(RaceCubeRules, CubePipelineWithAllItsFlagsIsClean) {
  const auto pipeline = [](int missing) {
    return [missing](Stream& s) {
      s.launch(1, 0);
      const auto flag = [&](int number, Pipe from, Pipe to) {
        if (number != missing) s.flag(0, from, to);
      };
      for (int i = 0; i < 4; ++i) {
        if (i > 0) flag(1, Pipe::kMte1, Pipe::kMte2);
        s.run(0, Pipe::kMte2, 10, {writes(Space::kL1, 0, 4096)});
        flag(2, Pipe::kMte2, Pipe::kMte1);
        if (i > 0) flag(3, Pipe::kM, Pipe::kMte1);
        s.run(0, Pipe::kMte1, 11, {writes(Space::kL0a, 0, 2048), reads(Space::kL1, 0, 2048)});
        s.run(0, Pipe::kMte1, 12, {writes(Space::kL0b, 0, 2048), reads(Space::kL1, 2048, 4096)});
        flag(4, Pipe::kMte1, Pipe::kM);
        if (i > 0) flag(5, Pipe::kFix, Pipe::kM);
        s.run(0, Pipe::kM, 13, {writes(Space::kL0c, 0, 4096), reads(Space::kL0a, 0, 2048), reads(Space::kL0b, 0, 2048)},
              mmad(32, 32));
        flag(6, Pipe::kM, Pipe::kFix);
        s.run(0, Pipe::kFix, 14,
              {reads(Space::kL0c, 0, 4096), writes(Space::kGm, 0x10000u + 4096u * static_cast<uint32_t>(i),
                                                   0x11000u + 4096u * static_cast<uint32_t>(i))});
      }
    };
  };
  expect_clean(pipeline(0));
  const std::map<int, std::set<std::string>> expected = {{1, {"ASC1202 11 10", "ASC1202 12 10"}},
                                                         {2, {"ASC1201 10 11", "ASC1201 10 12"}},
                                                         {3, {"ASC1202 13 11", "ASC1202 13 12"}},
                                                         {4, {"ASC1201 11 13", "ASC1201 12 13"}},
                                                         {5, {"ASC1202 14 13"}},
                                                         {6, {"ASC1201 13 14"}}};
  for (const auto& [missing, wanted] : expected) {
    std::set<std::string> got;
    for (const report::Finding& finding : findings_of(pipeline(missing)))
      got.insert(finding.rule + " " + std::to_string(finding.accesses[0].line) + " " +
                 std::to_string(finding.accesses[1].line));
    for (const std::string& one : wanted) EXPECT_TRUE(got.count(one)) << "flag " << missing << " missing: " << one;
    // Taking a flag away may loosen other pairs it held together, never invent one of another buffer.
    EXPECT_FALSE(got.empty());
  }
}

}  // namespace
}  // namespace ascsan::test
