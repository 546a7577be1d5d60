// R-13 what the compiler orders on AIV in the default profile, R-14 UnitFlag, R-15 composite calls.
#include "litmus.h"

namespace litmus {

// ascsan: kernel=r13_v_v cores=1 type=aiv expect=clean rule=R-13 schedules=1 outcomes=1
LITMUS(r13_v_v, aiv, 1) {
  Duplicate(ub(0), 1.0f, 64);
  Adds(ub(256), ub(0), 1.0f, 64);
  Duplicate(ub(0), 2.0f, 64);
}

// ascsan: kernel=r13_v_v_strict cores=1 type=aiv rule=R-13 profile=strict schedules=2 outcomes=1
// ascsan:   expect=ASC1301 tensor=UB+0x0 writer=@fill reader=@add missing="V -> V"
LITMUS(r13_v_v_strict, aiv, 1) {
  Duplicate(ub(0), 1.0f, 64);      // @fill
  Adds(ub(256), ub(0), 1.0f, 64);  // @add
}

// ascsan: kernel=r13_mte2_s cores=1 type=aiv expect=clean rule=R-13 schedules=1 outcomes=1
LITMUS(r13_mte2_s, aiv, 1) {
  DataCopy(ub<int32_t>(0), w, 64);
  WriteGmByPassDCache(w.GetPhyAddr(1024), ub<int32_t>(0).GetValue(5));
}

// ascsan: kernel=r13_v_s_strict cores=1 type=aiv rule=R-13 profile=strict schedules=3 outcomes=2
// ascsan:   expect=ASC1401 tensor=UB+0x0 writer=@fill reader=@get missing="V -> S"
LITMUS(r13_v_s_strict, aiv, 1) {
  Duplicate(ub<int32_t>(0), 1, 64);                                     // @fill
  WriteGmByPassDCache(w.GetPhyAddr(1024), ub<int32_t>(0).GetValue(5));  // @get
}

// ascsan: kernel=r13_v_s cores=1 type=aiv expect=clean rule=R-13 schedules=1 outcomes=1
LITMUS(r13_v_s, aiv, 1) {
  Duplicate(ub<int32_t>(0), 1, 64);
  WriteGmByPassDCache(w.GetPhyAddr(1024), ub<int32_t>(0).GetValue(5));
}

// ascsan: kernel=r13_mte3_s cores=1 type=aiv expect=clean rule=R-13
LITMUS(r13_mte3_s, aiv, 1) {
  prepare();
  for (int turn = 0; turn < 3; ++turn) {
    for (int i = 0; i < 8; ++i) ub<int32_t>(0, 8).SetValue(i, turn);
    DataCopy(w[turn * 8], ub<int32_t>(0, 8), 8);
  }
}

// ascsan: kernel=r13_mte3_s_strict cores=1 type=aiv rule=R-13 profile=strict
// ascsan:   expect=ASC1401 tensor=UB+0x0 reader=@store writer=@set missing="MTE3 -> S"
LITMUS(r13_mte3_s_strict, aiv, 1) {
  prepare();
  for (int turn = 0; turn < 3; ++turn) {
    for (int i = 0; i < 8; ++i) ub<int32_t>(0, 8).SetValue(i, turn);  // @set
    SetFlag<HardEvent::S_MTE3>(0);
    WaitFlag<HardEvent::S_MTE3>(0);
    DataCopy(w[turn * 8], ub<int32_t>(0, 8), 8);  // @store
  }
}

// The wait that the compiler inserts holds the scalar, so it orders what is issued later as well.
// ascsan: kernel=r13_carries_the_clock cores=1 type=aiv expect=clean rule=R-13 schedules=1 outcomes=1
LITMUS(r13_carries_the_clock, aiv, 1) {
  DataCopy(ub<int32_t>(0), w, 64);
  WriteGmByPassDCache(w.GetPhyAddr(1024), ub<int32_t>(0).GetValue(5));
  Adds(ub<int32_t>(256), ub<int32_t>(0), 1, 64);
}

// ascsan: kernel=r13_other_bytes cores=1 type=aiv rule=R-13 schedules=5 outcomes=1
// ascsan:   expect=ASC1201 tensor=UB+0x0 writer=@load reader=@add missing="MTE2 -> V"
LITMUS(r13_other_bytes, aiv, 1) {
  Duplicate(ub<int32_t>(1024), 7, 64);
  DataCopy(ub<int32_t>(0), w, 64);  // @load
  WriteGmByPassDCache(w.GetPhyAddr(1024), ub<int32_t>(1024).GetValue(5));
  Adds(ub<int32_t>(256), ub<int32_t>(0), 1, 64);  // @add
}

// No compiler waits between MTE2 and V, on no profile.
// ascsan: kernel=r13_not_mte2_v cores=1 type=aiv rule=R-13 schedules=2 outcomes=1
// ascsan:   expect=ASC1202 tensor=UB+0x0 reader=@add writer=@load missing="V -> MTE2"
LITMUS(r13_not_mte2_v, aiv, 1) {
  Duplicate(ub(0), 1.0f, 64);
  PipeBarrier<PIPE_ALL>();
  Adds(ub(256), ub(0), 1.0f, 64);  // @add
  DataCopy(ub(0), x, 64);          // @load
}

// Nothing is inserted on AIC.
// ascsan: kernel=r13_not_on_aic cores=1 type=aic rule=R-13 schedules=6 outcomes=2
// ascsan:   expect=ASC1401 tensor=y writer=@store reader=@get missing="FIX -> S"
LITMUS(r13_not_on_aic, aic, 1) {
  prepare();
  Fixpipe(y, l0c(0), store_tile());                                           // @store
  WriteGmByPassDCache(z.GetPhyAddr(0), ReadGmByPassDCache(y.GetPhyAddr(0)));  // @get
}

// ascsan: kernel=r13_aic_waits_itself cores=1 type=aic expect=clean rule=R-13 schedules=2 outcomes=1
LITMUS(r13_aic_waits_itself, aic, 1) {
  prepare();
  Fixpipe(y, l0c(0), store_tile());
  SetFlag<HardEvent::FIX_S>(0);
  WaitFlag<HardEvent::FIX_S>(0);
  WriteGmByPassDCache(z.GetPhyAddr(0), ReadGmByPassDCache(y.GetPhyAddr(0)));
}

// ascsan: kernel=r15_reduce_sum cores=1 type=aiv expect=clean rule=R-15 schedules=3 outcomes=1
LITMUS(r15_reduce_sum, aiv, 1) {
  prepare();
  Duplicate(ub(0, 1024), 1.0f, 1024);
  Duplicate(ub(8192), 0.0f, 64);
  ReduceSum(ub(8192), ub(0, 1024), ub(16384, 1024), 1000);
  SetFlag<HardEvent::V_MTE3>(0);
  WaitFlag<HardEvent::V_MTE3>(0);
  SetFlag<HardEvent::S_MTE3>(0);
  WaitFlag<HardEvent::S_MTE3>(0);
  DataCopy(y, ub(8192), 8);
}

// ascsan: kernel=r15_reduce_max cores=1 type=aiv expect=clean rule=R-15 profile=strict schedules=1 outcomes=1
LITMUS(r15_reduce_max, aiv, 1) {
  Duplicate(ub(0, 256), 1.0f, 256);
  PipeBarrier<PIPE_V>();
  ReduceMax(ub(8192), ub(0, 256), ub(16384, 1024), 256);
}

// The call takes care of its own steps, not of who filled its source.
// ascsan: kernel=r15_source_not_loaded cores=1 type=aiv rule=R-15 schedules=3 outcomes=1
// ascsan:   expect=ASC1201 tensor=UB+0x0 writer=@load reader=@reduce missing="MTE2 -> V"
LITMUS(r15_source_not_loaded, aiv, 1) {
  DataCopy(ub(0, 64), x, 64);                           // @load
  ReduceMax(ub(8192), ub(0, 64), ub(16384, 1024), 64);  // @reduce
}

// Its last step is a store by the scalar unit; the flags from there to V and MTE3 are part of the call.
// ascsan: kernel=r15_hands_over cores=1 type=aiv expect=clean rule=R-15 profile=strict
LITMUS(r15_hands_over, aiv, 1) {
  Duplicate(ub(0, 64), 1.0f, 64);
  Duplicate(ub(8192), 1.0f, 64);
  PipeBarrier<PIPE_ALL>();
  ReduceMax(ub(8192), ub(0, 64), ub(16384, 1024), 64);
  DataCopy(y, ub(8192), 8);
}

// None of them goes to MTE2.
// ascsan: kernel=r15_result_overwritten cores=1 type=aiv rule=R-15 profile=strict
// ascsan:   expect=ASC1401 tensor=UB+0x2000 writer=@reduce writer=@load missing="S -> MTE2"
LITMUS(r15_result_overwritten, aiv, 1) {
  Duplicate(ub(0, 64), 1.0f, 64);
  PipeBarrier<PIPE_ALL>();
  ReduceMax(ub(8192), ub(0, 64), ub(16384, 1024), 64);  // @reduce
  DataCopy(ub(8192), x, 8);                             // @load
}

}  // namespace litmus
