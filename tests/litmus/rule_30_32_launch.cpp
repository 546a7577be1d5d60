// R-31 launch boundaries, R-32 waves of blocks.
#include "litmus.h"

namespace litmus {

// ascsan: kernel=r31_two_launches cores=2 type=aiv expect=clean rule=R-31 schedules=3 outcomes=1
LITMUS_LAUNCHES(r31_two_launches, aiv, 2, 2) {
  prepare();
  if (turn() == 0 && me(0)) DataCopy(y, ub(0), 64);
  if (turn() == 1 && me(1)) DataCopy(ub(0), y, 64);
}

// ascsan: kernel=r31_one_launch cores=2 type=aiv rule=R-31 schedules=6 outcomes=1
// ascsan:   expect=ASC1101 tensor=y writer=@store reader=@load missing="AIV 0 MTE3 -> AIV 1 MTE2"
LITMUS(r31_one_launch, aiv, 2) {
  prepare();
  if (me(0)) DataCopy(y, ub(0), 64);  // @store
  if (me(1)) DataCopy(ub(0), y, 64);  // @load
}

// The end of a launch says nothing about what happens inside the next one.
// ascsan: kernel=r31_inside_second_launch cores=2 type=aiv rule=R-31 schedules=6 outcomes=1
// ascsan:   expect=ASC1101 tensor=y writer=@store reader=@load missing="AIV 0 MTE3 -> AIV 1 MTE2" count=1
LITMUS_LAUNCHES(r31_inside_second_launch, aiv, 2, 2) {
  prepare();
  if (me(0)) DataCopy(y, ub(0), 64);                 // @store
  if (turn() == 1 && me(1)) DataCopy(ub(0), y, 64);  // @load
}

// ascsan: kernel=r31_host_data cores=2 type=aiv expect=clean rule=R-31 schedules=2 outcomes=1
LITMUS(r31_host_data, aiv, 2) {
  DataCopy(ub(0), x, 64);
}

// More blocks than cores run in waves on the device: no order between them, and no wait for all of them.
// ascsan: kernel=r32_waves cores=49 type=aiv expect=clean rule=R-32
LITMUS(r32_waves, aiv, 49) {
  DataCopy(ub(0), x, 64);
}

// ascsan: kernel=r32_waves_of_blocks_with_aic cores=25 type=mix12 expect=ASC4306 call=@sync rule=R-32 class="schedule mode"
LITMUS(r32_waves_of_blocks_with_aic, mix12, 25) {
  SyncAll<false>();  // @sync
}

// ascsan: kernel=r32_every_core cores=48 type=aiv expect=clean rule=R-32
LITMUS(r32_every_core, aiv, 48) {
  DataCopy(ub(0), x[GetBlockIdx() * 64], 64);
}

}  // namespace litmus
