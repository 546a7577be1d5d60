// The first 40 of 64 lanes are doubled under a mask, the others keep the copy they had (mask and tail handling).
#include "corpus.h"

using namespace AscendC;

constexpr uint32_t kCols = 64, kUsed = 40, kCores = 2;

__global__ __aicore__ void masked_tail(GM_ADDR x, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  TPipe pipe;
  TBuf<TPosition::VECCALC> in_buffer, out_buffer;
  pipe.InitBuffer(in_buffer, kCols * sizeof(float));
  pipe.InitBuffer(out_buffer, kCols * sizeof(float));
  GlobalTensor<float> gx, gy;
  gx.SetGlobalBuffer((__gm__ float*)x + GetBlockIdx() * kCols, kCols);
  gy.SetGlobalBuffer((__gm__ float*)y + GetBlockIdx() * kCols, kCols);
  LocalTensor<float> in = in_buffer.Get<float>();
  LocalTensor<float> out = out_buffer.Get<float>();
  Duplicate(out, 5.0f, kCols);
  PipeBarrier<PIPE_V>();
  DataCopy(in, gx, kUsed);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  UnaryRepeatParams params;
  Muls(out, in, 2.0f, static_cast<uint64_t>(kUsed), 1, params);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(gy, out, kCols);
}

int main() {
  corpus::Tensor<float> x("x", kCores * kCols), y("y", kCores * kCols);
  x.seeded(23);
  SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(masked_tail, kCores, x.gm(), y.gm());
  return corpus::compare(y, [&](uint32_t i) { return i % kCols < kUsed ? 2 * x.at(i) : 5.0; });
}
