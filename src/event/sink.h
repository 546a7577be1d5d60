// The only interface the machine knows. A checker, an order, a recorder: all are sinks.
#pragma once

#include "event/event.h"

namespace ascsan::event {

class Sink {
 public:
  virtual ~Sink() = default;
  /// Called once per event, in the order of events. Pointers inside the event are valid during the call only.
  virtual void on_event(const Event& event) = 0;
};

}  // namespace ascsan::event
