// Every core adds its rows onto one row of y, which core 0 has cleared before all meet (atomic add with clearing).
#include "corpus.h"

using namespace AscendC;

constexpr uint32_t kCores = 2, kRows = 2, kCols = 32;

__global__ __aicore__ void atomic_rows(GM_ADDR x, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  TPipe pipe;
  TBuf<TPosition::VECCALC> zero_buffer;
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 2> queue;
  pipe.InitBuffer(zero_buffer, kCols * sizeof(float));
  pipe.InitBuffer(queue, 2, kCols * sizeof(float));
  GlobalTensor<float> gx, gy;
  gx.SetGlobalBuffer((__gm__ float*)x, kCores * kRows * kCols);
  gy.SetGlobalBuffer((__gm__ float*)y, kCols);
  LocalTensor<float> zero = zero_buffer.Get<float>();
  if (GetBlockIdx() == 0) {
    Duplicate(zero, 0.0f, kCols);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID3);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID3);
    DataCopy(gy, zero, kCols);
  }
  SyncAll();
  PipeBarrier<PIPE_MTE3>();
  SetAtomicAdd<float>();
  for (uint32_t i = 0; i < kRows; ++i) {
    LocalTensor<float> row = queue.AllocTensor<float>();
    DataCopy(row, gx[(GetBlockIdx() * kRows + i) * kCols], kCols);
    queue.EnQue(row);
    row = queue.DeQue<float>();
    DataCopy(gy, row, kCols);
    queue.FreeTensor(row);
  }
  SetAtomicNone();
}

int main() {
  corpus::Tensor<float> x("x", kCores * kRows * kCols), y("y", kCols);
  x.seeded(16);
  SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(atomic_rows, kCores, x.gm(), y.gm());
  return corpus::compare(y, [&](uint32_t i) {
    double sum = 0;
    for (uint32_t row = 0; row < kCores * kRows; ++row) sum += x.at(row * kCols + i);
    return sum;
  });
}
