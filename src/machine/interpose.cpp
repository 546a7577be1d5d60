// What experiments do to a launch (Interposer): cores that end early, barriers the program does not have, calls without
// effect, and the two questions a directed schedule asks. An inserted all-core barrier appears to the order as the soft
// barriers do (arrive/pass, rules R-24..R-26). Left out: what a core that ended did before such a barrier; it is not an
// arrival.
#include "machine/machine.h"

namespace ascsan::machine {
namespace {
struct MeetingPlace {
  const std::vector<std::unique_ptr<Core>>* cores;
  uint32_t number;
};
bool all_have_come(void* context, event::CoreId* peer) {
  const auto& place = *static_cast<const MeetingPlace*>(context);
  for (const auto& core : *place.cores) {
    if (core->done || core->rendezvous >= place.number) continue;
    if (peer != nullptr) *peer = core->id;
    return false;
  }
  return true;
}
}  // namespace

bool Machine::interpose(Core& core, const gate::Request& request) {
  const Interposer::Before wish = interposer_->before(core, request);
  if (wish.rendezvous != 0) rendezvous(core, wish.rendezvous, request.site);
  if (wish.barrier) full_barrier(core, request.site, gate::Op::kPipeBarrier, 0);
  if (!wish.stop) return !wish.drop;
  core.stopped = true;
  for (;;) core.fiber->suspend();  // never resumed: the core counts as done
}

void Machine::rendezvous(Core& core, uint32_t number, const gate::Site& site) {
  full_barrier(core, site, gate::Op::kSyncAll, 0);
  core.rendezvous = number;
  const GroupBarrier& barrier = group(gate::Op::kSyncAll, number, 0);
  group_event(core, event::Kind::kGroupArrive, barrier, 1, {}, site);
  refresh_groups();
  MeetingPlace place{&cores_, number};
  Wait wait;
  wait.reason = Wait::Reason::kGroup;
  wait.op = gate::Op::kSyncAll;
  wait.site = sites_.intern(site);
  wait.passes = all_have_come;
  wait.context = &place;
  block(core, wait);
  std::vector<event::CoreId> members;
  for (const auto& other : cores_)
    if (other->rendezvous >= number) members.push_back(other->id);
  group_event(core, event::Kind::kGroupPass, barrier, 1, members, site);
}

void Machine::refresh_groups() {
  for (const auto& other : cores_)
    if (other->wait.reason == Wait::Reason::kGroup) refresh_scalar(*other);
}

int Machine::slot_of(Actor actor, uint32_t index) const {
  const Core& core = *cores_[actor.core];
  if (actor.pipe == gate::Pipe::kS) return core.pending_access == index ? 0 : -1;
  const PipeQueue& queue = core.pipes[static_cast<size_t>(actor.pipe)];
  if (queue.issued < index) return -1;
  for (size_t slot = 0; slot < queue.size(); ++slot)
    if (queue.at(slot)->kind == Entry::Kind::kInstruction && queue.at(slot)->index == index)
      return static_cast<int>(slot);
  return -1;
}

bool Machine::completed(Actor actor, uint32_t index) const {
  const Core& core = *cores_[actor.core];
  if (actor.pipe == gate::Pipe::kS) return core.scalar_index >= index;
  return core.pipes[static_cast<size_t>(actor.pipe)].issued >= index && slot_of(actor, index) < 0;
}

}  // namespace ascsan::machine
