// y = 2 x - 1 on two tiles in turn, each with an event id of its own; loads run ahead of stores (ping-pong with flags).
#include "corpus.h"

using namespace AscendC;

constexpr uint32_t kTile = 32, kTiles = 3, kTotal = kTile * kTiles;

__global__ __aicore__ void ping_pong(GM_ADDR x, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  TPipe pipe;
  TBuf<TPosition::VECCALC> both;
  pipe.InitBuffer(both, 2 * kTile * sizeof(float));
  GlobalTensor<float> gx, gy;
  gx.SetGlobalBuffer((__gm__ float*)x, kTotal);
  gy.SetGlobalBuffer((__gm__ float*)y, kTotal);
  SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
  SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID1);
  for (uint32_t i = 0; i < kTiles; ++i) {
    const int32_t turn = static_cast<int32_t>(i % 2);
    LocalTensor<float> tile = both.Get<float>()[turn * kTile];
    WaitFlag<HardEvent::MTE3_MTE2>(turn);
    DataCopy(tile, gx[i * kTile], kTile);
    SetFlag<HardEvent::MTE2_V>(turn);
    WaitFlag<HardEvent::MTE2_V>(turn);
    Muls(tile, tile, 2.0f, kTile);
    PipeBarrier<PIPE_V>();
    Adds(tile, tile, -1.0f, kTile);
    SetFlag<HardEvent::V_MTE3>(turn);
    WaitFlag<HardEvent::V_MTE3>(turn);
    DataCopy(gy[i * kTile], tile, kTile);
    SetFlag<HardEvent::MTE3_MTE2>(turn);
  }
  WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
  WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID1);
}

int main() {
  corpus::Tensor<float> x("x", kTotal), y("y", kTotal);
  x.seeded(7);
  SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(ping_pong, 1, x.gm(), y.gm());
  return corpus::compare(y, [&](uint32_t i) { return 2 * x.at(i) - 1; });
}
