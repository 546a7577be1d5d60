// the n-th wait on (core, source, destination, id) matches the n-th set on the same key, and orders what follows
// on the destination pipe after the set. Near misses: other id, other destination, other direction.
#include "litmus.h"

namespace litmus {

// ascsan: kernel=r7_flag cores=1 type=aiv expect=clean rule=R-7 schedules=1 outcomes=1
LITMUS(r7_flag, aiv, 1) {
  DataCopy(ub(0), x, 64);
  SetFlag<HardEvent::MTE2_V>(0);
  WaitFlag<HardEvent::MTE2_V>(0);
  Adds(ub(256), ub(0), 1.0f, 64);
}

// ascsan: kernel=r7_no_flag cores=1 type=aiv rule=R-7 schedules=2 outcomes=1
// ascsan:   expect=ASC1201 tensor=UB+0x0 writer=@load reader=@add missing="MTE2 -> V"
LITMUS(r7_no_flag, aiv, 1) {
  DataCopy(ub(0), x, 64);          // @load
  Adds(ub(256), ub(0), 1.0f, 64);  // @add
}

// ascsan: kernel=r7_wrong_destination cores=1 type=aiv rule=R-7 schedules=2 outcomes=1
// ascsan:   expect=ASC1201 tensor=UB+0x0 writer=@load reader=@add missing="MTE2 -> V"
LITMUS(r7_wrong_destination, aiv, 1) {
  DataCopy(ub(0), x, 64);  // @load
  SetFlag<HardEvent::MTE2_MTE3>(0);
  WaitFlag<HardEvent::MTE2_MTE3>(0);
  Adds(ub(256), ub(0), 1.0f, 64);  // @add
}

// ascsan: kernel=r7_wrong_id cores=1 type=aiv rule=R-7 schedules=3 outcomes=1
// ascsan:   expect=ASC1201 tensor=UB+0x100 writer=@load reader=@add missing="MTE2 -> V"
LITMUS(r7_wrong_id, aiv, 1) {
  DataCopy(ub(0), x, 64);
  SetFlag<HardEvent::MTE2_V>(0);
  DataCopy(ub(256), y, 64);  // @load
  SetFlag<HardEvent::MTE2_V>(1);
  WaitFlag<HardEvent::MTE2_V>(0);
  Adds(ub(512), ub(256), 1.0f, 64);  // @add
  WaitFlag<HardEvent::MTE2_V>(1);
}

// ascsan: kernel=r7_other_id cores=1 type=aiv expect=clean rule=R-7 schedules=1 outcomes=1
LITMUS(r7_other_id, aiv, 1) {
  DataCopy(ub(0), x, 64);
  SetFlag<HardEvent::MTE2_V>(5);
  WaitFlag<HardEvent::MTE2_V>(5);
  Adds(ub(256), ub(0), 1.0f, 64);
}

// ascsan: kernel=r7_wrong_direction cores=1 type=aiv rule=R-7 schedules=2 outcomes=1
// ascsan:   expect=ASC1201 tensor=UB+0x0 writer=@load reader=@add missing="MTE2 -> V"
LITMUS(r7_wrong_direction, aiv, 1) {
  DataCopy(ub(0), x, 64);  // @load
  SetFlag<HardEvent::V_MTE2>(0);
  WaitFlag<HardEvent::V_MTE2>(0);
  Adds(ub(256), ub(0), 1.0f, 64);  // @add
}

// ascsan: kernel=r7_wait_too_late cores=1 type=aiv rule=R-7 schedules=2 outcomes=1
// ascsan:   expect=ASC1201 tensor=UB+0x0 writer=@load reader=@add missing="MTE2 -> V"
LITMUS(r7_wait_too_late, aiv, 1) {
  DataCopy(ub(0), x, 64);  // @load
  SetFlag<HardEvent::MTE2_V>(0);
  Adds(ub(256), ub(0), 1.0f, 64);  // @add
  WaitFlag<HardEvent::MTE2_V>(0);
}

// ascsan: kernel=r7_rounds cores=1 type=aiv expect=clean rule=R-7 schedules=1 outcomes=1
LITMUS(r7_rounds, aiv, 1) {
  for (int turn = 0; turn < 3; ++turn) {
    if (turn > 0) WaitFlag<HardEvent::V_MTE2>(0);
    DataCopy(ub(0), x[turn * 64], 64);
    SetFlag<HardEvent::MTE2_V>(0);
    WaitFlag<HardEvent::MTE2_V>(0);
    Adds(ub(256), ub(0), 1.0f, 64);
    if (turn < 2) SetFlag<HardEvent::V_MTE2>(0);
  }
}

// ascsan: kernel=r7_rounds_one_way cores=1 type=aiv rule=R-7 schedules=15 outcomes=1
// ascsan:   expect=ASC1202 tensor=UB+0x0 reader=@add writer=@load missing="V -> MTE2"
// ascsan:   expect=ASC1301 tensor=UB+0x0 writer=@load writer=@load missing="MTE2 -> MTE2"
LITMUS(r7_rounds_one_way, aiv, 1) {
  for (int turn = 0; turn < 3; ++turn) {
    DataCopy(ub(0), x[turn * 64], 64);  // @load
    SetFlag<HardEvent::MTE2_V>(0);
    WaitFlag<HardEvent::MTE2_V>(0);
    Adds(ub(256), ub(0), 1.0f, 64);  // @add
  }
}

// The first wait takes the first set: the second tile is not covered by it.
// ascsan: kernel=r7_first_wait_takes_first_set cores=1 type=aiv rule=R-7 schedules=3 outcomes=1
// ascsan:   expect=ASC1201 tensor=UB+0x100 writer=@load reader=@add missing="MTE2 -> V"
LITMUS(r7_first_wait_takes_first_set, aiv, 1) {
  DataCopy(ub(0), x, 64);
  SetFlag<HardEvent::MTE2_V>(0);
  WaitFlag<HardEvent::MTE2_V>(0);
  DataCopy(ub(256), y, 64);          // @load
  Adds(ub(512), ub(256), 1.0f, 64);  // @add
  SetFlag<HardEvent::MTE2_V>(0);
  WaitFlag<HardEvent::MTE2_V>(0);
}

// A flag that is waited for and never set.
// ascsan: kernel=r7_wait_without_set cores=1 type=aiv rule=R-7 expect=ASC5001 waiter=@wait
LITMUS(r7_wait_without_set, aiv, 1) {
  DataCopy(ub(0), x, 64);
  WaitFlag<HardEvent::MTE2_S>(0);  // @wait
  Adds(ub(256), ub(0), 1.0f, 64);
}

// ascsan: kernel=r7_flags_of_cores_are_apart cores=2 type=aiv rule=R-7 expect=ASC5001 waiter=@wait
LITMUS(r7_flags_of_cores_are_apart, aiv, 2) {
  if (me(0)) {
    DataCopy(ub(0), x, 64);
    SetFlag<HardEvent::MTE2_S>(0);
    WaitFlag<HardEvent::MTE2_S>(0);
  } else {
    WaitFlag<HardEvent::MTE2_S>(0);  // @wait
  }
}

// The pipe that stands at the flag nobody sets is named, not the barrier the core waits in and not the pipes behind it.
// ascsan: kernel=r7_stuck_pipe_is_named cores=1 type=aiv rule=R-7 expect=ASC5001 waiter=@wait
LITMUS(r7_stuck_pipe_is_named, aiv, 1) {
  DataCopy(ub(0), x, 64);
  WaitFlag<HardEvent::MTE2_V>(3);  // @wait
  Adds(ub(256), ub(0), 1.0f, 64);
  SetFlag<HardEvent::V_MTE2>(4);
  WaitFlag<HardEvent::V_MTE2>(4);
  DataCopy(ub(0), x[64], 64);
  PipeBarrier<PIPE_ALL>();
}

// Two pipes that wait for each other: each set is queued behind the other wait. The first wait of the program is named.
// ascsan: kernel=r7_ring_of_flags cores=1 type=aiv rule=R-7 expect=ASC5001 waiter=@wait
LITMUS(r7_ring_of_flags, aiv, 1) {
  WaitFlag<HardEvent::V_MTE2>(4);  // @wait
  DataCopy(ub(0), x, 64);
  SetFlag<HardEvent::MTE2_V>(3);
  WaitFlag<HardEvent::MTE2_V>(3);
  Adds(ub(256), ub(0), 1.0f, 64);
  SetFlag<HardEvent::V_MTE2>(4);
  PipeBarrier<PIPE_ALL>();
}

}  // namespace litmus
