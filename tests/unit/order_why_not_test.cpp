// Explanations of an unordered pair: the last common point, what came between it and the access, what was signalled
// after.
#include <gtest/gtest.h>

#include "order/order.h"
#include "order/why_not.h"
#include "support/stream.h"

namespace ascsan::order {
namespace {
using event::CoreId;
using event::Kind;
using gate::Pipe;
using test::Stream;

class Recorder : public event::Sink {
 public:
  Recorder() : stream(*this, sites) {}
  void on_event(const event::Event& event) override {
    order.on_event(event);
    if (event.kind == Kind::kInstruction)
      newest = {event.core, event.pipe, event.index, {event.scalar_version, event.scalar_index}, event.program_index};
  }
  Side run(CoreId core, Pipe pipe, uint32_t line = 1) {
    stream.run(core, pipe, line, {});
    return newest;
  }
  WhyNot why(const Side& a, const Side& b) { return why_not(order.history(), a, b); }
  uint32_t line_of(const std::optional<Step>& step) { return step ? sites.at(step->site).line : 0; }

  event::SiteTable sites;
  Order order;
  Stream stream;
  Side newest;
};

TEST(OrderWhyNot, NothingInCommonButTheLaunch) {
  Recorder r;
  r.stream.launch(0, 2);
  const Side a = r.run(0, Pipe::kMte3), b = r.run(1, Pipe::kMte2);
  const WhyNot why = r.why(a, b);
  EXPECT_FALSE(why.common.has_value());
  EXPECT_FALSE(why.before_first.has_value());
  EXPECT_FALSE(why.before_second.has_value());
  EXPECT_EQ(missing_link({0, 2}, a, b), "AIV 0 MTE3 -> AIV 1 MTE2");
  EXPECT_EQ(missing_link({2, 4}, {0, Pipe::kFix, 1, {}, 0}, {3, Pipe::kMte2, 1, {}, 0}), "AIC 0 FIX -> AIV 1 MTE2");
}

TEST(OrderWhyNot, LatestSyncAllBeforeBoth) {
  Recorder r;
  r.stream.launch(0, 3);
  r.stream.sync_all(10);
  r.stream.sync_all(11);
  const Side a = r.run(0, Pipe::kMte3);
  const Side b = r.run(2, Pipe::kMte2);
  r.stream.sync_all(12);
  const WhyNot why = r.why(a, b);
  EXPECT_EQ(r.line_of(why.common), 11u);
  EXPECT_EQ(describe(*why.common), "SyncAll");
  // The pair stands on the far side of a third barrier for one of them only.
  const Side late = r.run(2, Pipe::kMte2);
  EXPECT_EQ(r.line_of(r.why(a, late).common), 11u);
  EXPECT_EQ(r.line_of(r.why(a, late).before_second), 12u);
}

TEST(OrderWhyNot, SetIssuedBeforeTheAccessIsTheCommonPoint) {
  Recorder r;
  r.stream.launch(1, 2, 2);
  r.run(0, Pipe::kFix);
  r.stream.cross_set(0, Pipe::kFix, 2, 5, 20);
  const Side a = r.run(0, Pipe::kFix);  // after the set
  r.stream.cross_wait(1, 5, 30);
  const Side b = r.run(1, Pipe::kMte2);
  for (const WhyNot& why : {r.why(a, b), r.why(b, a)}) {
    ASSERT_TRUE(why.common.has_value());
    EXPECT_EQ(why.common->kind, Kind::kCrossSet);
    EXPECT_EQ(why.common->core, 0);
    EXPECT_EQ(r.line_of(why.common), 20u);
    EXPECT_EQ(describe(*why.common), "CrossCoreSetFlag (id 5)");
  }
}

TEST(OrderWhyNot, WaitAfterTheCommonPoint) {
  Recorder r;
  r.stream.launch(1, 2, 2);
  r.stream.sync_all(10);
  const Side a = r.run(1, Pipe::kMte3);
  r.stream.cross_set(0, Pipe::kFix, 2, 5, 20);
  r.stream.cross_wait(2, 5, 30);
  const Side b = r.run(2, Pipe::kMte2);
  const WhyNot why = r.why(a, b);
  EXPECT_EQ(r.line_of(why.common), 10u);
  EXPECT_FALSE(why.before_first.has_value());
  EXPECT_EQ(r.line_of(why.before_second), 30u);
  EXPECT_EQ(describe(*why.before_second), "CrossCoreWaitFlag (id 5)");
}

TEST(OrderWhyNot, FullSyncAllJoinsBothKindsOfCores) {
  Recorder r;
  Stream& s = r.stream;
  s.launch(2, 4, 2);
  const auto sync_all = [&](uint32_t line) {
    constexpr gate::Op kNone = gate::Op::kNop;
    for (CoreId core = 0; core < 6; ++core) s.all(core, line, gate::Op::kSyncAll);
    for (CoreId core = 2; core < 6; ++core) s.cross_set(core, Pipe::kMte3, 2, 12, line, kNone);
    for (CoreId core = 0; core < 2; ++core) s.cross_wait(core, 12, line);
    for (CoreId core = 0; core < 2; ++core) s.cross_set(core, Pipe::kFix, 0, 11, line, kNone);
    for (CoreId core = 0; core < 2; ++core) s.cross_wait(core, 11, line);
    for (CoreId core = 0; core < 2; ++core) s.cross_set(core, Pipe::kMte3, 2, 13, line, kNone);
    for (CoreId core = 2; core < 6; ++core) s.cross_wait(core, 13, line);
  };
  sync_all(10);
  sync_all(11);
  const Side cube = r.run(1, Pipe::kFix), vector = r.run(2, Pipe::kMte2), far = r.run(5, Pipe::kMte3);
  EXPECT_EQ(r.line_of(r.why(far, vector).common), 11u);  // vector cores of different AI Cores
  EXPECT_EQ(describe(*r.why(far, vector).common), "SyncAll");
  EXPECT_EQ(r.line_of(r.why(cube, vector).common), 11u);  // cube and vector
}

TEST(OrderWhyNot, WithinOneCore) {
  Recorder r;
  Stream& s = r.stream;
  s.launch(0, 1);
  s.all(0, 10);
  s.set(0, Pipe::kMte2, Pipe::kV, 3, 11);
  const Side a = r.run(0, Pipe::kMte2);  // after the set
  s.wait(0, Pipe::kMte2, Pipe::kV, 3, 12);
  const Side b = r.run(0, Pipe::kV);
  const WhyNot why = r.why(a, b);
  ASSERT_TRUE(why.common.has_value());
  EXPECT_EQ(r.line_of(why.common), 12u);
  EXPECT_EQ(describe(*why.common), "WaitFlag MTE2 -> V (id 3)");

  const Side first = r.run(0, Pipe::kMte3);
  s.barrier(0, Pipe::kMte3, 15);
  const Side second = r.run(0, Pipe::kMte3), third = r.run(0, Pipe::kMte3);
  EXPECT_EQ(r.line_of(r.why(second, third).common), 15u);
  EXPECT_EQ(r.line_of(r.why(first, third).common), 10u);
}

TEST(OrderWhyNot, SignalAfterAnAccess) {
  Recorder r;
  Stream& s = r.stream;
  s.launch(0, 2);
  s.set(0, Pipe::kMte3, Pipe::kV, 0, 10);
  const Side a = r.run(0, Pipe::kMte3);
  bool known = false;
  EXPECT_FALSE(signal_after(r.order.history(), a, &known).has_value());
  EXPECT_TRUE(known);
  s.set(0, Pipe::kV, Pipe::kMte2, 0, 11);  // another pipe: says nothing about the store
  EXPECT_FALSE(signal_after(r.order.history(), a, &known).has_value());
  s.set(0, Pipe::kMte3, Pipe::kV, 1, 12);
  s.set(0, Pipe::kMte3, Pipe::kV, 2, 13);
  const auto signal = signal_after(r.order.history(), a, &known);
  ASSERT_TRUE(signal.has_value());
  EXPECT_EQ(r.line_of(signal), 12u);
  // Forgotten: unknown, not "nothing".
  for (uint32_t i = 0; i < History::kSignals + 10; ++i)
    s.set(0, Pipe::kMte3, Pipe::kMte2, 4, 14), s.wait(0, Pipe::kMte3, Pipe::kMte2, 4);
  EXPECT_FALSE(signal_after(r.order.history(), a, &known).has_value());
  EXPECT_FALSE(known);
}

TEST(OrderWhyNot, HistoryIsBounded) {
  Recorder r;
  Stream& s = r.stream;
  s.launch(0, 2);
  for (uint32_t i = 0; i < 3000; ++i) s.sync_all(10 + i % 7);
  EXPECT_LE(r.order.history().joins(0).size(), History::kJoins);
  const Side a = r.run(0, Pipe::kMte3), b = r.run(1, Pipe::kMte2);
  EXPECT_EQ(r.line_of(r.why(a, b).common), 10 + 2999 % 7u);
  EXPECT_LE(r.order.kept_clocks(), 16u);
}

}  // namespace
}  // namespace ascsan::order
