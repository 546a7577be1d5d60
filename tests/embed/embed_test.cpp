// ascsan/gtest.h and ascsan/finding.h as a user's test uses them: each expectation once kept and once broken, with what
// the failure says. Lines of the kernel calls are taken where they stand.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <string>

#include "ascsan/finding.h"
#include "ascsan/gtest.h"
#include "ascsan/run.h"
#include "kernel_operator.h"
#include "tikicpulib.h"

namespace {

using namespace AscendC;

constexpr uint32_t kLoadLine = __LINE__ + 7, kNegateLine = kLoadLine + 5, kStoreLine = kNegateLine + 5;

__global__ __aicore__ void negate(GM_ADDR x, GM_ADDR y, bool wait_for_load, bool wait_for_result) {
  LocalTensor<float> tile(TPosition::VECIN, 0, 64), result(TPosition::VECOUT, 256, 64);
  GlobalTensor<float> from, to;
  from.SetGlobalBuffer((__gm__ float*)x, 64);
  to.SetGlobalBuffer((__gm__ float*)y, 64);
  DataCopy(tile, from, 64);
  if (wait_for_load) {
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  }
  Muls(result, tile, -1.0f, 64);
  if (wait_for_result) {
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  }
  DataCopy(to, result, 64);
}

class Embedding : public ::testing::Test {
 protected:
  void SetUp() override {
    SetKernelMode(KernelMode::AIV_MODE);
    x = static_cast<uint8_t*>(GmAlloc(256));
    y = static_cast<uint8_t*>(GmAlloc(256));
  }
  void TearDown() override {
    GmFree(x);
    GmFree(y);
  }
  void run(bool wait_for_load, bool wait_for_result) { ICPU_RUN_KF(negate, 1, x, y, wait_for_load, wait_for_result); }

  uint8_t *x = nullptr, *y = nullptr;
};

/// What a broken expectation says, without the "Failed" of GoogleTest; empty when it is kept.
template <typename Expectation>
std::string message_of(Expectation expectation) {
  ::testing::TestPartResultArray failures;
  {
    using Reporter = ::testing::ScopedFakeTestPartResultReporter;
    Reporter reporter(Reporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
    expectation();
  }
  std::string text;
  for (int i = 0; i < failures.size(); ++i) {
    const std::string message = failures.GetTestPartResult(i).message();
    text += message.rfind("Failed\n", 0) == 0 ? message.substr(7) : message;
  }
  return text;
}
#define MESSAGE_OF(...) message_of([&] { __VA_ARGS__; })
#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST_F(Embedding, CleanKernel) {
  EXPECT_CLEAN(run(true, true));
  ASSERT_CLEAN(ICPU_RUN_KF(negate, 1, x, y, true, true));
  const std::string message = MESSAGE_OF(EXPECT_RACE("", 0, 0, run(true, true)));
  EXPECT_EQ(message, "expected a race on any tensor, written in any line, read in any line; nothing was found");
  EXPECT_EQ(MESSAGE_OF(EXPECT_FINDING("ASC1201", run(true, true))),
            "expected a finding of rule ASC1201; nothing was found");
}

TEST_F(Embedding, RaceWithBothLines) {
  EXPECT_RACE("", kLoadLine, kNegateLine, run(false, true));
  EXPECT_RACE("", kNegateLine, kStoreLine, run(true, false));
  EXPECT_RACE("", kLoadLine, 0, run(false, true));
  EXPECT_FINDING("ASC1201", run(false, true));
}

TEST_F(Embedding, FailureShowsTheReport) {
  const std::string message = MESSAGE_OF(EXPECT_CLEAN(run(false, true)));
  EXPECT_EQ(message.rfind("expected no finding\n\nerror ASC1201", 0), 0u) << message;
  EXPECT_SAYS(message, "embed_test.cpp:" + std::to_string(kLoadLine));
  EXPECT_SAYS(message, "embed_test.cpp:" + std::to_string(kNegateLine));
  EXPECT_SAYS(message, "AIV 0 MTE2 --x--> AIV 0 V");
}

TEST_F(Embedding, WrongLineOrTensorFails) {
  EXPECT_SAYS(MESSAGE_OF(EXPECT_RACE("", kNegateLine, kLoadLine, run(false, true))), "expected a race on any tensor");
  EXPECT_SAYS(MESSAGE_OF(EXPECT_RACE("weights", 0, 0, run(false, true))), "expected a race on weights, written in any");
  EXPECT_SAYS(MESSAGE_OF(EXPECT_FINDING("ASC2101", run(false, true))), "expected a finding of rule ASC2101\n\nerror");
}

TEST_F(Embedding, AnotherFindingBesidesFails) {
  const std::string message = MESSAGE_OF(EXPECT_RACE("", kLoadLine, kNegateLine, run(false, false)));
  EXPECT_SAYS(message, "and nothing else");
  EXPECT_SAYS(message, std::to_string(kStoreLine));
}

TEST_F(Embedding, NoLaunchAndNoCheckFail) {
  EXPECT_EQ(MESSAGE_OF(EXPECT_CLEAN((void)0)), "no kernel was launched");
  ASSERT_TRUE(ascsan::set_option("check", "off"));
  EXPECT_EQ(MESSAGE_OF(EXPECT_CLEAN(run(false, true))), "nothing was checked: option check is off");
  ASSERT_TRUE(ascsan::set_option("check", "on"));
  EXPECT_CLEAN(run(true, true));
}

TEST_F(Embedding, FatalFormLeavesTheFunction) {
  bool behind = false;
  const auto body = [&] {
    ASSERT_CLEAN(run(false, true)) << "as it should";
    behind = true;
  };
  const std::string message = MESSAGE_OF(body());
  EXPECT_SAYS(message, "as it should");
  EXPECT_FALSE(behind);
}

TEST_F(Embedding, DanglingElseIsTheUsers) {
  bool other = false;
  if (x == nullptr)
    EXPECT_CLEAN(run(true, true));
  else
    other = true;
  EXPECT_TRUE(other);
}

TEST_F(Embedding, FindingsAsData) {
  const ascsan::Findings found = ascsan::findings_of([&] { run(false, true); });
  ASSERT_EQ(found.list.size(), 1u) << found.text();
  EXPECT_EQ(found.launches, 1u);
  EXPECT_TRUE(found.unchecked.empty());
  const ascsan::Finding& finding = found.list[0];
  EXPECT_EQ(finding.rule, "ASC1201");
  EXPECT_EQ(finding.severity, "error");
  EXPECT_EQ(finding.kernel, "negate");
  EXPECT_EQ(finding.space, "UB");
  EXPECT_EQ(finding.behind_byte - finding.first_byte, 256u);
  ASSERT_EQ(finding.places.size(), 2u);
  EXPECT_EQ(finding.places[0].line, kLoadLine);
  EXPECT_EQ(finding.places[0].pipe, "MTE2");
  EXPECT_EQ(finding.places[1].function, "negate");
  EXPECT_EQ(finding.text, found.text());
}

// Taken findings are gone: the program ends with the status of the tests, not with that of a verdict.
TEST_F(Embedding, WhatIsNotTakenStays) {
  EXPECT_CLEAN(run(true, true));
  EXPECT_TRUE(ascsan::findings_of([] {}).list.empty());
}

}  // namespace
