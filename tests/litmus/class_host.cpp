// The two classes of spec/bug-classes.md 4 whose cause lies in the host code: "schedule mode" and "other" (a launch
// that the kernel was not written for, parameters that do not fit the tensors).
#include <cstring>

#include "litmus.h"

namespace litmus {

// Cores wait for all others, and the host starts the kernel as any other: beside another stream it may hang.
// ascsan: kernel=class_schedule_mode cores=4 type=mix_aiv class="schedule mode" options=launch_mode=normal
// ascsan:   expect=ASC4307 call=@sync
LITMUS(class_schedule_mode, mix_aiv, 4) {
  SyncAll();  // @sync
}

// ascsan: kernel=class_schedule_mode_batch cores=4 type=mix_aiv expect=clean class="schedule mode"
// ascsan:   options=launch_mode=batch
LITMUS(class_schedule_mode_batch, mix_aiv, 4) {
  SyncAll();
}

// Cores that do not wait for each other may start one by one.
// ascsan: kernel=class_schedule_mode_alone cores=4 type=mix_aiv expect=clean class="schedule mode"
// ascsan:   options=launch_mode=normal
LITMUS(class_schedule_mode_alone, mix_aiv, 4) {
  DataCopy(ub(0), x[GetBlockIdx() * 64], 64);
}

// The work is split for two cores and started on three: the slice of the third lies behind the end.
// ascsan: kernel=class_other_core_count cores=3 type=aiv class="other" expect=ASC2101 call=@store
LITMUS(class_other_core_count, aiv, 3) {
  prepare();
  DataCopy(y[GetBlockIdx() * (kGmElements / 2)], ub(0), 64);  // @store
}

// ascsan: kernel=class_other_core_count_asked cores=3 type=aiv expect=clean class="other"
LITMUS(class_other_core_count_asked, aiv, 3) {
  prepare();
  const uint32_t slice = kGmElements / GetBlockNum() / 8 * 8;
  DataCopy(y[GetBlockIdx() * slice], ub(0), 64);
}

/// What the host fills in, and what the kernel takes it for.
struct HostTiling {
  uint32_t rows, columns, count;
};
struct KernelTiling {
  uint32_t count, rows, columns;
};

// The structs of host and kernel differ in the order of their fields: the kernel takes the rows for the count.
// ascsan: kernel=class_other_tiling cores=1 type=aiv class="other"
// ascsan:   expect=ASC2101 call=@store expect=ASC2101 tensor=y
LITMUS(class_other_tiling, aiv, 1) {
  const HostTiling host{128, 1, 64};
  KernelTiling tiling;
  std::memcpy(&tiling, &host, sizeof tiling);
  prepare();
  DataCopy(y[kGmElements - 64], ub(0, 128), tiling.count);  // @store
}

// ascsan: kernel=class_other_tiling_same cores=1 type=aiv expect=clean class="other"
LITMUS(class_other_tiling_same, aiv, 1) {
  const HostTiling host{128, 1, 64};
  HostTiling tiling;
  std::memcpy(&tiling, &host, sizeof tiling);
  prepare();
  DataCopy(y[kGmElements - 64], ub(0, 128), tiling.count);
}

}  // namespace litmus
