#include "schedule/choose.h"

namespace ascsan::schedule {
namespace {

event::CoreId wrapped(const MachineView& view, size_t core) {
  return static_cast<event::CoreId>(core % static_cast<size_t>(view.core_count()));
}

}  // namespace

std::optional<Actor> ready_scalar_from(const MachineView& view, event::CoreId core) {
  const std::optional<Actor> ahead = view.ready().next_scalar(core);
  return ahead ? ahead : view.ready().next_scalar(0);
}

std::optional<Actor> ready_scalar_aiv_first(const MachineView& view) {
  for (const gate::CoreKind kind : {gate::CoreKind::kAiv, gate::CoreKind::kAic})
    for (int core = 0; core < view.core_count(); ++core) {
      const Actor actor{static_cast<event::CoreId>(core), gate::Pipe::kS};
      if (view.kind(actor.core) == kind && view.ready().test(actor)) return actor;
    }
  return std::nullopt;
}

std::optional<Actor> first_ready_pipe(const MachineView& view) {
  std::optional<Actor> found;
  view.ready().any([&](Actor actor) {
    if (actor.pipe == gate::Pipe::kS) return false;
    found = actor;
    return true;
  });
  return found;
}

std::optional<Actor> last_stage_from(const MachineView& view, event::CoreId core) {
  constexpr gate::Pipe kConsumersFirst[] = {gate::Pipe::kMte3, gate::Pipe::kFix,  gate::Pipe::kV,
                                            gate::Pipe::kM,    gate::Pipe::kMte1, gate::Pipe::kMte2};
  for (int i = 0; i < view.core_count(); ++i)
    for (const gate::Pipe pipe : kConsumersFirst) {
      const Actor actor{wrapped(view, core + static_cast<size_t>(i)), pipe};
      if (view.ready().test(actor)) return actor;
    }
  return std::nullopt;
}

std::optional<Actor> unblocks(const MachineView& view, Actor actor) {
  machine::ReadySet seen;
  seen.resize(view.core_count());
  while (!seen.test(actor)) {
    if (view.ready().test(actor)) return actor;
    seen.set(actor, true);
    actor = view.blocker(actor);
  }
  return std::nullopt;  // the chain closed without meeting an actor that can go on
}

}  // namespace ascsan::schedule
