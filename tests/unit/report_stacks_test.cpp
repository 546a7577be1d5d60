// The second run: which stacks are asked for, and what becomes of the answer.
#include "report/stacks.h"

#include <gtest/gtest.h>

namespace ascsan::report {
namespace {

Finding finding_with(std::vector<AccessInfo> accesses, uint32_t launch = 2) {
  Finding finding;
  finding.kernel = "my_kernel";
  finding.launch = launch;
  finding.accesses = std::move(accesses);
  return finding;
}

AccessInfo access(uint32_t core, uint32_t pipe, uint32_t index) {
  AccessInfo access;
  access.core_id = core;
  access.pipe_id = pipe;
  access.index = index;
  access.stack = {{"site", "kernel.h", 5}};
  return access;
}

TEST(Stacks, WantedAreSortedAndUniqueAndHaveAnInstruction) {
  RunResult run;
  run.findings = {finding_with({access(3, 4, 9), access(0, 5, 1)}), finding_with({access(3, 4, 9), access(1, 0, 0)}),
                  finding_with({access(3, 4, 9)}, 1)};
  const std::vector<AccessKey> expected = {{1, 3, 4, 9}, {2, 0, 5, 1}, {2, 3, 4, 9}};
  const std::vector<AccessKey> wanted = wanted_accesses(run);
  EXPECT_EQ(wanted, expected);
  EXPECT_EQ(to_wanted_text(wanted), "1 3 4 9\n2 0 5 1\n2 3 4 9\n");
  std::vector<AccessKey> parsed;
  EXPECT_TRUE(parse_wanted_text(to_wanted_text(wanted), parsed));
  EXPECT_EQ(parsed, expected);
  EXPECT_TRUE(parse_wanted_text("", parsed));
  EXPECT_TRUE(parsed.empty());
}

TEST(Stacks, BrokenWantedTextIsRefused) {
  std::vector<AccessKey> keys;
  for (const char* text :
       {"1 2 3", "1 2 3 4", "1 2 3 4 5\n", "1 2 x 4\n", "1  2 3 4\n", "\n", "-1 2 3 4\n", "99999999999 1 1 1\n"})
    EXPECT_FALSE(parse_wanted_text(text, keys)) << text;
}

TEST(Stacks, UserFramesEndAtTheKernelAndFoldTheFramework) {
  const std::vector<Frame> stack = {{"AscendC::DataCopy<half>(int)", "/opt/x/include/ascendc/data_copy.h", 10},
                                    {"Op::CopyIn(int)", "op.h", 20},
                                    {"ascsan::detail::call", "elsewhere.h", 21},
                                    {"Op::Process()", "op.h", 30},
                                    {"void my_kernel<half>(unsigned char*)", "op.cpp", 40},
                                    {"launch lambda", "main.cpp", 50},
                                    {"ascsan::machine::Fiber::run()", "src/machine/fiber.cpp", 60}};
  const auto lines = [](const std::vector<Frame>& frames) {
    std::vector<uint32_t> result;
    for (const Frame& frame : frames) result.push_back(frame.line);
    return result;
  };
  EXPECT_EQ(lines(user_frames(stack, "my_kernel", false)), (std::vector<uint32_t>{20, 30, 40}));
  EXPECT_EQ(lines(user_frames(stack, "ns::my_kernel<float>", false)), (std::vector<uint32_t>{20, 30, 40}));
  EXPECT_EQ(lines(user_frames(stack, "(anonymous namespace)::my_kernel", false)), (std::vector<uint32_t>{20, 30, 40}));
  EXPECT_EQ(lines(user_frames(stack, "my_kernel", true)), (std::vector<uint32_t>{10, 20, 21, 30, 40}));
  EXPECT_EQ(lines(user_frames(stack, "other", false)), (std::vector<uint32_t>{20, 30, 40, 50}));
  EXPECT_EQ(lines(user_frames(stack, "", false)), (std::vector<uint32_t>{20, 30, 40, 50}));
  EXPECT_FALSE(is_framework({"f", "my_include/ascendc/x.h", 1}));
}

TEST(Stacks, MergeKeepsTheSiteWhereThereIsNoAnswer) {
  RunResult run;
  run.findings = {finding_with({access(3, 4, 9), access(0, 5, 1), access(1, 0, 0), access(7, 1, 1)})};
  const std::vector<AccessStack> stacks = {
      {{2, 3, 4, 9}, {{"a", "a.h", 1}, {"my_kernel", "k.cpp", 2}, {"main", "m.cpp", 3}}},
      {{1, 0, 5, 1}, {{"other launch", "o.h", 9}}},
      {{2, 7, 1, 1}, {{"AscendC::f", "include/ascendc/f.h", 1}}}};
  EXPECT_EQ(merge_stacks(run, stacks, false), 2u);
  const std::vector<AccessInfo>& merged = run.findings[0].accesses;
  ASSERT_EQ(merged[0].stack.size(), 2u);
  EXPECT_EQ(merged[0].stack[1].line, 2u);
  EXPECT_EQ(merged[1].stack[0].function, "site");  // the answer is for another launch
  EXPECT_EQ(merged[2].stack[0].function, "site");  // no instruction, never asked for
  EXPECT_EQ(merged[3].stack[0].function, "site");  // framework frames only
}

}  // namespace
}  // namespace ascsan::report
