// Which pairs of accesses of a launch race, found without the clocks and the race checker: by all schedules where the
// launch is small enough (schedule/exhaustive.h), else by the explicit graph of the rules (order/graph.h). Bytes are
// cut into segments, and every conflicting pair of every segment is asked for. Left out: launches with more than
// kMaxNodes events, which get no answer.
#pragma once

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "event/sink.h"
#include "order/graph.h"
#include "schedule/exhaustive.h"

namespace ascsan::mutants {

struct RacySide {
  uint32_t line = 0;
  std::string pipe, role;
  bool cube = false;
  auto tie() const { return std::tie(line, pipe, role, cube); }
  bool operator<(const RacySide& other) const { return tie() < other.tie(); }
};

/// `first` stands first in the program where both are on one core.
struct RacyPair {
  RacySide first, second;
  bool cores = false;  ///< on different cores
  std::string space;
  auto tie() const { return std::tie(first, second, cores, space); }
  bool operator<(const RacyPair& other) const { return tie() < other.tie(); }
};

struct OrderAnswer {
  std::string proof;  ///< "exhaustive", "graph", "none"
  uint64_t states = 0, schedules = 0;
  bool hangs = false;  ///< in some schedule; exhaustive only
  std::set<RacyPair> pairs;
};

class OrderTruth : public event::Sink {
 public:
  OrderTruth(const event::SiteTable& sites, bool auto_sync) : sites_(sites), auto_sync_(auto_sync) {}
  void on_event(const event::Event& event) override;
  /// Once, after the launch.
  OrderAnswer answer();
  const schedule::TinyLaunch& launch() const { return launch_; }

 private:
  static constexpr size_t kMaxNodes = 6000;
  static constexpr uint64_t kMaxStates = 60000;
  template <typename Racy>
  void collect(OrderAnswer& answer, Racy&& racy) const;
  void automatic_edges();
  RacySide side(uint32_t op, uint32_t segment) const;

  const event::SiteTable& sites_;
  bool auto_sync_;
  schedule::TinyRecorder recorder_;
  schedule::TinyLaunch launch_;
  order::Graph graph_;
  size_t nodes_ = 0;
};

}  // namespace ascsan::mutants
