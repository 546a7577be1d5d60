#include "order/history.h"

namespace ascsan::order {

void History::reset(size_t cores) {
  cores_.resize(cores);
  for (PerCore& core : cores_) {
    core.joins.clear();
    core.signals.clear();
    core.waits.clear();
  }
  releases_.clear();
  next_serial_ = 1;
}

void History::add(const event::Event& event, IssuePoint after_join, uint32_t group) {
  Step step;
  step.kind = event.kind;
  step.op = event.op;
  step.pipe = event.pipe;
  step.other = event.other;
  step.mode = event.mode;
  step.core = event.core;
  step.id = event.id;
  step.site = event.site;
  step.ordinal = event.ordinal;
  step.index = event.index;
  step.issue = {event.scalar_version, event.scalar_index};
  step.program = event.program_index;
  step.group = group;
  PerCore& core = cores_[event.core];
  switch (event.kind) {
    case event::Kind::kCrossSet:
    case event::Kind::kGroupArrive:
    case event::Kind::kSetFlag:
      core.signals.push(step);
      return;
    case event::Kind::kPipeBarrier:
      core.waits.push(step);
      return;
    case event::Kind::kWaitFlag:
      if (event.pipe != gate::Pipe::kS) {
        core.waits.push(step);
        return;
      }
      break;
    default:
      break;
  }
  step.issue = after_join;
  // The parts of one API call (SyncAll: barrier, set, wait) share its site; only the first carries the operation.
  if (step.op == gate::Op::kNop && step.site != 0 && !core.joins.empty() && core.joins.newest().site == step.site)
    step.op = core.joins.newest().op;
  core.joins.push(step);
}

uint32_t History::add_release(const event::Event& event) {
  releases_.push({next_serial_, event.mode, event.id, event.ordinal,
                  std::vector<event::CoreId>(event.members, event.members + event.member_count)});
  return next_serial_++;
}

const Release* History::release(uint32_t serial) const {
  if (serial == 0 || serial >= next_serial_) return nullptr;
  const size_t age = next_serial_ - 1 - serial;
  return age < releases_.size() ? &releases_.newest(age) : nullptr;
}

}  // namespace ascsan::order
