#include "run/what_if.h"

#include "report/function_name.h"
#include "run/lab.h"

namespace ascsan::run {

machine::Interposer::Before WhatIf::before(const machine::Core& core, const gate::Request&) {
  Before wish;
  if (!needs_place() || stages_ == nullptr) return wish;
  const Stages::Place place = stages_->here(core);
  const auto& stages = stages_->all();
  if (change_.stop_after >= 0 && place.position > stages[static_cast<size_t>(change_.stop_after)].last_line)
    wish.stop = true;
  if (change_.meet_before >= 0 && core.rendezvous == 0 &&
      place.position >= stages[static_cast<size_t>(change_.meet_before)].first_line)
    wish.rendezvous = 1;
  if (change_.mute_after >= 0 && place.position > stages[static_cast<size_t>(change_.mute_after)].last_line &&
      behind_.count(core.id) == 0) {
    auto& issued = behind_[core.id];
    for (size_t pipe = 0; pipe < issued.size(); ++pipe) issued[pipe] = core.pipes[pipe].issued;
    issued[static_cast<size_t>(gate::Pipe::kS)] = core.scalar_index;
  }
  if (change_.barrier.empty()) return wish;
  for (const report::Frame& frame : *place.frames)
    wish.barrier = wish.barrier || report::short_function(frame.function) == change_.barrier;
  return wish;
}

bool WhatIf::mutes(const machine::Core& core, gate::Pipe pipe, uint32_t index, const machine::Footprint& footprint) {
  if (change_.muted.empty()) return false;
  if (change_.mute_after >= 0) {
    const auto behind = behind_.find(core.id);
    if (behind == behind_.end() || index <= behind->second[static_cast<size_t>(pipe)]) return false;
  }
  for (const event::Access& access : footprint.accesses()) {
    if (access.space != gate::Space::kGm || !event::writes(access.role) || access.span_count == 0) continue;
    const machine::Tensor* tensor = memory_.find(footprint.spans()[access.first_span].begin);
    if (tensor == nullptr) continue;
    for (const std::string& pattern : change_.muted)
      if (matches(pattern, machine::GlobalMemory::describe(*tensor))) return ++muted_, true;
  }
  return false;
}

}  // namespace ascsan::run
