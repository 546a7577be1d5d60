// What a checker is: a sink that turns events into findings. Checkers know events and the order, never the machine.
// The fan-out must hand every event to order::Order first and to the checkers after it: a checker that asks for
// happens-before uses Order::start_clock() of the very event it is handling.
#pragma once

#include <vector>

#include "event/sink.h"
#include "report/model.h"

namespace ascsan::check {

class Checker : public event::Sink {
 public:
  virtual const char* name() const = 0;
  /// Findings so far, in an order that depends on the program only; the checker forgets them.
  virtual std::vector<report::Finding> take_findings() = 0;
};

}  // namespace ascsan::check
