// A launch in which no core can go on: one finding per kernel and place, with the machine's account of who waits for
// whom.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "check/checker.h"
#include "check/fingerprint.h"
#include "event/names.h"

namespace ascsan::check {

class HangChecker : public Checker {
 public:
  explicit HangChecker(const event::SiteTable& sites) : sites_(sites) {}
  void on_event(const event::Event& event) override;
  const char* name() const override { return "hang"; }
  std::vector<report::Finding> take_findings() override;

 private:
  void add(const event::Event& event);
  const event::SiteTable& sites_;
  Fingerprinter fingerprints_;
  event::CoreCounts cores_;
  std::string kernel_;
  uint32_t launches_ended_ = 0;
  std::map<std::tuple<std::string, std::string, uint32_t, std::string>, report::Finding>
      findings_;                        ///< kernel and place
  report::Finding* stalled_ = nullptr;  ///< of the launch that runs
};

}  // namespace ascsan::check
