// y = relu(3 x + 1) on one TBuf with hand-written flags in both directions, two tiles per core (TBuf + manual flags).
#include "corpus.h"

using namespace AscendC;

constexpr uint32_t kTile = 64, kTiles = 2, kCores = 2, kTotal = kTile * kTiles * kCores;

__global__ __aicore__ void scale_flags(GM_ADDR x, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  TPipe pipe;
  TBuf<TPosition::VECCALC> in_buffer, out_buffer;
  pipe.InitBuffer(in_buffer, kTile * sizeof(float));
  pipe.InitBuffer(out_buffer, kTile * sizeof(float));
  GlobalTensor<float> gx, gy;
  gx.SetGlobalBuffer((__gm__ float*)x + GetBlockIdx() * kTile * kTiles, kTile * kTiles);
  gy.SetGlobalBuffer((__gm__ float*)y + GetBlockIdx() * kTile * kTiles, kTile * kTiles);
  LocalTensor<float> in = in_buffer.Get<float>();
  LocalTensor<float> out = out_buffer.Get<float>();
  SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
  SetFlag<HardEvent::MTE3_V>(EVENT_ID1);
  for (uint32_t i = 0; i < kTiles; ++i) {
    WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
    DataCopy(in, gx[i * kTile], kTile);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID2);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID2);
    WaitFlag<HardEvent::MTE3_V>(EVENT_ID1);
    Muls(out, in, 3.0f, kTile);
    SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
    PipeBarrier<PIPE_V>();
    Adds(out, out, 1.0f, kTile);
    PipeBarrier<PIPE_V>();
    Relu(out, out, kTile);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID3);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID3);
    DataCopy(gy[i * kTile], out, kTile);
    SetFlag<HardEvent::MTE3_V>(EVENT_ID1);
  }
  WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
  WaitFlag<HardEvent::MTE3_V>(EVENT_ID1);
}

int main() {
  corpus::Tensor<float> x("x", kTotal), y("y", kTotal);
  x.seeded(3);
  SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(scale_flags, kCores, x.gm(), y.gm());
  return corpus::compare(y, [&](uint32_t i) { return std::fmax(0.0, 3 * x.at(i) + 1); });
}
