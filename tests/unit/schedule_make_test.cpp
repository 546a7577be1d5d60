// Schedules by name, and the message for a wrong name or depth.
#include "schedule/make.h"

#include <gtest/gtest.h>

#include "fake_machine.h"

namespace {

using namespace ascsan::test;
using ascsan::schedule::make_scheduler;

TEST(MakeScheduler, EveryNameRuns) {
  FakeMachine machine({{ascsan::gate::CoreKind::kAiv, {issue(Pipe::kMte2, "a"), issue(Pipe::kV, "b"), all()}}});
  for (const char* name : {"in_order", "deferred", "random", "pct"}) {
    std::string error;
    const auto schedule = make_scheduler(name, 1, 3, &error);
    ASSERT_NE(schedule, nullptr) << name;
    EXPECT_TRUE(error.empty());
    EXPECT_EQ(schedule->completes_at_issue(), std::string(name) == "in_order");
    EXPECT_TRUE(machine.run(*schedule).finished) << name;
  }
}

TEST(MakeScheduler, WrongNameAndDepthAreNamed) {
  std::string error;
  EXPECT_EQ(make_scheduler("fifo", 1, 3, &error), nullptr);
  EXPECT_EQ(error, "schedule is \"fifo\"; it takes in_order, deferred, random or pct");
  for (const uint32_t depth : {0u, 65u}) {
    EXPECT_EQ(make_scheduler("pct", 1, depth, &error), nullptr);
    EXPECT_EQ(error, "depth of the pct schedule is " + std::to_string(depth) + "; it takes 1..64");
  }
  EXPECT_EQ(make_scheduler("fifo", 1, 3, nullptr), nullptr);
  EXPECT_NE(make_scheduler("pct", 1, 64, nullptr), nullptr);
}

}  // namespace
