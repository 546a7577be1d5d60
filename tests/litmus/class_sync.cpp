// Classes of faults between cores (spec/bug-classes.md 4): missing all-core sync, missing cross-core flag, misuse of
// cross-core flags. Each minimal fault with the form that repairs it.
#include "litmus.h"

namespace litmus {

// ascsan: kernel=class_all_core_sync_missing cores=4 type=mix_aiv class="missing all-core sync"
// ascsan:   expect=ASC1101 tensor=y writer=@fill reader=@read missing="AIV 0 MTE3 -> AIV 1 MTE2"
// ascsan:   expect=ASC1402 tensor=y writer=@fill reader=@read missing="AIV 0 MTE3 -> AIV 0 MTE2"
LITMUS(class_all_core_sync_missing, mix_aiv, 4) {
  if (me(0)) {
    Duplicate(ub(0), 0.0f, 64);
    SetFlag<HardEvent::V_MTE3>(0);
    WaitFlag<HardEvent::V_MTE3>(0);
    DataCopy(y, ub(0), 64);  // @fill
  }
  DataCopy(ub(1024), y, 64);  // @read
  SetFlag<HardEvent::MTE2_MTE3>(0);
  WaitFlag<HardEvent::MTE2_MTE3>(0);
  DataCopy(z[GetBlockIdx() * 64], ub(1024), 64);
}

// ascsan: kernel=class_all_core_sync cores=4 type=mix_aiv expect=clean class="missing all-core sync"
LITMUS(class_all_core_sync, mix_aiv, 4) {
  if (me(0)) {
    Duplicate(ub(0), 0.0f, 64);
    SetFlag<HardEvent::V_MTE3>(0);
    WaitFlag<HardEvent::V_MTE3>(0);
    DataCopy(y, ub(0), 64);
  }
  SyncAll();
  DataCopy(ub(1024), y, 64);
  SetFlag<HardEvent::MTE2_MTE3>(0);
  WaitFlag<HardEvent::MTE2_MTE3>(0);
  DataCopy(z[GetBlockIdx() * 64], ub(1024), 64);
}

// "Own slice" cleared in whole blocks of 32 bytes: the last block is the neighbour's too.
// ascsan: kernel=class_clear_hits_neighbour cores=3 type=mix_aiv class="missing all-core sync"
// ascsan:   expect=ASC1102 tensor=y writer=@clear writer=@clear missing="MTE3 -> MTE3"
LITMUS(class_clear_hits_neighbour, mix_aiv, 3) {
  prepare();
  DataCopy(y[GetBlockIdx() * 12], ub(0), 16);  // @clear
  SyncAll();
}

// ascsan: kernel=class_clear_exact cores=3 type=mix_aiv expect=clean class="missing all-core sync"
LITMUS(class_clear_exact, mix_aiv, 3) {
  prepare();
  DataCopyPad(y[GetBlockIdx() * 12], ub(0), DataCopyExtParams{1, 48, 0, 0, 0});
  SyncAll();
}

// Forward flag there, reverse flag missing: round 1 overwrites the slot that round 0 is read from.
// ascsan: kernel=class_reverse_flag_missing cores=1 type=mix11 class="missing cross-core flag"
// ascsan:   expect=ASC1101 tensor=y writer=@store reader=@load missing="AIV 0 MTE2 -> AIC 0 FIX"
// ascsan:   expect=ASC1301 severity=info tensor=y writer=@store writer=@store missing="FIX -> FIX"
LITMUS(class_reverse_flag_missing, mix11, 1) {
  prepare();
  for (int round = 0; round < 2; ++round) {
    if ASCEND_IS_AIC {
      Fixpipe(y, l0c(0), store_tile());  // @store
      CrossCoreSetFlag<2, PIPE_FIX>(0);
    } else {
      CrossCoreWaitFlag(0);
      DataCopy(ub(round * 1024, 256), y, 256);  // @load
    }
  }
}

// ascsan: kernel=class_reverse_flag cores=1 type=mix11 expect=clean class="missing cross-core flag"
LITMUS(class_reverse_flag, mix11, 1) {
  prepare();
  for (int round = 0; round < 2; ++round) {
    if ASCEND_IS_AIC {
      if (round > 0) CrossCoreWaitFlag(1);
      Fixpipe(y, l0c(0), store_tile());
      CrossCoreSetFlag<2, PIPE_FIX>(0);
    } else {
      CrossCoreWaitFlag(0);
      DataCopy(ub(round * 1024, 256), y, 256);
      if (round == 0) CrossCoreSetFlag<2, PIPE_MTE2>(1);
    }
  }
}

// Half of the cores return, the others wait for them.
// ascsan: kernel=class_half_leave cores=4 type=mix_aiv class="cross-core flag misuse" expect=ASC5001 waiter=@sync
LITMUS(class_half_leave, mix_aiv, 4) {
  if (GetBlockIdx() % 2 == 1) return;
  SyncAll();  // @sync
}

// ascsan: kernel=class_all_stay cores=4 type=mix_aiv expect=clean class="cross-core flag misuse"
LITMUS(class_all_stay, mix_aiv, 4) {
  SyncAll();
}

// The consumer skips a group that the producer announces, and waits for one that never comes.
// ascsan: kernel=class_empty_group cores=1 type=mix11 class="cross-core flag misuse" expect=ASC5001 waiter=@wait
LITMUS(class_empty_group, mix11, 1) {
  for (int group = 0; group < 3; ++group) {
    if ASCEND_IS_AIV {
      if (group != 1) CrossCoreSetFlag<2, PIPE_MTE3>(0);
    } else {
      CrossCoreWaitFlag(0);  // @wait
    }
  }
}

// ascsan: kernel=class_every_group cores=1 type=mix11 expect=clean class="cross-core flag misuse"
LITMUS(class_every_group, mix11, 1) {
  for (int group = 0; group < 3; ++group) {
    if ASCEND_IS_AIV {
      CrossCoreSetFlag<2, PIPE_MTE3>(0);
    } else {
      CrossCoreWaitFlag(0);
    }
  }
}

}  // namespace litmus
