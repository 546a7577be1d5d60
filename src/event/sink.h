// The only interface the machine knows. A checker, an order, a recorder: all are sinks.
#pragma once

#include "event/event.h"

namespace ascsan::event {

class Execution;

class Sink {
 public:
  virtual ~Sink() = default;
  /// Called once per event, in the order of events. Pointers inside the event are valid during the call only.
  virtual void on_event(const Event& event) = 0;
  /// Whether before_execution() is wanted; asked once per launch.
  virtual bool wants_execution() const { return false; }
  /// Called right before an instruction is carried out, with the event that on_event() gets afterwards.
  virtual void before_execution(const Event&, Execution&) {}
  /// The same for an instruction that finds its data by addresses in memory, before they are used at all. True: they
  /// are arbitrary and the sink has said so; the instruction is not carried out and its bounds are not looked at.
  virtual bool has_arbitrary_addresses(const Event&, Execution&) { return false; }
};

}  // namespace ascsan::event
