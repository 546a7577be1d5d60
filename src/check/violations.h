// Violations and unmodelled operations that the machine met at issue, as findings and as entries of "unchecked". One
// cause, one report: same rule and same place are merged, whatever the core.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "check/checker.h"
#include "check/checkers.h"
#include "check/fingerprint.h"
#include "check/rules.h"
#include "event/names.h"

namespace ascsan::check {

/// Catalogue entry for the machine's short rule name; ASC2299 for a name it does not know.
Rule rule_of_violation(const std::string& name);

class ViolationChecker : public Checker {
 public:
  explicit ViolationChecker(const event::SiteTable& sites) : sites_(sites) {}
  void on_event(const event::Event& event) override;
  const char* name() const override { return "violations"; }
  /// Rules of checkers that are off are not reported.
  void set_checkers(CheckerSet checkers) { checkers_ = checkers; }
  std::vector<report::Finding> take_findings() override;
  /// Bytes around the allocation of `tensor` were changed by an access that was not seen.
  void red_zone(const std::string& tensor);
  /// What was not modelled, each once, sorted.
  std::vector<report::Unchecked> take_unchecked();

 private:
  struct Group {
    report::Finding finding;
    std::string text;
    event::CoreId core = 0;
  };
  using Key = std::tuple<std::string, std::string, std::string, uint32_t,
                         std::string>;  ///< kernel, rule name, file, line, function
  void add(const event::Event& event);

  const event::SiteTable& sites_;
  CheckerSet checkers_;
  Fingerprinter fingerprints_;
  event::CoreCounts cores_;
  std::string kernel_;
  uint32_t launches_ended_ = 0;
  bool in_launch_ = false;
  std::map<Key, Group> groups_;
  std::map<std::pair<std::string, std::string>, bool> unchecked_;
};

}  // namespace ascsan::check
