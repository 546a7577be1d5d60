// Findings about the use of flags, queues, cross-core flags and cache lines: a rule, a few places with their roles, and
// words. One cause, one finding: same rule at the same places is merged, whatever the core, the round or the launch;
// the text of the smallest launch and core stands, so that the schedule does not choose it. Races have their own
// (race_findings.h).
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "check/fingerprint.h"
#include "check/place.h"
#include "check/rules.h"
#include "event/names.h"

namespace ascsan::check {

struct Usage {
  Rule rule{};
  std::string title, detail;
  std::vector<Place> places;  ///< first: where the reader should look
  std::vector<std::string> notes;
  std::string object;  ///< tensor or buffer, for the fingerprint and the report
  std::string space;
  uint64_t begin = 0, end = 0;  ///< bytes of the object, end 0 = none
};

class UsageFindings {
 public:
  explicit UsageFindings(const event::SiteTable& sites) : sites_(sites) {}

  /// LaunchBegin and LaunchEnd; a launch that begins again before it ended is one launch.
  void on_event(const event::Event& event);
  const event::CoreCounts& cores() const { return cores_; }
  void add(const Usage& usage);
  void add(const Usage& usage, report::Severity severity);
  std::vector<report::Finding> take();

  /// "AIV 3".
  std::string name(event::CoreId core) const { return cores_.name(core); }
  /// "kernel.cpp:12" without folders (the places themselves have them), or "an unknown place".
  std::string where(event::SiteId site) const;

 private:
  using Key = std::tuple<std::string, Rule, std::string, std::vector<std::tuple<std::string, uint32_t, std::string>>>;
  struct Group {
    report::Finding finding;
    event::CoreId core = 0;
  };

  const event::SiteTable& sites_;
  Fingerprinter fingerprints_;
  event::CoreCounts cores_;
  std::string kernel_;
  uint32_t launches_ended_ = 0;
  std::map<Key, Group> groups_;
};

}  // namespace ascsan::check
