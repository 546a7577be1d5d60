// links: ascsan_check ascsan_machine ascsan_schedule
//
// Cross-core flags: counters, balance, groups, modes and ids. For each rule a kernel that breaks it, one that keeps it
// and a near miss.
#include "usage_fixture.h"

extern "C" uint64_t ascsan_gate(ascsan::gate::Request* request) {
  ascsan::machine::Machine* machine = ascsan::machine::Machine::current();
  return machine != nullptr ? machine->perform(*request) : 0;
}

namespace ascsan::test {
namespace {
using namespace AscendC;
using machine::KernelType;
using report::Severity;

using UsageCross = UsageTest;

/// `rounds` rounds from AIC to its AIVs; the AIVs answer every `answer` rounds, 0 = never.
std::function<void()> producer(std::map<std::string, uint32_t>& at, int rounds, int answer) {
  return [&at, rounds, answer] {
    for (int round = 0; round < rounds; ++round) {
      const bool answers = answer != 0 && (round + 1) % answer == 0;
      if ASCEND_IS_AIC {
        LINE("set"), CrossCoreSetFlag<2, PIPE_FIX>(4);
        if (answers) CrossCoreWaitFlag(5);
      }
      if ASCEND_IS_AIV {
        LINE("wait"), CrossCoreWaitFlag(4);
        if (answers) CrossCoreSetFlag<2, PIPE_MTE3>(5);
      }
    }
  };
}

TEST_F(UsageCross, CounterPassesFifteenUnderTheWorstLead) {
  const report::Finding ahead = expect_one(KernelType::kMixAic12, 2, producer(at, 20, 0), "ASC4302", {"set", "wait"});
  EXPECT_NE(ahead.title.find("may reach 20"), std::string::npos) << ahead.title;
  EXPECT_EQ(ahead.merged, 4u) << "four vector cores";
  expect_one(KernelType::kMixAic12, 1, producer(at, 16, 0), "ASC4302", {"set", "wait"});
  expect_clean(KernelType::kMixAic12, 2, producer(at, 15, 0));
}

TEST_F(UsageCross, AnswersBoundTheLead) {
  expect_clean(KernelType::kMixAic12, 2, producer(at, 75, 15));
  expect_clean(KernelType::kMixAic11, 2, producer(at, 40, 1));
  const report::Finding late = expect_one(KernelType::kMixAic12, 1, producer(at, 64, 16), "ASC4302", {"set", "wait"});
  EXPECT_NE(late.title.find("may reach 16"), std::string::npos) << late.title;
}

TEST_F(UsageCross, AnswerOfAnotherCoreDoesNotBoundTheLead) {
  // AIC waits for AIV 1 only (mode 1 would be needed): both AIVs set id 5, but AIV 0 sets before it waits.
  const report::Finding finding = expect_one(KernelType::kMixAic12, 1,
                                             [&] {
                                               for (int round = 0; round < 18; ++round) {
                                                 if ASCEND_IS_AIC {
                                                   LINE("set"), CrossCoreSetFlag<2, PIPE_FIX>(4);
                                                   CrossCoreWaitFlag(5);
                                                 }
                                                 if ASCEND_IS_AIV {
                                                   if (GetSubBlockIdx() == 0) {
                                                     CrossCoreSetFlag<2, PIPE_MTE3>(5);
                                                   } else {
                                                     CrossCoreWaitFlag(4);
                                                     CrossCoreSetFlag<2, PIPE_MTE3>(5);
                                                   }
                                                 }
                                               }
                                               if ASCEND_IS_AIV {
                                                 if (GetSubBlockIdx() == 0)
                                                   for (int round = 0; round < 18; ++round)
                                                     LINE("wait"), CrossCoreWaitFlag(4);
                                               }
                                             },
                                             "ASC4302", {"set", "wait"});
  EXPECT_NE(finding.title.find("of AIV 0 may reach 18"), std::string::npos) << finding.title;
}

TEST_F(UsageCross, SyncAllsNeverRunAhead) {
  expect_clean(KernelType::kMixAic12, 3, [] {
    for (int round = 0; round < 40; ++round) SyncAll<false>();
  });
  expect_clean(KernelType::kMixAiv10, 5, [] {
    for (int round = 0; round < 40; ++round) SyncAll<true>();
  });
}

TEST_F(UsageCross, LeftOver) {
  const report::Finding left = expect_one(
      KernelType::kMixAic11, 2,
      [&] {
        if ASCEND_IS_AIC {
          for (int round = 0; round < 3; ++round) LINE("set"), CrossCoreSetFlag<2, PIPE_FIX>(1);
        }
        if ASCEND_IS_AIV {
          for (int round = 0; round < 2; ++round) LINE("wait"), CrossCoreWaitFlag(1);
        }
      },
      "ASC4303", {"set", "wait"}, Severity::kWarning);
  EXPECT_NE(left.title.find("ends at 1"), std::string::npos) << left.title;
  const report::Finding group = expect_one(
      KernelType::kMixAiv10, 4,
      [&] {
        if (GetBlockIdx() != 2) LINE("set"), CrossCoreSetFlag<0, PIPE_MTE3>(1);
      },
      "ASC4303", {"set"}, Severity::kWarning);
  EXPECT_NE(group.title.find("AIV 2 never set it"), std::string::npos) << group.title;
  EXPECT_EQ(group.merged, 3u);
}

TEST_F(UsageCross, ModesMixedOnOneId) {
  const auto kernel = [&](bool waited, bool answered) {
    return [this, waited, answered] {
      if ASCEND_IS_AIV {
        LINE("old"), CrossCoreSetFlag<1, PIPE_MTE3>(2);
        if (waited) CrossCoreWaitFlag(2);
        if (answered) {  // both know that the other has waited
          CrossCoreSetFlag<1, PIPE_MTE3>(3);
          CrossCoreWaitFlag(3);
        }
        LINE("new"), CrossCoreSetFlag<2, PIPE_MTE3>(2);
        if (!waited) CrossCoreWaitFlag(2);
      }
      if ASCEND_IS_AIC
        CrossCoreWaitFlag(2);
    };
  };
  expect_one(KernelType::kMixAic12, 1, kernel(false, false), "ASC4304", {"new", "old"});
  expect_one(KernelType::kMixAic12, 1, kernel(true, false), "ASC4304", {"new", "old"});
  expect_clean(KernelType::kMixAic12, 1, kernel(true, true));
}

TEST_F(UsageCross, ReservedIds) {
  const auto kernel = [&](uint8_t id) {
    return [this, id] {
      LINE("sync"), SyncAll<true>();
      LINE("set"), CrossCoreSetFlag<0, PIPE_MTE3>(id);
      CrossCoreWaitFlag(id);
    };
  };
  expect_one(KernelType::kMixAiv10, 2, kernel(14), "ASC4305", {"set", "sync"}, Severity::kWarning);
  expect_clean(KernelType::kMixAiv10, 2, kernel(13));
  expect_clean(KernelType::kMixAiv10, 2, kernel(10));
}

TEST_F(UsageCross, KernelTypesWithoutScheduler) {
  expect_one(KernelType::kAivOnly, 2, [&] { LINE("set"), CrossCoreSetFlag<0, PIPE_MTE3>(1); }, "ASC2209", {"set"});
  expect_one(KernelType::kAivOnly, 2, [&] { LINE("sync"), SyncAll<true>(); }, "ASC2209", {"sync"});
  expect_one(KernelType::kMixAiv10, 2, [&] { LINE("set"), CrossCoreSetFlag<0, PIPE_MTE3>(16); }, "ASC4301", {"set"});
}

TEST_F(UsageCross, MoreBlocksThanCores) {
  const auto kernel = [&](bool waits) {
    return [this, waits] {
      if (waits) LINE("sync"), SyncAll<true>();
    };
  };
  const report::Finding waves = expect_one(KernelType::kMixAiv10, 49, kernel(true), "ASC4306", {"sync"});
  EXPECT_NE(waves.title.find("49 blocks on 48 physical cores"), std::string::npos) << waves.title;
  expect_clean(KernelType::kMixAiv10, 48, kernel(true));
  expect_clean(KernelType::kMixAiv10, 100, kernel(false));
  expect_one(KernelType::kMixAic12, 25, [&] { LINE("set"), CrossCoreSetFlag<0, PIPE_MTE3>(1), CrossCoreWaitFlag(1); },
             "ASC4306", {"set"});
  expect_clean(KernelType::kMixAic12, 25, [&] {
    if ASCEND_IS_AIC
      CrossCoreSetFlag<2, PIPE_FIX>(1);
    if ASCEND_IS_AIV
      CrossCoreWaitFlag(1);
  });
}

TEST_F(UsageCross, NoBatchScheduling) {
  const auto kernel = [&] { LINE("sync"), SyncAll<true>(); };
  expect_clean(KernelType::kMixAiv10, 4, kernel);
  suite_options.normal_launch = true;
  const report::Finding lint = expect_one(KernelType::kMixAiv10, 4, kernel, "ASC4307", {"sync"}, Severity::kWarning);
  EXPECT_EQ(lint.merged, 4u);
  expect_clean(KernelType::kMixAiv10, 1, kernel);
  expect_clean(KernelType::kMixAic12, 4, [] {
    if ASCEND_IS_AIC
      CrossCoreSetFlag<2, PIPE_FIX>(1);
    if ASCEND_IS_AIV
      CrossCoreWaitFlag(1);
  });
}

TEST_F(UsageCross, HangNamesWhoIsMissing) {
  const report::Finding hang = expect_one(KernelType::kMixAiv10, 5,
                                          [&] {
                                            if (GetBlockIdx() == 3) return;
                                            LINE("sync"), SyncAll<true>();
                                          },
                                          "ASC5001", {"sync"});
  EXPECT_NE(hang.detail.find("not set yet by AIV 3"), std::string::npos) << hang.detail;
}

}  // namespace
}  // namespace ascsan::test
