// The in_order schedule: wrong kernels look right under it, and it ends.
#include "schedule/in_order.h"

#include <gtest/gtest.h>

#include "fake_machine.h"

namespace {

using namespace ascsan::test;
using ascsan::gate::CoreKind;
using ascsan::schedule::InOrder;
using Labels = std::vector<std::string>;

TEST(InOrder, InstructionsCompleteAtIssueWithoutAnyFlag) {
  FakeMachine machine(
      {{CoreKind::kAiv, {issue(Pipe::kMte2, "load"), issue(Pipe::kV, "add"), issue(Pipe::kMte3, "store"), all()}}});
  InOrder schedule;
  EXPECT_EQ(machine.run(schedule).order, (Labels{"S0:load", "load", "S0:add", "add", "S0:store", "store"}));
}

TEST(InOrder, CoresAdvanceTogether) {
  FakeMachine machine({{CoreKind::kAiv, {issue(Pipe::kV, "a1"), issue(Pipe::kV, "a2"), issue(Pipe::kV, "a3")}},
                       {CoreKind::kAiv, {issue(Pipe::kV, "b1"), issue(Pipe::kV, "b2")}}});
  InOrder schedule;
  EXPECT_EQ(machine.run(schedule).executed(), (Labels{"a1", "b1", "a2", "b2", "a3"}));
}

TEST(InOrder, AivBeforeAic) {
  FakeMachine machine({{CoreKind::kAic, {issue(Pipe::kM, "cube")}},
                       {CoreKind::kAiv, {issue(Pipe::kV, "vector0")}},
                       {CoreKind::kAiv, {issue(Pipe::kV, "vector1")}}});
  InOrder schedule;
  EXPECT_EQ(machine.run(schedule).executed(), (Labels{"vector0", "vector1", "cube"}));
}

TEST(InOrder, PollingCoreLetsTheOthersRun) {
  FakeMachine machine({{CoreKind::kAiv, {poll("flag"), issue(Pipe::kV, "after")}},
                       {CoreKind::kAiv, {poll("first"), issue(Pipe::kMte3, "flag")}},
                       {CoreKind::kAiv, {issue(Pipe::kMte3, "first")}}});
  InOrder schedule;
  const auto result = machine.run(schedule, 1, 1000);
  EXPECT_TRUE(result.finished);
  EXPECT_EQ(result.executed(), (Labels{"first", "flag", "after"}));
}

TEST(InOrder, StallEnds) {
  FakeMachine machine({{CoreKind::kAiv, {wait(Pipe::kV, Pipe::kMte3), issue(Pipe::kMte3, "never"), all()}}});
  InOrder schedule;
  const auto result = machine.run(schedule, 1, 1000);
  EXPECT_FALSE(result.finished);
  EXPECT_TRUE(result.executed().empty());
}

}  // namespace
