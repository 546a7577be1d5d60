// The pct schedule: priorities without change points, the published guarantee with them, repeatability, no livelock.
#include "schedule/pct.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "fake_machine.h"

namespace {

using namespace ascsan::test;
using ascsan::gate::CoreKind;
using ascsan::schedule::Pct;
using Labels = std::vector<std::string>;

std::vector<CoreProgram> independent_cores(int cores, int steps) {
  std::vector<CoreProgram> programs(static_cast<size_t>(cores));
  for (int core = 0; core < cores; ++core)
    for (int i = 0; i < steps; ++i) programs[static_cast<size_t>(core)].operations.push_back(poll(""));
  return programs;
}

TEST(Pct, DepthOneRunsActorsOneAfterTheOtherInEveryOrder) {
  FakeMachine machine({{CoreKind::kAiv,
                        {issue(Pipe::kV, "a1"), issue(Pipe::kV, "a2"), issue(Pipe::kM, "b1"), issue(Pipe::kM, "b2"),
                         issue(Pipe::kMte1, "c1")}}});
  std::map<Labels, int> seen;
  for (uint64_t seed = 0; seed < 600; ++seed) {
    Pct schedule(seed, 1);
    ++seen[machine.run(schedule).executed()];
  }
  // No switch but at the end of an actor's work, or where the scalar (itself an actor) feeds a more urgent pipe: with
  // the scalar first all 3! orders of the pipes appear.
  for (const Labels& order : {Labels{"a1", "a2", "b1", "b2", "c1"}, Labels{"a1", "a2", "c1", "b1", "b2"},
                              Labels{"b1", "b2", "a1", "a2", "c1"}, Labels{"b1", "b2", "c1", "a1", "a2"},
                              Labels{"c1", "a1", "a2", "b1", "b2"}, Labels{"c1", "b1", "b2", "a1", "a2"}})
    EXPECT_GT(seen[order], 0);
  EXPECT_EQ((seen[Labels{"a1", "b1", "a2", "b2", "c1"}]), 0) << "a switch in the middle needs a change point";
}

/// Probability that a bug of depth 2 shows: core 0 must stop exactly between its steps 3 and 4 while core 1 runs to the
/// end.
TEST(Pct, DepthTwoBugShowsAtLeastAsOftenAsGuaranteed) {
  FakeMachine machine({{CoreKind::kAiv,
                        {issue(Pipe::kV, "a1"), issue(Pipe::kV, "a2"), issue(Pipe::kV, "a3"), issue(Pipe::kV, "a4"),
                         issue(Pipe::kV, "a5")}},
                       {CoreKind::kAiv, {issue(Pipe::kV, "b1"), issue(Pipe::kV, "b2"), issue(Pipe::kV, "b3")}}});
  constexpr int kRuns = 20000;
  int hits = 0;
  for (int seed = 0; seed < kRuns; ++seed) {
    Pct schedule(static_cast<uint64_t>(seed), 2);
    const Labels order = machine.run(schedule).order;
    const auto at = [&](const char* label) { return std::find(order.begin(), order.end(), label) - order.begin(); };
    hits += at("S0:a3") < at("S1:b1") && at("S1:b3") < at("S0:a4");
  }
  // n = 4 actors, k = 16 steps; horizon drawn from 17 powers of two, at most twice k.
  const double bound = 1.0 / (4 * 16) / (2 * 17);
  EXPECT_GT(hits, kRuns * bound);
  EXPECT_LT(hits, kRuns / 2);
}

TEST(Pct, DeeperSchedulesReachMoreOrders) {
  FakeMachine machine({{CoreKind::kAiv,
                        {issue(Pipe::kV, "a1"), issue(Pipe::kV, "a2"), issue(Pipe::kV, "a3"), issue(Pipe::kM, "b1"),
                         issue(Pipe::kM, "b2"), issue(Pipe::kM, "b3")}}});
  std::map<uint32_t, std::set<Labels>> seen;
  for (const uint32_t depth : {1u, 2u, 4u, 6u})
    for (uint64_t seed = 0; seed < 3000; ++seed) {
      Pct schedule(seed, depth);
      seen[depth].insert(machine.run(schedule).executed());
    }
  EXPECT_LT(seen[1].size(), seen[2].size());
  EXPECT_LT(seen[2].size(), seen[4].size());
  // A strict alternation of 3 and 3 needs 5 exact change points: about one run in a million.
  EXPECT_GE(seen[6].size(), 15u) << "of the 20 interleavings";
}

TEST(Pct, EqualSeedsAndLaunchesGiveEqualSchedules) {
  FakeMachine machine(independent_cores(6, 0));
  std::vector<CoreProgram> programs(4);
  for (int core = 0; core < 4; ++core)
    for (int i = 0; i < 30; ++i)
      programs[static_cast<size_t>(core)].operations.push_back(issue(Pipe::kMte2, std::to_string(core * 100 + i)));
  FakeMachine busy(programs);
  Pct one(9, 5), two(9, 5);
  const Labels first = busy.run(one, 3).order;
  EXPECT_EQ(busy.run(two, 3).order, first);
  EXPECT_EQ(busy.run(one, 3).order, first);
  EXPECT_NE(busy.run(one, 4).order, first);
}

TEST(Pct, PollingScalarDoesNotStarveTheOthers) {
  FakeMachine machine(
      {{CoreKind::kAiv, {poll("flag"), issue(Pipe::kV, "after")}}, {CoreKind::kAiv, {issue(Pipe::kMte3, "flag")}}});
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Pct schedule(seed, 2);
    EXPECT_TRUE(machine.run(schedule, 1, 500'000).finished) << "seed " << seed;
  }
}

}  // namespace
