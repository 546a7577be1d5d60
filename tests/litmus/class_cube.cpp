// Class "cube pipes" (spec/bug-classes.md 4): two chained 16x16x16 products on one set of L1 and L0 tiles, with all
// flags, and with each of the six dropped in turn.
#include "litmus.h"

namespace litmus {

// ascsan: kernel=class_cube_all_flags cores=1 type=aic class="cube pipes" expect=clean
LITMUS(class_cube_all_flags, aic, 1) {
  prepare();
  for (int turn = 0; turn < 2; ++turn) {
    if (turn > 0) WaitFlag<HardEvent::MTE1_MTE2>(0);
    DataCopy(l1(0), x.ReinterpretCast<half>()[turn * 256], 256);  // @load
    SetFlag<HardEvent::MTE2_MTE1>(0);
    WaitFlag<HardEvent::MTE2_MTE1>(0);
    if (turn > 0) WaitFlag<HardEvent::M_MTE1>(0);
    LoadData(l0a(0), l1(0), load_one());  // @extract
    if (turn < 1) SetFlag<HardEvent::MTE1_MTE2>(0);
    SetFlag<HardEvent::MTE1_M>(0);
    WaitFlag<HardEvent::MTE1_M>(0);
    if (turn > 0) WaitFlag<HardEvent::FIX_M>(0);
    Mmad(l0c(0), l0a(0), l0b(0x8000), product(16, 16));  // @mmad
    if (turn < 1) SetFlag<HardEvent::M_MTE1>(0);
    SetFlag<HardEvent::M_FIX>(0);
    WaitFlag<HardEvent::M_FIX>(0);
    Fixpipe(y[turn * 256], l0c(0), store_tile());  // @store
    if (turn < 1) SetFlag<HardEvent::FIX_M>(0);
  }
}

// ascsan: kernel=class_cube_mte2_mte1 cores=1 type=aic class="cube pipes"
// ascsan:   expect=ASC1201 tensor=L1+0x0 writer=@load reader=@extract missing="MTE2 -> MTE1"
// ascsan:   expect=ASC1301 tensor=L1+0x0 writer=@load writer=@load missing="MTE2 -> MTE2"
LITMUS(class_cube_mte2_mte1, aic, 1) {
  prepare();
  for (int turn = 0; turn < 2; ++turn) {
    if (turn > 0) WaitFlag<HardEvent::MTE1_MTE2>(0);
    DataCopy(l1(0), x.ReinterpretCast<half>()[turn * 256], 256);  // @load
    if (turn > 0) WaitFlag<HardEvent::M_MTE1>(0);
    LoadData(l0a(0), l1(0), load_one());  // @extract
    if (turn < 1) SetFlag<HardEvent::MTE1_MTE2>(0);
    SetFlag<HardEvent::MTE1_M>(0);
    WaitFlag<HardEvent::MTE1_M>(0);
    if (turn > 0) WaitFlag<HardEvent::FIX_M>(0);
    Mmad(l0c(0), l0a(0), l0b(0x8000), product(16, 16));  // @mmad
    if (turn < 1) SetFlag<HardEvent::M_MTE1>(0);
    SetFlag<HardEvent::M_FIX>(0);
    WaitFlag<HardEvent::M_FIX>(0);
    Fixpipe(y[turn * 256], l0c(0), store_tile());  // @store
    if (turn < 1) SetFlag<HardEvent::FIX_M>(0);
  }
}

// ascsan: kernel=class_cube_mte1_mte2 cores=1 type=aic class="cube pipes"
// ascsan:   expect=ASC1202 tensor=L1+0x0 reader=@extract writer=@load missing="MTE1 -> MTE2"
// ascsan:   expect=ASC1301 tensor=L1+0x0 writer=@load writer=@load missing="MTE2 -> MTE2"
LITMUS(class_cube_mte1_mte2, aic, 1) {
  prepare();
  for (int turn = 0; turn < 2; ++turn) {
    DataCopy(l1(0), x.ReinterpretCast<half>()[turn * 256], 256);  // @load
    SetFlag<HardEvent::MTE2_MTE1>(0);
    WaitFlag<HardEvent::MTE2_MTE1>(0);
    if (turn > 0) WaitFlag<HardEvent::M_MTE1>(0);
    LoadData(l0a(0), l1(0), load_one());  // @extract
    SetFlag<HardEvent::MTE1_M>(0);
    WaitFlag<HardEvent::MTE1_M>(0);
    if (turn > 0) WaitFlag<HardEvent::FIX_M>(0);
    Mmad(l0c(0), l0a(0), l0b(0x8000), product(16, 16));  // @mmad
    if (turn < 1) SetFlag<HardEvent::M_MTE1>(0);
    SetFlag<HardEvent::M_FIX>(0);
    WaitFlag<HardEvent::M_FIX>(0);
    Fixpipe(y[turn * 256], l0c(0), store_tile());  // @store
    if (turn < 1) SetFlag<HardEvent::FIX_M>(0);
  }
}

// ascsan: kernel=class_cube_mte1_m cores=1 type=aic class="cube pipes"
// ascsan:   expect=ASC1201 tensor=L0A+0x0 writer=@extract reader=@mmad missing="MTE1 -> M"
LITMUS(class_cube_mte1_m, aic, 1) {
  prepare();
  for (int turn = 0; turn < 2; ++turn) {
    if (turn > 0) WaitFlag<HardEvent::MTE1_MTE2>(0);
    DataCopy(l1(0), x.ReinterpretCast<half>()[turn * 256], 256);  // @load
    SetFlag<HardEvent::MTE2_MTE1>(0);
    WaitFlag<HardEvent::MTE2_MTE1>(0);
    if (turn > 0) WaitFlag<HardEvent::M_MTE1>(0);
    LoadData(l0a(0), l1(0), load_one());  // @extract
    if (turn < 1) SetFlag<HardEvent::MTE1_MTE2>(0);
    if (turn > 0) WaitFlag<HardEvent::FIX_M>(0);
    Mmad(l0c(0), l0a(0), l0b(0x8000), product(16, 16));  // @mmad
    if (turn < 1) SetFlag<HardEvent::M_MTE1>(0);
    SetFlag<HardEvent::M_FIX>(0);
    WaitFlag<HardEvent::M_FIX>(0);
    Fixpipe(y[turn * 256], l0c(0), store_tile());  // @store
    if (turn < 1) SetFlag<HardEvent::FIX_M>(0);
  }
}

// ascsan: kernel=class_cube_m_mte1 cores=1 type=aic class="cube pipes"
// ascsan:   expect=ASC1202 tensor=L0A+0x0 reader=@mmad writer=@extract missing="M -> MTE1"
LITMUS(class_cube_m_mte1, aic, 1) {
  prepare();
  for (int turn = 0; turn < 2; ++turn) {
    if (turn > 0) WaitFlag<HardEvent::MTE1_MTE2>(0);
    DataCopy(l1(0), x.ReinterpretCast<half>()[turn * 256], 256);  // @load
    SetFlag<HardEvent::MTE2_MTE1>(0);
    WaitFlag<HardEvent::MTE2_MTE1>(0);
    LoadData(l0a(0), l1(0), load_one());  // @extract
    if (turn < 1) SetFlag<HardEvent::MTE1_MTE2>(0);
    SetFlag<HardEvent::MTE1_M>(0);
    WaitFlag<HardEvent::MTE1_M>(0);
    if (turn > 0) WaitFlag<HardEvent::FIX_M>(0);
    Mmad(l0c(0), l0a(0), l0b(0x8000), product(16, 16));  // @mmad
    SetFlag<HardEvent::M_FIX>(0);
    WaitFlag<HardEvent::M_FIX>(0);
    Fixpipe(y[turn * 256], l0c(0), store_tile());  // @store
    if (turn < 1) SetFlag<HardEvent::FIX_M>(0);
  }
}

// ascsan: kernel=class_cube_m_fix cores=1 type=aic class="cube pipes"
// ascsan:   expect=ASC1201 tensor=L0C+0x0 writer=@mmad reader=@store missing="M -> FIX"
LITMUS(class_cube_m_fix, aic, 1) {
  prepare();
  for (int turn = 0; turn < 2; ++turn) {
    if (turn > 0) WaitFlag<HardEvent::MTE1_MTE2>(0);
    DataCopy(l1(0), x.ReinterpretCast<half>()[turn * 256], 256);  // @load
    SetFlag<HardEvent::MTE2_MTE1>(0);
    WaitFlag<HardEvent::MTE2_MTE1>(0);
    if (turn > 0) WaitFlag<HardEvent::M_MTE1>(0);
    LoadData(l0a(0), l1(0), load_one());  // @extract
    if (turn < 1) SetFlag<HardEvent::MTE1_MTE2>(0);
    SetFlag<HardEvent::MTE1_M>(0);
    WaitFlag<HardEvent::MTE1_M>(0);
    if (turn > 0) WaitFlag<HardEvent::FIX_M>(0);
    Mmad(l0c(0), l0a(0), l0b(0x8000), product(16, 16));  // @mmad
    if (turn < 1) SetFlag<HardEvent::M_MTE1>(0);
    Fixpipe(y[turn * 256], l0c(0), store_tile());  // @store
    if (turn < 1) SetFlag<HardEvent::FIX_M>(0);
  }
}

// ascsan: kernel=class_cube_fix_m cores=1 type=aic class="cube pipes"
// ascsan:   expect=ASC1202 tensor=L0C+0x0 reader=@store writer=@mmad missing="FIX -> M"
LITMUS(class_cube_fix_m, aic, 1) {
  prepare();
  for (int turn = 0; turn < 2; ++turn) {
    if (turn > 0) WaitFlag<HardEvent::MTE1_MTE2>(0);
    DataCopy(l1(0), x.ReinterpretCast<half>()[turn * 256], 256);  // @load
    SetFlag<HardEvent::MTE2_MTE1>(0);
    WaitFlag<HardEvent::MTE2_MTE1>(0);
    if (turn > 0) WaitFlag<HardEvent::M_MTE1>(0);
    LoadData(l0a(0), l1(0), load_one());  // @extract
    if (turn < 1) SetFlag<HardEvent::MTE1_MTE2>(0);
    SetFlag<HardEvent::MTE1_M>(0);
    WaitFlag<HardEvent::MTE1_M>(0);
    Mmad(l0c(0), l0a(0), l0b(0x8000), product(16, 16));  // @mmad
    if (turn < 1) SetFlag<HardEvent::M_MTE1>(0);
    SetFlag<HardEvent::M_FIX>(0);
    WaitFlag<HardEvent::M_FIX>(0);
    Fixpipe(y[turn * 256], l0c(0), store_tile());  // @store
  }
}

}  // namespace litmus
