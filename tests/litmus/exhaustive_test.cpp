// The race verdict against all schedules (design/rigor.md B2): a pair of accesses is ordered by the clocks exactly if
// no schedule turns it round, and bytes are reported exactly if some pair on them races. On every litmus kernel that is
// small enough, and on generated kernels; both directions. ASCSAN_EXHAUSTIVE_RUNS sets the number of generated kernels
// (2 000; the long form is 20 000), ASCSAN_EXHAUSTIVE_SEED the first seed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>

#include "check/race.h"
#include "in_process.h"
#include "schedule/exhaustive.h"
#include "suite/spec.h"
#include "support/program.h"

namespace {
using namespace ascsan;
using event::Kind;
using gate::Pipe;
using schedule::Explored;
using schedule::TinyLaunch;

constexpr size_t kMaxAccesses = 16;

uint64_t from_environment(const char* name, uint64_t value) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : value;
}

using Place = std::tuple<event::CoreId, Pipe, uint32_t>;

/// Clocks, race checker and recorder side by side.
class Trial : public event::Sink {
 public:
  explicit Trial(bool auto_sync) : checker_(order_, sites, options(auto_sync)) {
    checker_.observe([this](const check::Access& x, const check::Access&, uint64_t begin, uint64_t end) {
      const event::CoreId core = x.space == gate::Space::kGm ? 0 : x.core;
      reported.emplace_back(x.space, core, begin, end);
    });
  }
  void on_event(const event::Event& event) override {
    order_.on_event(event);
    checker_.on_event(event);
    if (event.kind == Kind::kLaunchBegin) {
      ++launches;
      seen_.clear();
      before.clear();
      reported.clear();
    }
    recorder_.on_event(event);
    if (event.kind != Kind::kInstruction && event.kind != Kind::kScalarAccess) return;
    const Place me{event.core, event.pipe, event.index};
    for (const Place& x : seen_)
      if (order_.ordered_before(std::get<0>(x), std::get<1>(x), std::get<2>(x), event.core, order_.start_clock()))
        before.insert({x, me});
    seen_.push_back(me);
  }
  TinyLaunch launch() { return recorder_.take(); }
  bool is_reported(const schedule::Segment& segment) const {
    for (const auto& [space, core, begin, end] : reported)
      if (space == segment.space && core == segment.core && begin < segment.end && segment.begin < end) return true;
    return false;
  }

  event::SiteTable sites;
  std::set<std::pair<Place, Place>> before;
  std::vector<std::tuple<gate::Space, event::CoreId, uint64_t, uint64_t>> reported;
  uint32_t launches = 0;

 private:
  static check::RaceOptions options(bool auto_sync) {
    check::RaceOptions options;
    options.profile = auto_sync ? check::Profile::kAuto : check::Profile::kStrict;
    options.scalar_stores_need_flag = false;  // that rule is no order between steps
    return options;
  }
  order::Order order_;
  check::RaceChecker checker_;
  schedule::TinyRecorder recorder_;
  std::vector<Place> seen_;
};

struct Tally {
  size_t pairs = 0, turned = 0, segments = 0, racy = 0;
  uint64_t states = 0, schedules = 0;
};

std::string name(const TinyLaunch& launch, uint32_t i) {
  const schedule::TinyOp& op = launch.ops[i];
  return "core " + std::to_string(op.core) + " " + event::pipe_name(op.pipe) + " #" + std::to_string(op.index);
}

/// Empty when clocks, checker and search say the same.
std::string compare(const Trial& trial, const TinyLaunch& launch, const Explored& explored, bool auto_sync,
                    Tally& tally) {
  for (uint32_t x = 0; x < launch.ops.size(); ++x)
    for (uint32_t y = 0; y < launch.ops.size(); ++y) {
      const schedule::TinyOp &a = launch.ops[x], &b = launch.ops[y];
      if (x == y || !a.access() || !b.access()) continue;
      // What the compiler orders on V (R-13) is an exemption for the checker, not a clock.
      if (auto_sync && a.core == b.core && a.pipe == Pipe::kV && b.pipe == Pipe::kV) continue;
      const bool clocks = trial.before.count({{a.core, a.pipe, a.index}, {b.core, b.pipe, b.index}}) != 0;
      ++tally.pairs;
      tally.turned += !explored.ordered(x, y);
      if (clocks != explored.ordered(x, y))
        return name(launch, x) + " before " + name(launch, y) + ": clocks say " + (clocks ? "yes" : "no") +
               ", all schedules say " + (clocks ? "no" : "yes");
    }
  for (uint32_t s = 0; s < launch.segments.size(); ++s) {
    std::string racy;
    for (uint32_t x = 0; x < launch.ops.size() && racy.empty(); ++x)
      for (uint32_t y = x + 1; y < launch.ops.size() && racy.empty(); ++y)
        if (schedule::races(launch, explored, x, y, s)) racy = name(launch, x) + " and " + name(launch, y);
    ++tally.segments;
    tally.racy += !racy.empty();
    const schedule::Segment& segment = launch.segments[s];
    if (trial.is_reported(segment) != !racy.empty())
      return std::string(event::space_name(segment.space)) + " bytes " + std::to_string(segment.begin) + ".." +
             std::to_string(segment.end) + ": " +
             (racy.empty() ? "reported, but no schedule turns a pair round" : racy + " race, but nothing is reported");
  }
  tally.states += explored.states;
  tally.schedules += std::min<uint64_t>(explored.schedules, 1u << 30);
  return "";
}

void print(const char* what, size_t count, const Tally& tally) {
  std::printf(
      "%zu %s: %zu pairs of accesses, %zu of them turned round by some schedule; %zu pieces of memory, %zu racy; "
      "%llu states\n",
      count, what, tally.pairs, tally.turned, tally.segments, tally.racy,
      static_cast<unsigned long long>(tally.states));
}

test::ProgramShape shape_of(uint64_t seed) {
  test::ProgramShape shape;
  shape.ops = 6 + static_cast<uint32_t>(seed % 11);
  shape.touches = true;
  shape.atomics = seed % 3 == 0;
  shape.one_pipe_per_set = true;
  shape.sync_share = 0.25 + 0.1 * static_cast<double>(seed % 4);
  return shape;
}

/// "" = agreement, "hang" or "large" = not comparable.
std::string verdict(const test::Program& program, uint64_t seed, Tally& tally) {
  const bool auto_sync = seed % 2 == 0;
  Trial trial(auto_sync);
  if (!test::run(program, seed, static_cast<test::Schedule>(seed % 3), trial.sites, trial, auto_sync)) return "hang";
  const TinyLaunch launch = trial.launch();
  if (launch.ops.size() > TinyLaunch::kMaxOps || launch.accesses() > kMaxAccesses) return "large";
  schedule::ExploreOptions options;
  options.auto_sync = auto_sync;
  const Explored explored = schedule::explore(launch, options);
  if (!explored.complete) return "large";
  return compare(trial, launch, explored, auto_sync, tally);
}

TEST(Exhaustive, GeneratedKernels) {
  const uint64_t runs = from_environment("ASCSAN_EXHAUSTIVE_RUNS", 2000);
  const uint64_t first = from_environment("ASCSAN_EXHAUSTIVE_SEED", 1);
  Tally tally;
  size_t compared = 0;
  for (uint64_t seed = first; compared < runs; ++seed) {
    const test::Program program = test::random_program(seed, shape_of(seed));
    const std::string text = verdict(program, seed, tally);
    ASSERT_NE(text, "hang") << "seed " << seed;
    if (text == "large") continue;
    ++compared;
    if (text.empty()) continue;
    Tally ignored;
    const auto fails = [&](const test::Program& p) {
      const std::string again = verdict(p, seed, ignored);
      return !again.empty() && again != "hang" && again != "large";
    };
    const test::Program small = test::shrink(program, fails);
    FAIL() << "seed " << seed << (seed % 2 ? " (strict): " : " (auto): ") << text << "\nshrunk to:\n"
           << small.text() << verdict(small, seed, ignored);
  }
  print("generated kernels", compared, tally);
  EXPECT_GT(tally.turned * 5, tally.pairs);  // both answers must be common, or the comparison says nothing
  EXPECT_GT((tally.pairs - tally.turned) * 20, tally.pairs);
  EXPECT_GT(tally.racy * 10, tally.segments);
}

// The reduction loses nothing: with every step on its own the same pairs can be turned round.
TEST(Exhaustive, ReductionLosesNothing) {
  const uint64_t runs = from_environment("ASCSAN_EXHAUSTIVE_RUNS", 2000) / 10;
  size_t compared = 0;
  uint64_t reduced_states = 0, all_states = 0;
  for (uint64_t seed = 1; compared < runs; ++seed) {
    test::ProgramShape shape = shape_of(seed);
    shape.ops = 4 + static_cast<uint32_t>(seed % 5);
    const test::Program program = test::random_program(seed, shape);
    Trial trial(seed % 2 == 0);
    ASSERT_TRUE(test::run(program, seed, test::Schedule::kRandom, trial.sites, trial, seed % 2 == 0));
    const TinyLaunch launch = trial.launch();
    if (launch.ops.size() > 12) continue;
    schedule::ExploreOptions options;
    options.auto_sync = seed % 2 == 0;
    const Explored reduced = schedule::explore(launch, options);
    options.reduce = false;
    const Explored all = schedule::explore(launch, options);
    ASSERT_TRUE(reduced.complete && all.complete) << "seed " << seed;
    ASSERT_EQ(reduced.hangs, all.hangs) << "seed " << seed << "\n" << program.text();
    for (uint32_t x = 0; x < launch.ops.size(); ++x)
      for (uint32_t y = 0; y < launch.ops.size(); ++y)
        if (x != y && launch.ops[x].access() && launch.ops[y].access()) {
          ASSERT_EQ(reduced.ordered(x, y), all.ordered(x, y))
              << "seed " << seed << ", " << name(launch, x) << ", " << name(launch, y) << "\n"
              << program.text();
        }
    reduced_states += reduced.states, all_states += all.states;
    ++compared;
  }
  std::printf("%zu kernels, %llu states reduced, %llu in full\n", compared,
              static_cast<unsigned long long>(reduced_states), static_cast<unsigned long long>(all_states));
  EXPECT_GT(all_states, reduced_states);
}

TEST(Exhaustive, LitmusKernels) {
  std::vector<std::string> errors;
  std::map<std::string, suite::Expectation> expectations;
  for (suite::Expectation& one : suite::read_folder(LITMUS_FOLDER, errors)) expectations[one.kernel] = std::move(one);
  ASSERT_TRUE(errors.empty()) << errors[0];
  Tally tally;
  size_t compared = 0, hanging = 0, large = 0, polled = 0, goldens = 0, one_outcome = 0;
  for (const litmus::Kernel& kernel : litmus::registry()) {
    const suite::Expectation& expectation = expectations.at(kernel.name);
    bool auto_sync = true;
    for (const auto& [option, value] : expectation.options)
      if (option == "profile") auto_sync = value == "auto";
    litmus::Bench bench(kernel);
    Trial trial(auto_sync);
    const auto outcome = bench.run({"in_order", 1, auto_sync}, trial.sites, trial);
    if (outcome.end != machine::LaunchOutcome::End::kDone) {
      ++hanging;
      EXPECT_TRUE(expectation.incomplete || !expectation.findings.empty()) << kernel.name;
      continue;
    }
    const TinyLaunch launch = trial.launch();
    polled += launch.polled;
    large += !launch.polled && (launch.ops.size() > TinyLaunch::kMaxOps || launch.accesses() > 20);
    if (launch.polled || launch.ops.size() > TinyLaunch::kMaxOps || launch.accesses() > 20) {
      EXPECT_EQ(expectation.schedules + expectation.outcomes, 0u) << kernel.name << " is not searched, but has numbers";
      continue;
    }
    schedule::ExploreOptions options;
    options.auto_sync = auto_sync;
    const Explored explored = schedule::explore(launch, options);
    EXPECT_TRUE(explored.complete && !explored.hangs) << kernel.name;
    const size_t racy_before = tally.racy;
    const std::string text = compare(trial, launch, explored, auto_sync, tally);
    EXPECT_EQ(text, "") << kernel.name << " (" << expectation.file << ":" << expectation.line << ")";
    ++compared;
    options.outcomes = true;
    options.max_states = 100000;
    const Explored with_values = schedule::explore(launch, options);
    const bool atomics = std::any_of(launch.ops.begin(), launch.ops.end(), [](const auto& op) {
      return std::any_of(op.touches.begin(), op.touches.end(),
                         [](const auto& touch) { return touch.role == event::Role::kAtomic; });
    });
    if (with_values.complete && !atomics && tally.racy == racy_before) {
      EXPECT_EQ(with_values.outcomes, 1u) << kernel.name << ": no race, but the result hangs on the schedule";
      ++one_outcome;
    }
    if (expectation.schedules != 0) {
      EXPECT_EQ(explored.schedules, expectation.schedules) << kernel.name;
    }
    if (expectation.outcomes != 0) {
      EXPECT_EQ(with_values.outcomes, expectation.outcomes) << kernel.name;
    }
    goldens += expectation.schedules != 0 || expectation.outcomes != 0;
    if (std::getenv("ASCSAN_PRINT_GOLDENS") != nullptr)
      std::printf("%s schedules=%llu outcomes=%llu\n", kernel.name, static_cast<unsigned long long>(explored.schedules),
                  static_cast<unsigned long long>(with_values.outcomes));
  }
  print("litmus kernels", compared, tally);
  std::printf(
      "not compared: %zu that hang, %zu too large, %zu with polled words; golden numbers for %zu; one outcome, as "
      "no race promises: %zu\n",
      hanging, large, polled, goldens, one_outcome);
  EXPECT_GT(compared, 100u);
}

}  // namespace
