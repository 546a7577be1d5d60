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
  PerCore& core = cores_[event.core];
  Ring<Step>* ring = &core.joins;
  switch (event.kind) {
    case event::Kind::kCrossSet:
    case event::Kind::kGroupArrive:
    case event::Kind::kSetFlag:
      ring = &core.signals;
      break;
    case event::Kind::kPipeBarrier:
      ring = &core.waits;
      break;
    case event::Kind::kWaitFlag:
      if (event.pipe != gate::Pipe::kS) ring = &core.waits;
      break;
    default:
      break;
  }
  const bool join = ring == &core.joins;
  gate::Op op = event.op;
  // The parts of one API call (SyncAll: barrier, set, wait) share its site; only the first carries the operation.
  if (join && op == gate::Op::kNop && event.site != 0 && !ring->empty() && ring->newest().site == event.site)
    op = ring->newest().op;
  Step& step = ring->push();
  step.kind = event.kind;
  step.op = op;
  step.pipe = event.pipe;
  step.other = event.other;
  step.mode = event.mode;
  step.core = event.core;
  step.id = event.id;
  step.site = event.site;
  step.ordinal = event.ordinal;
  step.index = event.index;
  step.issue = join ? after_join : IssuePoint{event.scalar_version, event.scalar_index};
  step.program = event.program_index;
  step.group = group;
}

uint32_t History::add_release(const event::Event& event) {
  Release& release = releases_.push();
  release.serial = next_serial_;
  release.mode = event.mode;
  release.id = event.id;
  release.ordinal = event.ordinal;
  release.members.assign(event.members, event.members + event.member_count);
  return next_serial_++;
}

const Release* History::release(uint32_t serial) const {
  if (serial == 0 || serial >= next_serial_) return nullptr;
  const size_t age = next_serial_ - 1 - serial;
  return age < releases_.size() ? &releases_.newest(age) : nullptr;
}

}  // namespace ascsan::order
