#include "schedule/in_order.h"

#include "schedule/choose.h"

namespace ascsan::schedule {

void InOrder::begin(const machine::MachineView&, uint32_t) {
  last_.reset();
  running_.reset();
}

machine::Step InOrder::next(const machine::MachineView& view) {
  std::optional<Actor> choice = first_ready_pipe(view);
  if (!choice && running_) {
    const Actor current{*running_, gate::Pipe::kS};
    // A scalar that came back still ready is polling a word: the others must get on, or it polls for ever.
    const bool polling = last_ == current;
    if (polling)
      choice = ready_scalar_from(view, static_cast<event::CoreId>(*running_ + 1));
    else if (view.ready().test(current))
      choice = current;
  }
  if (!choice) choice = ready_scalar_aiv_first(view);
  if (!choice) choice = view.ready().nth(0);
  if (choice->pipe == gate::Pipe::kS) running_ = choice->core;
  last_ = choice;
  return {*choice, 0};
}

}  // namespace ascsan::schedule
