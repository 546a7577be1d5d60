// links: ascsan_check ascsan_machine ascsan_schedule
//
// Flags, event ids and queue tensors: for each rule a kernel that breaks it, one that keeps it and a near miss.
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

constexpr uint32_t kBytes = 256;

class UsageFlags : public UsageTest {
 protected:
  UsageFlags() : x(allocate<float>(1024, "x")) {}
  GlobalTensor<float> global(uint32_t from = 0) {
    GlobalTensor<float> tensor;
    tensor.SetGlobalBuffer(x + from, 64);
    return tensor;
  }
  float* x;
};

TEST_F(UsageFlags, SetTwice) {
  const auto kernel = [&](int sets, int waits) {
    return [this, sets, waits] {
      for (int i = 0; i < sets; ++i)
        i == 0 ? (LINE("first"), SetFlag<HardEvent::MTE2_V>(2)) : (LINE("second"), SetFlag<HardEvent::MTE2_V>(2));
      for (int i = 0; i < waits; ++i) LINE("wait"), WaitFlag<HardEvent::MTE2_V>(2);
    };
  };
  const report::Finding two = expect_one(KernelType::kAivOnly, 3, kernel(2, 2), "ASC4102", {"second", "first", "wait"});
  EXPECT_EQ(two.merged, 3u) << "one per core";
  EXPECT_NE(two.title.find("MTE2_V (id 2)"), std::string::npos) << two.title;
  expect_one(KernelType::kAivOnly, 1, kernel(2, 1), "ASC4102", {"second", "first", "wait"});
  expect_one(KernelType::kAivOnly, 1, kernel(2, 0), "ASC4102", {"second", "first"});
  expect_clean(KernelType::kAivOnly, 3, kernel(1, 1));
}

TEST_F(UsageFlags, AlternatingSetsAreNoFaultHoweverFarAPipeRunsAhead) {
  expect_clean(KernelType::kAivOnly, 2, [&] {
    for (int round = 0; round < 20; ++round) {
      SetFlag<HardEvent::MTE2_V>(0);
      WaitFlag<HardEvent::MTE2_V>(0);
    }
    // The wait may stand before its set in the program, where another pipe brings the set.
    WaitFlag<HardEvent::V_MTE3>(1);
    SetFlag<HardEvent::V_MTE3>(1);
    SetFlag<HardEvent::V_MTE3>(2);
    SetFlag<HardEvent::V_MTE3>(3);
    WaitFlag<HardEvent::V_MTE3>(3);
    WaitFlag<HardEvent::V_MTE3>(2);
  });
}

TEST_F(UsageFlags, LeftSet) {
  expect_one(KernelType::kAivOnly, 2,
             [&] {
               SetFlag<HardEvent::V_MTE3>(1);
               LINE("last"), WaitFlag<HardEvent::V_MTE3>(1);
               LINE("left"), SetFlag<HardEvent::V_MTE3>(1);
             },
             "ASC4103", {"left", "last"});
  const report::Finding turned = expect_one(KernelType::kAivOnly, 1,
                                            [&] {
                                              SetFlag<HardEvent::V_MTE2>(3);
                                              WaitFlag<HardEvent::V_MTE2>(3);
                                              LINE("left"), SetFlag<HardEvent::MTE2_V>(3);
                                            },
                                            "ASC4103", {"left"});
  ASSERT_EQ(turned.notes.size(), 1u);
  EXPECT_NE(turned.notes[0].find("opposite direction"), std::string::npos) << turned.notes[0];
}

TEST_F(UsageFlags, OtherCoreIdAndPipes) {
  expect_one(KernelType::kAivOnly, 1, [&] { LINE("set"), SetFlag<HardEvent::MTE2_V>(8); }, "ASC4101", {"set"});
  expect_one(KernelType::kAivOnly, 1, [&] { LINE("set"), SetFlag<HardEvent::MTE2_M>(0); }, "ASC2209", {"set"});
  // Pairs of the other kind of core that compile to nothing.
  expect_clean(KernelType::kMixAic12, 1, [&] {
    if ASCEND_IS_AIC
      SetFlag<HardEvent::V_MTE3>(0);
    if ASCEND_IS_AIV
      WaitFlag<HardEvent::MTE1_M>(0);
  });
}

TEST_F(UsageFlags, HangNamesTheSetThatMissesItsWait) {
  const report::Finding hang = expect_one(KernelType::kAivOnly, 1,
                                          [&] {
                                            SetFlag<HardEvent::V_MTE3>(1);
                                            LINE("wait"), WaitFlag<HardEvent::V_MTE3>(2);
                                            LINE("all"), PipeBarrier<PIPE_ALL>();
                                          },
                                          "ASC5001", {"wait"});
  EXPECT_NE(hang.detail.find("WaitFlag<V_MTE3>(2)"), std::string::npos) << hang.detail;
  EXPECT_NE(hang.detail.find("set and not waited for: V_MTE3 (id 1)"), std::string::npos) << hang.detail;
}

TEST_F(UsageFlags, EventIdsInFlight) {
  const auto kernel = [&](bool release_early) {
    return [this, release_early] {
      TPipe pipe;
      const TEventID a = pipe.AllocEventID<HardEvent::MTE3_V>();
      LINE("first"), SetFlag<HardEvent::MTE3_V>(a);
      if (release_early) pipe.ReleaseEventID<HardEvent::MTE3_V>(a);
      const TEventID b = MARK("handout", pipe.AllocEventID<HardEvent::MTE3_V>());
      LINE("second"), SetFlag<HardEvent::MTE3_V>(b);
      WaitFlag<HardEvent::MTE3_V>(a);
      WaitFlag<HardEvent::MTE3_V>(b);
      pipe.ReleaseEventID<HardEvent::MTE3_V>(b);
      if (!release_early) pipe.ReleaseEventID<HardEvent::MTE3_V>(a);
    };
  };
  const report::Finding reused = expect_one(KernelType::kAivOnly, 1, kernel(true), "ASC4106", {"second", "first"});
  ASSERT_EQ(reused.accesses.size(), 4u);
  EXPECT_EQ(reused.accesses[3].line, at.at("handout"));
  expect_clean(KernelType::kAivOnly, 1, kernel(false));
  expect_one(KernelType::kAivOnly, 1,
             [&] {
               TPipe pipe;
               const TEventID a = pipe.FetchEventID<HardEvent::V_S>();
               LINE("first"), SetFlag<HardEvent::V_S>(a);
               const TEventID b = pipe.FetchEventID<HardEvent::V_S>();
               LINE("second"), SetFlag<HardEvent::V_S>(b);
               WaitFlag<HardEvent::V_S>(b);
               WaitFlag<HardEvent::V_S>(a);
             },
             "ASC4106", {"second", "first"});
}

TEST_F(UsageFlags, EventIdsReleasedAndExhausted) {
  expect_one(KernelType::kAivOnly, 1,
             [&] {
               TPipe pipe;
               const TEventID a = pipe.AllocEventID<HardEvent::MTE3_V>();
               LINE("first"), pipe.ReleaseEventID<HardEvent::MTE3_V>(a);
               LINE("second"), pipe.ReleaseEventID<HardEvent::MTE3_V>(a);
             },
             "ASC4105", {"second", "first"});
  expect_one(
      KernelType::kAivOnly, 1,
      [&] {
        TPipe pipe;
        const TEventID a = pipe.FetchEventID<HardEvent::MTE3_V>();
        LINE("release"), pipe.ReleaseEventID<HardEvent::MTE3_V>(a);
      },
      "ASC4105", {"release"}, Severity::kWarning);
  const auto take = [&](int ids) {
    return [this, ids] {
      TPipe pipe;
      for (int i = 0; i < ids; ++i) LINE("alloc"), pipe.AllocEventID<HardEvent::MTE3_V>();
      pipe.AllocEventID<HardEvent::MTE3_MTE2>();
    };
  };
  expect_one(KernelType::kAivOnly, 1, take(9), "ASC4104", {"alloc"});
  expect_clean(KernelType::kAivOnly, 1, take(8));
}

// Queues: one round of a queue with what goes wrong in it.
enum class Fault { kNone, kTwice, kOther, kNoEnque, kNoFree, kUse, kUseAfterAlloc, kEnqueFreed, kLeak, kLeftInQueue };

class UsageQueues : public UsageFlags {
 protected:
  UsageQueues() { only = "ASC4"; }
  std::function<void()> kernel(Fault fault, int rounds = 1) {
    return [this, fault, rounds] {
      TPipe pipe;
      TQue<TPosition::VECIN, 1> queue;
      TQue<TPosition::VECOUT, 1> other;
      LINE("queue"), pipe.InitBuffer(queue, 1, kBytes);
      LINE("other queue"), pipe.InitBuffer(other, 1, kBytes);
      for (int round = 0; round < rounds; ++round) {
        LocalTensor<float> a = MARK("alloc", queue.AllocTensor<float>());
        copy(a, global(), kBytes);
        if (fault == Fault::kLeak && round == rounds - 1) return;
        if (fault != Fault::kNoEnque) LINE("enque"), queue.EnQue(a);
        if (fault == Fault::kLeftInQueue && round == rounds - 1) return;
        LocalTensor<float> b = MARK("deque", queue.DeQue<float>());
        if (fault == Fault::kOther) {
          LINE("free other"), other.FreeTensor(b);
          continue;
        }
        LocalTensor<float> c = other.AllocTensor<float>();
        copy(c, b, kBytes);
        if (fault != Fault::kNoFree) LINE("free"), queue.FreeTensor(b);
        if (fault == Fault::kTwice) LINE("free again"), queue.FreeTensor(b);
        if (fault == Fault::kUse) LINE("use"), copy(c, b, kBytes);
        if (fault == Fault::kUseAfterAlloc) {
          LocalTensor<float> d = queue.AllocTensor<float>();
          copy(d, global(), kBytes);
          queue.EnQue(d);
          d = queue.DeQue<float>();
          copy(c, d, kBytes);
          queue.FreeTensor(d);
        }
        if (fault == Fault::kEnqueFreed) LINE("enque freed"), queue.EnQue(b), queue.FreeTensor(queue.DeQue<float>());
        other.EnQue(c);
        c = other.DeQue<float>();
        copy(global(64 + 64 * static_cast<uint32_t>(GetBlockIdx())), c, kBytes);
        other.FreeTensor(c);
      }
    };
  }
};

TEST_F(UsageQueues, LifeCycle) {
  expect_clean(KernelType::kAivOnly, 2, kernel(Fault::kNone, 5));
  const report::Finding twice =
      expect_one(KernelType::kAivOnly, 2, kernel(Fault::kTwice, 3), "ASC4202", {"free again", "free", "queue"});
  EXPECT_EQ(twice.merged, 6u);
  expect_one(KernelType::kAivOnly, 1, kernel(Fault::kNoEnque), "ASC4204", {"deque", "queue"});
  expect_one(KernelType::kAivOnly, 1, kernel(Fault::kEnqueFreed), "ASC4209", {"enque freed", "free", "queue"});
  expect_clean(KernelType::kAivOnly, 1, kernel(Fault::kUseAfterAlloc, 3));
}

TEST_F(UsageQueues, FreedToAnotherQueue) {
  const Findings findings = checked(KernelType::kAivOnly, 1, kernel(Fault::kOther));
  ASSERT_GE(findings.size(), 1u);
  EXPECT_EQ(findings[0].rule, "ASC4203") << text_of(findings);
  ASSERT_EQ(findings[0].accesses.size(), 4u) << text_of(findings);
  EXPECT_EQ(findings[0].accesses[0].line, at["free other"]);
  EXPECT_EQ(findings[0].accesses[1].line, at["deque"]);
  EXPECT_EQ(findings[0].accesses[2].line, at["queue"]);
  EXPECT_EQ(findings[0].accesses[3].line, at["other queue"]);
}

TEST_F(UsageQueues, UseAfterFree) {
  const Findings findings = checked(KernelType::kAivOnly, 1, kernel(Fault::kUse, 2));
  ASSERT_GE(findings.size(), 1u);
  bool found = false;
  for (const report::Finding& finding : findings) {
    if (finding.rule != "ASC4207") continue;
    found = true;
    EXPECT_EQ(finding.accesses[0].line, at["use"]) << text_of(findings);
    EXPECT_EQ(finding.accesses[1].line, at["free"]) << text_of(findings);
    EXPECT_EQ(finding.merged, 2u);
  }
  EXPECT_TRUE(found) << text_of(findings);
}

TEST_F(UsageQueues, NoFreeBuffer) {
  const Findings findings = checked(KernelType::kAivOnly, 1, kernel(Fault::kNoFree, 2));
  ASSERT_GE(findings.size(), 1u);
  ASSERT_EQ(findings.size(), 2u) << text_of(findings);
  EXPECT_EQ(findings[0].rule, "ASC4205") << text_of(findings);
  EXPECT_EQ(findings[0].accesses[0].line, at["alloc"]);
  EXPECT_EQ(findings[0].accesses[1].line, at["deque"]);
  EXPECT_EQ(findings[1].rule, "ASC4208") << "and the last one is never freed\n" << text_of(findings);
}

TEST_F(UsageQueues, Leaks) {
  expect_one(KernelType::kAivOnly, 2, kernel(Fault::kLeak, 2), "ASC4208", {"alloc", "queue"}, Severity::kWarning);
  const Findings findings = checked(KernelType::kAivOnly, 1, kernel(Fault::kLeftInQueue, 2));
  bool told = false;
  for (const report::Finding& finding : findings)
    if (finding.rule == "ASC4208") told = finding.accesses[0].line == at["enque"];
  EXPECT_TRUE(told) << text_of(findings);
}

TEST_F(UsageQueues, OverfullAndForeignTensors) {
  expect_one(KernelType::kAivOnly, 1,
             [&] {
               TPipe pipe;
               TQue<TPosition::VECIN, 1> queue;
               pipe.InitBuffer(queue, 2, kBytes);
               LocalTensor<float> a = queue.AllocTensor<float>(), b = queue.AllocTensor<float>();
               queue.EnQue(a);
               LINE("enque"), queue.EnQue(b);
               queue.FreeTensor(queue.DeQue<float>());
               queue.FreeTensor(queue.DeQue<float>());
             },
             "ASC4206", {"enque"});
  expect_clean(KernelType::kAivOnly, 1, [&] {
    TPipe pipe;
    TQue<TPosition::VECIN, 2> queue;
    pipe.InitBuffer(queue, 2, kBytes);
    LocalTensor<float> a = queue.AllocTensor<float>(), b = queue.AllocTensor<float>();
    queue.EnQue(a);
    queue.EnQue(b);
    queue.FreeTensor(queue.DeQue<float>());
    queue.FreeTensor(queue.DeQue<float>());
  });
}

}  // namespace
}  // namespace ascsan::test
