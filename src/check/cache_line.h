// The private data cache of a scalar unit (spec/execution-model.md 6.1, spec/hb-rules.md E-5): 64-byte lines, written
// back whole, coherent with nobody. Three faults that no order of accesses shows, since the accesses themselves are
// ordered:
//   ASC6101  a load from a line that was filled before it was sure that somebody's write had arrived
//   ASC6102  a store that was not written back before a read, or a line that goes back over bytes written by others
//   ASC6103  the same between the lines of two cores that both store
// Whether a write comes before a fill or after a clean is asked of the order, not of the run. Last writers come from
// the shadow of the race checker, which has seen the event before. Left out: when a line is evicted (any time is
// assumed).
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "check/checker.h"
#include "check/race.h"
#include "check/usage_findings.h"

namespace ascsan::check {

class CacheChecker : public Checker {
 public:
  CacheChecker(const order::Order& order, RaceChecker& race, const event::SiteTable& sites)
      : order_(order), race_(race), findings_(sites) {}
  void on_event(const event::Event& event) override;
  const char* name() const override { return "cache"; }
  std::vector<report::Finding> take_findings() override { return findings_.take(); }

 private:
  static constexpr uint64_t kLine = 64;
  static constexpr size_t kWindowsKept = 8;
  /// What a core knew at some point.
  struct Knowledge {
    event::CoreId core = 0;
    order::Clock clock;
    std::shared_ptr<const std::vector<uint32_t>> remote;
    bool knows(event::CoreId other, gate::Pipe pipe, uint32_t index) const {
      return other == core ? clock[pipe] >= index : (*remote)[order::dense_index(other, pipe)] >= index;
    }
  };
  /// From the first store into a line until it is written back.
  struct Window {
    uint32_t first = 0, last = 0;  ///< scalar indices of the stores
    uint32_t clean = 0;            ///< scalar index of the write-back, 0 = still dirty
    Place store;
  };
  struct Line {
    bool filled = false, fresh = false;
    Knowledge at_fill;
    event::SiteId fill_site = 0;
    uint32_t fill_index = 0;
    uint64_t own_bytes = 0;       ///< bit per byte: stored by this core since the fill
    std::vector<Window> windows;  ///< newest last
  };
  using Lines = std::map<uint64_t, Line>;

  void step(const event::Event& event);
  void cached(const event::Event& event);
  void access(const event::Event& event, const event::Access& access, bool through_cache);
  void stale(const event::Event& event, const Line& line, uint64_t begin, uint64_t end);
  void not_written_back(const event::Event& event, uint64_t begin, uint64_t end);
  void open_window(const event::Event& event, Line& line, uint64_t address);
  void over_windows(const event::Event& event, uint64_t begin, uint64_t end, bool through_cache);
  Knowledge knowledge(const event::Event& event) const;
  static const Window* window_of(const Line& line, uint32_t store);
  void report(Rule rule, const event::Event& event, const Place& other, const char* my_role, uint64_t address,
              const std::string& title, const std::string& detail, const Place* third);
  Place place_of_access(const char* role, const Access& access) const {
    return {role, access.site, access.core, access.pipe, access.op, access.index};
  }
  static bool cached_store(const Access& access) {
    return access.pipe == gate::Pipe::kS && access.op == gate::Op::kStoreScalar && access.space == gate::Space::kGm;
  }

  const order::Order& order_;
  RaceChecker& race_;
  UsageFindings findings_;
  std::vector<Lines> lines_;                                     ///< per core, by address
  std::map<uint64_t, std::vector<event::CoreId>> stored_lines_;  ///< lines with cached stores, and by whom
};

}  // namespace ascsan::check
