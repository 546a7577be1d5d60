// R-20 CrossCoreSetFlag, R-21 group release, R-22 CrossCoreWaitFlag. One AIC and one or two AIVs share a block; the AIC
// is the core with the pipes MTE1, M and FIX.
#include "litmus.h"

namespace litmus {

// ascsan: kernel=r20_set_after_store cores=1 type=mix11 expect=clean rule=R-20 schedules=30 outcomes=1
LITMUS(r20_set_after_store, mix11, 1) {
  prepare();
  if ASCEND_IS_AIV {
    DataCopy(y, ub(0), 64);
    CrossCoreSetFlag<2, PIPE_MTE3>(0);
  } else {
    CrossCoreWaitFlag(0);
    DataCopy(l1<float>(0, 64), y, 64);
  }
}

// ascsan: kernel=r20_none cores=1 type=mix11 rule=R-20 schedules=42 outcomes=1
// ascsan:   expect=ASC1101 tensor=y writer=@store reader=@load missing="AIV 0 MTE3 -> AIC 0 MTE2"
LITMUS(r20_none, mix11, 1) {
  prepare();
  if ASCEND_IS_AIV {
    DataCopy(y, ub(0), 64);  // @store
  } else {
    DataCopy(l1<float>(0, 64), y, 64);  // @load
  }
}

// ascsan: kernel=r20_wrong_pipe cores=1 type=mix11 rule=R-20 schedules=40 outcomes=1
// ascsan:   expect=ASC1101 tensor=y writer=@store reader=@load missing="MTE3 -> MTE2"
LITMUS(r20_wrong_pipe, mix11, 1) {
  prepare();
  if ASCEND_IS_AIV {
    DataCopy(y, ub(0), 64);  // @store
    CrossCoreSetFlag<2, PIPE_MTE2>(0);
  } else {
    CrossCoreWaitFlag(0);
    DataCopy(l1<float>(0, 64), y, 64);  // @load
  }
}

// ascsan: kernel=r20_set_before_store cores=1 type=mix11 rule=R-20 schedules=40 outcomes=1
// ascsan:   expect=ASC1101 tensor=y writer=@store reader=@load missing="MTE2 -> MTE3"
LITMUS(r20_set_before_store, mix11, 1) {
  prepare();
  if ASCEND_IS_AIV {
    CrossCoreSetFlag<2, PIPE_MTE3>(0);
    DataCopy(y, ub(0), 64);  // @store
  } else {
    CrossCoreWaitFlag(0);
    DataCopy(l1<float>(0, 64), y, 64);  // @load
  }
}

// Two sets of one core have no order: the second says nothing about the store before the first.
// ascsan: kernel=r20_two_sets cores=1 type=mix11 rule=R-20 schedules=40 outcomes=1
// ascsan:   expect=ASC1101 tensor=y writer=@store reader=@load missing="MTE3 -> MTE2"
LITMUS(r20_two_sets, mix11, 1) {
  prepare();
  if ASCEND_IS_AIV {
    DataCopy(y, ub(0), 64);  // @store
    CrossCoreSetFlag<2, PIPE_MTE3>(0);
    CrossCoreSetFlag<2, PIPE_MTE2>(1);
  } else {
    CrossCoreWaitFlag(1);
    DataCopy(l1<float>(0, 64), y, 64);  // @load
    CrossCoreWaitFlag(0);
  }
}

// What the scalar has waited for goes along with the set, whatever its pipe.
// ascsan: kernel=r20_carries_issue cores=1 type=mix11 expect=clean rule=R-20 schedules=30 outcomes=1
LITMUS(r20_carries_issue, mix11, 1) {
  prepare();
  if ASCEND_IS_AIV {
    DataCopy(y, ub(0), 64);
    SetFlag<HardEvent::MTE3_S>(0);
    WaitFlag<HardEvent::MTE3_S>(0);
    CrossCoreSetFlag<2, PIPE_MTE2>(0);
  } else {
    CrossCoreWaitFlag(0);
    DataCopy(l1<float>(0, 64), y, 64);
  }
}

// A flag wait that is still in the pipe goes along as well (R-6b).
// ascsan: kernel=r20_carries_pipe_wait cores=1 type=mix11 expect=clean rule=R-20 schedules=30 outcomes=1
LITMUS(r20_carries_pipe_wait, mix11, 1) {
  prepare();
  if ASCEND_IS_AIV {
    DataCopy(y, ub(0), 64);
    SetFlag<HardEvent::MTE3_V>(0);
    WaitFlag<HardEvent::MTE3_V>(0);
    CrossCoreSetFlag<2, PIPE_V>(0);
  } else {
    CrossCoreWaitFlag(0);
    DataCopy(l1<float>(0, 64), y, 64);
  }
}

// The other way: the AIV overwrites what the AIC still reads.
// ascsan: kernel=r20_back_none cores=1 type=mix11 rule=R-20 schedules=450 outcomes=1
// ascsan:   expect=ASC1101 tensor=y writer=@again reader=@load missing="AIC 0 MTE2 -> AIV 0 MTE3"
LITMUS(r20_back_none, mix11, 1) {
  prepare();
  if ASCEND_IS_AIV {
    DataCopy(y, ub(0), 64);
    CrossCoreSetFlag<2, PIPE_MTE3>(0);
    DataCopy(ub(1024), x, 64);
    PipeBarrier<PIPE_ALL>();
    DataCopy(y, ub(256), 64);  // @again
  } else {
    CrossCoreWaitFlag(0);
    DataCopy(l1<float>(0, 64), y, 64);  // @load
  }
}

// ascsan: kernel=r20_back cores=1 type=mix11 expect=clean rule=R-20 schedules=30 outcomes=1
LITMUS(r20_back, mix11, 1) {
  prepare();
  if ASCEND_IS_AIV {
    DataCopy(y, ub(0), 64);
    CrossCoreSetFlag<2, PIPE_MTE3>(0);
    CrossCoreWaitFlag(1);
    DataCopy(y, ub(256), 64);
  } else {
    CrossCoreWaitFlag(0);
    DataCopy(l1<float>(0, 64), y, 64);
    CrossCoreSetFlag<2, PIPE_MTE2>(1);
  }
}

// ascsan: kernel=r21_mode0 cores=3 type=mix_aiv expect=clean rule=R-21 schedules=540 outcomes=1
LITMUS(r21_mode0, mix_aiv, 3) {
  prepare();
  DataCopy(y[GetBlockIdx() * 64], ub(0), 64);
  CrossCoreSetFlag<0, PIPE_MTE3>(0);
  CrossCoreWaitFlag(0);
  DataCopy(ub(1024, 192), y, 192);
}

// ascsan: kernel=r21_mode0_one_does_not_wait cores=3 type=mix_aiv rule=R-21 schedules=210 outcomes=1
// ascsan:   expect=ASC1101 tensor=y writer=@store reader=@load missing="MTE3 -> MTE2"
LITMUS(r21_mode0_one_does_not_wait, mix_aiv, 3) {
  prepare();
  DataCopy(y[GetBlockIdx() * 64], ub(0), 64);  // @store
  CrossCoreSetFlag<0, PIPE_MTE3>(0);
  if (!me(1)) {
    CrossCoreWaitFlag(0);
    return;
  }
  SetFlag<HardEvent::MTE3_S>(0);
  WaitFlag<HardEvent::MTE3_S>(0);
  DataCopy(ub(1024, 192), y, 192);  // @load
  CrossCoreWaitFlag(0);
}

// Mode 1 joins the AIVs of one block only.
// ascsan: kernel=r21_mode1_is_one_block cores=2 type=mix12 rule=R-21 schedules=4693098009600 outcomes=1
// ascsan:   expect=ASC1101 tensor=y writer=@store reader=@load missing="MTE3 -> MTE2"
LITMUS(r21_mode1_is_one_block, mix12, 2) {
  prepare();
  if ASCEND_IS_AIV {
    DataCopy(y[GetBlockIdx() * 64], ub(0), 64);  // @store
    SetFlag<HardEvent::MTE3_S>(0);
    WaitFlag<HardEvent::MTE3_S>(0);
    CrossCoreSetFlag<1, PIPE_MTE3>(0);
    CrossCoreWaitFlag(0);
    DataCopy(ub(1024, 256), y, 256);  // @load
  }
}

// ascsan: kernel=r21_mode1_inside_block cores=2 type=mix12 expect=clean rule=R-21 schedules=4693098009600 outcomes=1
LITMUS(r21_mode1_inside_block, mix12, 2) {
  prepare();
  if ASCEND_IS_AIV {
    const uint32_t block = GetBlockIdx() / 2;
    DataCopy(y[GetBlockIdx() * 64], ub(0), 64);
    CrossCoreSetFlag<1, PIPE_MTE3>(0);
    CrossCoreWaitFlag(0);
    DataCopy(ub(1024, 128), y[block * 128], 128);
  }
}

// Mode 2 from AIVs: released when both have set, so one wait covers the stores of both.
// ascsan: kernel=r21_mode2_both_aivs cores=1 type=mix12 expect=clean rule=R-21 schedules=840 outcomes=1
LITMUS(r21_mode2_both_aivs, mix12, 1) {
  prepare();
  if ASCEND_IS_AIV {
    DataCopy(y[GetBlockIdx() * 64], ub(0), 64);
    CrossCoreSetFlag<2, PIPE_MTE3>(0);
  } else {
    CrossCoreWaitFlag(0);
    DataCopy(l1<float>(0, 128), y, 128);
  }
}

// One of the two never sets.
// ascsan: kernel=r21_mode2_one_aiv_missing cores=1 type=mix12 rule=R-21 expect=ASC5001 waiter=@wait
LITMUS(r21_mode2_one_aiv_missing, mix12, 1) {
  if ASCEND_IS_AIV {
    if (GetSubBlockIdx() == 0) CrossCoreSetFlag<2, PIPE_MTE3>(0);
  } else {
    CrossCoreWaitFlag(0);  // @wait
  }
}

// Mode 2 stays inside the block.
// ascsan: kernel=r21_mode2_other_block cores=2 type=mix11 rule=R-21 schedules=3088800 outcomes=1
// ascsan:   expect=ASC1101 tensor=y writer=@store reader=@load missing="MTE3 -> MTE2"
LITMUS(r21_mode2_other_block, mix11, 2) {
  prepare();
  if ASCEND_IS_AIV {
    DataCopy(y[GetBlockIdx() * 64], ub(0), 64);  // @store
    CrossCoreSetFlag<2, PIPE_MTE3>(0);
  } else {
    CrossCoreWaitFlag(0);
    DataCopy(l1<float>(0, 128), y, 128);  // @load
  }
}

// Mode 2 from the AIC reaches both AIVs of its block.
// ascsan: kernel=r21_mode2_from_aic cores=1 type=mix12 expect=clean rule=R-21 schedules=192 outcomes=1
LITMUS(r21_mode2_from_aic, mix12, 1) {
  prepare();
  if ASCEND_IS_AIC {
    Fixpipe(y, l0c(0), store_tile());
    CrossCoreSetFlag<2, PIPE_FIX>(3);
  } else {
    CrossCoreWaitFlag(3);
    DataCopy(ub(0, 128), y[GetBlockIdx() * 128], 128);
  }
}

// ascsan: kernel=r21_mode2_from_aic_wrong_pipe cores=1 type=mix12 rule=R-21 schedules=492 outcomes=1
// ascsan:   expect=ASC1101 tensor=y writer=@store reader=@load missing="FIX -> MTE2"
LITMUS(r21_mode2_from_aic_wrong_pipe, mix12, 1) {
  prepare();
  if ASCEND_IS_AIC {
    Fixpipe(y, l0c(0), store_tile());  // @store
    CrossCoreSetFlag<2, PIPE_M>(3);
  } else {
    CrossCoreWaitFlag(3);
    DataCopy(ub(0, 128), y[GetBlockIdx() * 128], 128);  // @load
  }
}

// Mode 0 keeps the two kinds of cores apart.
// ascsan: kernel=r21_mode0_is_one_kind cores=1 type=mix11 rule=R-21 schedules=42 outcomes=1
// ascsan:   expect=ASC1101 tensor=y writer=@store reader=@load missing="MTE3 -> MTE2"
LITMUS(r21_mode0_is_one_kind, mix11, 1) {
  prepare();
  if ASCEND_IS_AIV {
    DataCopy(y, ub(0), 64);  // @store
    CrossCoreSetFlag<0, PIPE_MTE3>(0);
    CrossCoreWaitFlag(0);
  } else {
    CrossCoreSetFlag<0, PIPE_MTE2>(0);
    CrossCoreWaitFlag(0);
    DataCopy(l1<float>(0, 64), y, 64);  // @load
  }
}

// The n-th wait joins the first n releases.
// ascsan: kernel=r22_second_wait cores=1 type=mix11 expect=clean rule=R-22 schedules=310 outcomes=1
LITMUS(r22_second_wait, mix11, 1) {
  prepare();
  if ASCEND_IS_AIV {
    DataCopy(y, ub(0), 64);
    CrossCoreSetFlag<2, PIPE_MTE3>(0);
    DataCopy(z, ub(256), 64);
    CrossCoreSetFlag<2, PIPE_MTE3>(0);
  } else {
    CrossCoreWaitFlag(0);
    DataCopy(l1<float>(0, 64), y, 64);
    CrossCoreWaitFlag(0);
    DataCopy(l1<float>(4096, 64), z, 64);
  }
}

// ascsan: kernel=r22_first_wait cores=1 type=mix11 rule=R-22 schedules=170 outcomes=1
// ascsan:   expect=ASC1101 tensor=z writer=@store reader=@load missing="MTE2 -> MTE3"
LITMUS(r22_first_wait, mix11, 1) {
  prepare();
  if ASCEND_IS_AIV {
    DataCopy(y, ub(0), 64);
    CrossCoreSetFlag<2, PIPE_MTE3>(0);
    DataCopy(z, ub(256), 64);  // @store
    CrossCoreSetFlag<2, PIPE_MTE3>(0);
  } else {
    CrossCoreWaitFlag(0);
    DataCopy(l1<float>(0, 64), z, 64);  // @load
    CrossCoreWaitFlag(0);
  }
}

// ascsan: kernel=r22_wrong_id cores=1 type=mix11 rule=R-22 schedules=40 outcomes=1
// ascsan:   expect=ASC1101 tensor=y writer=@store reader=@load missing="MTE2 -> MTE3"
LITMUS(r22_wrong_id, mix11, 1) {
  prepare();
  if ASCEND_IS_AIV {
    CrossCoreSetFlag<2, PIPE_MTE3>(1);
    DataCopy(y, ub(0), 64);  // @store
    CrossCoreSetFlag<2, PIPE_MTE3>(0);
  } else {
    CrossCoreWaitFlag(1);
    DataCopy(l1<float>(0, 64), y, 64);  // @load
    CrossCoreWaitFlag(0);
  }
}

// The wait stops issue, not what has been issued.
// ascsan: kernel=r22_issued_before_wait cores=1 type=mix11 rule=R-22 schedules=42 outcomes=1
// ascsan:   expect=ASC1101 tensor=y writer=@store reader=@load missing="MTE3 -> MTE2"
LITMUS(r22_issued_before_wait, mix11, 1) {
  prepare();
  if ASCEND_IS_AIV {
    DataCopy(y, ub(0), 64);  // @store
    CrossCoreSetFlag<2, PIPE_MTE3>(0);
  } else {
    DataCopy(l1<float>(0, 64), y, 64);  // @load
    CrossCoreWaitFlag(0);
  }
}

// ascsan: kernel=r22_wait_without_set cores=1 type=mix11 rule=R-22 expect=ASC5001 waiter=@wait
LITMUS(r22_wait_without_set, mix11, 1) {
  if ASCEND_IS_AIC {
    CrossCoreWaitFlag(0);  // @wait
  }
}

}  // namespace litmus
