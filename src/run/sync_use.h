// The synchronisation one run of a launch issues, by source line, and which lines belong together: the halves of a flag
// as they met, the sets and waits of a cross-core release, the rounds of a barrier in GM words.
// Taking a whole group away leaves nothing set and nobody waiting. A line that issues instructions too is left alone:
// the synchronisation may be a part of that call (ReduceSum, Matmul). Flags of queues and TPipe are no lines of the
// kernel; a line that meets one of them stays alone, and taking it away then shows as a flag out of balance. Left out:
// what a group is good for (lint.h).
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "event/sink.h"
#include "machine/machine.h"
#include "report/lint.h"

namespace ascsan::run {

class SyncUse : public machine::Interposer, public event::Sink {
 public:
  explicit SyncUse(const event::SiteTable& sites) : sites_(sites) {}

  Before before(const machine::Core& core, const gate::Request& request) override;
  bool mutes(const machine::Core&, gate::Pipe, uint32_t, const machine::Footprint&) override { return false; }
  void on_event(const event::Event& event) override;

  /// Sorted by weight, the heaviest first, then by place.
  std::vector<report::SyncGroup> groups(const std::string& kernel);

 private:
  struct Line {
    std::string file, function;
    uint32_t line = 0;
    std::vector<std::string> operations;
    bool has_instructions = false;
    uint64_t executions = 0, weight = 0;
    size_t parent = 0;
  };
  /// A flag between two pipes, or a cross-core id with its mode.
  using Key = std::tuple<event::CoreId, gate::Pipe, gate::Pipe, int>;
  static constexpr size_t kNone = ~size_t{0};

  /// Index of the line at that place; `fresh` makes one.
  size_t line_at(const gate::Site& site, bool fresh);
  size_t root(size_t line);
  void unite(size_t a, size_t b);
  void match(const gate::Request& request, event::CoreId core, size_t line);
  void on_cross(const event::Event& event);

  const event::SiteTable& sites_;
  std::vector<Line> lines_;
  std::map<std::tuple<std::string, uint32_t>, size_t> by_place_;
  std::map<std::pair<const char*, uint32_t>, size_t> cache_;  ///< looked up only, so that pointers may be keys
  /// Sets and waits in program order: for pairs that are no flag on this kind of core and give no event.
  struct Halves {
    std::deque<size_t> sets, waits;
    std::set<std::pair<size_t, size_t>> met;
  };
  std::map<Key, Halves> issued_;
  std::map<Key, std::deque<size_t>> fired_;  ///< events: sets no wait has taken
  std::set<Key> seen_;                       ///< flags that gave events
  std::map<std::tuple<event::CoreId, uint8_t, int>, std::deque<size_t>> cross_sets_;
  std::map<std::pair<event::CoreId, int>, std::deque<std::vector<size_t>>> credits_;
  std::map<std::pair<int, uint32_t>, size_t> rounds_;  ///< barriers in GM words
};

}  // namespace ascsan::run
