// Order and race checker behind a hand-written stream, and the questions tests ask of the findings.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>

#include "check/race.h"
#include "support/stream.h"

namespace ascsan::test {

class Checked : public event::Sink {
 public:
  explicit Checked(check::RaceOptions options = {}) : race(order, sites, options), stream(*this, sites) {}
  void on_event(const event::Event& event) override {
    order.on_event(event);
    race.on_event(event);
  }
  event::SiteTable sites;
  order::Order order;
  check::RaceChecker race;
  Stream stream;
};

using Scenario = std::function<void(Stream&)>;

inline check::RaceOptions strict() {
  check::RaceOptions options;
  options.profile = check::Profile::kStrict;
  return options;
}

inline std::vector<report::Finding> findings_of(const Scenario& scenario, check::RaceOptions options = {}) {
  Checked checked(options);
  scenario(checked.stream);
  checked.stream.end();
  return checked.race.take_findings();
}

inline std::string text_of(const std::vector<report::Finding>& findings) {
  std::string text;
  for (const report::Finding& finding : findings)
    text += finding.rule + " " + finding.title + " (lines " + std::to_string(finding.accesses.at(0).line) + ", " +
            std::to_string(finding.accesses.at(1).line) + ")\n";
  return text;
}

inline void expect_clean(const Scenario& scenario, check::RaceOptions options = {}) {
  const auto findings = findings_of(scenario, options);
  EXPECT_TRUE(findings.empty()) << text_of(findings);
}

/// Exactly one finding: this rule, first access at `first_line`, second at `second_line`.
inline report::Finding expect_one(const Scenario& scenario, const char* rule, uint32_t first_line, uint32_t second_line,
                                  check::RaceOptions options = {},
                                  report::Severity severity = report::Severity::kError) {
  const auto findings = findings_of(scenario, options);
  EXPECT_EQ(findings.size(), 1u) << text_of(findings);
  if (findings.size() != 1) return {};
  EXPECT_EQ(findings[0].rule, rule) << text_of(findings);
  EXPECT_EQ(findings[0].accesses.at(0).line, first_line) << text_of(findings);
  EXPECT_EQ(findings[0].accesses.at(1).line, second_line) << text_of(findings);
  EXPECT_EQ(static_cast<int>(findings[0].severity), static_cast<int>(severity)) << text_of(findings);
  return findings[0];
}

}  // namespace ascsan::test
