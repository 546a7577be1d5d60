// Races become findings: one cause, one report. Pairs with the same rule, tensor, sites and pipes are one cause, on
// whichever cores and in whichever iteration they appear; the representative is the pair with the smallest launch, byte
// and core numbers, so that it hangs on the schedule as little as possible. Text is in race_text.cpp.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "check/expectations.h"
#include "check/fingerprint.h"
#include "check/objects.h"
#include "check/states.h"
#include "order/order.h"

namespace ascsan::check {

/// A race as it will be told: sides in the order of the report (writer before reader, else program order or place).
struct Told {
  Access first, second;
  Judgement judgement;
  Object object;
  uint64_t begin = 0, end = 0;
  uint32_t launch = 0;
  order::WhyNot why;
  bool backwards = false;  ///< the link is missing from the second side to the first
  std::optional<order::Step> signal;
  bool signal_known = false;
  event::CoreCounts cores;
};

class RaceFindings {
 public:
  RaceFindings(const order::Order& order, const event::SiteTable& sites, const Objects& objects)
      : order_(order), sites_(sites), objects_(objects) {}

  void begin_launch(uint32_t number, const std::string& kernel) {
    launch_ = number;
    expectations_.begin_launch();
    kernel_ = kernel;
  }
  /// Could this race, first seen at byte `begin`, represent its finding? If not, nobody needs its explanation.
  bool wanted(const Access& first, const Access& second, const Judgement& judgement, uint32_t object,
              uint64_t begin) const;
  /// ASCSAN_EXPECT_RACE begins or ends.
  void expect(const event::Event& event) { expectations_.on_event(event, kernel_, launch_); }
  void add(const Pair& pair, const Access& first, const Access& second);
  std::vector<report::Finding> take();

 private:
  /// Names sites by number: equal within a run. Order across runs comes from text (Place).
  using Key = std::tuple<std::string, Rule, std::string, event::SiteId, event::SiteId, gate::Pipe, gate::Pipe>;
  using Rank = std::tuple<uint32_t, uint64_t, uint64_t, event::CoreId, event::CoreId, uint32_t, uint32_t>;
  struct Group {
    Rank rank;
    Told told;
    report::Severity severity = report::Severity::kInfo;
    uint64_t merged = 0;
    bool same_values = true;
    int expectation = Expectations::kNone;
  };
  /// True: report `second` first.
  bool turned(const Access& first, const Access& second, const Judgement& judgement) const;
  Key key(const Access& first, const Access& second, const Judgement& judgement, const Object& object) const;
  /// Races that the kernel expects are a finding of their own, apart from the same race elsewhere.
  std::string object_key(const Access& x, const Access& y, const Judgement& judgement, const Object& object) const;
  void add_unmet(std::vector<report::Finding>& findings);
  Rank rank(const Access& first, const Access& second, const Object& object, uint64_t begin) const;
  report::Finding finding(const std::string& kernel, const Group& group);

  const order::Order& order_;
  const event::SiteTable& sites_;
  const Objects& objects_;
  Fingerprinter fingerprints_;
  Expectations expectations_;
  uint32_t launch_ = 0;
  std::string kernel_;
  std::map<Key, Group> groups_;
};

/// Fills title, detail, accesses, ordering and notes of a finding whose data fields are set (race_text.cpp).
void tell(const Told& told, const event::SiteTable& sites, report::Finding& finding);

}  // namespace ascsan::check
