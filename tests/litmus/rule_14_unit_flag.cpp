// Mmad and Fixpipe hand tiles to each other by unit flags, without events. One bit per 512 bytes of L0C: Mmad
// waits for 0, Fixpipe for 1; unitFlag 3 turns it, 2 keeps it. Near misses: one side without, nobody who turns the bit.
#include "litmus.h"

namespace litmus {

inline MmadParams flagged(uint8_t unit_flag, bool accumulate = false) {
  MmadParams params = product(64, 64, accumulate);
  params.unitFlag = unit_flag;
  return params;
}
inline FixpipeParamsV220 flagged_store(uint8_t unit_flag) {
  FixpipeParamsV220 params = store_tile(64, 64);
  params.unitFlag = unit_flag;
  return params;
}

// ascsan: kernel=r14_unit_flag cores=1 type=aic expect=clean rule=R-14
LITMUS(r14_unit_flag, aic, 1) {
  prepare();
  for (int turn = 0; turn < 3; ++turn) {
    Mmad(l0c(0, 4096), l0a(0x8000, 1024), l0b(0x8000, 1024), flagged(2));
    Mmad(l0c(0, 4096), l0a(0x8000, 1024), l0b(0x8000, 1024), flagged(3, true));
    Fixpipe(y, l0c(0, 4096), flagged_store(3));
    PipeBarrier<PIPE_FIX>();
  }
}

// ascsan: kernel=r14_none cores=1 type=aic rule=R-14
// ascsan:   expect=ASC1201 tensor=L0C+0x0 writer=@mmad reader=@store missing="M -> FIX"
LITMUS(r14_none, aic, 1) {
  prepare();
  Mmad(l0c(0, 4096), l0a(0x8000, 1024), l0b(0x8000, 1024), flagged(0));  // @mmad
  Fixpipe(y, l0c(0, 4096), flagged_store(0));                            // @store
}

// Only one side uses the bit: Fixpipe does not wait for it.
// ascsan: kernel=r14_one_side cores=1 type=aic rule=R-14
// ascsan:   expect=ASC1201 tensor=L0C+0x0 writer=@mmad reader=@store missing="M -> FIX"
LITMUS(r14_one_side, aic, 1) {
  prepare();
  Mmad(l0c(0, 4096), l0a(0x8000, 1024), l0b(0x8000, 1024), flagged(3));  // @mmad
  Fixpipe(y, l0c(0, 4096), flagged_store(0));                            // @store
}

// unitFlag 2 keeps the bit, so Fixpipe waits for ever.
// ascsan: kernel=r14_never_turned cores=1 type=aic rule=R-14
// ascsan:   expect=ASC5001 waiter=@store
LITMUS(r14_never_turned, aic, 1) {
  prepare();
  Mmad(l0c(0, 4096), l0a(0x8000, 1024), l0b(0x8000, 1024), flagged(2));
  Fixpipe(y, l0c(0, 4096), flagged_store(3));  // @store
}

// Nobody takes the first product out before the second.
// ascsan: kernel=r14_never_taken cores=1 type=aic rule=R-14
// ascsan:   expect=ASC5001 waiter=@second
LITMUS(r14_never_taken, aic, 1) {
  prepare();
  Mmad(l0c(0, 4096), l0a(0x8000, 1024), l0b(0x8000, 1024), flagged(3));
  Mmad(l0c(0, 4096), l0a(0x8000, 1024), l0b(0x8000, 1024), flagged(3));  // @second
}

}  // namespace litmus
