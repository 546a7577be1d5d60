// Cross-core flags (spec/execution-model.md 5.1): counters that a producer may drive past 15, sets and waits that do
// not balance, groups that never complete, modes mixed on one id, ids shared with SyncAll. The lead of a producer is
// the worst of all schedules: releases delivered so far, less the waits that must have passed before them by the order.
// Left out: waits that never pass (the hang names who is missing); kernels that synchronise by polled words, for
// which no lead is computed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "check/checker.h"
#include "check/cross_known.h"
#include "check/usage_findings.h"

namespace ascsan::check {

class CrossChecker : public Checker {
 public:
  explicit CrossChecker(const event::SiteTable& sites) : findings_(sites) {}
  void on_event(const event::Event& event) override;
  const char* name() const override { return "cross_core"; }
  /// The host starts kernels without batch scheduling (schedule mode 1): a wait for all cores may hang beside other
  /// kernels. Nothing is said where the host code is unknown.
  void set_normal_launch(bool normal) { normal_launch_ = normal; }
  std::vector<report::Finding> take_findings() override { return findings_.take(); }

 private:
  static constexpr uint32_t kCounterMax = 15;
  struct Set {
    event::SiteId site = 0;
    event::CoreId core = 0;
    gate::Pipe pipe = gate::Pipe::kS;
    uint8_t mode = 0;
    uint32_t index = 0, program = 0, ordinal = 0;
    bool sync_all = false;
    CrossKnown::Shared known;
  };
  struct Delivered {
    uint32_t ordinal;
    CrossKnown::Shared known;
  };
  /// Counter of one core and id.
  struct Counter {
    uint32_t releases = 0, waits_known = 0, worst = 0;
    Set worst_set, last_set;
    PassedWaits waits;
    event::SiteId first_wait = 0, last_wait = 0;
    std::vector<Delivered> pending;
  };
  struct SetKey {
    event::CoreId core;
    int16_t id;
    uint8_t mode;
    friend auto operator<=>(const SetKey&, const SetKey&) = default;
  };
  struct Sets {
    std::map<uint32_t, Set> open;  ///< by ordinal, not yet released
    Set newest;
    std::shared_ptr<const std::vector<event::CoreId>> targets;  ///< of its newest release, the same for all members
  };

  void set(const event::Event& event);
  void release(const event::Event& event);
  void wait(const event::Event& event);
  void mixed(const SetKey& key, const Set& now);
  bool complete(const SetKey& key, const Sets& sets, const Set& later) const;
  void end(const event::Event& event);
  void overflow(event::CoreId core, int16_t id, const Counter& counter);
  void all_core_wait(const event::Event& event, gate::Op op, const char* what);
  void left_over(event::CoreId core, int16_t id, const Counter& counter);
  void never_released(const SetKey& key, const Sets& sets);
  std::string members_missing(const SetKey& key, uint32_t ordinal) const;
  uint32_t block_of(event::CoreId core) const;
  static Place place(const char* role, const Set& set) {
    return {role,     set.site, set.core, set.pipe, set.sync_all ? gate::Op::kSyncAll : gate::Op::kCrossCoreSetFlag,
            set.index};
  }

  UsageFindings findings_;
  CrossKnown known_;
  uint32_t ratio_ = 1;
  bool polled_ = false, normal_launch_ = false;
  std::map<std::pair<event::CoreId, int16_t>, Counter> counters_;
  std::map<SetKey, Sets> sets_;
  std::vector<uint32_t> sync_all_program_;                    ///< per core: the newest SyncAll call
  std::map<int16_t, event::SiteId> sync_all_ids_;             ///< ids that SyncAll used
  std::map<int16_t, std::map<event::SiteId, Set>> user_ids_;  ///< sets of reserved ids by the kernel itself
};

}  // namespace ascsan::check
