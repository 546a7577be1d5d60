// R-23 hard SyncAll, R-24 soft SyncAll, R-25 IBSet/IBWait, R-26 WaitPreBlock/NotifyNextBlock, R-27..R-29 messages
// between AIV and AIC, which are not modelled and must make a run incomplete.
#include "lib/matmul_intf.h"
#include "litmus.h"

namespace litmus {

// ascsan: kernel=r23_sync_all cores=3 type=mix_aiv expect=clean rule=R-23 schedules=540 outcomes=1
LITMUS(r23_sync_all, mix_aiv, 3) {
  prepare();
  DataCopy(y[GetBlockIdx() * 64], ub(0), 64);
  SyncAll();
  DataCopy(ub(1024, 192), y, 192);
}

// ascsan: kernel=r23_none cores=3 type=mix_aiv rule=R-23 schedules=1680 outcomes=1
// ascsan:   expect=ASC1101 tensor=y writer=@store reader=@load missing="MTE3 -> MTE2"
LITMUS(r23_none, mix_aiv, 3) {
  prepare();
  DataCopy(y[GetBlockIdx() * 64], ub(0), 64);  // @store
  PipeBarrier<PIPE_ALL>();
  DataCopy(ub(1024, 192), y, 192);  // @load
}

// ascsan: kernel=r23_too_early cores=3 type=mix_aiv rule=R-23 schedules=540 outcomes=1
// ascsan:   expect=ASC1101 tensor=y writer=@store reader=@load missing="MTE3 -> MTE2"
LITMUS(r23_too_early, mix_aiv, 3) {
  prepare();
  SyncAll();
  DataCopy(y[GetBlockIdx() * 64], ub(0), 64);  // @store
  PipeBarrier<PIPE_ALL>();
  DataCopy(ub(1024, 192), y, 192);  // @load
}

// ascsan: kernel=r23_mix cores=2 type=mix12 expect=clean rule=R-23 schedules=18162144000 outcomes=1
LITMUS(r23_mix, mix12, 2) {
  prepare();
  if ASCEND_IS_AIV {
    DataCopy(y[GetBlockIdx() * 64], ub(0), 64);
    SyncAll<false>();
  } else {
    SyncAll<false>();
    DataCopy(l1<float>(0, 256), y, 256);
  }
}

// SyncAll of the AIVs does not order the AIC.
// ascsan: kernel=r23_aiv_only_in_mix cores=2 type=mix12 rule=R-23 schedules=61751289600 outcomes=1
// ascsan:   expect=ASC1101 tensor=y writer=@store reader=@load missing="MTE3 -> MTE2"
LITMUS(r23_aiv_only_in_mix, mix12, 2) {
  prepare();
  if ASCEND_IS_AIV {
    DataCopy(y[GetBlockIdx() * 64], ub(0), 64);  // @store
    SyncAll();
  } else {
    SyncAll();
    DataCopy(l1<float>(0, 256), y, 256);  // @load
  }
}

// ascsan: kernel=r23_one_core_leaves cores=3 type=mix_aiv rule=R-23 expect=ASC5001 waiter=@sync
LITMUS(r23_one_core_leaves, mix_aiv, 3) {
  if (me(1)) return;
  SyncAll();  // @sync
}

// ascsan: kernel=r24_soft cores=3 type=aiv expect=clean rule=R-24 schedules=540 outcomes=1
LITMUS(r24_soft, aiv, 3) {
  prepare();
  DataCopy(y[GetBlockIdx() * 64], ub(0), 64);
  SyncAll(w, ub<int32_t>(8192, 64));
  DataCopy(ub(1024, 192), y, 192);
}

// ascsan: kernel=r24_twice cores=3 type=aiv expect=clean rule=R-24 schedules=19440 outcomes=1
LITMUS(r24_twice, aiv, 3) {
  prepare();
  for (int round = 0; round < 2; ++round) {
    DataCopy(y[GetBlockIdx() * 64], ub(0), 64);
    SyncAll(w, ub<int32_t>(8192, 64));
    DataCopy(ub(1024, 192), y, 192);
    SyncAll(w, ub<int32_t>(8192, 64));
  }
}

// ascsan: kernel=r24_twice_without_second cores=3 type=aiv rule=R-24 schedules=48600 outcomes=1
// ascsan:   expect=ASC1101 tensor=y writer=@store reader=@load missing="MTE3 -> MTE2"
LITMUS(r24_twice_without_second, aiv, 3) {
  prepare();
  for (int round = 0; round < 2; ++round) {
    DataCopy(y[GetBlockIdx() * 64], ub(0), 64);  // @store
    SyncAll(w, ub<int32_t>(8192, 64));
    DataCopy(ub(1024, 192), y, 192);  // @load
    PipeBarrier<PIPE_ALL>();
  }
}

// ascsan: kernel=r24_none cores=3 type=aiv rule=R-24 schedules=540 outcomes=1
// ascsan:   expect=ASC1101 tensor=y writer=@store reader=@load missing="MTE3 -> MTE2"
LITMUS(r24_none, aiv, 3) {
  prepare();
  SyncAll(w, ub<int32_t>(8192, 64));
  DataCopy(y[GetBlockIdx() * 64], ub(0), 64);  // @store
  PipeBarrier<PIPE_ALL>();
  DataCopy(ub(1024, 192), y, 192);  // @load
}

// ascsan: kernel=r25_mailbox cores=2 type=aiv expect=clean rule=R-25 schedules=3 outcomes=1
LITMUS(r25_mailbox, aiv, 2) {
  prepare();
  if (me(0)) {
    DataCopy(y, ub(0), 64);
    IBSet(w, ub<int32_t>(8192, 64), 0, 0);
  } else {
    IBWait(w, ub<int32_t>(8192, 64), 0, 0);
    DataCopy(ub(1024), y, 64);
  }
}

// ascsan: kernel=r25_set_too_early cores=2 type=aiv rule=R-25 schedules=5 outcomes=1
// ascsan:   expect=ASC1101 tensor=y writer=@store reader=@load missing="AIV 1 MTE2 -> AIV 0 MTE3"
LITMUS(r25_set_too_early, aiv, 2) {
  prepare();
  if (me(0)) {
    IBSet(w, ub<int32_t>(8192, 64), 0, 0);
    DataCopy(y, ub(0), 64);  // @store
  } else {
    IBWait(w, ub<int32_t>(8192, 64), 0, 0);
    DataCopy(ub(1024), y, 64);  // @load
  }
}

// ascsan: kernel=r25_other_mailbox cores=2 type=aiv rule=R-25 schedules=5 outcomes=1
// ascsan:   expect=ASC1101 tensor=y writer=@store reader=@load missing="AIV 1 MTE2 -> AIV 0 MTE3"
LITMUS(r25_other_mailbox, aiv, 2) {
  prepare();
  if (me(0)) {
    IBSet(w, ub<int32_t>(8192, 64), 0, 1);
    DataCopy(y, ub(0), 64);  // @store
    IBSet(w, ub<int32_t>(8192, 64), 0, 0);
  } else {
    IBWait(w, ub<int32_t>(8192, 64), 0, 1);
    DataCopy(ub(1024), y, 64);  // @load
    IBWait(w, ub<int32_t>(8192, 64), 0, 0);
  }
}

// The mailbox holds one letter: the second IBSet comes after the first IBWait.
// ascsan: kernel=r25_one_letter cores=2 type=aiv expect=clean rule=R-25 schedules=3 outcomes=1
LITMUS(r25_one_letter, aiv, 2) {
  prepare();
  if (me(0)) {
    IBSet(w, ub<int32_t>(8192, 64), 0, 0);
    IBSet(w, ub<int32_t>(8192, 64), 0, 0);
    DataCopy(y, ub(0), 64);
  } else {
    DataCopy(ub(1024), y, 64);
    IBWait(w, ub<int32_t>(8192, 64), 0, 0);
    IBWait(w, ub<int32_t>(8192, 64), 0, 0);
  }
}

// ascsan: kernel=r25_first_letter cores=2 type=aiv rule=R-25 schedules=6 outcomes=1
// ascsan:   expect=ASC1101 tensor=y writer=@store reader=@load missing="AIV 0 MTE3 -> AIV 1 MTE2"
LITMUS(r25_first_letter, aiv, 2) {
  prepare();
  if (me(0)) {
    IBSet(w, ub<int32_t>(8192, 64), 0, 0);
    DataCopy(y, ub(0), 64);  // @store
  } else {
    DataCopy(ub(1024), y, 64);  // @load
    IBWait(w, ub<int32_t>(8192, 64), 0, 0);
  }
}

// ascsan: kernel=r25_wait_without_set cores=2 type=aiv rule=R-25 expect=ASC5001 waiter=@wait
LITMUS(r25_wait_without_set, aiv, 2) {
  if (me(1)) IBWait(w, ub<int32_t>(8192, 64), 0, 0);  // @wait
}

// ascsan: kernel=r26_token cores=3 type=aiv expect=clean rule=R-26 schedules=28 outcomes=1
LITMUS(r26_token, aiv, 3) {
  prepare();
  LocalTensor<int32_t> local = ub<int32_t>(8192, 64);
  InitDetermineComputeWorkspace(w, local);
  WaitPreBlock(w, local);
  DataCopy(ub(0), y, 64);
  SetFlag<HardEvent::MTE2_MTE3>(0);
  WaitFlag<HardEvent::MTE2_MTE3>(0);
  DataCopy(y, ub(0), 64);
  NotifyNextBlock(w, local);
}

// ascsan: kernel=r26_store_after_token cores=3 type=aiv rule=R-26 schedules=57 outcomes=3
// ascsan:   expect=ASC1102 tensor=y writer=@store writer=@store missing="MTE3 -> MTE3"
LITMUS(r26_store_after_token, aiv, 3) {
  prepare();
  LocalTensor<int32_t> local = ub<int32_t>(8192, 64);
  InitDetermineComputeWorkspace(w, local);
  WaitPreBlock(w, local);
  NotifyNextBlock(w, local);
  DataCopy(y, ub(0), 64);  // @store
}

// The token goes upwards: a block knows nothing of the ones after it.
// ascsan: kernel=r26_upwards_only cores=2 type=aiv rule=R-26 schedules=5 outcomes=1
// ascsan:   expect=ASC1101 tensor=y writer=@store reader=@load missing="AIV 1 MTE3 -> AIV 0 MTE2"
LITMUS(r26_upwards_only, aiv, 2) {
  prepare();
  LocalTensor<int32_t> local = ub<int32_t>(8192, 64);
  InitDetermineComputeWorkspace(w, local);
  WaitPreBlock(w, local);
  if (me(1)) DataCopy(y, ub(0), 64);  // @store
  NotifyNextBlock(w, local);
  if (me(0)) DataCopy(ub(1024), y, 64);  // @load
}

// Round r + 1 of block 0 follows the last block of round r.
// ascsan: kernel=r26_second_round cores=2 type=aiv expect=clean rule=R-26 schedules=2 outcomes=1
LITMUS(r26_second_round, aiv, 2) {
  prepare();
  LocalTensor<int32_t> local = ub<int32_t>(8192, 64);
  InitDetermineComputeWorkspace(w, local);
  for (int round = 0; round < 2; ++round) {
    WaitPreBlock(w, local);
    if (me(1) && round == 0) DataCopy(y, ub(0), 64);
    if (me(0) && round == 1) DataCopy(ub(1024), y, 64);
    NotifyNextBlock(w, local);
  }
}

// Messages of the Matmul object in a mixed kernel are outside the model: never clean, always said.
// ascsan: kernel=r27_message cores=1 type=mix12 expect=incomplete rule=R-27 schedules=1 outcomes=1
LITMUS(r27_message, mix12, 1) {
  TPipe pipe;
  using A = MatmulType<TPosition::GM, CubeFormat::ND, half>;
  using C = MatmulType<TPosition::GM, CubeFormat::ND, float>;
  Matmul<A, A, C, C> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm);
  mm.SetTensorA(x.ReinterpretCast<half>());
  mm.SetTensorB(y.ReinterpretCast<half>());
  mm.IterateAll(z);
}

// ascsan: kernel=r28_completion cores=1 type=mix12 expect=incomplete rule=R-28 schedules=2 outcomes=1
LITMUS(r28_completion, mix12, 1) {
  TPipe pipe;
  using A = MatmulType<TPosition::GM, CubeFormat::ND, half>;
  using C = MatmulType<TPosition::GM, CubeFormat::ND, float>;
  Matmul<A, A, C, C> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm);
  mm.SetTensorA(x.ReinterpretCast<half>());
  mm.SetTensorB(y.ReinterpretCast<half>());
  mm.IterateAll(z);
  DataCopy(ub(0), z, 64);
}

// ascsan: kernel=r29_start_up cores=1 type=mix12 expect=incomplete rule=R-29 schedules=1 outcomes=1
LITMUS(r29_start_up, mix12, 1) {
  TPipe pipe;
  using A = MatmulType<TPosition::GM, CubeFormat::ND, half>;
  using C = MatmulType<TPosition::GM, CubeFormat::ND, float>;
  Matmul<A, A, C, C> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm);
}

}  // namespace litmus
