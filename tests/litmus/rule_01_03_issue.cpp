// R-1 scalar program order, R-2 issue edge, R-3 FIFO start. What the scalar unit has seen comes before all it issues
// later; instructions of one pipe start in order, which alone does not order what they touch.
#include "litmus.h"

namespace litmus {

// ascsan: kernel=r1_store_then_load cores=1 type=aiv expect=clean rule=R-1 profile=strict schedules=1 outcomes=1
LITMUS(r1_store_then_load, aiv, 1) {
  ub<int32_t>(0).SetValue(3, 7);
  ub<int32_t>(0).SetValue(3, 8);
  WriteGmByPassDCache(w.GetPhyAddr(0), ub<int32_t>(0).GetValue(3));
}

// ascsan: kernel=r1_two_programs cores=2 type=aiv rule=R-1 schedules=2 outcomes=2
// ascsan:   expect=ASC1102 tensor=w writer=@store writer=@other missing="S -> S"
LITMUS(r1_two_programs, aiv, 2) {
  if (me(0))
    WriteGmByPassDCache(w.GetPhyAddr(0), 7);  // @store
  else
    WriteGmByPassDCache(w.GetPhyAddr(0), 8);  // @other
}

// Program order holds for scalar accesses, not for what a pipe does on behalf of the same program.
// ascsan: kernel=r1_scalar_and_pipe cores=1 type=aiv rule=R-1 profile=strict schedules=3 outcomes=2
// ascsan:   expect=ASC1401 tensor=UB+0x0 writer=@load reader=@get missing="MTE2 -> S"
LITMUS(r1_scalar_and_pipe, aiv, 1) {
  DataCopy(ub<int32_t>(0), w, 64);                                      // @load
  WriteGmByPassDCache(w.GetPhyAddr(1024), ub<int32_t>(0).GetValue(3));  // @get
}

// ascsan: kernel=r2_scalar_wait cores=1 type=aiv expect=clean rule=R-2 profile=strict schedules=1 outcomes=1
LITMUS(r2_scalar_wait, aiv, 1) {
  DataCopy(ub(0), x, 64);
  SetFlag<HardEvent::MTE2_S>(0);
  WaitFlag<HardEvent::MTE2_S>(0);
  Adds(ub(256), ub(0), 1.0f, 64);
}

// ascsan: kernel=r2_scalar_wait_orders_every_pipe cores=1 type=aiv expect=clean rule=R-2 profile=strict
// ascsan:   schedules=6 outcomes=1
LITMUS(r2_scalar_wait_orders_every_pipe, aiv, 1) {
  prepare();
  DataCopy(ub(0), x, 64);
  SetFlag<HardEvent::MTE2_S>(0);
  WaitFlag<HardEvent::MTE2_S>(0);
  DataCopy(y, ub(0), 64);
  DataCopy(ub(1024), ub(0), 64);
  DataCopy(ub(512), z, 64);
}

// ascsan: kernel=r2_no_wait cores=1 type=aiv rule=R-2 profile=strict schedules=2 outcomes=1
// ascsan:   expect=ASC1201 tensor=UB+0x0 writer=@load reader=@add missing="MTE2 -> V"
LITMUS(r2_no_wait, aiv, 1) {
  DataCopy(ub(0), x, 64);  // @load
  SetFlag<HardEvent::MTE2_S>(0);
  Adds(ub(256), ub(0), 1.0f, 64);  // @add
  WaitFlag<HardEvent::MTE2_S>(0);
}

// ascsan: kernel=r2_wait_for_another_pipe cores=1 type=aiv rule=R-2 profile=strict schedules=2 outcomes=1
// ascsan:   expect=ASC1201 tensor=UB+0x0 writer=@load reader=@add missing="MTE2 -> V"
LITMUS(r2_wait_for_another_pipe, aiv, 1) {
  DataCopy(ub(0), x, 64);  // @load
  SetFlag<HardEvent::V_S>(0);
  WaitFlag<HardEvent::V_S>(0);
  Adds(ub(256), ub(0), 1.0f, 64);  // @add
}

// A scalar store is complete before the next instruction is issued.
// ascsan: kernel=r2_scalar_store cores=1 type=aiv expect=clean rule=R-2 schedules=1 outcomes=1
LITMUS(r2_scalar_store, aiv, 1) {
  for (int i = 0; i < 8; ++i) ub<int32_t>(0, 8).SetValue(i, i);
  Adds(ub<int32_t>(256, 8), ub<int32_t>(0, 8), 1, 8);
}

// Without the compiler's wait the store may still be on its way to UB (spec/bug-classes.md 4, scalar <-> pipe).
// ascsan: kernel=r2_scalar_store_strict cores=1 type=aiv rule=R-2 profile=strict schedules=1 outcomes=1
// ascsan:   expect=ASC1401 tensor=UB+0x0 writer=@set reader=@add missing="S -> V"
LITMUS(r2_scalar_store_strict, aiv, 1) {
  for (int i = 0; i < 8; ++i) ub<int32_t>(0, 8).SetValue(i, i);  // @set
  Adds(ub<int32_t>(256, 8), ub<int32_t>(0, 8), 1, 8);            // @add
}

// ascsan: kernel=r2_scalar_store_after_issue cores=1 type=aiv rule=R-2 profile=strict schedules=2 outcomes=1
// ascsan:   expect=ASC1401 tensor=UB+0x0 reader=@add writer=@set missing="V -> S"
LITMUS(r2_scalar_store_after_issue, aiv, 1) {
  Duplicate(ub<int32_t>(0, 8), 1, 8);
  PipeBarrier<PIPE_ALL>();
  Adds(ub<int32_t>(256, 8), ub<int32_t>(0, 8), 1, 8);  // @add
  ub<int32_t>(0, 8).SetValue(3, 7);                    // @set
}

// The wait holds the whole pipe: the second instruction starts after the first, which starts after the flag.
// ascsan: kernel=r3_second_starts_after_flag cores=1 type=aiv expect=clean rule=R-3 profile=strict
// ascsan:   schedules=2 outcomes=1
LITMUS(r3_second_starts_after_flag, aiv, 1) {
  DataCopy(ub(0), x, 64);
  SetFlag<HardEvent::MTE2_V>(0);
  WaitFlag<HardEvent::MTE2_V>(0);
  Duplicate(ub(512), 1.0f, 64);
  Adds(ub(256), ub(0), 1.0f, 64);
}

// ascsan: kernel=r3_first_starts_before_flag cores=1 type=aiv rule=R-3 profile=strict schedules=3 outcomes=1
// ascsan:   expect=ASC1201 tensor=UB+0x0 writer=@load reader=@add missing="MTE2 -> V"
LITMUS(r3_first_starts_before_flag, aiv, 1) {
  DataCopy(ub(0), x, 64);          // @load
  Adds(ub(256), ub(0), 1.0f, 64);  // @add
  SetFlag<HardEvent::MTE2_V>(0);
  WaitFlag<HardEvent::MTE2_V>(0);
  Duplicate(ub(512), 1.0f, 64);
}

// Start order does not order the writes of two transfers.
// ascsan: kernel=r3_start_is_not_completion cores=1 type=aiv rule=R-3 schedules=2 outcomes=1
// ascsan:   expect=ASC1301 tensor=UB+0x0 writer=@first writer=@second missing="MTE2 -> MTE2"
LITMUS(r3_start_is_not_completion, aiv, 1) {
  DataCopy(ub(0), x, 64);    // @first
  DataCopy(ub(128), y, 64);  // @second
}

// ascsan: kernel=r3_disjoint_transfers cores=1 type=aiv expect=clean rule=R-3 schedules=2 outcomes=1
LITMUS(r3_disjoint_transfers, aiv, 1) {
  DataCopy(ub(0), x, 64);
  DataCopy(ub(256), y, 64);
}

}  // namespace litmus
