#include "schedule/random.h"

namespace ascsan::schedule {
namespace {

constexpr uint32_t kOctaves = 10;     // slowest actor: 2^-10 of the fastest
constexpr uint32_t kUnit = 1u << 16;  // fraction bits of a weight within its octave
constexpr uint32_t kFullWeight = kUnit << kOctaves;
constexpr int kMaxRejections = 8;  // then the exact choice, which has the same distribution

/// Piecewise linear stand-in for 2^-u, u uniform in [0, kOctaves]: integers only, so equal on every host.
uint32_t draw_weight(base::Rng& rng) {
  const auto octave = static_cast<uint32_t>(rng.below(kOctaves));
  const auto fraction = static_cast<uint32_t>(rng.below(kUnit));
  return (kUnit + fraction) << octave;
}

}  // namespace

void Random::begin(const machine::MachineView& view, uint32_t launch) {
  rng_.reseed(base::derive_seed(seed_, launch));
  weights_.resize(static_cast<size_t>(view.core_count()) * 8);
  for (uint32_t& weight : weights_) weight = draw_weight(rng_);
}

machine::Actor Random::exact(const machine::ReadySet& ready) {
  uint64_t total = 0;
  ready.any([&](machine::Actor actor) {
    total += weight(actor);
    return false;
  });
  uint64_t point = rng_.below(total);
  machine::Actor chosen;
  ready.any([&](machine::Actor actor) {
    chosen = actor;
    if (point < weight(actor)) return true;
    point -= weight(actor);
    return false;
  });
  return chosen;
}

machine::Step Random::next(const machine::MachineView& view) {
  const machine::ReadySet& ready = view.ready();
  const uint32_t count = ready.count();
  machine::Actor actor = ready.nth(0);
  if (count > 1) {
    bool accepted = false;
    for (int tries = 0; !accepted && tries < kMaxRejections; ++tries) {
      actor = ready.nth(static_cast<uint32_t>(rng_.below(count)));
      accepted = rng_.chance(weight(actor), kFullWeight);
    }
    if (!accepted) actor = exact(ready);
  }
  const uint32_t window = actor.pipe == gate::Pipe::kS ? 1 : view.window(actor);
  return {actor, static_cast<uint32_t>(rng_.below(window))};
}

}  // namespace ascsan::schedule
