// links: ascsan_explain ascsan_report ascsan_test_support
// Recorded timelines against the events they were made from, on random launches: every event that takes a place in a
// pipe becomes one slice in order, arrows are exactly the set-wait pairs as a separate matcher finds them, slices of
// pipes that work in order are disjoint, and windows keep what they promise within their bounds.
#include "explain/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "support/program.h"

namespace ascsan::explain {
namespace {

using event::Kind;
using report::SliceKind;
using report::Timeline;

constexpr TimelineLimits kAll = {1u << 20, 0, 1u << 20, 8};

/// Keeps what a matcher needs of every event that becomes a slice.
struct Seen {
  Kind kind;
  event::CoreId core;
  gate::Pipe pipe, other;
  uint8_t mode;
  int16_t id;
  uint32_t ordinal, index, line;
  std::vector<event::CoreId> members;
};

class Both : public event::Sink {
 public:
  Both(TimelineRecorder& recorder, const event::SiteTable& sites) : recorder_(recorder), sites_(sites) {}
  std::vector<Seen> seen;
  struct Release {
    size_t after;  ///< events seen before
    uint8_t mode;
    int16_t id;
    uint32_t ordinal;
    std::vector<event::CoreId> members, targets;
  };
  std::vector<Release> releases;

  void on_event(const event::Event& event) override {
    recorder_.on_event(event);
    switch (event.kind) {
      case Kind::kCrossRelease:
        releases.push_back({seen.size(),
                            event.mode,
                            event.id,
                            event.ordinal,
                            {event.members, event.members + event.member_count},
                            {event.targets, event.targets + event.target_count}});
        return;
      case Kind::kInstruction:
      case Kind::kScalarAccess:
      case Kind::kSetFlag:
      case Kind::kWaitFlag:
      case Kind::kPipeBarrier:
      case Kind::kFullBarrier:
      case Kind::kCrossSet:
      case Kind::kCrossWait:
      case Kind::kGroupArrive:
      case Kind::kGroupPass:
        seen.push_back({event.kind, event.core, event.pipe, event.other, event.mode, event.id, event.ordinal,
                        event.index, sites_.at(event.site).line,
                        std::vector<event::CoreId>(event.members, event.members + event.member_count)});
        return;
      default:
        return;
    }
  }

 private:
  TimelineRecorder& recorder_;
  const event::SiteTable& sites_;
};

struct Recorded {
  Timeline timeline;
  std::vector<Seen> seen;
  std::vector<Both::Release> releases;
};

Recorded record(uint64_t seed, const TimelineLimits& limits, std::vector<report::AccessKey> wanted = {}) {
  test::ProgramShape shape;
  shape.ops = 20 + static_cast<uint32_t>(seed % 100);
  shape.touches = true;
  const test::Program program = test::random_program(seed, shape);
  event::SiteTable sites;
  TimelineRecorder recorder(sites, limits);
  recorder.want(std::move(wanted));
  Both both(recorder, sites);
  EXPECT_TRUE(test::run(program, seed * 7 + 1, static_cast<test::Schedule>(seed % 3), sites, both)) << "seed " << seed;
  std::vector<Timeline> timelines = recorder.take();
  Recorded result{{}, both.seen, both.releases};
  if (!timelines.empty()) result.timeline = timelines[0];
  return result;
}

/// Slice numbers in the order of their ends, which is the order of events.
std::vector<uint32_t> by_end(const Timeline& timeline) {
  std::vector<uint32_t> order(timeline.slices.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return timeline.slices[a].end < timeline.slices[b].end; });
  return order;
}

TEST(Timeline, EveryEventIsASliceInOrder) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    const Recorded run = record(seed, kAll);
    const Timeline& timeline = run.timeline;
    ASSERT_EQ(timeline.slices.size(), run.seen.size()) << "seed " << seed;
    ASSERT_EQ(timeline.dropped, 0u);
    const std::vector<uint32_t> order = by_end(timeline);
    for (size_t i = 0; i < order.size(); ++i) {
      const report::TimelineSlice& slice = timeline.slices[order[i]];
      const report::TimelineLane& lane = timeline.lanes[slice.lane];
      const Seen& seen = run.seen[i];
      ASSERT_LT(slice.begin, slice.end);
      ASSERT_LE(slice.end, timeline.steps);
      ASSERT_EQ(lane.core, seen.core) << "seed " << seed << " event " << i;
      ASSERT_EQ(lane.pipe, static_cast<uint32_t>(seen.pipe));
      ASSERT_EQ(timeline.places[slice.place].line, seen.line);
      const bool data = seen.kind == Kind::kInstruction || seen.kind == Kind::kScalarAccess;
      ASSERT_EQ(slice.index, data ? seen.index : 0);
      ASSERT_EQ(slice.detail != 0, data && !timeline.texts[slice.detail].empty());
    }
  }
}

TEST(Timeline, WithoutIssueStepsSlicesOfALaneAreDisjoint) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    const Timeline timeline = record(seed, kAll).timeline;
    std::map<uint32_t, uint64_t> busy_until;
    for (const report::TimelineSlice& slice : timeline.slices) {  // by begin
      ASSERT_LE(busy_until[slice.lane], slice.begin) << "seed " << seed;
      busy_until[slice.lane] = slice.end;
    }
  }
}

/// Pairs of event numbers that an arrow must join, from the rules ..26 alone.
std::set<std::pair<size_t, size_t>> expected_arrows(const Recorded& run) {
  std::set<std::pair<size_t, size_t>> arrows;
  const std::vector<Seen>& seen = run.seen;
  const auto hub_of = [&](const std::vector<size_t>& sets) {
    const size_t hub = *std::max_element(sets.begin(), sets.end());
    for (const size_t set : sets)
      if (set != hub) arrows.insert({set, hub});
    return hub;
  };
  std::map<std::pair<event::CoreId, int16_t>, std::vector<size_t>> delivered;
  for (const Both::Release& release : run.releases) {
    std::vector<size_t> sets;
    for (size_t i = 0; i < release.after; ++i)
      if (seen[i].kind == Kind::kCrossSet && seen[i].mode == release.mode && seen[i].id == release.id &&
          seen[i].ordinal == release.ordinal &&
          std::count(release.members.begin(), release.members.end(), seen[i].core) != 0)
        sets.push_back(i);
    const size_t hub = hub_of(sets);
    for (const event::CoreId target : release.targets) delivered[{target, release.id}].push_back(hub);
  }
  for (size_t i = 0; i < seen.size(); ++i) {
    const Seen& wait = seen[i];
    if (wait.kind == Kind::kCrossWait) arrows.insert({delivered[{wait.core, wait.id}].at(wait.ordinal - 1), i});
    if (wait.kind == Kind::kWaitFlag)
      for (size_t j = 0; j < i; ++j)
        if (seen[j].kind == Kind::kSetFlag && seen[j].core == wait.core && seen[j].pipe == wait.other &&
            seen[j].other == wait.pipe && seen[j].id == wait.id && seen[j].ordinal == wait.ordinal)
          arrows.insert({j, i});
    if (wait.kind == Kind::kGroupPass) {
      std::vector<size_t> sets;
      for (size_t j = 0; j < i; ++j)
        if (seen[j].kind == Kind::kGroupArrive && seen[j].id == wait.id && seen[j].ordinal == wait.ordinal &&
            std::count(wait.members.begin(), wait.members.end(), seen[j].core) != 0)
          sets.push_back(j);
      if (!sets.empty()) arrows.insert({hub_of(sets), i});
    }
  }
  return arrows;
}

TEST(Timeline, ArrowsAreTheSetWaitPairs) {
  size_t total = 0;
  std::set<report::ArrowKind> kinds;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    const Recorded run = record(seed, kAll);
    const std::vector<uint32_t> order = by_end(run.timeline);
    std::map<uint32_t, size_t> event_of;
    for (size_t i = 0; i < order.size(); ++i) event_of[order[i]] = i;
    std::set<std::pair<size_t, size_t>> arrows;
    for (const report::TimelineArrow& arrow : run.timeline.arrows) {
      ASSERT_TRUE(arrows.insert({event_of.at(arrow.from), event_of.at(arrow.to)}).second) << "seed " << seed;
      ASSERT_LT(run.timeline.slices[arrow.from].end, run.timeline.slices[arrow.to].end);
      kinds.insert(arrow.kind);
    }
    ASSERT_EQ(arrows, expected_arrows(run)) << "seed " << seed;
    total += arrows.size();
  }
  EXPECT_GT(total, 1000u);
  EXPECT_EQ(kinds.size(), 3u);
}

TEST(Timeline, EqualRunsGiveEqualBytes) {
  for (uint64_t seed = 1; seed <= 40; ++seed)
    ASSERT_EQ(report::timelines_to_json({record(seed, kAll).timeline}),
              report::timelines_to_json({record(seed, kAll).timeline}));
}

TEST(Timeline, WindowsKeepTheNeighboursOfWantedAccesses) {
  constexpr TimelineLimits kSmall = {6, 3, 1000, 8};
  size_t dropped = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    const Recorded whole = record(seed, kAll);
    std::vector<size_t> data;  // events that may be asked for
    for (size_t i = 0; i < whole.seen.size(); ++i)
      if (whole.seen[i].kind == Kind::kInstruction || whole.seen[i].kind == Kind::kScalarAccess) data.push_back(i);
    if (data.empty()) continue;
    const size_t wanted = data[seed * 31 % data.size()];
    const Seen& access = whole.seen[wanted];
    const Timeline window =
        record(seed, kSmall, {{1, access.core, static_cast<uint32_t>(access.pipe), access.index}}).timeline;
    // What each core must have kept: the newest `before` up to the access, the next `after` behind it.
    std::map<event::CoreId, std::vector<size_t>> before, behind;
    for (size_t i = 0; i < whole.seen.size(); ++i) (i <= wanted ? before : behind)[whole.seen[i].core].push_back(i);
    std::set<uint64_t> expected, got;
    const std::vector<uint32_t> order = by_end(whole.timeline);
    for (auto& [core, events] : before)
      for (size_t i = events.size() - std::min<size_t>(events.size(), 6); i < events.size(); ++i)
        expected.insert(whole.timeline.slices[order[events[i]]].end);
    for (auto& [core, events] : behind)
      for (size_t i = 0; i < events.size() && i < 3; ++i) expected.insert(whole.timeline.slices[order[events[i]]].end);
    for (const report::TimelineSlice& slice : window.slices) got.insert(slice.end);
    ASSERT_EQ(got, expected) << "seed " << seed;
    ASSERT_EQ(window.dropped + window.slices.size(), whole.seen.size());
    dropped += window.dropped;
  }
  EXPECT_GT(dropped, 500u);
}

TEST(Timeline, BoundsHoldAndWantedAccessesStay) {
  constexpr TimelineLimits kTiny = {3, 2, 5, 8};
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const Recorded whole = record(seed, kAll);
    std::vector<report::AccessKey> keys;
    for (const Seen& seen : whole.seen)
      if (seen.kind == Kind::kInstruction && keys.size() < 10)
        keys.push_back({1, seen.core, static_cast<uint32_t>(seen.pipe), seen.index});
    if (keys.empty()) continue;
    std::sort(keys.begin(), keys.end());
    const Timeline window = record(seed, kTiny, keys).timeline;
    std::map<uint32_t, size_t> per_core;
    std::set<report::AccessKey> kept;
    for (const report::TimelineSlice& slice : window.slices) {
      const report::TimelineLane& lane = window.lanes[slice.lane];
      ++per_core[lane.core];
      kept.insert({1, lane.core, lane.pipe, slice.index});
    }
    for (const auto& [core, count] : per_core) ASSERT_LE(count, 5 + keys.size()) << "seed " << seed;
    for (const report::AccessKey& key : keys) ASSERT_TRUE(kept.count(key)) << "seed " << seed;
    for (const report::TimelineArrow& arrow : window.arrows)
      ASSERT_LT(std::max(arrow.from, arrow.to), window.slices.size());
  }
}

TEST(Timeline, LaunchesWithoutFindingsAreNotRecorded) {
  EXPECT_TRUE(record(3, kAll, {{2, 0, 0, 1}}).timeline.slices.empty());
  EXPECT_FALSE(record(3, kAll, {{1, 0, 0, 1}}).timeline.kernel.empty());
}

/// Events by hand: two copies that are in flight together, and one behind a flag.
class ByHand : public ::testing::Test {
 protected:
  ByHand() : recorder_(sites_, kAll) {
    event::Event begin = event(Kind::kLaunchBegin, gate::Pipe::kS, 0);
    begin.text = "k";
    begin.value[1] = 1;
    recorder_.on_event(begin);
    recorder_.on_event(event(Kind::kCoreBegin, gate::Pipe::kS, 0));
  }
  static event::Event event(Kind kind, gate::Pipe pipe, uint32_t index) {
    event::Event event;
    event.kind = kind;
    event.pipe = pipe;
    event.index = index;
    event.op = gate::Op::kDataCopy;
    return event;
  }
  Timeline finish() {
    recorder_.on_event(event(Kind::kLaunchEnd, gate::Pipe::kS, 0));
    return recorder_.take().at(0);
  }
  event::SiteTable sites_;
  TimelineRecorder recorder_;
};

TEST_F(ByHand, CopiesInFlightOverlap) {
  for (uint32_t i = 1; i <= 3; ++i) recorder_.on_issue(0, gate::Pipe::kMte2, i);  // steps 2, 3, 4
  recorder_.on_event(event(Kind::kInstruction, gate::Pipe::kMte2, 1));            // 5
  recorder_.on_event(event(Kind::kInstruction, gate::Pipe::kMte2, 2));            // 6
  recorder_.on_event(event(Kind::kSetFlag, gate::Pipe::kMte2, 2));                // 7
  recorder_.on_event(event(Kind::kInstruction, gate::Pipe::kMte2, 3));            // 8
  const Timeline timeline = finish();
  std::vector<std::pair<uint64_t, uint64_t>> spans;
  for (const report::TimelineSlice& slice : timeline.slices) spans.push_back({slice.begin, slice.end});
  EXPECT_EQ(spans, (std::vector<std::pair<uint64_t, uint64_t>>{{2, 5}, {3, 6}, {6, 7}, {7, 8}}));
  ASSERT_EQ(timeline.counters.size(), 1u);
  EXPECT_EQ(timeline.counters[0].name, "queued MTE2");
  std::vector<uint64_t> depths;
  for (const report::CounterPoint& point : timeline.counters[0].points) depths.push_back(point.value);
  EXPECT_EQ(depths, (std::vector<uint64_t>{1, 2, 3, 2, 1, 0}));
}

TEST_F(ByHand, VectorInstructionsFollowEachOther) {
  for (uint32_t i = 1; i <= 2; ++i) recorder_.on_issue(0, gate::Pipe::kV, i);                          // 2, 3
  for (uint32_t i = 1; i <= 2; ++i) recorder_.on_event(event(Kind::kInstruction, gate::Pipe::kV, i));  // 4, 5
  const Timeline timeline = finish();
  ASSERT_EQ(timeline.slices.size(), 2u);
  EXPECT_EQ(timeline.slices[0].begin, 2u);
  EXPECT_EQ(timeline.slices[1].begin, 4u);
}

TEST_F(ByHand, QueuesAndBuffersAreCounted) {
  event::Access access;
  access.space = gate::Space::kUb;
  access.buffer = 5;
  const event::Span span{256, 1280};
  event::Event define = event(Kind::kBufferDefine, gate::Pipe::kS, 0);
  define.accesses = &access;
  define.spans = &span;
  recorder_.on_event(define);
  for (const gate::Op op :
       {gate::Op::kQueueAlloc, gate::Op::kQueueEnque, gate::Op::kQueueDeque, gate::Op::kQueueFree}) {
    event::Event step = event(Kind::kQueueStep, gate::Pipe::kS, 0);
    step.op = op;
    step.id = 2;
    step.value[0] = 5;
    recorder_.on_event(step);
  }
  recorder_.on_event(event(Kind::kInstruction, gate::Pipe::kV, 1));
  std::map<std::string, std::vector<uint64_t>> values;
  for (const report::TimelineCounter& counter : finish().counters)
    for (const report::CounterPoint& point : counter.points) values[counter.name].push_back(point.value);
  EXPECT_EQ(values, (std::map<std::string, std::vector<uint64_t>>{{"tensors in queue 2", {1, 0}},
                                                                  {"bytes in use, UB", {1024, 0}}}));
}

TEST_F(ByHand, GlobalMemoryIsNamedWithoutAddresses) {
  const event::Span extent{0x7f0000001000, 0x7f0000002000};
  event::Event tensor = event(Kind::kTensorDefine, gate::Pipe::kS, 0);
  tensor.text = "masked_target";
  tensor.spans = &extent;
  recorder_.on_event(tensor);
  const event::Span spans[] = {
      {0x7f0000001100, 0x7f0000001140}, {0x7f0000001180, 0x7f00000011c0}, {0x7e0000000000, 0x7e0000000020}, {64, 96}};
  event::Access accesses[3];
  accesses[0] = {gate::Space::kGm, event::Role::kWrite, 0, gate::DataType::kNone, 0, 0, 2, 0, 0};
  accesses[1] = {gate::Space::kGm, event::Role::kAtomic, 0, gate::DataType::kNone, 0, 2, 1, 0, 0};
  accesses[2] = {gate::Space::kUb, event::Role::kRead, 0, gate::DataType::kNone, 0, 3, 1, 0, 0};
  event::Event copy = event(Kind::kInstruction, gate::Pipe::kMte3, 1);
  copy.accesses = accesses;
  copy.spans = spans;
  copy.access_count = 3;
  recorder_.on_event(copy);
  const Timeline timeline = finish();
  EXPECT_EQ(timeline.texts[timeline.slices[0].detail],
            "writes masked_target 256..447, 128 bytes; atomically updates GM, 32 bytes; reads UB 64..95");
}

}  // namespace
}  // namespace ascsan::explain
