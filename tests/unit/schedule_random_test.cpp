// The random schedule: legal (checked by the fake machine), repeatable, reaches every order, and leaves some pipes far
// behind.
#include "schedule/random.h"

#include <gtest/gtest.h>

#include <set>

#include "fake_machine.h"

namespace {

using namespace ascsan::test;
using ascsan::gate::CoreKind;
using ascsan::schedule::Random;
using Labels = std::vector<std::string>;

/// All interleavings of the two lists, by plain recursion.
void interleave(const Labels& a, const Labels& b, size_t i, size_t j, Labels& prefix, std::set<Labels>& all) {
  if (i == a.size() && j == b.size()) {
    all.insert(prefix);
    return;
  }
  if (i < a.size()) {
    prefix.push_back(a[i]);
    interleave(a, b, i + 1, j, prefix, all);
    prefix.pop_back();
  }
  if (j < b.size()) {
    prefix.push_back(b[j]);
    interleave(a, b, i, j + 1, prefix, all);
    prefix.pop_back();
  }
}

TEST(Random, ReachesAllOrdersOfTwoPipesAndNoOther) {
  FakeMachine machine({{CoreKind::kAiv,
                        {issue(Pipe::kV, "a1"), issue(Pipe::kV, "a2"), issue(Pipe::kV, "a3"), issue(Pipe::kM, "b1"),
                         issue(Pipe::kM, "b2"), issue(Pipe::kM, "b3")}}});
  std::set<Labels> expected, seen;
  Labels prefix;
  interleave({"a1", "a2", "a3"}, {"b1", "b2", "b3"}, 0, 0, prefix, expected);
  ASSERT_EQ(expected.size(), 20u);
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    Random schedule(seed);
    seen.insert(machine.run(schedule).executed());
  }
  EXPECT_EQ(seen, expected);
}

TEST(Random, TransfersOvertakeUpToTheNextFlag) {
  FakeMachine machine({{CoreKind::kAiv,
                        {issue(Pipe::kMte2, "1"), issue(Pipe::kMte2, "2"), issue(Pipe::kMte2, "3"),
                         set(Pipe::kMte2, Pipe::kV), issue(Pipe::kMte2, "4")}}});
  std::set<Labels> seen;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    Random schedule(seed);
    const Labels order = machine.run(schedule).executed();
    ASSERT_EQ(order.back(), "4");
    seen.insert(order);
  }
  EXPECT_EQ(seen.size(), 6u);  // 3! orders in front of the flag
}

TEST(Random, EqualSeedsAndLaunchesGiveEqualSchedules) {
  std::vector<CoreProgram> programs;
  for (int core = 0; core < 5; ++core) {
    CoreProgram program;
    for (int i = 0; i < 20; ++i)
      program.operations.push_back(issue(i % 2 == 0 ? Pipe::kMte2 : Pipe::kV, std::to_string(core * 100 + i)));
    programs.push_back(program);
  }
  FakeMachine machine(programs);
  Random one(42), two(42), other(43);
  const Labels first = machine.run(one, 1).order;
  EXPECT_EQ(machine.run(two, 1).order, first);
  EXPECT_EQ(machine.run(one, 1).order, first) << "begin() must reset all state";
  EXPECT_NE(machine.run(one, 2).order, first);
  EXPECT_NE(machine.run(other, 1).order, first);
}

TEST(Random, SomePipeFallsFarBehind) {
  // A uniform choice finishes one of two 40-instruction pipes before the other starts with probability 2^-39.
  std::vector<Operation> operations;
  for (int i = 0; i < 40; ++i) operations.push_back(issue(Pipe::kV, "v" + std::to_string(i)));
  for (int i = 0; i < 40; ++i) operations.push_back(issue(Pipe::kM, "m" + std::to_string(i)));
  FakeMachine machine({{CoreKind::kAiv, operations}});
  int far_behind = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Random schedule(seed);
    const Labels order = machine.run(schedule).executed();
    const auto at = [&](const char* label) { return std::find(order.begin(), order.end(), label) - order.begin(); };
    far_behind += at("v39") < at("m0") || at("m39") < at("v0");
  }
  EXPECT_GT(far_behind, 20);
  EXPECT_LT(far_behind, 290);  // and it is not the only thing that happens
}

}  // namespace
