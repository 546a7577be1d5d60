#include "scale.h"

using namespace AscendC;

__global__ __aicore__ void scale(GM_ADDR x, GM_ADDR y, float factor, bool wait) {
  LocalTensor<float> tile(TPosition::VECCALC, 0, 64);
  GlobalTensor<float> from, to;
  from.SetGlobalBuffer((__gm__ float*)x, 64);
  to.SetGlobalBuffer((__gm__ float*)y, 64);
  DataCopy(tile, from, 64);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  Muls(tile, tile, factor, 64);
  if (wait) {
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  }
  DataCopy(to, tile, 64);
}
