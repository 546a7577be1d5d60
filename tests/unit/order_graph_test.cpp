// The clocks of Order against the explicit graph, for every pair of accesses of random launches (design/rigor.md B1).
// A failing launch is shrunk and printed. ASCSAN_PROPERTY_RUNS changes the number of launches, ASCSAN_PROPERTY_SEED the
// first seed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <tuple>

#include "order/graph.h"
#include "order/order.h"
#include "support/program.h"

namespace ascsan::order {
namespace {
using event::Event;
using event::Kind;
using gate::Pipe;

uint64_t from_environment(const char* name, uint64_t value) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : value;
}

struct Seen {
  event::CoreId core;
  Pipe pipe;
  uint32_t index;
};

/// Feeds both, and keeps every answer of the clocks until the graph can be asked.
class Both : public event::Sink {
 public:
  void on_event(const Event& event) override {
    order.on_event(event);
    graph.add(event);
    if (event.kind != Kind::kInstruction && event.kind != Kind::kScalarAccess) return;
    const Clock& start = order.start_clock();
    for (const Seen& x : seen_) {
      const bool store = x.pipe == Pipe::kS && x.core == event.core && event.pipe != Pipe::kS;
      answers_.push_back({x,
                          {event.core, event.pipe, event.index},
                          order.ordered_before(x.core, x.pipe, x.index, event.core, start),
                          store ? start.at[kStoreSlot] >= x.index : false,
                          store});
    }
    seen_.push_back({event.core, event.pipe, event.index});
  }

  /// Empty when both agree on all pairs.
  std::string disagreement() {
    graph.close();
    for (const Answer& answer : answers_) {
      const auto& [x, y, clocks, stores, ask_store] = answer;
      const bool edges = graph.before(x.core, x.pipe, x.index, y.core, y.pipe, y.index);
      if (edges != clocks) return text(x, y, clocks, edges, "");
      if (ask_store && graph.store_before(x.core, x.index, y.pipe, y.index) != stores)
        return text(x, y, stores, !stores, " (store)");
    }
    return "";
  }
  size_t pairs() const { return answers_.size(); }
  size_t ordered() const {
    return static_cast<size_t>(
        std::count_if(answers_.begin(), answers_.end(), [](const Answer& a) { return a.clocks; }));
  }

  Order order;
  Graph graph;

 private:
  struct Answer {
    Seen x, y;
    bool clocks, stores, ask_store;
  };
  static std::string text(const Seen& x, const Seen& y, bool clocks, bool edges, const char* what) {
    const auto one = [](const Seen& s) {
      return "core " + std::to_string(s.core) + " " + event::pipe_name(s.pipe) + " #" + std::to_string(s.index);
    };
    return one(x) + " before " + one(y) + what + ": clocks say " + (clocks ? "yes" : "no") + ", graph says " +
           (edges ? "yes" : "no");
  }
  std::vector<Seen> seen_;
  std::vector<Answer> answers_;
};

std::string disagreement(const test::Program& program, uint64_t seed, size_t* pairs = nullptr,
                         size_t* ordered = nullptr) {
  event::SiteTable sites;
  Both both;
  const auto schedule = static_cast<test::Schedule>(seed % 3);
  // A generated program never hangs; one that shrinking broke is no counterexample.
  if (!test::run(program, seed, schedule, sites, both)) return pairs != nullptr ? "the program hangs" : "";
  if (pairs != nullptr) *pairs += both.pairs(), *ordered += both.ordered();
  return both.disagreement();
}

TEST(OrderGraph, ClocksAgreeWithTheGraphOnRandomLaunches) {
  const uint64_t runs = from_environment("ASCSAN_PROPERTY_RUNS", 100000);
  const uint64_t first = from_environment("ASCSAN_PROPERTY_SEED", 1);
  size_t pairs = 0, ordered = 0;
  for (uint64_t seed = first; seed < first + runs; ++seed) {
    test::ProgramShape shape;
    shape.ops = 8 + static_cast<uint32_t>(seed % 24);
    shape.polled = seed % 4 == 0;
    const test::Program program = test::random_program(seed, shape);
    const std::string text = disagreement(program, seed, &pairs, &ordered);
    if (text.empty()) continue;
    const test::Program small =
        test::shrink(program, [&](const test::Program& p) { return !disagreement(p, seed).empty(); });
    FAIL() << "seed " << seed << ": " << text << "\nshrunk to:\n" << small.text() << disagreement(small, seed);
  }
  std::printf("%llu launches from seed %llu: %zu pairs, %zu ordered\n", static_cast<unsigned long long>(runs),
              static_cast<unsigned long long>(first), pairs, ordered);
  // The generator must make both answers common, or the comparison says nothing.
  EXPECT_GT(ordered * 10, pairs);
  EXPECT_GT((pairs - ordered) * 10, pairs);
}

// The order of a program is one relation, whatever schedule produced the events.
TEST(OrderGraph, EverySchedulePutsTheSamePairsInOrder) {
  class Relation : public event::Sink {
   public:
    void on_event(const Event& event) override {
      order.on_event(event);
      if (event.kind != Kind::kInstruction && event.kind != Kind::kScalarAccess) return;
      const auto me = std::tuple{event.core, event.pipe, event.index};
      for (const auto& x : seen)
        if (order.ordered_before(std::get<0>(x), std::get<1>(x), std::get<2>(x), event.core, order.start_clock()))
          before.insert({x, me});
      seen.push_back(me);
    }
    using Place = std::tuple<event::CoreId, Pipe, uint32_t>;
    Order order;
    std::vector<Place> seen;
    std::set<std::pair<Place, Place>> before;
  };
  const uint64_t runs = from_environment("ASCSAN_PROPERTY_RUNS", 100000) / 50;
  size_t compared = 0;
  for (uint64_t seed = 1; seed <= runs; ++seed) {
    test::ProgramShape shape;
    shape.ops = 30;
    shape.one_pipe_per_set = true;
    const test::Program program = test::random_program(seed, shape);
    event::SiteTable sites;
    Relation first;
    ASSERT_TRUE(test::run(program, 1, test::Schedule::kEager, sites, first));
    for (uint64_t other = 2; other < 8; ++other) {
      Relation relation;
      ASSERT_TRUE(test::run(program, other * 977, static_cast<test::Schedule>(other % 3), sites, relation));
      ASSERT_EQ(relation.before, first.before) << "seed " << seed << ", schedule " << other << "\n" << program.text();
      compared += relation.before.size();
    }
  }
  EXPECT_GT(compared, runs);
}

}  // namespace
}  // namespace ascsan::order
