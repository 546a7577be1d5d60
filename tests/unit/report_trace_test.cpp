// Trace events: slices of a thread nest, flows and async slices have both ends, whatever timeline comes in.
#include "report/as_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "report_samples.h"

namespace ascsan::report {
namespace {

using Json = nlohmann::json;

Json events_of(const RunResult& run) {
  const std::string text = to_trace(run);
  EXPECT_EQ(text, to_trace(run));
  const Json document = Json::parse(text, nullptr, false);
  EXPECT_FALSE(document.is_discarded());
  return document["traceEvents"];
}

using Thread = std::pair<uint64_t, uint64_t>;
struct Span {
  uint64_t begin, end;
};

Thread thread_of(const Json& event) {
  return {event["pid"].get<uint64_t>(), event["tid"].get<uint64_t>()};
}

/// Thread slices by thread, in the order of importers: begin, then the longer one.
std::map<Thread, std::vector<Span>> thread_slices(const Json& events) {
  std::map<Thread, std::vector<Span>> result;
  for (const Json& event : events)
    if (event["ph"] == "X")
      result[thread_of(event)].push_back({event["ts"], event["ts"].get<uint64_t>() + event["dur"].get<uint64_t>()});
  for (auto& [thread, slices] : result)
    std::sort(slices.begin(), slices.end(),
              [](const Span& a, const Span& b) { return std::pair(a.begin, b.end) < std::pair(b.begin, a.end); });
  return result;
}

TEST(Trace, ThreadSlicesNest) {
  size_t slices = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed)
    for (const auto& [thread, spans] : thread_slices(events_of(Samples(seed).run()))) {
      std::vector<Span> open;
      for (const Span& span : spans) {
        while (!open.empty() && open.back().end <= span.begin) open.pop_back();
        ASSERT_TRUE(open.empty() || span.end <= open.back().end) << "seed " << seed << " thread " << thread.second;
        ASSERT_LT(span.begin, span.end);
        open.push_back(span);
        ++slices;
      }
    }
  EXPECT_GT(slices, 1000u);
}

TEST(Trace, NoSliceIsLost) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const RunResult run = Samples(seed).run();
    size_t expected = run.timelines.size(), sides = 0, counters = 0;
    for (const Timeline& timeline : run.timelines) {
      expected += timeline.slices.size();
      for (const TimelineCounter& counter : timeline.counters) counters += counter.points.size();
    }
    std::map<std::string, size_t> phases;
    std::map<uint64_t, int> open;  // async id: begins minus ends
    for (const Json& event : events_of(run)) {
      ++phases[event["ph"]];
      if (event["ph"] == "X" && event["cat"] == "finding") ++sides;
      if (event["ph"] == "b") {
        ASSERT_EQ(open[event["id"]]++, 0);
      }
      if (event["ph"] == "e") {
        ASSERT_EQ(open[event["id"]]--, 1);
      }
    }
    ASSERT_EQ(phases["X"] + phases["b"] - sides, expected) << "seed " << seed;
    ASSERT_EQ(phases["b"], phases["e"]);
    ASSERT_EQ(phases["C"], counters);
    for (const auto& [id, balance] : open) ASSERT_EQ(balance, 0);
  }
}

TEST(Trace, EveryThreadAndProcessHasAName) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    std::set<Thread> named;
    std::set<uint64_t> processes;
    const Json events = events_of(Samples(seed).run());
    for (const Json& event : events) {
      if (event["ph"] != "M") continue;
      if (event["name"] == "thread_name") {
        ASSERT_TRUE(named.insert(thread_of(event)).second);
      } else if (event["name"] == "process_name") {
        ASSERT_TRUE(processes.insert(event["pid"].get<uint64_t>()).second);
      }
    }
    for (const Json& event : events) {
      if (event["ph"] == "M" || event["ph"] == "C") continue;
      ASSERT_TRUE(named.count(thread_of(event))) << event;
      ASSERT_TRUE(processes.count(event["pid"].get<uint64_t>())) << event;
    }
  }
}

/// Two cores, a set that is waited for, two overlapping copies of which one is a side of a race.
RunResult small_run() {
  RunResult run;
  run.launches.emplace_back().kernel = "k";
  Timeline& timeline = run.timelines.emplace_back();
  timeline.launch = 1;
  timeline.kernel = "k";
  timeline.steps = 20;
  timeline.texts = {"", "DataCopy", "SetFlag", "WaitFlag"};
  timeline.places = {{}, {"f", "k.h", 3}};
  timeline.lanes = {{0, 5, "AIV 0", "MTE3"}, {1, 4, "AIV 1", "MTE2"}};
  const auto work = SliceKind::kWork;
  timeline.slices = {{0, work, 2, 9, 1, 1, 0, 1},
                     {0, work, 3, 12, 2, 1, 0, 1},
                     {0, SliceKind::kSet, 12, 13, 0, 2, 0, 1},
                     {1, SliceKind::kWait, 4, 15, 0, 3, 0, 1},
                     {1, work, 15, 16, 7, 1, 0, 1}};
  timeline.arrows = {{2, 3, ArrowKind::kCross}};
  Finding& finding = run.findings.emplace_back();
  finding.id = "ASC1101-123456";
  finding.launch = 1;
  finding.missing = "AIV 0 MTE3 -> AIV 1 MTE2";
  finding.accesses.resize(2);
  finding.accesses[0] = {"writer", "AIV 0", "MTE3", "DataCopy", "k.h", "f", 3, {}, {0, 0}, 0, 5, 2};
  finding.accesses[1] = {"reader", "AIV 1", "MTE2", "DataCopy", "k.h", "f", 3, {}, {0, 0}, 1, 4, 7};
  return run;
}

TEST(Trace, FlowsStartAndEndInTheirSlices) {
  const Json events = events_of(small_run());
  const auto slices = thread_slices(events);
  std::map<uint64_t, Json> starts, ends;
  for (const Json& event : events) {
    if (event["ph"] == "s") starts[event["id"]] = event;
    if (event["ph"] == "f") ends[event["id"]] = event;
  }
  ASSERT_EQ(starts.size(), 2u);
  ASSERT_EQ(ends.size(), 2u);
  for (const auto& [id, start] : starts) {
    const Json& end = ends.at(id);
    EXPECT_LE(start["ts"].get<uint64_t>(), end["ts"].get<uint64_t>());
    EXPECT_EQ(end["bp"], "e");
    EXPECT_EQ(start["cat"], end["cat"]);
    for (const Json& side : {start, end}) {
      bool inside = false;
      for (const Span& span : slices.at(thread_of(side)))
        inside = inside || (span.begin <= side["ts"] && side["ts"] < span.end);
      EXPECT_TRUE(inside) << side;
    }
  }
  EXPECT_EQ(starts[1]["name"], "SetFlag");
  EXPECT_EQ(starts[2]["name"], "absent link: AIV 0 MTE3 -> AIV 1 MTE2");
}

TEST(Trace, OverlappingCopiesAreAsyncButSidesOfFindingsAreNot) {
  int async = 0;
  for (const Json& event : events_of(small_run())) {
    if (event["ph"] == "b") {
      ++async;
      EXPECT_EQ(event["args"]["entry"], 1);  // entry 2 is the writer of the finding
    }
    if (event["ph"] == "M" && event["name"] == "process_name" && event["pid"] == 2) {
      EXPECT_EQ(event["args"]["name"], "AIV 1");
    }
  }
  EXPECT_EQ(async, 1);
}

}  // namespace
}  // namespace ascsan::report
