// Exemptions and special footprints E-1..E-9 of spec/hb-rules.md 4. E-10 (undefined bytes) is in class_memory.cpp.
#include "litmus.h"

namespace litmus {

// ascsan: kernel=e1_same_atomic cores=2 type=aiv expect=clean rule=E-1 schedules=6 outcomes=1
LITMUS(e1_same_atomic, aiv, 2) {
  prepare();
  SetAtomicAdd<float>();
  DataCopy(y, ub(0), 64);
  SetAtomicNone();
}

// ascsan: kernel=e1_same_pipe cores=1 type=aiv expect=clean rule=E-1 schedules=2 outcomes=1
LITMUS(e1_same_pipe, aiv, 1) {
  prepare();
  SetAtomicAdd<float>();
  DataCopy(y, ub(0), 64);
  DataCopy(y, ub(256), 64);
  SetAtomicNone();
}

// ascsan: kernel=e1_other_operation cores=2 type=aiv rule=E-1 schedules=6 outcomes=2
// ascsan:   expect=ASC1501 severity=warning tensor=y atomic=@add atomic=@max missing="MTE3 -> MTE3"
LITMUS(e1_other_operation, aiv, 2) {
  prepare();
  if (me(0)) {
    SetAtomicAdd<float>();
    DataCopy(y, ub(0), 64);  // @add
  } else {
    SetAtomicMax<float>();
    DataCopy(y, ub(0), 64);  // @max
  }
  SetAtomicNone();
}

// ascsan: kernel=e1_other_type cores=2 type=aiv rule=E-1 schedules=6 outcomes=1
// ascsan:   expect=ASC1501 severity=warning tensor=y atomic=@float atomic=@half missing="MTE3 -> MTE3"
LITMUS(e1_other_type, aiv, 2) {
  prepare();
  if (me(0)) {
    SetAtomicAdd<float>();
    DataCopy(y, ub(0), 64);  // @float
  } else {
    SetAtomicAdd<half>();
    DataCopy(y.ReinterpretCast<half>(), ub<half>(0, 128), 128);  // @half
  }
  SetAtomicNone();
}

// ascsan: kernel=e1_plain_store cores=2 type=aiv rule=E-1 schedules=6 outcomes=2
// ascsan:   expect=ASC1102 tensor=y atomic=@add writer=@store missing="MTE3 -> MTE3"
LITMUS(e1_plain_store, aiv, 2) {
  prepare();
  if (me(0)) {
    SetAtomicAdd<float>();
    DataCopy(y, ub(0), 64);  // @add
    SetAtomicNone();
  } else {
    DataCopy(y, ub(0), 64);  // @store
  }
}

// ascsan: kernel=e1_load cores=2 type=aiv rule=E-1 schedules=6 outcomes=1
// ascsan:   expect=ASC1101 tensor=y atomic=@add reader=@load missing="AIV 0 MTE3 -> AIV 1 MTE2"
LITMUS(e1_load, aiv, 2) {
  prepare();
  if (me(0)) {
    SetAtomicAdd<float>();
    DataCopy(y, ub(0), 64);  // @add
    SetAtomicNone();
  } else {
    DataCopy(ub(1024), y, 64);  // @load
  }
}

// ascsan: kernel=e1_plain_then_atomic cores=1 type=aiv rule=E-1 schedules=2 outcomes=2
// ascsan:   expect=ASC1301 tensor=y writer=@store atomic=@add missing="MTE3 -> MTE3"
LITMUS(e1_plain_then_atomic, aiv, 1) {
  prepare();
  DataCopy(y, ub(0), 64);  // @store
  SetAtomicAdd<float>();
  DataCopy(y, ub(256), 64);  // @add
  SetAtomicNone();
}

// ascsan: kernel=e1_plain_barrier_atomic cores=1 type=aiv expect=clean rule=E-1 schedules=1 outcomes=1
LITMUS(e1_plain_barrier_atomic, aiv, 1) {
  prepare();
  DataCopy(y, ub(0), 64);
  PipeBarrier<PIPE_MTE3>();
  SetAtomicAdd<float>();
  DataCopy(y, ub(256), 64);
  SetAtomicNone();
}

// Two addends in any order give one sum; the third makes the sum hang on the order.
// ascsan: kernel=e2_two_addends cores=2 type=aiv expect=clean rule=E-2 schedules=6 outcomes=1
LITMUS(e2_two_addends, aiv, 2) {
  prepare();
  SetAtomicAdd<float>();
  DataCopy(y, ub(0), 64);
  SetAtomicNone();
}

// ascsan: kernel=e2_three_integers cores=3 type=aiv expect=clean rule=E-2 schedules=90 outcomes=1
LITMUS(e2_three_integers, aiv, 3) {
  prepare();
  SetAtomicAdd<int32_t>();
  DataCopy(w, ub<int32_t>(0), 64);
  SetAtomicNone();
}

// ascsan: kernel=e3_small_tile cores=1 type=aic rule=E-3 schedules=4 outcomes=1
// ascsan:   expect=ASC1301 tensor=L0C+0x0 updater=@second writer=@first missing="M -> M"
LITMUS(e3_small_tile, aic, 1) {
  prepare();
  Mmad(l0c(0, 2304), l0a(0x8000, 1024), l0b(0x8000, 1024), product(48, 48));        // @first
  Mmad(l0c(0, 2304), l0a(0x8000, 1024), l0b(0x8000, 1024), product(48, 48, true));  // @second
}

// ascsan: kernel=e3_small_tile_barrier cores=1 type=aic expect=clean rule=E-3 schedules=2 outcomes=1
LITMUS(e3_small_tile_barrier, aic, 1) {
  prepare();
  Mmad(l0c(0, 2304), l0a(0x8000, 1024), l0b(0x8000, 1024), product(48, 48));
  PipeBarrier<PIPE_M>();
  Mmad(l0c(0, 2304), l0a(0x8000, 1024), l0b(0x8000, 1024), product(48, 48, true));
}

// ascsan: kernel=e3_large_tile cores=1 type=aic expect=clean rule=E-3 schedules=4 outcomes=1
LITMUS(e3_large_tile, aic, 1) {
  prepare();
  Mmad(l0c(0, 4096), l0a(0x8000, 1024), l0b(0x8000, 1024), product(64, 64));
  Mmad(l0c(0, 4096), l0a(0x8000, 1024), l0b(0x8000, 1024), product(64, 64, true));
}

// Large enough, but not the same tile.
// ascsan: kernel=e3_shifted_tile cores=1 type=aic rule=E-3 schedules=4 outcomes=1
// ascsan:   expect=ASC1301 tensor=L0C+0x0 writer=@first writer=@second missing="M -> M"
LITMUS(e3_shifted_tile, aic, 1) {
  prepare();
  Mmad(l0c(0, 4096), l0a(0x8000, 1024), l0b(0x8000, 1024), product(64, 64));     // @first
  Mmad(l0c(1024, 4096), l0a(0x8000, 1024), l0b(0x8000, 1024), product(64, 64));  // @second
}

// The destination of an accumulating Mmad is read and written.
// ascsan: kernel=e4_accumulate_then_store cores=1 type=aic rule=E-4 schedules=4 outcomes=2
// ascsan:   expect=ASC1201 tensor=L0C+0x0 updater=@mmad reader=@store missing="M -> FIX"
LITMUS(e4_accumulate_then_store, aic, 1) {
  prepare();
  Mmad(l0c(0, 4096), l0a(0x8000, 1024), l0b(0x8000, 1024), product(64, 64, true));  // @mmad
  Fixpipe(y, l0c(0, 4096), store_tile(64, 64));                                     // @store
}

// ascsan: kernel=e4_accumulate_flag_store cores=1 type=aic expect=clean rule=E-4 schedules=2 outcomes=1
LITMUS(e4_accumulate_flag_store, aic, 1) {
  prepare();
  Mmad(l0c(0, 4096), l0a(0x8000, 1024), l0b(0x8000, 1024), product(64, 64, true));
  SetFlag<HardEvent::M_FIX>(0);
  WaitFlag<HardEvent::M_FIX>(0);
  Fixpipe(y, l0c(0, 4096), store_tile(64, 64));
}

// ascsan: kernel=e4_axpy_reads_destination cores=1 type=aiv rule=E-4 schedules=2 outcomes=1
// ascsan:   expect=ASC1201 tensor=UB+0x0 writer=@load updater=@axpy missing="MTE2 -> V"
LITMUS(e4_axpy_reads_destination, aiv, 1) {
  prepare();
  DataCopy(ub(0), x, 64);           // @load
  Axpy(ub(0), ub(1024), 2.0f, 64);  // @axpy
}

// ascsan: kernel=e4_axpy_flag cores=1 type=aiv expect=clean rule=E-4 schedules=1 outcomes=1
LITMUS(e4_axpy_flag, aiv, 1) {
  prepare();
  DataCopy(ub(0), x, 64);
  SetFlag<HardEvent::MTE2_V>(0);
  WaitFlag<HardEvent::MTE2_V>(0);
  Axpy(ub(0), ub(1024), 2.0f, 64);
}

// DataCopyPad stores exactly its bytes: neighbours inside one 32-byte block do not meet.
// ascsan: kernel=e6_pad_store_is_exact cores=2 type=aiv expect=clean rule=E-6 schedules=6 outcomes=1
LITMUS(e6_pad_store_is_exact, aiv, 2) {
  prepare();
  DataCopyExtParams move{1, 20, 0, 0, 0};
  DataCopyPad(y[GetBlockIdx() * 5], ub(0), move);
}

// ascsan: kernel=e6_pad_store_one_too_many cores=2 type=aiv rule=E-6 schedules=6 outcomes=2
// ascsan:   expect=ASC1102 tensor=y writer=@store writer=@store missing="MTE3 -> MTE3"
LITMUS(e6_pad_store_one_too_many, aiv, 2) {
  prepare();
  DataCopyExtParams move{1, 24, 0, 0, 0};
  DataCopyPad(y[GetBlockIdx() * 5], ub(0), move);  // @store
}

// ascsan: kernel=e6_block_store cores=2 type=aiv rule=E-6 schedules=6 outcomes=2
// ascsan:   expect=ASC1102 tensor=y writer=@store writer=@store missing="MTE3 -> MTE3"
LITMUS(e6_block_store, aiv, 2) {
  prepare();
  DataCopy(y[GetBlockIdx() * 5], ub(0), 8);  // @store
}

// The store reads blockLen bytes of UB, not the block up to 32.
// ascsan: kernel=e6_pad_store_source cores=1 type=aiv expect=clean rule=E-6 schedules=2 outcomes=1
LITMUS(e6_pad_store_source, aiv, 1) {
  prepare();
  DataCopyExtParams move{1, 20, 0, 0, 0};
  DataCopyPad(y, ub(0), move);
  const uint64_t lanes[] = {0xe0, 0};  // 5, 6, 7
  Duplicate(ub(0), 2.0f, lanes, 1, 1, 8);
}

// ascsan: kernel=e6_pad_store_source_lane cores=1 type=aiv rule=E-6 schedules=2 outcomes=2
// ascsan:   expect=ASC1202 tensor=UB+0x0 reader=@store writer=@fill missing="MTE3 -> V"
LITMUS(e6_pad_store_source_lane, aiv, 1) {
  prepare();
  DataCopyExtParams move{1, 20, 0, 0, 0};
  DataCopyPad(y, ub(0), move);             // @store
  const uint64_t lanes[] = {0xf0, 0};      // 4, 5, 6, 7
  Duplicate(ub(0), 2.0f, lanes, 1, 1, 8);  // @fill
}

// A padded load writes whole blocks of UB.
// ascsan: kernel=e6_pad_load_writes_blocks cores=1 type=aiv rule=E-6 schedules=2 outcomes=1
// ascsan:   expect=ASC1203 tensor=UB+0x0 writer=@load writer=@fill missing="MTE2 -> V"
LITMUS(e6_pad_load_writes_blocks, aiv, 1) {
  DataCopyExtParams move{1, 20, 0, 0, 0};
  DataCopyPadExtParams<float> pad{true, 0, 3, 0.0f};
  DataCopyPad(ub(0), x, move, pad);        // @load
  const uint64_t lanes[] = {0xe0, 0};      // 5, 6, 7
  Duplicate(ub(0), 2.0f, lanes, 1, 1, 8);  // @fill
}

// Lanes that the mask leaves out are neither read nor written.
// ascsan: kernel=e7_other_lanes cores=1 type=aiv expect=clean rule=E-7 schedules=2 outcomes=1
LITMUS(e7_other_lanes, aiv, 1) {
  prepare();
  DataCopy(ub(128, 32), x, 32);
  Duplicate(ub(0), 2.0f, 32, 1, 1, 8);
}

// ascsan: kernel=e7_one_lane_too_many cores=1 type=aiv rule=E-7 schedules=2 outcomes=1
// ascsan:   expect=ASC1203 tensor=UB+0x0 writer=@load writer=@fill missing="MTE2 -> V"
LITMUS(e7_one_lane_too_many, aiv, 1) {
  prepare();
  DataCopy(ub(0)[32], x, 32);           // @load
  Duplicate(ub(0), 2.0f, 33, 1, 1, 8);  // @fill
}

// ascsan: kernel=e7_every_second_lane cores=1 type=aiv expect=clean rule=E-7 schedules=2 outcomes=1
LITMUS(e7_every_second_lane, aiv, 1) {
  prepare();
  DataCopyExtParams move{1, 4, 0, 0, 0};
  DataCopyPad(y, ub(0), move);                       // reads lane 0
  const uint64_t lanes[] = {0xaaaaaaaaaaaaaaaa, 0};  // odd lanes
  Duplicate(ub(0), 2.0f, lanes, 1, 1, 8);
}

// ascsan: kernel=e7_reduce_writes_one_element cores=1 type=aiv expect=clean rule=E-7 schedules=2 outcomes=1
LITMUS(e7_reduce_writes_one_element, aiv, 1) {
  prepare();
  DataCopyExtParams move{1, 4, 0, 0, 0};
  DataCopyPad(y, ub(1024)[8], move);
  WholeReduceSum(ub(1024), ub(0), 64, 1, 1, 1, 8);
}

// ascsan: kernel=e7_reduce_result cores=1 type=aiv rule=E-7 schedules=2 outcomes=2
// ascsan:   expect=ASC1202 tensor=UB+0x400 reader=@store writer=@reduce missing="MTE3 -> V"
LITMUS(e7_reduce_result, aiv, 1) {
  prepare();
  DataCopyExtParams move{1, 4, 0, 0, 0};
  DataCopyPad(y, ub(1024), move);                   // @store
  WholeReduceSum(ub(1024), ub(0), 64, 1, 1, 1, 8);  // @reduce
}

}  // namespace litmus
