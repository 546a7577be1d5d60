// Choices the deterministic schedules share: which scalar program, which pipe. They look only at the MachineView.
// Left out: anything random.
#pragma once

#include <optional>

#include "machine/scheduler.h"

namespace ascsan::schedule {

using machine::Actor;
using machine::MachineView;
using machine::Step;

/// First ready scalar program in the order core, core + 1, ..., wrapping around.
std::optional<Actor> ready_scalar_from(const MachineView& view, event::CoreId core);

/// Ready scalar program of the lowest AIV, else of the lowest AIC.
std::optional<Actor> ready_scalar_aiv_first(const MachineView& view);

/// First ready pipe in the order of cores and pipes.
std::optional<Actor> first_ready_pipe(const MachineView& view);

/// Ready pipe of the first core from `core` on (wrapping around); within a core the one that is farthest down the usual
/// flow of data (MTE3, FIX, V, M, MTE1, MTE2), so that a missing flag lets the consumer run before its producer.
std::optional<Actor> last_stage_from(const MachineView& view, event::CoreId core);

/// The ready actor at the end of the chain of blockers that starts at `actor`; nothing if the chain is a circle.
std::optional<Actor> unblocks(const MachineView& view, Actor actor);

}  // namespace ascsan::schedule
