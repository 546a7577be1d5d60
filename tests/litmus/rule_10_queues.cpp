// the flags that queues imply. EnQue sets and DeQue waits in the direction of the data, FreeTensor sets and the
// next AllocTensor of the buffer waits in the other one.
#include "litmus.h"

namespace litmus {

// ascsan: kernel=r10_queue cores=1 type=aiv expect=clean rule=R-10 schedules=4 outcomes=1
LITMUS(r10_queue, aiv, 1) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in;
  TQue<TPosition::VECOUT, 1> out;
  pipe.InitBuffer(in, 1, 256);
  pipe.InitBuffer(out, 1, 256);
  for (int turn = 0; turn < 3; ++turn) {
    LocalTensor<float> a = in.AllocTensor<float>();
    DataCopy(a, x[turn * 64], 64);
    in.EnQue(a);
    a = in.DeQue<float>();
    LocalTensor<float> b = out.AllocTensor<float>();
    Adds(b, a, 1.0f, 64);
    in.FreeTensor(a);
    out.EnQue(b);
    b = out.DeQue<float>();
    DataCopy(y[turn * 64], b, 64);
    out.FreeTensor(b);
  }
}

// The tensor is used before DeQue: nothing has waited for the load.
// ascsan: kernel=r10_no_dequeue cores=1 type=aiv rule=R-10 schedules=2 outcomes=1
// ascsan:   expect=ASC1201 tensor=UB+0x0 writer=@load reader=@add missing="MTE2 -> V"
LITMUS(r10_no_dequeue, aiv, 1) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in;
  pipe.InitBuffer(in, 1, 256);
  LocalTensor<float> a = in.AllocTensor<float>();
  DataCopy(a, x, 64);  // @load
  in.EnQue(a);
  Adds(ub(4096), a, 1.0f, 64);  // @add
  a = in.DeQue<float>();
  in.FreeTensor(a);
}

// A VECOUT queue waits from V to MTE3; a load into it needs MTE2 to V.
// ascsan: kernel=r10_wrong_queue cores=1 type=aiv rule=R-10 schedules=2 outcomes=1
// ascsan:   expect=ASC1201 tensor=UB+0x0 writer=@load reader=@add missing="MTE2 -> V"
LITMUS(r10_wrong_queue, aiv, 1) {
  TPipe pipe;
  TQue<TPosition::VECOUT, 1> out;
  pipe.InitBuffer(out, 1, 256);
  LocalTensor<float> a = out.AllocTensor<float>();
  DataCopy(a, x, 64);  // @load
  out.EnQue(a);
  a = out.DeQue<float>();
  Adds(ub(4096), a, 1.0f, 64);  // @add
  out.FreeTensor(a);
}

// The result of V leaves through the queue of the load: its store does not wait for V.
// ascsan: kernel=r10_store_from_input_queue cores=1 type=aiv rule=R-10 schedules=3 outcomes=3
// ascsan:   expect=ASC1201 tensor=UB+0x0 writer=@add reader=@store missing="V -> MTE3"
LITMUS(r10_store_from_input_queue, aiv, 1) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in;
  pipe.InitBuffer(in, 1, 256);
  LocalTensor<float> a = in.AllocTensor<float>();
  DataCopy(a, x, 64);
  in.EnQue(a);
  a = in.DeQue<float>();
  Adds(a, a, 1.0f, 64);  // @add
  DataCopy(y, a, 64);    // @store
  in.FreeTensor(a);
}

// Two buffers hide nothing when each turn takes and gives back one.
// ascsan: kernel=r10_double_buffer cores=1 type=aiv expect=clean rule=R-10 schedules=41 outcomes=1
LITMUS(r10_double_buffer, aiv, 1) {
  TPipe pipe;
  TQue<TPosition::VECIN, 2> in;
  pipe.InitBuffer(in, 2, 256);
  for (int turn = 0; turn < 5; ++turn) {
    LocalTensor<float> a = in.AllocTensor<float>();
    DataCopy(a, x[turn * 64], 64);
    in.EnQue(a);
    a = in.DeQue<float>();
    Adds(ub(4096), a, 1.0f, 64);
    in.FreeTensor(a);
  }
}

// TBuf has no events: every edge is the user's.
// ascsan: kernel=r10_tbuf_has_no_events cores=1 type=aiv rule=R-10 schedules=2 outcomes=1
// ascsan:   expect=ASC1201 tensor=UB+0x0 writer=@load reader=@add missing="MTE2 -> V"
LITMUS(r10_tbuf_has_no_events, aiv, 1) {
  TPipe pipe;
  TBuf<> buf;
  pipe.InitBuffer(buf, 512);
  LocalTensor<float> a = buf.Get<float>();
  DataCopy(a, x, 64);        // @load
  Adds(a[64], a, 1.0f, 64);  // @add
}

// Load to store without V: TQueBind takes the flags of the path MTE2 to MTE3.
// ascsan: kernel=r10_bind cores=1 type=aiv expect=clean rule=R-10 schedules=1 outcomes=1
LITMUS(r10_bind, aiv, 1) {
  TPipe pipe;
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> path;
  pipe.InitBuffer(path, 1, 256);
  for (int turn = 0; turn < 3; ++turn) {
    LocalTensor<float> a = path.AllocTensor<float>();
    DataCopy(a, x[turn * 64], 64);
    path.EnQue(a);
    a = path.DeQue<float>();
    DataCopy(y[turn * 64], a, 64);
    path.FreeTensor(a);
  }
}

// TPipe::Destroy waits for everything, so the next pipe may use the same bytes.
// ascsan: kernel=r10_destroy_waits cores=1 type=aiv expect=clean rule=R-10 schedules=1 outcomes=1
LITMUS(r10_destroy_waits, aiv, 1) {
  for (int turn = 0; turn < 2; ++turn) {
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 256);
    LocalTensor<float> a = buf.Get<float>();
    DataCopy(a, x[turn * 64], 64);
    SetFlag<HardEvent::MTE2_V>(0);
    WaitFlag<HardEvent::MTE2_V>(0);
    Adds(a, a, 1.0f, 64);
  }
}

// Reset gives the addresses away without waiting for what is in flight on them.
// ascsan: kernel=r10_reset_does_not_wait cores=1 type=aiv rule=R-10 schedules=2 outcomes=1
// ascsan:   expect=ASC1202 tensor=UB+0x0 reader=@add writer=@load missing="V -> MTE2"
LITMUS(r10_reset_does_not_wait, aiv, 1) {
  TPipe pipe;
  TBuf<> first, second;
  pipe.InitBuffer(first, 256);
  DataCopy(first.Get<float>(), x, 64);
  PipeBarrier<PIPE_ALL>();
  Adds(ub(4096), first.Get<float>(), 1.0f, 64);  // @add
  pipe.Reset();
  pipe.InitBuffer(second, 256);
  DataCopy(second.Get<float>(), y, 64);  // @load
}

}  // namespace litmus
