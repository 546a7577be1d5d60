// The mutation engine on small sources: what it takes for a statement, which mutants it makes of one, and that nothing
// outside device functions is touched. Whether mutants compile and what they show is the business of mutants.py.
#include <gtest/gtest.h>

#include <algorithm>

#include "compile/mutate/mutant.h"

namespace ascsan::compile {
namespace {

std::string kernel(const std::string& body) {
  return "#include \"kernel_operator.h\"\n__global__ __aicore__ void k(GM_ADDR x) {\n" + body +
         "}\nint main() {\n  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);\n  Duplicate(a, 0, 8);\n}\n";
}

std::vector<Mutant> of(const std::vector<Mutant>& all, const std::string& op) {
  std::vector<Mutant> list;
  std::copy_if(all.begin(), all.end(), std::back_inserter(list), [&](const Mutant& mutant) { return mutant.op == op; });
  return list;
}

const std::string kPair =
    "  DataCopy(a, g, 64);\n"
    "  AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(EVENT_ID0);\n"
    "  AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(EVENT_ID0);\n"
    "  Adds(b, a, 1.0f, 64);\n";

TEST(Mutate, FlagPairGoesAsAWhole) {
  const std::vector<Mutant> pairs = of(mutate("k.cpp", kernel(kPair)), "flag pair");
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].lines, (std::vector<uint32_t>{4, 5}));
  EXPECT_EQ(pairs[0].link, "MTE2 -> V");
  EXPECT_EQ(pairs[0].text.find("WaitFlag"), std::string::npos);
  EXPECT_NE(pairs[0].diff.find("-  AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(EVENT_ID0);\n"), std::string::npos);
  EXPECT_NE(pairs[0].diff.find("--- a/k.cpp\n+++ b/k.cpp\n@@ -2,"), std::string::npos);
}

TEST(Mutate, FlagsRoundALoopAreNoPair) {
  const std::string loop =
      "  SetFlag<HardEvent::V_MTE2>(EVENT_ID0);\n  for (int i = 0; i < 2; ++i) {\n"
      "    WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);\n    DataCopy(a, g[i * 64], 64);\n"
      "    SetFlag<HardEvent::V_MTE2>(EVENT_ID0);\n  }\n  WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);\n";
  const std::vector<Mutant> all = mutate("k.cpp", kernel(loop));
  EXPECT_TRUE(of(all, "flag pair").empty());
  const std::vector<Mutant> direction = of(all, "flags of a direction");
  ASSERT_EQ(direction.size(), 1u);
  EXPECT_EQ(direction[0].lines, (std::vector<uint32_t>{3, 5, 7, 9}));
}

TEST(Mutate, HostCodeIsLeftAlone) {
  const std::string text = kernel(kPair);
  const auto last = static_cast<uint32_t>(std::count(text.begin(), text.end(), '\n'));
  for (const Mutant& mutant : mutate("k.cpp", text))
    for (const uint32_t line : mutant.lines) EXPECT_LT(line, last - 4) << mutant.op;
  EXPECT_TRUE(of(mutate("k.cpp", text), "drop Duplicate").empty());
}

TEST(Mutate, LinesKeepTheirNumbers) {
  const std::string text =
      kernel("  DataCopyPad(a, g,\n              {1, 96, 0, 0, 0},\n              pad);\n  PipeBarrier<PIPE_ALL>();\n" +
             kPair + "  queue.FreeTensor(a);\n");
  const auto lines = std::count(text.begin(), text.end(), '\n');
  const std::vector<Mutant> all = mutate("k.cpp", text);
  EXPECT_GT(all.size(), 20u);
  for (const Mutant& mutant : all) {
    EXPECT_EQ(std::count(mutant.text.begin(), mutant.text.end(), '\n'), lines) << mutant.op << "\n" << mutant.diff;
    EXPECT_NE(mutant.text, text);
    EXPECT_FALSE(mutant.lines.empty());
  }
}

TEST(Mutate, NumbersAreThoseOfTheOrder) {
  const std::vector<Mutant> once = mutate("k.cpp", kernel(kPair)), again = mutate("k.cpp", kernel(kPair));
  ASSERT_EQ(once.size(), again.size());
  for (size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i].number, i + 1);
    EXPECT_EQ(once[i].text, again[i].text);
    for (size_t k = 0; k < i; ++k) EXPECT_NE(once[i].text, once[k].text) << once[i].op << " and " << once[k].op;
  }
}

TEST(Mutate, CommentsStringsAndDirectivesAreNoCode) {
  const std::string hidden =
      "  // PipeBarrier<PIPE_V>();\n  /* SyncAll(); */\n#define NEVER \\\n  SyncAll();\n  printf(\"SyncAll();\");\n";
  const std::vector<Mutant> all = mutate("k.cpp", kernel(hidden));
  EXPECT_TRUE(of(all, "PipeBarrier").empty());
  EXPECT_TRUE(of(all, "SyncAll").empty());
}

TEST(Mutate, QueueLinkNeedsBothSides) {
  const std::string inline_link = "  q.EnQue(a);\n  a = q.DeQue<float>();\n",
                    other = "  q.EnQue(a);\n  a = r.DeQue<float>();\n";
  EXPECT_EQ(of(mutate("k.cpp", kernel(inline_link)), "queue link").size(), 1u);
  EXPECT_TRUE(of(mutate("k.cpp", kernel(other)), "queue link").empty());
}

TEST(Mutate, MovesSkipDeclarations) {
  const std::string text =
      "  LocalTensor<float> a = buffer.Get<float>();\n  PipeBarrier<PIPE_V>();\n  Adds(b, a, 1.0f, 64);\n";
  const std::vector<Mutant> all = mutate("k.cpp", kernel(text));
  EXPECT_TRUE(of(all, "one statement earlier").empty());
  ASSERT_EQ(of(all, "one statement later").size(), 1u);
  EXPECT_LT(of(all, "one statement later")[0].text.find("Adds"),
            of(all, "one statement later")[0].text.find("PipeBarrier"));
}

TEST(Mutate, EveryGroupHasOperators) {
  const std::string text = kernel(
      "  pipe.InitBuffer(queue, 2, 256);\n  LocalTensor<float> a = first.Get<float>();\n"
      "  LocalTensor<float> b = second.Get<float>();\n" +
      kPair + "  Duplicate(b, 0.0f, 64);\n  SyncAll<false>();\n  DataCopy(g[GetBlockIdx() * 64], b, 64);\n");
  const std::vector<Mutant> all = mutate("k.cpp", text);
  for (const char* group : {"delete", "weaken", "move", "resource", "footprint", "initial"})
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Mutant& mutant) { return mutant.group == group; }))
        << group;
  for (const char* op : {"SyncAll of fewer cores", "same buffer for two tiles", "queue with one buffer",
                         "one block more", "two cores share a block", "drop Duplicate", "hard event"})
    EXPECT_FALSE(of(all, op).empty()) << op;
}

}  // namespace
}  // namespace ascsan::compile
