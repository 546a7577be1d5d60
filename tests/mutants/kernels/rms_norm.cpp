// y = x / sqrt(mean(x^2) + 1) * g, the row on a queue, the factors on a TBuf loaded once (RMS norm).
#include "corpus.h"

using namespace AscendC;

constexpr uint32_t kCols = 64, kRows = 2;

__global__ __aicore__ void rms_norm(GM_ADDR x, GM_ADDR g, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  TPipe pipe;
  TQue<TPosition::VECIN, 2> in_queue;
  TQue<TPosition::VECOUT, 2> out_queue;
  TBuf<TPosition::VECCALC> factor_buffer, square_buffer, mean_buffer;
  pipe.InitBuffer(in_queue, 2, kCols * sizeof(float));
  pipe.InitBuffer(out_queue, 2, kCols * sizeof(float));
  pipe.InitBuffer(factor_buffer, kCols * sizeof(float));
  pipe.InitBuffer(square_buffer, kCols * sizeof(float));
  pipe.InitBuffer(mean_buffer, 32);
  GlobalTensor<float> gx, gg, gy;
  gx.SetGlobalBuffer((__gm__ float*)x, kRows * kCols);
  gg.SetGlobalBuffer((__gm__ float*)g, kCols);
  gy.SetGlobalBuffer((__gm__ float*)y, kRows * kCols);
  LocalTensor<float> factor = factor_buffer.Get<float>();
  LocalTensor<float> square = square_buffer.Get<float>();
  LocalTensor<float> mean = mean_buffer.Get<float>();
  DataCopy(factor, gg, kCols);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID3);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID3);
  for (uint32_t row = 0; row < kRows; ++row) {
    LocalTensor<float> in = in_queue.AllocTensor<float>();
    DataCopy(in, gx[row * kCols], kCols);
    in_queue.EnQue(in);
    in = in_queue.DeQue<float>();
    Mul(square, in, in, kCols);
    PipeBarrier<PIPE_V>();
    WholeReduceSum(mean, square, kCols, 1, 1, 1, 8);
    SetFlag<HardEvent::V_S>(EVENT_ID2);
    WaitFlag<HardEvent::V_S>(EVENT_ID2);
    const float scale = 1.0f / sqrt(mean.GetValue(0) / kCols + 1.0f);
    LocalTensor<float> out = out_queue.AllocTensor<float>();
    Muls(out, in, scale, kCols);
    in_queue.FreeTensor(in);
    PipeBarrier<PIPE_V>();
    Mul(out, out, factor, kCols);
    out_queue.EnQue(out);
    out = out_queue.DeQue<float>();
    DataCopy(gy[row * kCols], out, kCols);
    out_queue.FreeTensor(out);
  }
}

int main() {
  corpus::Tensor<float> x("x", kRows * kCols), g("g", kCols), y("y", kRows * kCols);
  x.seeded(10), g.seeded(11);
  SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(rms_norm, 1, x.gm(), g.gm(), y.gm());
  return corpus::compare(
      y,
      [&](uint32_t i) {
        double sum = 0;
        for (uint32_t k = 0; k < kCols; ++k) sum += x.at(i / kCols * kCols + k) * x.at(i / kCols * kCols + k);
        return x.at(i) / std::sqrt(sum / kCols + 1) * g.at(i % kCols);
      },
      1e-5);
}
