// R-4 PipeBarrier of one pipe, R-5 PIPE_ALL. Near misses: barrier of another pipe, barrier on the wrong side.
#include "litmus.h"

namespace litmus {

// ascsan: kernel=r4_mte2 cores=1 type=aiv expect=clean rule=R-4 schedules=1 outcomes=1
LITMUS(r4_mte2, aiv, 1) {
  DataCopy(ub(0), x, 64);
  PipeBarrier<PIPE_MTE2>();
  DataCopy(ub(128), y, 64);
}

// ascsan: kernel=r4_mte2_none cores=1 type=aiv rule=R-4 schedules=2 outcomes=1
// ascsan:   expect=ASC1301 tensor=UB+0x0 writer=@first writer=@second missing="MTE2 -> MTE2"
LITMUS(r4_mte2_none, aiv, 1) {
  DataCopy(ub(0), x, 64);  // @first
  DataCopy(ub(0), y, 64);  // @second
}

// ascsan: kernel=r4_mte2_other_pipe cores=1 type=aiv rule=R-4 schedules=2 outcomes=1
// ascsan:   expect=ASC1301 tensor=UB+0x0 writer=@first writer=@second missing="MTE2 -> MTE2"
LITMUS(r4_mte2_other_pipe, aiv, 1) {
  DataCopy(ub(0), x, 64);  // @first
  PipeBarrier<PIPE_MTE3>();
  DataCopy(ub(0), y, 64);  // @second
}

// ascsan: kernel=r4_mte2_too_early cores=1 type=aiv rule=R-4 schedules=2 outcomes=1
// ascsan:   expect=ASC1301 tensor=UB+0x0 writer=@first writer=@second missing="MTE2 -> MTE2"
LITMUS(r4_mte2_too_early, aiv, 1) {
  PipeBarrier<PIPE_MTE2>();
  DataCopy(ub(0), x, 64);  // @first
  DataCopy(ub(0), y, 64);  // @second
}

// ascsan: kernel=r4_mte3 cores=1 type=aiv expect=clean rule=R-4 schedules=1 outcomes=1
LITMUS(r4_mte3, aiv, 1) {
  prepare();
  Duplicate(ub(0, 128), 1.0f, 128);
  SetFlag<HardEvent::V_MTE3>(0);
  WaitFlag<HardEvent::V_MTE3>(0);
  DataCopy(y, ub(0), 16);
  PipeBarrier<PIPE_MTE3>();
  DataCopy(y[8], ub(256), 16);
}

// ascsan: kernel=r4_mte3_none cores=1 type=aiv rule=R-4 schedules=2 outcomes=2
// ascsan:   expect=ASC1301 tensor=y writer=@first writer=@second missing="MTE3 -> MTE3"
LITMUS(r4_mte3_none, aiv, 1) {
  prepare();
  Duplicate(ub(0, 128), 1.0f, 128);
  SetFlag<HardEvent::V_MTE3>(0);
  WaitFlag<HardEvent::V_MTE3>(0);
  DataCopy(y, ub(0), 16);       // @first
  DataCopy(y[8], ub(256), 16);  // @second
}

// ascsan: kernel=r4_mte3_other_pipe cores=1 type=aiv rule=R-4 schedules=2 outcomes=2
// ascsan:   expect=ASC1301 tensor=y writer=@first writer=@second missing="MTE3 -> MTE3"
LITMUS(r4_mte3_other_pipe, aiv, 1) {
  prepare();
  Duplicate(ub(0, 128), 1.0f, 128);
  SetFlag<HardEvent::V_MTE3>(0);
  WaitFlag<HardEvent::V_MTE3>(0);
  DataCopy(y, ub(0), 16);  // @first
  PipeBarrier<PIPE_MTE2>();
  DataCopy(y[8], ub(256), 16);  // @second
}

// ascsan: kernel=r4_v cores=1 type=aiv expect=clean rule=R-4 profile=strict schedules=1 outcomes=1
LITMUS(r4_v, aiv, 1) {
  Duplicate(ub(0), 1.0f, 64);
  PipeBarrier<PIPE_V>();
  Adds(ub(256), ub(0), 1.0f, 64);
}

// ascsan: kernel=r4_v_none cores=1 type=aiv rule=R-4 profile=strict schedules=2 outcomes=1
// ascsan:   expect=ASC1301 tensor=UB+0x0 writer=@first reader=@second missing="V -> V"
LITMUS(r4_v_none, aiv, 1) {
  Duplicate(ub(0), 1.0f, 64);      // @first
  Adds(ub(256), ub(0), 1.0f, 64);  // @second
}

// ascsan: kernel=r4_v_overwrites_source cores=1 type=aiv rule=R-4 profile=strict schedules=2 outcomes=1
// ascsan:   expect=ASC1301 tensor=UB+0x0 reader=@first writer=@second missing="V -> V"
LITMUS(r4_v_overwrites_source, aiv, 1) {
  Duplicate(ub(0), 1.0f, 64);
  PipeBarrier<PIPE_V>();
  Adds(ub(256), ub(0), 1.0f, 64);  // @first
  Duplicate(ub(0), 2.0f, 64);      // @second
}

// ascsan: kernel=r4_mte1 cores=1 type=aic expect=clean rule=R-4 schedules=1 outcomes=1
LITMUS(r4_mte1, aic, 1) {
  DataCopy(l1(0, 512), x.ReinterpretCast<half>(), 512);
  SetFlag<HardEvent::MTE2_MTE1>(0);
  WaitFlag<HardEvent::MTE2_MTE1>(0);
  LoadData(l0a(0), l1(0), load_one());
  PipeBarrier<PIPE_MTE1>();
  LoadData(l0a(0), l1(512), load_one());
}

// ascsan: kernel=r4_mte1_none cores=1 type=aic rule=R-4 schedules=2 outcomes=1
// ascsan:   expect=ASC1301 tensor=L0A+0x0 writer=@first writer=@second missing="MTE1 -> MTE1"
LITMUS(r4_mte1_none, aic, 1) {
  DataCopy(l1(0, 512), x.ReinterpretCast<half>(), 512);
  SetFlag<HardEvent::MTE2_MTE1>(0);
  WaitFlag<HardEvent::MTE2_MTE1>(0);
  LoadData(l0a(0), l1(0), load_one());    // @first
  LoadData(l0a(0), l1(512), load_one());  // @second
}

// ascsan: kernel=r5_all cores=1 type=aiv expect=clean rule=R-5 profile=strict schedules=1 outcomes=1
LITMUS(r5_all, aiv, 1) {
  prepare();
  DataCopy(ub(0), x, 64);
  PipeBarrier<PIPE_ALL>();
  Adds(ub(256), ub(0), 1.0f, 64);
  PipeBarrier<PIPE_ALL>();
  DataCopy(y, ub(256), 64);
}

// ascsan: kernel=r5_none cores=1 type=aiv rule=R-5 profile=strict schedules=2 outcomes=2
// ascsan:   expect=ASC1201 tensor=UB+0x0 writer=@add reader=@store missing="V -> MTE3"
LITMUS(r5_none, aiv, 1) {
  prepare();
  Duplicate(ub(0), 1.0f, 64);  // @add
  DataCopy(y, ub(0), 64);      // @store
}

// ascsan: kernel=r5_too_early cores=1 type=aiv rule=R-5 schedules=2 outcomes=2
// ascsan:   expect=ASC1201 tensor=UB+0x0 writer=@add reader=@store missing="V -> MTE3"
LITMUS(r5_too_early, aiv, 1) {
  prepare();
  DataCopy(ub(256), x, 64);
  PipeBarrier<PIPE_ALL>();
  Adds(ub(0), ub(256), 1.0f, 64);  // @add
  DataCopy(y, ub(0), 64);          // @store
}

// ascsan: kernel=r5_one_pipe_only cores=1 type=aiv rule=R-5 schedules=2 outcomes=2
// ascsan:   expect=ASC1201 tensor=UB+0x0 writer=@add reader=@store missing="V -> MTE3"
LITMUS(r5_one_pipe_only, aiv, 1) {
  prepare();
  Duplicate(ub(0), 1.0f, 64);  // @add
  PipeBarrier<PIPE_V>();
  DataCopy(y, ub(0), 64);  // @store
}

// PIPE_ALL of one core says nothing about the other.
// ascsan: kernel=r5_other_core cores=2 type=aiv rule=R-5 schedules=10 outcomes=1
// ascsan:   expect=ASC1101 tensor=y writer=@store reader=@load missing="AIV 0 MTE3 -> AIV 1 MTE2"
LITMUS(r5_other_core, aiv, 2) {
  prepare();
  if (me(0)) {
    Duplicate(ub(0), 1.0f, 64);
    PipeBarrier<PIPE_ALL>();
    DataCopy(y, ub(0), 64);  // @store
    PipeBarrier<PIPE_ALL>();
  } else {
    PipeBarrier<PIPE_ALL>();
    DataCopy(ub(0), y, 64);  // @load
  }
}

}  // namespace litmus
