#include "schedule/directed.h"

#include <algorithm>

namespace ascsan::schedule {
namespace {

using machine::Actor;
using machine::MachineView;
using machine::ReadySet;
using machine::Step;

// A core that polls a word which the held store would change is always ready: the hold is given up after this many
// steps.
constexpr uint64_t kPatience = 4'000'000;

}  // namespace

/// The machine without the actors that are held right now.
class Directed::Narrowed : public MachineView {
 public:
  Narrowed(const MachineView& view, const std::vector<Hold>& holds) : view_(view), holds_(holds), ready_(view.ready()) {
    for (const Hold& hold : holds)
      if (view.slot_of(hold.held.actor, hold.held.index) == 0) ready_.set(hold.held.actor, false);
  }
  int core_count() const override { return view_.core_count(); }
  gate::CoreKind kind(event::CoreId core) const override { return view_.kind(core); }
  const ReadySet& ready() const override { return ready_; }
  uint32_t window(Actor pipe) const override {
    uint32_t window = view_.window(pipe);
    for (const Hold& hold : holds_) {
      if (hold.held.actor != pipe) continue;
      const int slot = view_.slot_of(pipe, hold.held.index);
      if (slot > 0) window = std::min(window, static_cast<uint32_t>(slot));
    }
    return window;
  }
  bool has_work(Actor actor) const override { return view_.has_work(actor); }
  Actor blocker(Actor actor) const override { return view_.blocker(actor); }
  int slot_of(Actor actor, uint32_t index) const override { return view_.slot_of(actor, index); }
  bool completed(Actor actor, uint32_t index) const override { return view_.completed(actor, index); }

 private:
  const MachineView& view_;
  const std::vector<Hold>& holds_;
  ReadySet ready_;
};

Directed::Directed(std::unique_ptr<machine::Scheduler> base, std::vector<Hold> holds)
    : base_(std::move(base)), holds_(std::move(holds)) {}

void Directed::begin(const MachineView& view, uint32_t launch) {
  base_->begin(view, launch);
  active_ = holds_;
  kept_ = 0;
  stuck_steps_ = 0;
}

bool Directed::stops_before(event::CoreId core, uint32_t index) const {
  return std::any_of(active_.begin(), active_.end(), [&](const Hold& hold) {
    return hold.held.actor == Actor{core, gate::Pipe::kS} && hold.held.index == index;
  });
}

/// Drops the holds that are fulfilled; true when one keeps something back now.
bool Directed::settle(const MachineView& view) {
  bool keeps = false;
  std::erase_if(active_, [&](const Hold& hold) {
    if (view.completed(hold.until.actor, hold.until.index)) {
      if (!view.completed(hold.held.actor, hold.held.index)) ++kept_;
      return true;
    }
    keeps = keeps || view.slot_of(hold.held.actor, hold.held.index) >= 0;
    return false;
  });
  return keeps;
}

/// Nothing but held pipes can go on: a transfer behind the held one passes it, the wanted one if it can; else the holds
/// are given up.
Step Directed::overtake(const MachineView& view) {
  for (const Hold& hold : active_) {
    const Actor actor = hold.held.actor;
    if (!view.ready().test(actor) || actor.pipe == gate::Pipe::kS || view.window(actor) < 2) continue;
    const int wanted = hold.until.actor == actor ? view.slot_of(actor, hold.until.index) : -1;
    const bool in_window = wanted > 0 && static_cast<uint32_t>(wanted) < view.window(actor);
    const uint32_t slot = in_window ? static_cast<uint32_t>(wanted) : 1;
    const bool free = std::none_of(active_.begin(), active_.end(), [&](const Hold& other) {
      return other.held.actor == actor && view.slot_of(actor, other.held.index) == static_cast<int>(slot);
    });
    if (free) return {actor, slot};
  }
  active_.clear();
  return base_->next(view);
}

Step Directed::next(const MachineView& view) {
  if (active_.empty() || !settle(view)) return base_->next(view);
  if (++stuck_steps_ > kPatience) {
    active_.clear();
    return base_->next(view);
  }
  const Narrowed narrowed(view, active_);
  return narrowed.ready().empty() ? overtake(view) : base_->next(narrowed);
}

}  // namespace ascsan::schedule
