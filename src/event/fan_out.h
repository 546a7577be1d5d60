// One stream of events for several sinks, in the order they were added: an order or a checker first, recorders behind it.
#pragma once

#include <vector>

#include "event/sink.h"

namespace ascsan::event {

class FanOut : public Sink {
 public:
  void add(Sink* sink) {
    if (sink != nullptr) sinks_.push_back(sink);
  }
  bool empty() const { return sinks_.empty(); }
  void on_event(const Event& event) override {
    for (Sink* sink : sinks_) sink->on_event(event);
  }

 private:
  std::vector<Sink*> sinks_;
};

}  // namespace ascsan::event
