// The deferred schedule: nothing runs before something needs it, and only what is needed runs.
#include "schedule/deferred.h"

#include <gtest/gtest.h>

#include "fake_machine.h"

namespace {

using namespace ascsan::test;
using ascsan::gate::CoreKind;
using ascsan::schedule::Deferred;
using Labels = std::vector<std::string>;

size_t position(const Labels& labels, const std::string& label) {
  return static_cast<size_t>(std::find(labels.begin(), labels.end(), label) - labels.begin());
}

TEST(Deferred, NothingExecutesBeforeTheScalarHasIssuedAll) {
  FakeMachine machine({{CoreKind::kAiv, {issue(Pipe::kMte2, "a"), issue(Pipe::kV, "b"), issue(Pipe::kMte3, "c")}}});
  Deferred schedule;
  const Labels order = machine.run(schedule).order;
  EXPECT_EQ(Labels(order.begin(), order.begin() + 3), (Labels{"S0:a", "S0:b", "S0:c"}));
}

TEST(Deferred, DrainsConsumersBeforeProducers) {
  // Neither flag is there: the store goes first, then the vector instruction, then the load.
  FakeMachine machine(
      {{CoreKind::kAiv, {issue(Pipe::kMte2, "load"), issue(Pipe::kV, "add"), issue(Pipe::kMte3, "store")}}});
  Deferred schedule;
  EXPECT_EQ(machine.run(schedule).executed(), (Labels{"store", "add", "load"}));
}

TEST(Deferred, FlagsAreKept) {
  FakeMachine machine(
      {{CoreKind::kAiv,
        {issue(Pipe::kMte2, "load"), set(Pipe::kMte2, Pipe::kV), wait(Pipe::kMte2, Pipe::kV), issue(Pipe::kV, "add"),
         set(Pipe::kV, Pipe::kMte3), wait(Pipe::kV, Pipe::kMte3), issue(Pipe::kMte3, "store")}}});
  Deferred schedule;
  EXPECT_EQ(machine.run(schedule).executed(), (Labels{"load", "add", "store"}));
}

TEST(Deferred, ExecutesOnlyTheChainABlockedScalarNeeds) {
  // The scalar waits for V, which waits for MTE2. The store and the other core's load are not needed.
  FakeMachine machine({{CoreKind::kAiv,
                        {issue(Pipe::kMte3, "old store"), issue(Pipe::kMte2, "load"), set(Pipe::kMte2, Pipe::kV),
                         wait(Pipe::kMte2, Pipe::kV), issue(Pipe::kV, "add"), set(Pipe::kV, Pipe::kS),
                         issue(Pipe::kV, "later add"), wait(Pipe::kV, Pipe::kS), issue(Pipe::kMte3, "store")}},
                       {CoreKind::kAiv, {issue(Pipe::kMte2, "other load")}}});
  Deferred schedule;
  const Labels order = machine.run(schedule).order;
  const size_t released = position(order, "S0:store");
  EXPECT_LT(position(order, "load"), position(order, "add"));
  EXPECT_LT(position(order, "add"), released);
  for (const char* late : {"old store", "later add", "other load", "store"})
    EXPECT_GT(position(order, late), released) << late;
}

TEST(Deferred, ScalarProgramsTakeTurns) {
  FakeMachine machine({{CoreKind::kAiv, {issue(Pipe::kV, "a1"), issue(Pipe::kV, "a2")}},
                       {CoreKind::kAiv, {issue(Pipe::kV, "b1"), issue(Pipe::kV, "b2")}},
                       {CoreKind::kAiv, {issue(Pipe::kV, "c1"), issue(Pipe::kV, "c2")}}});
  Deferred schedule;
  const Labels order = machine.run(schedule).order;
  EXPECT_EQ(Labels(order.begin(), order.begin() + 6), (Labels{"S0:a1", "S1:b1", "S2:c1", "S0:a2", "S1:b2", "S2:c2"}));
}

TEST(Deferred, PollingScalarsGetTheirStore) {
  // Three cores poll in a ring of stores that the schedule would like to keep back.
  FakeMachine machine({{CoreKind::kAiv, {issue(Pipe::kMte3, "f0"), poll("f2"), issue(Pipe::kV, "done0")}},
                       {CoreKind::kAiv, {poll("f0"), issue(Pipe::kMte3, "f1"), poll("done0")}},
                       {CoreKind::kAiv, {poll("f1"), issue(Pipe::kMte3, "f2"), issue(Pipe::kV, "done2")}}});
  Deferred schedule;
  const auto result = machine.run(schedule, 1, 100'000);
  EXPECT_TRUE(result.finished);
}

TEST(Deferred, SameEveryTime) {
  FakeMachine machine(
      {{CoreKind::kAic, {issue(Pipe::kMte2, "a"), issue(Pipe::kMte2, "b"), issue(Pipe::kM, "c"), all()}},
       {CoreKind::kAiv, {issue(Pipe::kMte2, "d"), issue(Pipe::kV, "e"), all(), issue(Pipe::kV, "f")}}});
  Deferred schedule;
  const Labels first = machine.run(schedule, 1).order;
  EXPECT_EQ(machine.run(schedule, 2).order, first);
  Deferred fresh;
  EXPECT_EQ(machine.run(fresh, 1).order, first);
}

}  // namespace
