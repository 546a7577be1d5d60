// SetFlag/WaitFlag inside one core (spec/execution-model.md 4.1, 4.2): a flag is one bit, so sets and waits of a key
// (pipes and id) must alternate in the program. Found from program order, not from the schedule that ran: a flag that
// is set again early only because its pipe ran ahead is what queues do all the time and is no fault. Also event ids:
// handed out again in flight, released without being allocated, exhausted. Left out: a wait that no set ever matches
// (the hang names it), flags that no edge needs.
#pragma once

#include <memory>
#include <vector>

#include "check/checker.h"
#include "check/usage_findings.h"

namespace ascsan::check {

class FlagChecker : public Checker {
 public:
  explicit FlagChecker(const event::SiteTable& sites) : findings_(sites) {}
  void on_event(const event::Event& event) override;
  const char* name() const override { return "flags"; }
  std::vector<report::Finding> take_findings() override { return findings_.take(); }

 private:
  struct Step {
    event::SiteId site = 0;
    uint32_t program = 0, index = 0;
    gate::Op op = gate::Op::kNop;
  };
  struct Key {
    event::CoreId core;
    gate::Pipe src, dst;
    int id;
  };
  struct Flag {
    std::vector<Step> sets;  ///< fired, not yet taken by a wait; oldest first
    Step last_set, last_wait;
    uint32_t absorbed = 0;  ///< sets lost to double sets: the machine lets as many waits pass that take nothing here
    bool handed_out = false, allocated = false, fetched = false;
    Step handout, release;
  };

  void set(const event::Event& event);
  void wait(const event::Event& event);
  void id_step(const event::Event& event);
  void end(const event::Event& event);
  void twice(const Key& key, const Flag& flag, const Step& first, const Step& second, const Step* wait);
  std::string flag_name(const Key& key) const;
  Place place(const char* role, const Key& key, gate::Pipe pipe, const Step& step) const {
    return {role, step.site, key.core, pipe, step.op, step.index};
  }

  static constexpr size_t kIds = 8, kPerCore = size_t{gate::kPipeCount} * gate::kPipeCount * kIds;
  Flag& at(const Key& key);
  /// visit(key, flag) for every flag that was used.
  template <typename Visit>
  void each(Visit&& visit);

  UsageFindings findings_;
  /// By core; then, where the core uses flags at all, by source, destination, id.
  std::vector<std::vector<std::unique_ptr<Flag>>> flags_;
};

}  // namespace ascsan::check
