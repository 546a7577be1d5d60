#include "schedule/in_order.h"

#include <algorithm>

#include "schedule/choose.h"

namespace ascsan::schedule {

void InOrder::begin(const machine::MachineView& view, uint32_t) {
  turns_.assign(static_cast<size_t>(view.core_count()), 0);
  floor_ = 0;
}

machine::Step InOrder::next(const machine::MachineView& view) {
  if (const std::optional<Actor> pipe = first_ready_pipe(view)) return {*pipe, 0};
  std::optional<Actor> choice;
  const auto before = [&](event::CoreId a, event::CoreId b) {
    const uint64_t at = std::max(turns_[a], floor_), bt = std::max(turns_[b], floor_);
    if (at != bt) return at < bt;
    if (view.kind(a) != view.kind(b)) return view.kind(a) == gate::CoreKind::kAiv;
    return a < b;
  };
  view.ready().any([&](Actor actor) {
    if (!choice || before(actor.core, choice->core)) choice = actor;
    return false;
  });
  floor_ = std::max(floor_, turns_[choice->core]);
  turns_[choice->core] = floor_ + 1;
  return {*choice, 0};
}

}  // namespace ascsan::schedule
