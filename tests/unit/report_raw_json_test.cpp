// The private JSON form carries every field of a RunResult, and broken input is an error, never a crash. The comparison
// takes the structs apart with structured bindings: a new field that is not compared here does not compile.
#include <gtest/gtest.h>

#include "report/as_json.h"
#include "report/stacks.h"
#include "report_samples.h"

namespace ascsan::report {
namespace {

bool same(const Frame& a, const Frame& b);
bool same(const AccessInfo& a, const AccessInfo& b);
bool same(const Finding& a, const Finding& b);
bool same(const Launch& a, const Launch& b);
bool same(const Unchecked& a, const Unchecked& b);
bool same(const OptionValue& a, const OptionValue& b);
bool same(const FixedFinding& a, const FixedFinding& b);
bool same(const TimelineLane& a, const TimelineLane& b);
bool same(const TimelineSlice& a, const TimelineSlice& b);
bool same(const TimelineArrow& a, const TimelineArrow& b);
bool same(const CounterPoint& a, const CounterPoint& b);
bool same(const TimelineCounter& a, const TimelineCounter& b);
bool same(const Timeline& a, const Timeline& b);
bool same(const WitnessValue& a, const WitnessValue& b);
bool same(const Impact& a, const Impact& b);

template <typename T>
bool same_list(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!same(a[i], b[i])) return false;
  return true;
}
bool same_pair(const uint64_t (&a)[2], const uint64_t (&b)[2]) {
  return a[0] == b[0] && a[1] == b[1];
}

bool same(const Frame& a, const Frame& b) {
  const auto& [a1, a2, a3] = a;
  const auto& [b1, b2, b3] = b;
  return a1 == b1 && a2 == b2 && a3 == b3;
}
bool same(const AccessInfo& a, const AccessInfo& b) {
  const auto& [a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12] = a;
  const auto& [b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12] = b;
  return a1 == b1 && a2 == b2 && a3 == b3 && a4 == b4 && a5 == b5 && a6 == b6 && a7 == b7 && same_list(a8, b8) &&
         same_pair(a9, b9) && a10 == b10 && a11 == b11 && a12 == b12;
}
bool same(const std::optional<Finding::CommonPoint>& a, const std::optional<Finding::CommonPoint>& b) {
  if (!a || !b) return !a && !b;
  const auto& [a1, a2, a3] = *a;
  const auto& [b1, b2, b3] = *b;
  return a1 == b1 && a2 == b2 && a3 == b3;
}
bool same(const std::optional<Finding::Suppressed>& a, const std::optional<Finding::Suppressed>& b) {
  if (!a || !b) return !a && !b;
  const auto& [a1, a2, a3] = *a;
  const auto& [b1, b2, b3] = *b;
  return a1 == b1 && a2 == b2 && a3 == b3;
}
bool same(const WitnessValue& a, const WitnessValue& b) {
  const auto& [a1, a2, a3, a4] = a;
  const auto& [b1, b2, b3, b4] = b;
  return a1 == b1 && a2 == b2 && a3 == b3 && a4 == b4;
}
bool same(const std::optional<Witness>& a, const std::optional<Witness>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  const auto& [a1, a2, a3, a4, a5] = *a;
  const auto& [b1, b2, b3, b4, b5] = *b;
  return a1 == b1 && a2 == b2 && a3 == b3 && a4 == b4 && same_list(a5, b5);
}
bool same(const Impact& a, const Impact& b) {
  const auto& [a1, a2, a3, a4, a5, a6, a7, a8] = a;
  const auto& [b1, b2, b3, b4, b5, b6, b7, b8] = b;
  return a1 == b1 && a2 == b2 && a3 == b3 && a4 == b4 && a5 == b5 && a6 == b6 && a7 == b7 && a8 == b8;
}
bool same(const std::optional<Fix>& a, const std::optional<Fix>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  const auto& [a1, a2, a3, a4] = *a;
  const auto& [b1, b2, b3, b4] = *b;
  return a1 == b1 && a2 == b2 && a3 == b3 && a4 == b4;
}
bool same(const Finding& a, const Finding& b) {
  const auto& [a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22] = a;
  const auto& [b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15, b16, b17, b18, b19, b20, b21, b22] = b;
  return a1 == b1 && a2 == b2 && a3 == b3 && a4 == b4 && a5 == b5 && a6 == b6 && a7 == b7 && a8 == b8 && a9 == b9 &&
         a10 == b10 && a11 == b11 && same_pair(a12, b12) && same_pair(a13, b13) && same_list(a14, b14) &&
         same(a15, b15) && a16 == b16 && a17 == b17 && same(a18, b18) && a19 == b19 && same(a20, b20) &&
         same_list(a21, b21) && same(a22, b22);
}
bool same(const FixedFinding& a, const FixedFinding& b) {
  const auto& [a1, a2, a3, a4] = a;
  const auto& [b1, b2, b3, b4] = b;
  return a1 == b1 && a2 == b2 && a3 == b3 && a4 == b4;
}
bool same(const TimelineLane& a, const TimelineLane& b) {
  const auto& [a1, a2, a3, a4] = a;
  const auto& [b1, b2, b3, b4] = b;
  return a1 == b1 && a2 == b2 && a3 == b3 && a4 == b4;
}
bool same(const TimelineSlice& a, const TimelineSlice& b) {
  const auto& [a1, a2, a3, a4, a5, a6, a7, a8] = a;
  const auto& [b1, b2, b3, b4, b5, b6, b7, b8] = b;
  return a1 == b1 && a2 == b2 && a3 == b3 && a4 == b4 && a5 == b5 && a6 == b6 && a7 == b7 && a8 == b8;
}
bool same(const TimelineArrow& a, const TimelineArrow& b) {
  const auto& [a1, a2, a3] = a;
  const auto& [b1, b2, b3] = b;
  return a1 == b1 && a2 == b2 && a3 == b3;
}
bool same(const CounterPoint& a, const CounterPoint& b) {
  const auto& [a1, a2] = a;
  const auto& [b1, b2] = b;
  return a1 == b1 && a2 == b2;
}
bool same(const TimelineCounter& a, const TimelineCounter& b) {
  const auto& [a1, a2, a3, a4] = a;
  const auto& [b1, b2, b3, b4] = b;
  return a1 == b1 && a2 == b2 && a3 == b3 && same_list(a4, b4);
}
bool same(const Timeline& a, const Timeline& b) {
  const auto& [a1, a2, a3, a4, a5, a6, a7, a8, a9, a10] = a;
  const auto& [b1, b2, b3, b4, b5, b6, b7, b8, b9, b10] = b;
  return a1 == b1 && a2 == b2 && a3 == b3 && a4 == b4 && same_list(a5, b5) && same_list(a6, b6) && same_list(a7, b7) &&
         same_list(a8, b8) && a9 == b9 && same_list(a10, b10);
}
bool same(const Launch& a, const Launch& b) {
  const auto& [a1, a2, a3, a4, a5, a6, a7, a8, a9, a10] = a;
  const auto& [b1, b2, b3, b4, b5, b6, b7, b8, b9, b10] = b;
  return a1 == b1 && a2 == b2 && a3 == b3 && a4 == b4 && a5 == b5 && a6 == b6 && a7 == b7 && a8 == b8 && a9 == b9 &&
         a10 == b10;
}
bool same(const Unchecked& a, const Unchecked& b) {
  const auto& [a1, a2] = a;
  const auto& [b1, b2] = b;
  return a1 == b1 && a2 == b2;
}
bool same(const OptionValue& a, const OptionValue& b) {
  const auto& [a1, a2, a3] = a;
  const auto& [b1, b2, b3] = b;
  return a1 == b1 && a2 == b2 && a3 == b3;
}
bool same(const Timing& a, const Timing& b) {
  const auto& [a1, a2] = a;
  const auto& [b1, b2] = b;
  return a1 == b1 && a2 == b2;
}
bool same(const RunResult& a, const RunResult& b) {
  const auto& [a1, a2, a3, a4, a5, a6, a7, a8, a9, a10] = a;
  const auto& [b1, b2, b3, b4, b5, b6, b7, b8, b9, b10] = b;
  return same_list(a1, b1) && same_list(a2, b2) && same_list(a3, b3) && same_list(a4, b4) && same_list(a5, b5) &&
         a6 == b6 && same_list(a7, b7) && same(a8, b8) && a9 == b9 && a10 == b10;
}

TEST(RawJson, EveryFieldComesBack) {
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    const RunResult sent = Samples(seed).run();
    RunResult received;
    std::string error;
    ASSERT_TRUE(from_raw_json(to_raw_json(sent), received, &error)) << error << ", seed " << seed;
    ASSERT_TRUE(same(sent, received)) << "seed " << seed;
  }
}

TEST(RawJson, TimelinesAloneComeBack) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    Samples random(seed);
    std::vector<Timeline> sent, received;
    for (uint64_t n = random.number(4); n > 0; --n) sent.push_back(random.timeline());
    std::string error;
    ASSERT_TRUE(timelines_from_json(timelines_to_json(sent), received, &error)) << error << ", seed " << seed;
    ASSERT_TRUE(same_list(sent, received)) << "seed " << seed;
  }
  std::vector<Timeline> received;
  std::string error;
  EXPECT_FALSE(timelines_from_json("{\"timelines\": [3]}", received, &error));
  EXPECT_NE(error, "");
}

TEST(RawJson, BrokenInputIsAnError) {
  const std::string good = to_raw_json(Samples(5).run());
  RunResult run;
  std::string error;
  for (size_t length = 0; length < good.size() - 2; length += 1 + length / 50) {
    ASSERT_FALSE(from_raw_json(good.substr(0, length), run, &error)) << length;
    ASSERT_NE(error, "");
  }
  for (const char* text : {"", "null", "[]", "3", "{}", "{\"options\": 3}", "\xff"}) {
    EXPECT_FALSE(from_raw_json(text, run, &error)) << text;
    EXPECT_FALSE(from_raw_json(text, run, nullptr)) << text;
  }
}

TEST(RawJson, MutatedInputNeverCrashes) {
  Samples random(99);
  // A short document, so that each mutation is likely to matter.
  std::string good;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    RunResult run = Samples(seed).run();
    run.timelines.clear();
    const std::string text = to_raw_json(run);
    if (!run.findings.empty() && (good.empty() || text.size() < good.size())) good = text;
  }
  int accepted = 0, refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = good;
    for (uint64_t n = 1 + random.number(3); n > 0; --n)
      text[random.number(text.size())] = "0123456789\"{}[]:,-.ex\\ \n"[random.number(24)];
    RunResult run;
    (from_raw_json(text, run, nullptr) ? accepted : refused)++;
  }
  EXPECT_GT(accepted, 0);  // a digit for a digit
  EXPECT_GT(refused, 0);
}

TEST(RawJson, NumbersOutOfRangeAreRefused) {
  RunResult run;
  run.launches.emplace_back().block_dim = 1234567;
  std::string text = to_raw_json(run);
  ASSERT_TRUE(from_raw_json(text, run, nullptr));
  text.replace(text.find("1234567"), 7, "12345678901");
  std::string error;
  EXPECT_FALSE(from_raw_json(text, run, &error));
  EXPECT_NE(error.find("block_dim"), std::string::npos) << error;
}

TEST(Stacks, AnswerComesBack) {
  Samples random(12);
  std::vector<AccessStack> sent;
  for (uint32_t i = 0; i < 50; ++i) {
    AccessStack stack{{1, i, static_cast<uint32_t>(random.number(7)), static_cast<uint32_t>(random.number(90))}, {}};
    for (uint64_t n = random.number(5); n > 0; --n) stack.frames.push_back(random.frame());
    sent.push_back(stack);
  }
  std::vector<AccessStack> received;
  std::string error;
  ASSERT_TRUE(stacks_from_json(stacks_to_json(sent), received, &error)) << error;
  ASSERT_EQ(sent.size(), received.size());
  for (size_t i = 0; i < sent.size(); ++i) {
    EXPECT_EQ(sent[i].key, received[i].key);
    EXPECT_TRUE(same_list(sent[i].frames, received[i].frames));
  }
  EXPECT_FALSE(stacks_from_json("{\"stacks\": [{}]}", received, &error));
  EXPECT_NE(error, "");
}

}  // namespace
}  // namespace ascsan::report
