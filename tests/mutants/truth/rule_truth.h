// Faults of a launch that no schedule hides, by plain counting on its events: accesses outside their tensor or memory,
// flags that do not alternate or stay set, cross-core counters that do not come out even, limits of instructions that
// the instruction table says are broken. Written from spec/execution-model.md 4 and 7; knows no checker.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>

#include "event/sink.h"
#include "machine/machine.h"
#include "schedule/exhaustive.h"

namespace ascsan::mutants {

/// A fault at a line: "bounds", "limit", "flag", "cross".
struct RuleFault {
  std::string kind, text;
  uint32_t line = 0;
  auto tie() const { return std::tie(kind, line, text); }
  bool operator<(const RuleFault& other) const { return tie() < other.tie(); }
};

class RuleTruth : public event::Sink {
 public:
  RuleTruth(const event::SiteTable& sites, const machine::GlobalMemory& memory, const machine::Chip& chip)
      : sites_(sites), memory_(memory), chip_(chip) {}
  void on_event(const event::Event& event) override;
  /// After the launch; `launch` has the steps in program order. `ended`: counters count only then.
  std::set<RuleFault> faults(const schedule::TinyLaunch& launch, bool ended);

 private:
  void bounds(const event::Event& event);
  void flags(const schedule::TinyLaunch& launch);
  void counters();

  const event::SiteTable& sites_;
  const machine::GlobalMemory& memory_;
  const machine::Chip& chip_;
  std::set<RuleFault> faults_;
  struct Counter {
    int64_t left = 0;
    uint32_t line = 0;
  };
  std::map<std::pair<event::CoreId, int16_t>, Counter> counters_;
};

}  // namespace ascsan::mutants
