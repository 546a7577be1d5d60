// The race checker against a naive oracle: the explicit graph of the order, and every pair of accesses of every byte.
// Per byte of a random launch, with RACY = pairs that conflict, are unordered and not exempt; HIDDEN = those of them
// where a third access stands for one side and races with the other; REPORTED = what the checker commits:
//   RACY without HIDDEN  is part of  REPORTED  is part of  RACY,  and REPORTED is empty only if RACY is.
// In particular a byte is reported exactly if it is racy. Second test: findings do not hang on the schedule.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "check/race.h"
#include "order/graph.h"
#include "support/program.h"

namespace ascsan::check {
namespace {
using event::Event;
using event::Kind;
using event::Role;
using gate::Pipe;
using gate::Space;

uint64_t from_environment(const char* name, uint64_t value) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : value;
}

struct Place {
  event::CoreId core;
  Pipe pipe;
  uint32_t index;
  Role role;
  auto tie() const { return std::tie(core, pipe, index, role); }
  bool operator<(const Place& other) const { return tie() < other.tie(); }
};
using PlacePair = std::pair<Place, Place>;
PlacePair sorted(Place a, Place b) {
  return b < a ? PlacePair{b, a} : PlacePair{a, b};
}

using Byte = std::tuple<Space, event::CoreId, uint64_t>;  ///< core 0 for GM
using Reports = std::map<Byte, std::set<PlacePair>>;

struct Recorded {
  Place place;
  uint8_t atomic = 0;
  uint32_t program = 0, line = 0;
  bool aiv = false;
};

/// Order, checker and graph side by side on one run of a program.
class Trial : public event::Sink {
 public:
  Trial(Profile profile, bool stores_need_flag)
      : auto_(profile == Profile::kAuto), checker_(order_, sites, options(profile, stores_need_flag)) {
    stores_need_flag_ = stores_need_flag && !auto_;
    checker_.observe([this](const Access& x, const Access& y, uint64_t begin, uint64_t end) {
      const event::CoreId core = x.space == Space::kGm ? 0 : x.core;
      for (uint64_t byte = begin; byte < end; ++byte)
        reported[{x.space, core, byte}].insert(
            sorted({x.core, x.pipe, x.index, x.role}, {y.core, y.pipe, y.index, y.role}));
    });
  }

  void on_event(const Event& event) override {
    order_.on_event(event);
    checker_.on_event(event);
    graph_.add(event);
    if (event.kind == Kind::kLaunchBegin) aic_ = static_cast<uint32_t>(event.value[0]);
    if (event.kind != Kind::kInstruction && event.kind != Kind::kScalarAccess) return;
    for (uint32_t a = 0; a < event.access_count; ++a) {
      const event::Access& access = event.accesses[a];
      const auto atomic = static_cast<uint8_t>(access.role == Role::kAtomic ? event.mode : 0);
      const Recorded recorded{{event.core, event.pipe, event.index, access.role},
                              atomic,
                              event.program_index,
                              sites.at(event.site).line,
                              event.core >= aic_};
      const event::CoreId core = access.space == Space::kGm ? 0 : event.core;
      const event::Span& span = event.spans[access.first_span];
      for (uint64_t byte = span.begin; byte < span.end; ++byte) bytes_[{access.space, core, byte}].push_back(recorded);
    }
  }

  /// Empty if the checker kept its promise. Fills the sets of (line, line) that are racy and that are racy and not
  /// hidden.
  std::string judge() {
    add_automatic_edges();
    graph_.close();
    for (const auto& [byte, accesses] : bytes_) {
      std::set<PlacePair> racy, open;
      for (size_t i = 0; i < accesses.size(); ++i)
        for (size_t k = i + 1; k < accesses.size(); ++k) {
          const Recorded &x = accesses[i], &y = accesses[k];
          if (!races(x, y)) continue;
          racy.insert(sorted(x.place, y.place));
          racy_causes.insert(cause(std::get<0>(byte), x, y));
          if (hidden(accesses, x, y) || hidden(accesses, y, x)) continue;
          open.insert(sorted(x.place, y.place));
          open_causes.insert(cause(std::get<0>(byte), x, y));
        }
      const std::set<PlacePair>& mine = reported[byte];
      for (const PlacePair& pair : mine)
        if (!racy.count(pair)) return text(byte, pair, "reported, but not a race");
      for (const PlacePair& pair : open)
        if (!mine.count(pair)) return text(byte, pair, "a race that nothing hides, not reported");
      if (!racy.empty() && mine.empty()) return text(byte, *racy.begin(), "nothing reported for a racy byte");
      racy_bytes += !racy.empty();
    }
    for (const auto& [byte, pairs] : reported)
      if (!pairs.empty() && !bytes_.count(byte))
        return text(byte, *pairs.begin(), "reported for a byte nobody touched");
    return "";
  }
  std::set<std::string> finding_ids() {
    std::set<std::string> ids;
    for (const report::Finding& finding : checker_.take_findings()) ids.insert(finding.id);
    return ids;
  }

  event::SiteTable sites;
  Reports reported;
  /// What tells findings apart: memory, and line and role of both sides.
  using Side = std::pair<uint32_t, Role>;
  using Cause = std::tuple<Space, Side, Side>;
  std::set<Cause> racy_causes, open_causes;
  size_t racy_bytes = 0;

 private:
  static Cause cause(Space space, const Recorded& x, const Recorded& y) {
    const Side a{x.line, x.place.role}, b{y.line, y.place.role};
    return a < b ? Cause{space, a, b} : Cause{space, b, a};
  }
  static RaceOptions options(Profile profile, bool stores_need_flag) {
    RaceOptions options;
    options.profile = profile;
    options.scalar_stores_need_flag = stores_need_flag;
    return options;
  }
  static bool same_kind_of_atomic(const Recorded& a, const Recorded& b) {
    return a.atomic != 0 && a.atomic == b.atomic;
  }
  bool before(const Recorded& x, const Recorded& y) const {
    const Place &a = x.place, &b = y.place;
    if (stores_need_flag_ && a.core == b.core && a.pipe == Pipe::kS && b.pipe != Pipe::kS && event::writes(a.role))
      return graph_.store_before(a.core, a.index, b.pipe, b.index);
    return graph_.before(a.core, a.pipe, a.index, b.core, b.pipe, b.index);
  }
  bool races(const Recorded& x, const Recorded& y) const {
    const Place &a = x.place, &b = y.place;
    if (!event::writes(a.role) && !event::writes(b.role)) return false;
    if (a.core == b.core && a.pipe == b.pipe && a.index == b.index) return false;
    if (same_kind_of_atomic(x, y)) return false;  // E-1
    if (auto_ && x.aiv && a.core == b.core && a.pipe == Pipe::kV && b.pipe == Pipe::kV) return false;
    return !before(x, y) && !before(y, x);
  }
  /// Some access stands for x and races with y.
  bool hidden(const std::vector<Recorded>& accesses, const Recorded& x, const Recorded& y) const {
    for (const Recorded& w : accesses) {
      const Place &a = x.place, &b = w.place;
      if (!(a < b) && !(b < a)) continue;
      const bool as_strong =
          w.atomic != 0 ? same_kind_of_atomic(w, x) : event::writes(b.role) || !event::writes(a.role);
      const bool later = (a.core == b.core && a.pipe == b.pipe) ? a.index <= b.index : before(x, w);
      if (as_strong && later && races(w, y)) return true;
    }
    return false;
  }
  /// R-13, for conflicting pairs only.
  void add_automatic_edges() {
    if (!auto_) return;
    for (const auto& [byte, accesses] : bytes_)
      for (const Recorded& x : accesses)
        for (const Recorded& y : accesses) {
          const Place &a = x.place, &b = y.place;
          if (!x.aiv || a.core != b.core || b.pipe != Pipe::kS || x.program >= y.program) continue;
          if (a.pipe != Pipe::kV && a.pipe != Pipe::kMte2 && a.pipe != Pipe::kMte3) continue;
          if (event::writes(a.role) || event::writes(b.role)) graph_.auto_edge(a.core, a.pipe, a.index, b.index);
        }
  }
  static std::string text(const Byte& byte, const PlacePair& pair, const char* what) {
    const auto one = [](const Place& p) {
      return "core " + std::to_string(p.core) + " " + event::pipe_name(p.pipe) + " #" + std::to_string(p.index) +
             (event::writes(p.role) ? " writing" : " reading");
    };
    return std::string(event::space_name(std::get<0>(byte))) + " byte " + std::to_string(std::get<2>(byte)) + ": " +
           one(pair.first) + " and " + one(pair.second) + ": " + what;
  }

  bool auto_, stores_need_flag_ = false;
  uint32_t aic_ = 0;
  order::Order order_;
  RaceChecker checker_;
  order::Graph graph_;
  std::map<Byte, std::vector<Recorded>> bytes_;
};

test::ProgramShape shape_of(uint64_t seed) {
  test::ProgramShape shape;
  shape.ops = 8 + static_cast<uint32_t>(seed % 20);
  shape.touches = true;
  shape.atomics = seed % 3 == 0;
  shape.sync_share = 0.3 + 0.1 * static_cast<double>(seed % 5);
  return shape;
}

std::string verdict(const test::Program& program, uint64_t seed, size_t* racy = nullptr) {
  const Profile profile = seed % 2 ? Profile::kStrict : Profile::kAuto;
  Trial trial(profile, seed % 4 == 1);
  if (!test::run(program, seed, static_cast<test::Schedule>(seed % 3), trial.sites, trial, profile == Profile::kAuto))
    return racy != nullptr ? "the program hangs" : "";
  std::string text = trial.judge();
  if (racy != nullptr) *racy += trial.racy_bytes;
  return text;
}

TEST(RaceOracle, EveryByteOfRandomLaunches) {
  const uint64_t runs = from_environment("ASCSAN_PROPERTY_RUNS", 100000) / 10;
  const uint64_t first = from_environment("ASCSAN_PROPERTY_SEED", 1);
  size_t racy = 0;
  for (uint64_t seed = first; seed < first + runs; ++seed) {
    const test::Program program = test::random_program(seed, shape_of(seed));
    const std::string text = verdict(program, seed, &racy);
    if (text.empty()) continue;
    const test::Program small =
        test::shrink(program, [&](const test::Program& p) { return !verdict(p, seed).empty(); });
    FAIL() << "seed " << seed << " (" << (seed % 2 ? "strict" : "auto") << "): " << text << "\nshrunk to:\n"
           << small.text() << verdict(small, seed);
  }
  std::printf("%llu launches from seed %llu, %zu racy bytes\n", static_cast<unsigned long long>(runs),
              static_cast<unsigned long long>(first), racy);
  EXPECT_GT(racy, runs);
}

// Where hiding does not take away any pair of lines, the findings are the same in every schedule.
TEST(RaceOracle, FindingsDoNotHangOnTheSchedule) {
  const uint64_t runs = from_environment("ASCSAN_PROPERTY_RUNS", 100000) / 50;
  size_t compared = 0, with_races = 0, differing = 0;
  for (uint64_t seed = 1; seed <= runs; ++seed) {
    test::ProgramShape shape = shape_of(seed);
    shape.one_pipe_per_set = true;
    const test::Program program = test::random_program(seed, shape);
    const Profile profile = seed % 2 ? Profile::kStrict : Profile::kAuto;
    std::set<std::string> first;
    bool exact = false;
    for (uint64_t schedule = 0; schedule < 6; ++schedule) {
      Trial trial(profile, false);
      ASSERT_TRUE(test::run(program, seed * 31 + schedule, static_cast<test::Schedule>(schedule % 3), trial.sites,
                            trial, profile == Profile::kAuto));
      const std::set<std::string> ids = trial.finding_ids();
      if (schedule == 0) {
        ASSERT_EQ(trial.judge(), "") << "seed " << seed << "\n" << program.text();
        exact = trial.racy_causes == trial.open_causes;
        with_races += !ids.empty();
        compared += exact && !ids.empty();
        first = ids;
        continue;
      }
      if (exact)
        ASSERT_EQ(ids, first) << "seed " << seed << ", schedule " << schedule << "\n" << program.text();
      else if (ids != first) {
        ++differing;
        break;
      }
    }
  }
  std::printf("%zu racy programs, %zu with every pair of lines open, %zu of the rest differ between schedules\n",
              with_races, compared, differing);
  EXPECT_GT(compared, runs / 20);
}

}  // namespace
}  // namespace ascsan::check
