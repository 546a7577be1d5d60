// Classes of faults inside a core (spec/bug-classes.md 4): RAW and WAR between pipes, RAW through global memory, scalar
// against pipe, cube pipes, barrier within a pipe, event ids. Each minimal fault with the form that repairs it.
#include "litmus.h"

namespace litmus {

// ascsan: kernel=class_raw_mte2_v cores=1 type=aiv class="RAW MTE2->V"
// ascsan:   expect=ASC1201 tensor=UB+0x0 writer=@load reader=@add missing="MTE2 -> V"
LITMUS(class_raw_mte2_v, aiv, 1) {
  TPipe pipe;
  TBuf<> tile;
  pipe.InitBuffer(tile, 512);
  LocalTensor<float> a = tile.Get<float>();
  DataCopy(a, x, 64);        // @load
  Adds(a[64], a, 1.0f, 64);  // @add
  SetFlag<HardEvent::V_MTE3>(0);
  WaitFlag<HardEvent::V_MTE3>(0);
  DataCopy(y, a[64], 64);
}

// ascsan: kernel=class_raw_mte2_v_flag cores=1 type=aiv expect=clean class="RAW MTE2->V"
LITMUS(class_raw_mte2_v_flag, aiv, 1) {
  TPipe pipe;
  TBuf<> tile;
  pipe.InitBuffer(tile, 512);
  LocalTensor<float> a = tile.Get<float>();
  DataCopy(a, x, 64);
  SetFlag<HardEvent::MTE2_V>(0);
  WaitFlag<HardEvent::MTE2_V>(0);
  Adds(a[64], a, 1.0f, 64);
  SetFlag<HardEvent::V_MTE3>(0);
  WaitFlag<HardEvent::V_MTE3>(0);
  DataCopy(y, a[64], 64);
}

// ascsan: kernel=class_raw_v_mte3 cores=1 type=aiv class="RAW V->MTE3"
// ascsan:   expect=ASC1201 tensor=UB+0x0 writer=@fill reader=@store missing="V -> MTE3"
LITMUS(class_raw_v_mte3, aiv, 1) {
  TPipe pipe;
  TQue<TPosition::VECOUT, 1> out;
  pipe.InitBuffer(out, 1, 256);
  LocalTensor<float> a = out.AllocTensor<float>();
  Duplicate(a, 0.0f, 64);  // @fill
  DataCopy(y, a, 64);      // @store
  out.FreeTensor(a);
}

// ascsan: kernel=class_raw_v_mte3_queue cores=1 type=aiv expect=clean class="RAW V->MTE3"
LITMUS(class_raw_v_mte3_queue, aiv, 1) {
  TPipe pipe;
  TQue<TPosition::VECOUT, 1> out;
  pipe.InitBuffer(out, 1, 256);
  LocalTensor<float> a = out.AllocTensor<float>();
  Duplicate(a, 0.0f, 64);
  out.EnQue(a);
  a = out.DeQue<float>();
  DataCopy(y, a, 64);
  out.FreeTensor(a);
}

// The next load overwrites the tile that V works on in place.
// ascsan: kernel=class_war_v_mte2 cores=1 type=aiv class="WAR V->MTE2"
// ascsan:   expect=ASC1203 tensor=UB+0x0 writer=@add writer=@load missing="V -> MTE2"
LITMUS(class_war_v_mte2, aiv, 1) {
  for (int turn = 0; turn < 3; ++turn) {
    if (turn > 0) {
      WaitFlag<HardEvent::MTE3_MTE2>(0);
    }
    DataCopy(ub(0), x[turn * 64], 64);  // @load
    SetFlag<HardEvent::MTE2_V>(0);
    WaitFlag<HardEvent::MTE2_V>(0);
    Adds(ub(256), ub(0), 1.0f, 64);
    SetFlag<HardEvent::V_MTE3>(0);
    Adds(ub(0), ub(0), 1.0f, 64);  // @add
    WaitFlag<HardEvent::V_MTE3>(0);
    DataCopy(y[turn * 64], ub(256), 64);
    if (turn < 2) SetFlag<HardEvent::MTE3_MTE2>(0);
    PipeBarrier<PIPE_MTE3>();
    SetFlag<HardEvent::MTE3_V>(0);
    WaitFlag<HardEvent::MTE3_V>(0);
  }
}

// ascsan: kernel=class_war_v_mte2_flag cores=1 type=aiv expect=clean class="WAR V->MTE2"
LITMUS(class_war_v_mte2_flag, aiv, 1) {
  for (int turn = 0; turn < 3; ++turn) {
    if (turn > 0) WaitFlag<HardEvent::V_MTE2>(0);
    DataCopy(ub(0), x[turn * 64], 64);
    SetFlag<HardEvent::MTE2_V>(0);
    WaitFlag<HardEvent::MTE2_V>(0);
    if (turn > 0) WaitFlag<HardEvent::MTE3_V>(0);
    Adds(ub(256), ub(0), 1.0f, 64);
    if (turn < 2) SetFlag<HardEvent::V_MTE2>(0);
    SetFlag<HardEvent::V_MTE3>(0);
    WaitFlag<HardEvent::V_MTE3>(0);
    DataCopy(y[turn * 64], ub(256), 64);
    if (turn < 2) SetFlag<HardEvent::MTE3_V>(0);
  }
}

// One tile for all turns: V writes the next result while the store of the last one is on its way.
// ascsan: kernel=class_war_mte3_v cores=1 type=aiv class="WAR MTE3->V"
// ascsan:   expect=ASC1202 tensor=UB+0x100 reader=@store writer=@add missing="MTE3 -> V"
LITMUS(class_war_mte3_v, aiv, 1) {
  DataCopy(ub(0), x, 64);
  PipeBarrier<PIPE_ALL>();
  for (int turn = 0; turn < 3; ++turn) {
    Adds(ub(256), ub(0), 1.0f, 64);  // @add
    SetFlag<HardEvent::V_MTE3>(0);
    WaitFlag<HardEvent::V_MTE3>(0);
    DataCopy(y[turn * 64], ub(256), 64);  // @store
  }
}

// ascsan: kernel=class_war_mte3_v_flag cores=1 type=aiv expect=clean class="WAR MTE3->V"
LITMUS(class_war_mte3_v_flag, aiv, 1) {
  DataCopy(ub(0), x, 64);
  PipeBarrier<PIPE_ALL>();
  for (int turn = 0; turn < 3; ++turn) {
    if (turn > 0) WaitFlag<HardEvent::MTE3_V>(0);
    Adds(ub(256), ub(0), 1.0f, 64);
    SetFlag<HardEvent::V_MTE3>(0);
    WaitFlag<HardEvent::V_MTE3>(0);
    DataCopy(y[turn * 64], ub(256), 64);
    if (turn < 2) SetFlag<HardEvent::MTE3_V>(0);
  }
}

// The event goes the other way.
// ascsan: kernel=class_war_mte3_mte2 cores=1 type=aiv class="WAR MTE3->MTE2"
// ascsan:   expect=ASC1202 tensor=UB+0x0 reader=@store writer=@load missing="MTE3 -> MTE2"
LITMUS(class_war_mte3_mte2, aiv, 1) {
  for (int turn = 0; turn < 2; ++turn) {
    DataCopy(ub(0), x[turn * 64], 64);  // @load
    SetFlag<HardEvent::MTE2_MTE3>(0);
    WaitFlag<HardEvent::MTE2_MTE3>(0);
    DataCopy(y[turn * 64], ub(0), 64);  // @store
    PipeBarrier<PIPE_MTE2>();
  }
}

// ascsan: kernel=class_war_mte3_mte2_flag cores=1 type=aiv expect=clean class="WAR MTE3->MTE2"
LITMUS(class_war_mte3_mte2_flag, aiv, 1) {
  for (int turn = 0; turn < 2; ++turn) {
    if (turn > 0) WaitFlag<HardEvent::MTE3_MTE2>(0);
    DataCopy(ub(0), x[turn * 64], 64);
    SetFlag<HardEvent::MTE2_MTE3>(0);
    WaitFlag<HardEvent::MTE2_MTE3>(0);
    DataCopy(y[turn * 64], ub(0), 64);
    if (turn < 1) SetFlag<HardEvent::MTE3_MTE2>(0);
  }
}

// ascsan: kernel=class_raw_through_gm cores=1 type=aiv class="RAW through GM"
// ascsan:   expect=ASC1402 tensor=y writer=@store reader=@load missing="MTE3 -> MTE2"
LITMUS(class_raw_through_gm, aiv, 1) {
  prepare();
  DataCopy(y, ub(0), 64);     // @store
  DataCopy(ub(1024), y, 64);  // @load
}

// ascsan: kernel=class_raw_through_gm_flag cores=1 type=aiv expect=clean class="RAW through GM"
LITMUS(class_raw_through_gm_flag, aiv, 1) {
  prepare();
  DataCopy(y, ub(0), 64);
  SetFlag<HardEvent::MTE3_MTE2>(0);
  WaitFlag<HardEvent::MTE3_MTE2>(0);
  DataCopy(ub(1024), y, 64);
}

// ascsan: kernel=class_scalar_pipe cores=1 type=aiv class="scalar <-> pipe" profile=strict
// ascsan:   expect=ASC1401 tensor=UB+0x0 reader=@store writer=@set missing="MTE3 -> S"
LITMUS(class_scalar_pipe, aiv, 1) {
  Duplicate(ub<int32_t>(0), 0, 64);
  PipeBarrier<PIPE_ALL>();
  for (int turn = 0; turn < 3; ++turn) {
    ub<int32_t>(0).SetValue(0, turn);  // @set
    SetFlag<HardEvent::S_MTE3>(0);
    WaitFlag<HardEvent::S_MTE3>(0);
    DataCopy(w[turn * 8], ub<int32_t>(0), 8);  // @store
  }
}

// ascsan: kernel=class_scalar_pipe_auto cores=1 type=aiv expect=clean class="scalar <-> pipe"
LITMUS(class_scalar_pipe_auto, aiv, 1) {
  Duplicate(ub<int32_t>(0), 0, 64);
  PipeBarrier<PIPE_ALL>();
  for (int turn = 0; turn < 3; ++turn) {
    ub<int32_t>(0).SetValue(0, turn);
    DataCopy(w[turn * 8], ub<int32_t>(0), 8);
  }
}

// ascsan: kernel=class_scalar_pipe_flag cores=1 type=aiv expect=clean class="scalar <-> pipe" profile=strict
LITMUS(class_scalar_pipe_flag, aiv, 1) {
  Duplicate(ub<int32_t>(0), 0, 64);
  PipeBarrier<PIPE_ALL>();
  for (int turn = 0; turn < 3; ++turn) {
    if (turn > 0) WaitFlag<HardEvent::MTE3_S>(0);
    ub<int32_t>(0).SetValue(0, turn);
    SetFlag<HardEvent::S_MTE3>(0);
    WaitFlag<HardEvent::S_MTE3>(0);
    DataCopy(w[turn * 8], ub<int32_t>(0), 8);
    if (turn < 2) SetFlag<HardEvent::MTE3_S>(0);
  }
}

// ascsan: kernel=class_same_pipe_v cores=1 type=aiv class="same-pipe barrier missing" profile=strict
// ascsan:   expect=ASC1301 tensor=UB+0x200 writer=@muls reader=@add missing="V -> V"
LITMUS(class_same_pipe_v, aiv, 1) {
  prepare();
  Muls(ub(512), ub(0), 2.0f, 64);       // @muls
  Add(ub(1024), ub(512), ub(256), 64);  // @add
}

// ascsan: kernel=class_same_pipe_v_barrier cores=1 type=aiv expect=clean class="same-pipe barrier missing"
// profile=strict
LITMUS(class_same_pipe_v_barrier, aiv, 1) {
  prepare();
  Muls(ub(512), ub(0), 2.0f, 64);
  PipeBarrier<PIPE_V>();
  Add(ub(1024), ub(512), ub(256), 64);
}

// Ten integers, then eight more that begin inside the block of the tenth.
// ascsan: kernel=class_same_pipe_mte3 cores=1 type=aiv class="same-pipe barrier missing"
// ascsan:   expect=ASC1301 tensor=w writer=@first writer=@second missing="MTE3 -> MTE3"
LITMUS(class_same_pipe_mte3, aiv, 1) {
  prepare();
  DataCopy(w, ub<int32_t>(0), 16);       // @first
  DataCopy(w[10], ub<int32_t>(256), 8);  // @second
}

// ascsan: kernel=class_same_pipe_mte3_exact cores=1 type=aiv expect=clean class="same-pipe barrier missing"
LITMUS(class_same_pipe_mte3_exact, aiv, 1) {
  prepare();
  DataCopyPad(w, ub<int32_t>(0), DataCopyExtParams{1, 40, 0, 0, 0});
  DataCopy(w[10], ub<int32_t>(256), 8);
}

// One id for two buffers: the second wait for it lets the load into b go ahead although only a is free.
// ascsan: kernel=class_event_id_reuse cores=1 type=aiv class="event id reuse and pairing"
// ascsan:   expect=ASC1202 tensor=UB+0x100 reader=@second writer=@load missing="V -> MTE2"
LITMUS(class_event_id_reuse, aiv, 1) {
  prepare();
  Adds(ub(512), ub(0), 1.0f, 64);
  SetFlag<HardEvent::V_MTE2>(0);
  Adds(ub(1024), ub(256), 1.0f, 64);  // @second
  WaitFlag<HardEvent::V_MTE2>(0);
  DataCopy(ub(0), x, 64);
  DataCopy(ub(256), x[64], 64);  // @load
}

// ascsan: kernel=class_event_id_each cores=1 type=aiv expect=clean class="event id reuse and pairing"
LITMUS(class_event_id_each, aiv, 1) {
  prepare();
  Adds(ub(512), ub(0), 1.0f, 64);
  SetFlag<HardEvent::V_MTE2>(0);
  Adds(ub(1024), ub(256), 1.0f, 64);
  SetFlag<HardEvent::V_MTE2>(1);
  WaitFlag<HardEvent::V_MTE2>(0);
  DataCopy(ub(0), x, 64);
  WaitFlag<HardEvent::V_MTE2>(1);
  DataCopy(ub(256), x[64], 64);
}

}  // namespace litmus
