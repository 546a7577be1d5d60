// links: ascsan_check ascsan_machine ascsan_schedule
//
// Annotations: release and acquire of a hand-made flag, expected races, and expectations that nothing meets.
#include "ascsan/annotate.h"
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

class UsageAnnotate : public UsageTest {
 protected:
  UsageAnnotate() : x(allocate<int32_t>(256, "x")), flag(allocate<int32_t>(8, "flag")) {
    before_run = [this] { flag[0] = 0; };
  }
  template <typename T>
  static GlobalTensor<T> global(T* from) {
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(from, 8);
    return tensor;
  }
  /// Core 0 stores x, then tells core 1 by a word of GM, which core 1 polls.
  std::function<void()> flagged(bool release, bool acquire) {
    return [this, release, acquire] {
      TPipe pipe;
      TBuf<TPosition::VECCALC> buffer;
      pipe.InitBuffer(buffer, 64);
      LocalTensor<int32_t> local = buffer.Get<int32_t>();
      if (GetBlockIdx() == 0) {
        local.SetValue(0, 1);
        SetFlag<HardEvent::S_MTE3>(0);
        WaitFlag<HardEvent::S_MTE3>(0);
        LINE("store"), copy(global(x), local, 32);
        PipeBarrier<PIPE_ALL>();
        if (release) ASCSAN_RELEASE(flag);
        WriteGmByPassDCache(flag, 1);
      } else {
        while (ReadGmByPassDCache(flag) != 1) {
        }
        if (acquire) ASCSAN_ACQUIRE(flag);
        LINE("load"), copy(local, global(x), 32);
      }
    };
  }
  int32_t *x, *flag;
};

TEST_F(UsageAnnotate, PolledWordsOrderButTheVerdictIsIncomplete) {
  expect_clean(KernelType::kAivOnly, 2, flagged(false, false));
  ASSERT_EQ(unchecked.size(), 1u);
  EXPECT_NE(unchecked[0].why.find("polling words"), std::string::npos) << unchecked[0].why;
}

TEST_F(UsageAnnotate, DeclaredWordsAreComplete) {
  expect_clean(KernelType::kAivOnly, 2, flagged(true, true));
  EXPECT_TRUE(unchecked.empty()) << unchecked[0].why;
}

/// The flag is stored by MTE3 and read by MTE2: nothing the checker could follow by itself.
TEST_F(UsageAnnotate, AcquireJoinsTheReleaseOfTheSameAddress) {
  const auto kernel = [&](bool release, bool acquire, bool same) {
    return [this, release, acquire, same] {
      TPipe pipe;
      TBuf<TPosition::VECCALC> buffer;
      pipe.InitBuffer(buffer, 64);
      LocalTensor<int32_t> local = buffer.Get<int32_t>();
      if (GetBlockIdx() == 0) {
        LINE("store"), copy(global(x), local, 32);
        PipeBarrier<PIPE_ALL>();
        if (release) ASCSAN_RELEASE(flag);
      }
      // An order of the run that no rule knows: the words are stored and read by hand behind the checker's back.
      if (GetBlockIdx() == 0) flag[0] = 1;
      while (GetBlockIdx() == 1 && flag[0] != 1) GetSystemCycle(), copy(local[8], global(x + 64), 0);
      if (GetBlockIdx() == 1) {
        if (acquire) ASCSAN_ACQUIRE(same ? flag : flag + 1);
        LINE("load"), copy(local, global(x), 32);
      }
    };
  };
  expect_clean(KernelType::kAivOnly, 2, kernel(true, true, true));
  expect_one(KernelType::kAivOnly, 2, kernel(true, true, false), "ASC1101", {"store", "load"});
  expect_one(KernelType::kAivOnly, 2, kernel(true, false, true), "ASC1101", {"store", "load"});
  expect_one(KernelType::kAivOnly, 2, kernel(false, true, true), "ASC1101", {"store", "load"});
}

TEST_F(UsageAnnotate, ExpectedRaces) {
  const auto kernel = [&](const char* rule, bool inside, bool racy) {
    return [this, rule, inside, racy] {
      TPipe pipe;
      TBuf<TPosition::VECCALC> buffer;
      pipe.InitBuffer(buffer, 64);
      LocalTensor<int32_t> local = buffer.Get<int32_t>();
      {
        at["expect"] = __LINE__ + 1;
        ASCSAN_EXPECT_RACE(rule, "every core stores the same value");
        if (inside) LINE("inside"), copy(global(racy ? x : x + 8 * GetBlockIdx()), local, 32);
      }
      if (!inside) LINE("outside"), copy(global(racy ? x : x + 8 * GetBlockIdx()), local, 32);
    };
  };
  Findings findings = checked(KernelType::kAivOnly, 3, kernel("ASC1102", true, true));
  ASSERT_EQ(findings.size(), 1u) << text_of(findings);
  EXPECT_EQ(findings[0].rule, "ASC1102");
  ASSERT_TRUE(findings[0].suppressed.has_value());
  EXPECT_EQ(findings[0].suppressed->reason, "every core stores the same value");
  EXPECT_NE(findings[0].suppressed->owner.find(":" + std::to_string(at["expect"])), std::string::npos);

  findings = checked(KernelType::kAivOnly, 3, kernel("ASC1102", false, true));
  ASSERT_EQ(findings.size(), 2u) << text_of(findings);
  EXPECT_EQ(findings[0].rule, "ASC1102");
  EXPECT_FALSE(findings[0].suppressed.has_value());
  EXPECT_EQ(findings[1].rule, "ASC9101");

  findings = checked(KernelType::kAivOnly, 3, kernel("ASC1101", true, true));
  EXPECT_EQ(findings.size(), 2u) << "another rule\n" << text_of(findings);

  expect_one(KernelType::kAivOnly, 3, kernel("ASC1102", true, false), "ASC9101", {"expect"}, Severity::kWarning);
}

}  // namespace
}  // namespace ascsan::test
