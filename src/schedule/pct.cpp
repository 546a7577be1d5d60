#include "schedule/pct.h"

#include <algorithm>

namespace ascsan::schedule {
namespace {

constexpr uint32_t kMinLog = 4, kMaxLog = 20;  // k between 16 and about a million steps
// A polling scalar would keep the highest priority for ever; after this many steps in a row it is demoted. More than
// any straight code takes between two waits, so the guarantee is untouched for programs that do not poll.
constexpr uint64_t kMaxInARow = 20000;

}  // namespace

void Pct::begin(const machine::MachineView& view, uint32_t launch) {
  rng_.reseed(base::derive_seed(seed_, launch));
  priorities_.resize(static_cast<size_t>(view.core_count()) * 8);
  for (size_t i = 0; i < priorities_.size(); ++i) {
    // Fisher-Yates, inside out: a uniform permutation of 1..n.
    const auto j = static_cast<size_t>(rng_.below(i + 1));
    priorities_[i] = priorities_[j];
    priorities_[j] = static_cast<int64_t>(i + 1);
  }
  const uint64_t horizon = uint64_t{1} << (kMinLog + rng_.below(kMaxLog - kMinLog + 1));
  changes_.clear();
  for (uint32_t i = 1; i < depth_; ++i) changes_.push_back(rng_.below(horizon));
  std::sort(changes_.begin(), changes_.end());
  next_change_ = 0;
  lowest_ = 0;
  step_ = 0;
  last_ = {};
  in_a_row_ = 0;
}

machine::Actor Pct::highest(const machine::MachineView& view) {
  machine::Actor best = view.ready().nth(0);
  view.ready().any([&](machine::Actor actor) {
    if (priority(actor) > priority(best)) best = actor;
    return false;
  });
  return best;
}

machine::Step Pct::next(const machine::MachineView& view) {
  machine::Actor actor = highest(view);
  while (next_change_ < changes_.size() && changes_[next_change_] <= step_) {
    priority(actor) = lowest_--;
    ++next_change_;
    actor = highest(view);
  }
  in_a_row_ = actor == last_ ? in_a_row_ + 1 : 0;
  if (in_a_row_ >= kMaxInARow && actor.pipe == gate::Pipe::kS) {
    priority(actor) = lowest_--;
    in_a_row_ = 0;
    actor = highest(view);
  }
  last_ = actor;
  ++step_;
  const uint32_t window = actor.pipe == gate::Pipe::kS ? 1 : view.window(actor);
  return {actor, window > 1 ? static_cast<uint32_t>(rng_.below(window)) : 0};
}

}  // namespace ascsan::schedule
