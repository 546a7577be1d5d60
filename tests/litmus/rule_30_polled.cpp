// R-30 polled words.
#include "litmus.h"

namespace litmus {

// The load that returns the value of a store comes after it. Which load that is depends on the schedule, so the verdict
// is incomplete and never clean.
// ascsan: kernel=r30_polled_word cores=2 type=aiv expect=incomplete rule=R-30
LITMUS(r30_polled_word, aiv, 2) {
  prepare();
  if (me(0)) {
    DataCopy(y, ub(0), 64);
    SetFlag<HardEvent::MTE3_S>(0);
    WaitFlag<HardEvent::MTE3_S>(0);
    WriteGmByPassDCache(w.GetPhyAddr(0), 1);
  } else {
    while (ReadGmByPassDCache(w.GetPhyAddr(0)) == 0) {
    }
    DataCopy(ub(1024), y, 64);
  }
}

// ascsan: kernel=r30_word_before_data cores=2 type=aiv expect=incomplete rule=R-30
// ascsan:   expect=ASC1101 tensor=y writer=@store reader=@load missing="AIV 0 MTE3 -> AIV 1 MTE2"
LITMUS(r30_word_before_data, aiv, 2) {
  prepare();
  if (me(0)) {
    WriteGmByPassDCache(w.GetPhyAddr(0), 1);
    DataCopy(y, ub(0), 64);  // @store
  } else {
    while (ReadGmByPassDCache(w.GetPhyAddr(0)) == 0) {
    }
    DataCopy(ub(1024), y, 64);  // @load
  }
}

// The store is on its way when the word is written: MTE3 has not been waited for.
// ascsan: kernel=r30_store_in_flight cores=2 type=aiv expect=incomplete rule=R-30
// ascsan:   expect=ASC1101 tensor=y writer=@store reader=@load missing="AIV 0 MTE3 -> AIV 1 MTE2"
LITMUS(r30_store_in_flight, aiv, 2) {
  prepare();
  if (me(0)) {
    DataCopy(y, ub(0), 64);  // @store
    WriteGmByPassDCache(w.GetPhyAddr(0), 1);
  } else {
    while (ReadGmByPassDCache(w.GetPhyAddr(0)) == 0) {
    }
    DataCopy(ub(1024), y, 64);  // @load
  }
}

}  // namespace litmus
