// Annotations of kernels (include/ascsan/annotate.h). Acquire and release appear to the order as arrivals and passes of
// a barrier object per address (like the soft barriers, soft_sync.cpp): an acquire joins the newest release of every
// core that has released the address. Expectations go to the race checker as they are.
#include "machine/machine.h"

namespace ascsan::machine {

void Machine::annotate(Core& core, const gate::Request& request) {
  const gate::FrameParams& frame = request.params.frame;
  if (request.op == gate::Op::kAnnotateExpect) {
    event::Event event = make_event(event::Kind::kExpect, core, gate::Pipe::kS, sites_.intern(request.site));
    event.op = request.op;
    event.mode = frame.mode;
    event.value[0] = frame.value[1];
    const auto* reason = reinterpret_cast<const char*>(frame.value[2]);
    event.text = reason != nullptr ? reason : "";
    emit(event);
    return;
  }
  GroupBarrier& object = group(gate::Op::kAnnotateRelease, frame.value[0], 0);
  if (request.op == gate::Op::kAnnotateRelease) {
    object.calls[core.id] = ++object.sets;
    event::Event event = make_event(event::Kind::kGroupArrive, core, gate::Pipe::kS, sites_.intern(request.site));
    event.op = request.op;
    event.id = static_cast<int16_t>(object.id);
    event.ordinal = object.sets;
    event.index = core.scalar_index;
    event.value[0] = frame.value[0];
    emit(event);
    return;
  }
  GroupBarrier acquired = object;
  acquired.kind = gate::Op::kAnnotateAcquire;
  for (event::CoreId other = 0; other < cores_.size(); ++other)
    if (object.calls[other] != 0 && other != core.id)
      group_event(core, event::Kind::kGroupPass, acquired, object.calls[other], {other}, request.site);
}

}  // namespace ascsan::machine
