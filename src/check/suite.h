// All checkers of a run behind one sink: the order first, then each checker, which may ask the order about the event
// that is being handed round. Findings of several launches with the same cause are one finding here.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "check/checkers.h"
#include "event/sink.h"
#include "report/model.h"

namespace ascsan::check {

/// What a launch is checked for.
struct SuiteOptions {
  bool strict_profile = false;  ///< false: the compiler orders some hazards by itself
  bool mte_in_order = false;    ///< transfers of one pipe finish in order
  int poison = -1;              ///< byte that fresh GM holds where nobody has written it, -1 = any
  bool normal_launch = false;   ///< the host says that it starts kernels without batch scheduling
  CheckerSet checkers;
};

class Suite : public event::Sink {
 public:
  explicit Suite(const event::SiteTable& sites);
  ~Suite() override;

  /// Before a launch.
  void configure(const SuiteOptions& options);
  void on_event(const event::Event& event) override;
  bool wants_execution() const override;
  void before_execution(const event::Event& event, event::Execution& execution) override;
  bool has_arbitrary_addresses(const event::Event& event, event::Execution& execution) override;
  /// Bytes outside a GM allocation were found changed when it was freed.
  void red_zone(const std::string& tensor);
  /// Moves what was found into the lists: findings merged by id and sorted, unchecked parts without repeats.
  void take(std::vector<report::Finding>& findings, std::vector<report::Unchecked>& unchecked);
  /// Bytes looked at since the last call.
  uint64_t take_bytes_checked();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Adds `more` to `findings`: equal ids become one with the counts added and the first launch kept.
void merge(std::vector<report::Finding>& findings, std::vector<report::Finding> more);
/// Order of reports: severity, rule, id.
void sort(std::vector<report::Finding>& findings);

}  // namespace ascsan::check
