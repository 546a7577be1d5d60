// R-8 flags of a pipe to itself, R-9 flags that compile to nothing, R-11 DataSyncBarrier, R-12 registers.
#include "litmus.h"

namespace litmus {

// ascsan: kernel=r8_v_v cores=1 type=aiv expect=clean rule=R-8 profile=strict schedules=1 outcomes=1
LITMUS(r8_v_v, aiv, 1) {
  Duplicate(ub(0), 1.0f, 64);
  SetFlag<HardEvent::V_V>(0);
  WaitFlag<HardEvent::V_V>(0);
  Adds(ub(256), ub(0), 1.0f, 64);
}

// ascsan: kernel=r8_v_v_too_early cores=1 type=aiv rule=R-8 profile=strict schedules=2 outcomes=1
// ascsan:   expect=ASC1301 tensor=UB+0x0 writer=@first reader=@second missing="V -> V"
LITMUS(r8_v_v_too_early, aiv, 1) {
  SetFlag<HardEvent::V_V>(0);
  WaitFlag<HardEvent::V_V>(0);
  Duplicate(ub(0), 1.0f, 64);      // @first
  Adds(ub(256), ub(0), 1.0f, 64);  // @second
}

// A flag to another pipe is no barrier of its own.
// ascsan: kernel=r8_v_mte3_is_no_barrier cores=1 type=aiv rule=R-8 profile=strict schedules=2 outcomes=1
// ascsan:   expect=ASC1301 tensor=UB+0x0 writer=@first reader=@second missing="V -> V"
LITMUS(r8_v_mte3_is_no_barrier, aiv, 1) {
  Duplicate(ub(0), 1.0f, 64);  // @first
  SetFlag<HardEvent::V_MTE3>(0);
  WaitFlag<HardEvent::V_MTE3>(0);
  Adds(ub(256), ub(0), 1.0f, 64);  // @second
}

// ascsan: kernel=r8_fix_fix cores=1 type=aic expect=clean rule=R-8 schedules=2 outcomes=1
LITMUS(r8_fix_fix, aic, 1) {
  prepare();
  Fixpipe(y, l0c(0), store_tile());
  SetFlag<HardEvent::FIX_FIX>(0);
  WaitFlag<HardEvent::FIX_FIX>(0);
  Fixpipe(y[128], l0c(1024), store_tile());
}

// ascsan: kernel=r8_fix_fix_none cores=1 type=aic rule=R-8 schedules=4 outcomes=2
// ascsan:   expect=ASC1301 tensor=y writer=@first writer=@second missing="FIX -> FIX"
LITMUS(r8_fix_fix_none, aic, 1) {
  prepare();
  Fixpipe(y, l0c(0), store_tile());          // @first
  Fixpipe(y[128], l0c(1024), store_tile());  // @second
}

// ascsan: kernel=r9_wait_that_is_nothing cores=1 type=aiv expect=clean rule=R-9 schedules=1 outcomes=1
LITMUS(r9_wait_that_is_nothing, aiv, 1) {
  WaitFlag<HardEvent::MTE1_M>(0);
  WaitFlag<HardEvent::FIX_M>(0);
  Duplicate(ub(0), 1.0f, 64);
}

// ascsan: kernel=r9_wait_that_is_something cores=1 type=aic rule=R-9 expect=ASC5001 waiter=@wait
LITMUS(r9_wait_that_is_something, aic, 1) {
  WaitFlag<HardEvent::MTE1_M>(0);  // @wait
}

// ascsan: kernel=r9_no_edge cores=1 type=aic rule=R-9 schedules=2 outcomes=1
// ascsan:   expect=ASC1201 tensor=L1+0x0 writer=@load reader=@extract missing="MTE2 -> MTE1"
LITMUS(r9_no_edge, aic, 1) {
  DataCopy(l1(0), x.ReinterpretCast<half>(), 256);  // @load
  SetFlag<HardEvent::MTE2_V>(0);
  WaitFlag<HardEvent::MTE2_V>(0);
  LoadData(l0a(0), l1(0), load_one());  // @extract
}

// ascsan: kernel=r9_real_edge cores=1 type=aic expect=clean rule=R-9 schedules=1 outcomes=1
LITMUS(r9_real_edge, aic, 1) {
  DataCopy(l1(0), x.ReinterpretCast<half>(), 256);
  SetFlag<HardEvent::MTE2_MTE1>(0);
  WaitFlag<HardEvent::MTE2_MTE1>(0);
  LoadData(l0a(0), l1(0), load_one());
}

// ascsan: kernel=r9_barrier_v_on_aic cores=1 type=aic rule=R-9 schedules=2 outcomes=1
// ascsan:   expect=ASC1201 tensor=L1+0x0 writer=@load reader=@extract missing="MTE2 -> MTE1"
LITMUS(r9_barrier_v_on_aic, aic, 1) {
  DataCopy(l1(0), x.ReinterpretCast<half>(), 256);  // @load
  PipeBarrier<PIPE_V>();
  LoadData(l0a(0), l1(0), load_one());  // @extract
}

// ascsan: kernel=r11_ddr cores=1 type=aiv expect=clean rule=R-11 schedules=1 outcomes=1
LITMUS(r11_ddr, aiv, 1) {
  prepare();
  Duplicate(ub(0), 1.0f, 64);
  PipeBarrier<PIPE_ALL>();
  DataCopy(y, ub(0), 64);
  DataSyncBarrier<MemDsbT::DDR>();
  DataCopy(ub(256), y, 64);
}

// ascsan: kernel=r11_none cores=1 type=aiv rule=R-11 schedules=2 outcomes=1
// ascsan:   expect=ASC1402 tensor=y writer=@store reader=@load missing="MTE3 -> MTE2"
LITMUS(r11_none, aiv, 1) {
  prepare();
  Duplicate(ub(0), 1.0f, 64);
  PipeBarrier<PIPE_ALL>();
  DataCopy(y, ub(0), 64);    // @store
  DataCopy(ub(256), y, 64);  // @load
}

// ascsan: kernel=r11_too_early cores=1 type=aiv rule=R-11 schedules=2 outcomes=1
// ascsan:   expect=ASC1402 tensor=y writer=@store reader=@load missing="MTE3 -> MTE2"
LITMUS(r11_too_early, aiv, 1) {
  prepare();
  Duplicate(ub(0), 1.0f, 64);
  PipeBarrier<PIPE_ALL>();
  DataSyncBarrier<MemDsbT::DDR>();
  DataCopy(y, ub(0), 64);    // @store
  DataCopy(ub(256), y, 64);  // @load
}

// The barrier of global memory does not wait for V, which never touches it.
// ascsan: kernel=r11_ddr_and_v cores=1 type=aiv rule=R-11 schedules=2 outcomes=2
// ascsan:   expect=ASC1201 tensor=UB+0x0 writer=@fill reader=@store missing="V -> MTE3"
LITMUS(r11_ddr_and_v, aiv, 1) {
  prepare();
  Duplicate(ub(0), 1.0f, 64);  // @fill
  DataSyncBarrier<MemDsbT::DDR>();
  DataCopy(y, ub(0), 64);  // @store
}

// ascsan: kernel=r11_ub cores=1 type=aiv expect=clean rule=R-11 schedules=1 outcomes=1
LITMUS(r11_ub, aiv, 1) {
  prepare();
  Duplicate(ub(0), 1.0f, 64);
  DataSyncBarrier<MemDsbT::UB>();
  DataCopy(y, ub(0), 64);
}

// ascsan: kernel=r11_all cores=1 type=aiv expect=clean rule=R-11 schedules=1 outcomes=1
LITMUS(r11_all, aiv, 1) {
  prepare();
  Duplicate(ub(0), 1.0f, 64);
  DataSyncBarrier<MemDsbT::ALL>();
  DataCopy(y, ub(0), 64);
  DataSyncBarrier<MemDsbT::ALL>();
  DataCopy(ub(256), y, 64);
}

// Masks, atomic mode and other registers are captured at issue: no flag is needed between their changes and the
// instructions in flight.
// ascsan: kernel=r12_atomic_mode_is_captured cores=2 type=aiv expect=clean rule=R-12 schedules=280 outcomes=1
LITMUS(r12_atomic_mode_is_captured, aiv, 2) {
  prepare();
  Duplicate(ub(0), 1.0f, 64);
  PipeBarrier<PIPE_ALL>();
  SetAtomicAdd<float>();
  DataCopy(y, ub(0), 64);
  SetAtomicNone();
  DataCopy(z[me(0) ? 0 : 64], ub(0), 64);
}

// The mode that counts is the one at issue, not at completion.
// ascsan: kernel=r12_mode_after_issue cores=2 type=aiv rule=R-12 schedules=20 outcomes=2
// ascsan:   expect=ASC1102 tensor=y writer=@store writer=@store missing="AIV 0 MTE3 -> AIV 1 MTE3"
LITMUS(r12_mode_after_issue, aiv, 2) {
  prepare();
  Duplicate(ub(0), GetBlockIdx() + 1.0f, 64);
  PipeBarrier<PIPE_ALL>();
  DataCopy(y, ub(0), 64);  // @store
  SetAtomicAdd<float>();
  SetAtomicNone();
}

// ascsan: kernel=r12_mask_is_captured cores=1 type=aiv expect=clean rule=R-12 profile=strict schedules=2 outcomes=1
LITMUS(r12_mask_is_captured, aiv, 1) {
  Duplicate(ub(0), 1.0f, 32, 1, 1, 8);
  Duplicate(ub(128), 2.0f, 32, 1, 1, 8);
}

}  // namespace litmus
