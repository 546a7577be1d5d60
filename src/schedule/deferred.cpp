#include "schedule/deferred.h"

#include "schedule/choose.h"

namespace ascsan::schedule {
namespace {

// A scalar that polls a word some queued store will change is always ready; without a limit it would poll for ever. The
// first limit is far above what straight code issues between two waits; once polling is seen the next limits are small.
constexpr uint64_t kFirstPatience = 4096;
constexpr uint64_t kPollingPatience = 8;

}  // namespace

void Deferred::begin(const machine::MachineView&, uint32_t) {
  next_core_ = drain_core_ = served_core_ = 0;
  scalar_steps_ = 0;
  patience_ = kFirstPatience;
}

machine::Step Deferred::next(const machine::MachineView& view) {
  const std::optional<Actor> scalar = ready_scalar_from(view, next_core_);
  const bool out_of_patience = scalar_steps_ >= patience_ * static_cast<uint64_t>(view.core_count());
  if (scalar && !(out_of_patience && first_ready_pipe(view))) {
    next_core_ = static_cast<event::CoreId>((scalar->core + 1) % view.core_count());
    ++scalar_steps_;
    return {*scalar, 0};
  }
  patience_ = scalar ? kPollingPatience : kFirstPatience;
  scalar_steps_ = 0;
  return {needed(view), 0};
}

machine::Actor Deferred::needed(const machine::MachineView& view) {
  // One scalar is served until it goes on: what only the others need stays in flight meanwhile.
  for (int i = 0; i < view.core_count(); ++i) {
    const auto core = static_cast<event::CoreId>((served_core_ + i) % view.core_count());
    const Actor scalar{core, gate::Pipe::kS};
    if (!view.has_work(scalar) || view.ready().test(scalar)) continue;
    const std::optional<Actor> found = unblocks(view, scalar);
    if (!found || found->pipe == gate::Pipe::kS) continue;
    served_core_ = core;
    return *found;
  }
  const std::optional<Actor> rest = last_stage_from(view, drain_core_);
  if (!rest) return view.ready().nth(0);
  drain_core_ = static_cast<event::CoreId>((rest->core + 1) % view.core_count());
  return *rest;
}

}  // namespace ascsan::schedule
