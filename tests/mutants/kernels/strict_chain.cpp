// Four dependent vector instructions with the barriers a kernel needs where the compiler orders nothing by itself
// (profile strict), scalar factor from global memory included.
#include "corpus.h"

using namespace AscendC;

constexpr uint32_t kCols = 64, kCores = 2;

__global__ __aicore__ void strict_chain(GM_ADDR x, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  TPipe pipe;
  TBuf<TPosition::VECCALC> in_buffer, square_buffer, out_buffer;
  pipe.InitBuffer(in_buffer, kCols * sizeof(float));
  pipe.InitBuffer(square_buffer, kCols * sizeof(float));
  pipe.InitBuffer(out_buffer, kCols * sizeof(float));
  GlobalTensor<float> gx, gy;
  gx.SetGlobalBuffer((__gm__ float*)x + GetBlockIdx() * kCols, kCols);
  gy.SetGlobalBuffer((__gm__ float*)y + GetBlockIdx() * kCols, kCols);
  LocalTensor<float> in = in_buffer.Get<float>();
  LocalTensor<float> square = square_buffer.Get<float>();
  LocalTensor<float> out = out_buffer.Get<float>();
  DataCopy(in, gx, kCols);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  Mul(square, in, in, kCols);
  PipeBarrier<PIPE_V>();
  Muls(square, square, 0.5f, kCols);
  PipeBarrier<PIPE_V>();
  Add(out, square, in, kCols);
  PipeBarrier<PIPE_V>();
  Maxs(out, out, 1.0f, kCols);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(gy, out, kCols);
}

int main() {
  corpus::Tensor<float> x("x", kCores * kCols), y("y", kCores * kCols);
  x.seeded(25);
  if (!ascsan::set_option("profile", "strict")) return 2;
  SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(strict_chain, kCores, x.gm(), y.gm());
  return corpus::compare(y, [&](uint32_t i) { return std::fmax(1.0, x.at(i) * x.at(i) / 2 + x.at(i)); });
}
