// Polled words of global memory, R-30: a scalar load comes after the scalar store whose value it returns. The data is
// stored at line 10 by AIV 0 and loaded at line 20 by AIV 1.
#include "support/race_fixture.h"

namespace ascsan::test {
namespace {
constexpr uint64_t kTensor = 0x100000, kWord = kTensor + 0x800;

void store(Stream& s) {
  s.run(0, Pipe::kMte3, 10, {writes(Space::kGm, kTensor + 0x40, kTensor + 0x80)});
}
void load(Stream& s) {
  s.run(1, Pipe::kMte2, 20, {reads(Space::kGm, kTensor + 0x40, kTensor + 0x80)});
}

TEST(RacePolled, PastTheCaches) {
  const auto scenario = [](bool data_first, bool polls_before, uint64_t polled_word) {
    return [=](Stream& s) {
      s.launch(0, 2);
      if (data_first) {
        store(s);
        s.flag(0, Pipe::kMte3, Pipe::kS);
      }
      for (int i = 0; polls_before && i < 3; ++i) s.bypass(1, 30, reads(Space::kGm, polled_word, polled_word + 4));
      s.bypass(0, 15, writes(Space::kGm, kWord, kWord + 4));
      if (!data_first) store(s);
      for (int i = 0; i < 2; ++i) s.bypass(1, 30, reads(Space::kGm, polled_word, polled_word + 4));
      load(s);
    };
  };
  for (bool polls_before : {false, true}) {
    expect_clean(scenario(true, polls_before, kWord));
    expect_one(scenario(false, polls_before, kWord), "ASC1101", 10, 20);     // word first, then the data
    expect_one(scenario(true, polls_before, kWord + 4), "ASC1101", 10, 20);  // another word
  }
}

TEST(RacePolled, OneEarlyLoadIsNoPolling) {
  expect_one(
      [](Stream& s) {
        s.launch(0, 2);
        s.bypass(1, 20, reads(Space::kGm, kWord, kWord + 4));
        s.bypass(0, 10, writes(Space::kGm, kWord, kWord + 4));
      },
      "ASC1101", 10, 20);
  // Nor are two cores that store the word.
  expect_one(
      [](Stream& s) {
        s.launch(0, 2);
        s.bypass(0, 10, writes(Space::kGm, kWord, kWord + 4));
        s.bypass(1, 20, writes(Space::kGm, kWord, kWord + 4));
      },
      "ASC1102", 10, 20);
}

TEST(RacePolled, ThroughTheCaches) {
  const auto scenario = [](bool cleans, bool drops) {
    return [=](Stream& s) {
      s.launch(0, 2);
      store(s);
      s.flag(0, Pipe::kMte3, Pipe::kS);
      s.cache(1, kWord, 0);  // the poller has the line already
      s.scalar(1, 30, reads(Space::kGm, kWord, kWord + 4));
      s.cache(0, kWord, 0);
      s.scalar(0, 15, writes(Space::kGm, kWord, kWord + 4));
      if (cleans) s.cache(0, kWord, 1), s.cache(0, kWord, 2);
      if (drops) s.cache(1, kWord, 2), s.cache(1, kWord, 0);
      s.scalar(1, 30, reads(Space::kGm, kWord, kWord + 4));
      load(s);
    };
  };
  expect_clean(scenario(true, true));
  const auto has_data_race = [](const Scenario& scenario) {
    for (const report::Finding& finding : findings_of(scenario))
      if (finding.accesses[0].line == 10 && finding.accesses[1].line == 20) return true;
    return false;
  };
  EXPECT_TRUE(has_data_race(scenario(false, true)));  // the store never left the cache
  EXPECT_TRUE(has_data_race(scenario(true, false)));  // the poller keeps reading its old line
}

TEST(RacePolled, OrdersFoundSoAreCounted) {
  Checked checked;
  Stream& s = checked.stream;
  s.launch(0, 2);
  s.bypass(0, 10, writes(Space::kGm, kTensor, kTensor + 4));
  EXPECT_EQ(checked.order.polled_joins(), 0u);
  for (int i = 0; i < 5; ++i) s.bypass(1, 20, reads(Space::kGm, kTensor, kTensor + 4));
  EXPECT_EQ(checked.order.polled_joins(), 1u);
  // Ordered by a barrier already: nothing hangs on the word.
  s.bypass(0, 10, writes(Space::kGm, kTensor + 8, kTensor + 12));
  s.sync_all();
  s.bypass(1, 20, reads(Space::kGm, kTensor + 8, kTensor + 12));
  EXPECT_EQ(checked.order.polled_joins(), 1u);
}

}  // namespace
}  // namespace ascsan::test
