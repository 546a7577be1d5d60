// One stream of events for several sinks, in the order they were added: an order or a checker first, recorders behind
// it.
#pragma once

#include <algorithm>
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
  bool wants_execution() const override {
    return std::any_of(sinks_.begin(), sinks_.end(), [](const Sink* sink) { return sink->wants_execution(); });
  }
  void before_execution(const Event& event, Execution& execution) override {
    for (Sink* sink : sinks_)
      if (sink->wants_execution()) sink->before_execution(event, execution);
  }
  bool has_arbitrary_addresses(const Event& event, Execution& execution) override {
    bool arbitrary = false;
    for (Sink* sink : sinks_)
      if (sink->wants_execution()) arbitrary = sink->has_arbitrary_addresses(event, execution) || arbitrary;
    return arbitrary;
  }

 private:
  std::vector<Sink*> sinks_;
};

}  // namespace ascsan::event
