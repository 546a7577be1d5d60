// SetFlag fires after (a) every earlier instruction of its pipe, (b) every earlier wait of its pipe, (c) its own
// issue. It does not order later instructions of its pipe.
#include "litmus.h"

namespace litmus {

// ascsan: kernel=r6a_all_earlier cores=1 type=aiv expect=clean rule=R-6 schedules=2 outcomes=1
LITMUS(r6a_all_earlier, aiv, 1) {
  DataCopy(ub(0), x, 64);
  DataCopy(ub(256), y, 64);
  SetFlag<HardEvent::MTE2_V>(0);
  WaitFlag<HardEvent::MTE2_V>(0);
  Add(ub(512), ub(0), ub(256), 64);
}

// ascsan: kernel=r6a_set_before_load cores=1 type=aiv rule=R-6 schedules=3 outcomes=1
// ascsan:   expect=ASC1201 tensor=UB+0x100 writer=@load reader=@add missing="MTE2 -> V"
LITMUS(r6a_set_before_load, aiv, 1) {
  DataCopy(ub(0), x, 64);
  SetFlag<HardEvent::MTE2_V>(0);
  DataCopy(ub(256), y, 64);  // @load
  WaitFlag<HardEvent::MTE2_V>(0);
  Add(ub(512), ub(0), ub(256), 64);  // @add
}

// The wait on V carries the load on to MTE3 although V did nothing with it.
// ascsan: kernel=r6b_wait_then_set cores=1 type=aiv expect=clean rule=R-6 schedules=1 outcomes=1
LITMUS(r6b_wait_then_set, aiv, 1) {
  prepare();
  DataCopy(ub(0), x, 64);
  SetFlag<HardEvent::MTE2_V>(0);
  WaitFlag<HardEvent::MTE2_V>(0);
  SetFlag<HardEvent::V_MTE3>(0);
  WaitFlag<HardEvent::V_MTE3>(0);
  DataCopy(y, ub(0), 64);
}

// ascsan: kernel=r6b_set_then_wait cores=1 type=aiv rule=R-6 schedules=2 outcomes=2
// ascsan:   expect=ASC1201 tensor=UB+0x0 writer=@load reader=@store missing="MTE2 -> MTE3"
LITMUS(r6b_set_then_wait, aiv, 1) {
  prepare();
  DataCopy(ub(0), x, 64);  // @load
  SetFlag<HardEvent::MTE2_V>(0);
  SetFlag<HardEvent::V_MTE3>(0);
  WaitFlag<HardEvent::MTE2_V>(0);
  WaitFlag<HardEvent::V_MTE3>(0);
  DataCopy(y, ub(0), 64);  // @store
}

// ascsan: kernel=r6b_wait_on_another_pipe cores=1 type=aiv rule=R-6 schedules=3 outcomes=2
// ascsan:   expect=ASC1201 tensor=UB+0x0 writer=@load reader=@store missing="MTE2 -> MTE3"
LITMUS(r6b_wait_on_another_pipe, aiv, 1) {
  prepare();
  DataCopy(ub(0), x, 64);  // @load
  Duplicate(ub(256), 1.0f, 64);
  SetFlag<HardEvent::V_MTE3>(0);
  WaitFlag<HardEvent::V_MTE3>(0);
  DataCopy(y, ub(0), 64);  // @store
}

// A set that is issued after the scalar has waited knows what the scalar knows.
// ascsan: kernel=r6c_issued_after_scalar_wait cores=1 type=aiv expect=clean rule=R-6 profile=strict
// ascsan:   schedules=1 outcomes=1
LITMUS(r6c_issued_after_scalar_wait, aiv, 1) {
  prepare();
  DataCopy(ub(0), x, 64);
  SetFlag<HardEvent::MTE2_S>(0);
  WaitFlag<HardEvent::MTE2_S>(0);
  SetFlag<HardEvent::V_MTE3>(0);
  WaitFlag<HardEvent::V_MTE3>(0);
  DataCopy(y, ub(0), 64);
}

// ascsan: kernel=r6_set_is_no_barrier cores=1 type=aiv rule=R-6 schedules=2 outcomes=1
// ascsan:   expect=ASC1301 tensor=UB+0x0 writer=@first writer=@second missing="MTE2 -> MTE2"
LITMUS(r6_set_is_no_barrier, aiv, 1) {
  DataCopy(ub(0), x, 64);  // @first
  SetFlag<HardEvent::MTE2_V>(0);
  DataCopy(ub(0), y, 64);  // @second
  WaitFlag<HardEvent::MTE2_V>(0);
}

// There and back is one: the second load starts after V, which starts after the first load.
// ascsan: kernel=r6_round_trip cores=1 type=aiv expect=clean rule=R-6 schedules=1 outcomes=1
LITMUS(r6_round_trip, aiv, 1) {
  DataCopy(ub(0), x, 64);
  SetFlag<HardEvent::MTE2_V>(0);
  WaitFlag<HardEvent::MTE2_V>(0);
  SetFlag<HardEvent::V_MTE2>(0);
  WaitFlag<HardEvent::V_MTE2>(0);
  DataCopy(ub(0), y, 64);
}

// ascsan: kernel=r6_two_consumers cores=1 type=aiv expect=clean rule=R-6 schedules=2 outcomes=1
LITMUS(r6_two_consumers, aiv, 1) {
  prepare();
  DataCopy(ub(0), x, 64);
  SetFlag<HardEvent::MTE2_V>(0);
  SetFlag<HardEvent::MTE2_MTE3>(0);
  WaitFlag<HardEvent::MTE2_V>(0);
  WaitFlag<HardEvent::MTE2_MTE3>(0);
  Adds(ub(256), ub(0), 1.0f, 64);
  DataCopy(y, ub(0), 64);
}

}  // namespace litmus
