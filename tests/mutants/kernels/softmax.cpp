// Softmax of one row a core: largest element and sum go through the scalar unit (queues and V_S, S_V flags).
#include "corpus.h"

using namespace AscendC;

constexpr uint32_t kCols = 64, kCores = 2;

__global__ __aicore__ void softmax(GM_ADDR x, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in_queue;
  TQue<TPosition::VECOUT, 1> out_queue;
  TBuf<TPosition::VECCALC> value_buffer;
  pipe.InitBuffer(in_queue, 1, kCols * sizeof(float));
  pipe.InitBuffer(out_queue, 1, kCols * sizeof(float));
  pipe.InitBuffer(value_buffer, 32);
  GlobalTensor<float> gx, gy;
  gx.SetGlobalBuffer((__gm__ float*)x + GetBlockIdx() * kCols, kCols);
  gy.SetGlobalBuffer((__gm__ float*)y + GetBlockIdx() * kCols, kCols);
  LocalTensor<float> value = value_buffer.Get<float>();
  LocalTensor<float> in = in_queue.AllocTensor<float>();
  DataCopy(in, gx, kCols);
  in_queue.EnQue(in);
  in = in_queue.DeQue<float>();
  LocalTensor<float> out = out_queue.AllocTensor<float>();
  WholeReduceMax(value, in, kCols, 1, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
  SetFlag<HardEvent::V_S>(EVENT_ID0);
  WaitFlag<HardEvent::V_S>(EVENT_ID0);
  const float top = value.GetValue(0);
  Adds(out, in, -top, kCols);
  PipeBarrier<PIPE_V>();
  Exp(out, out, kCols);
  PipeBarrier<PIPE_V>();
  WholeReduceSum(value, out, kCols, 1, 1, 1, 8);
  SetFlag<HardEvent::V_S>(EVENT_ID1);
  WaitFlag<HardEvent::V_S>(EVENT_ID1);
  const float sum = value.GetValue(0);
  Muls(out, out, 1.0f / sum, kCols);
  in_queue.FreeTensor(in);
  out_queue.EnQue(out);
  out = out_queue.DeQue<float>();
  DataCopy(gy, out, kCols);
  out_queue.FreeTensor(out);
}

int main() {
  corpus::Tensor<float> x("x", kCores * kCols), y("y", kCores * kCols);
  x.seeded(9);
  SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(softmax, kCores, x.gm(), y.gm());
  return corpus::compare(
      y,
      [&](uint32_t i) {
        double top = -1e9, sum = 0;
        for (uint32_t k = 0; k < kCols; ++k) top = std::fmax(top, x.at(i / kCols * kCols + k));
        for (uint32_t k = 0; k < kCols; ++k) sum += std::exp(x.at(i / kCols * kCols + k) - top);
        return std::exp(x.at(i) - top) / sum;
      },
      1e-5);
}
