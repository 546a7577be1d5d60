// Not built yet: waits for the checker of initialisation (README.md).
// Class "uninitialised read" (spec/bug-classes.md 4) and exemption E-10.
#include "litmus.h"

namespace litmus {

// Ten of sixteen integers are filled, all are stored.
// ascsan: kernel=class_uninitialised_tail cores=1 type=aiv class="uninitialised read"
// ascsan:   expect=ASC3101 tensor=w first=@store
LITMUS(class_uninitialised_tail, aiv, 1) {
  Duplicate(ub<int32_t>(0, 16), 0, 10);
  SetFlag<HardEvent::V_MTE3>(0);
  WaitFlag<HardEvent::V_MTE3>(0);
  SetAtomicAdd<int32_t>();
  DataCopy(w, ub<int32_t>(0, 16), 16);  // @store
  SetAtomicNone();
}

// Padding lanes that are computed and dropped are no fault.
// ascsan: kernel=class_uninitialised_padding cores=1 type=aiv expect=clean class="uninitialised read"
LITMUS(class_uninitialised_padding, aiv, 1) {
  Duplicate(ub<int32_t>(0, 16), 0, 10);
  Adds(ub<int32_t>(256, 16), ub<int32_t>(0, 16), 1, 16);
  SetFlag<HardEvent::V_MTE3>(0);
  WaitFlag<HardEvent::V_MTE3>(0);
  DataCopyPad(w, ub<int32_t>(256, 16), DataCopyExtParams{1, 40, 0, 0, 0});
}

}  // namespace litmus
