#include "scale.h"

#include "ascsan/gtest.h"
#include "tikicpulib.h"

TEST(Scale, ValuesAndVerdict) {
  auto* x = static_cast<float*>(AscendC::GmAlloc(256));
  auto* y = static_cast<float*>(AscendC::GmAlloc(256));
  for (int i = 0; i < 64; ++i) x[i] = static_cast<float>(i);
  AscendC::SetKernelMode(KernelMode::AIV_MODE);
  EXPECT_CLEAN(ICPU_RUN_KF(scale, 1, (GM_ADDR)x, (GM_ADDR)y, 3.0f, true));
  for (int i = 0; i < 64; ++i) EXPECT_EQ(y[i], 3.0f * static_cast<float>(i));
  EXPECT_FINDING("ASC1201", ICPU_RUN_KF(scale, 1, (GM_ADDR)x, (GM_ADDR)y, 3.0f, false));
  EXPECT_RACE("", 13, 18, ICPU_RUN_KF(scale, 1, (GM_ADDR)x, (GM_ADDR)y, 3.0f, false));
  AscendC::GmFree(x);
  AscendC::GmFree(y);
}

// With the word "racy" the program has a finding that no expectation takes: the test of CTest must fail for it.
int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const int status = RUN_ALL_TESTS();
  if (argc > 1 && std::string(argv[1]) == "racy") {
    auto* x = static_cast<float*>(AscendC::GmAlloc(256));
    ICPU_RUN_KF(scale, 1, (GM_ADDR)x, (GM_ADDR)x, 3.0f, false);
    AscendC::GmFree(x);
  }
  return status;
}
