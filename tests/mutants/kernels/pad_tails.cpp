// Rows of 13 halves are loaded with padding into blocks of 16, shifted by one and stored exactly (copy-pad tails).
#include "corpus.h"

using namespace AscendC;

constexpr uint32_t kCores = 2, kRows = 3, kCols = 13, kWide = 16;

__global__ __aicore__ void pad_tails(GM_ADDR x, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in_queue;
  TQue<TPosition::VECOUT, 1> out_queue;
  pipe.InitBuffer(in_queue, 1, kRows * kWide * sizeof(half));
  pipe.InitBuffer(out_queue, 1, kRows * kWide * sizeof(half));
  GlobalTensor<half> gx, gy;
  gx.SetGlobalBuffer((__gm__ half*)x + GetBlockIdx() * kRows * kCols, kRows * kCols);
  gy.SetGlobalBuffer((__gm__ half*)y + GetBlockIdx() * kRows * kCols, kRows * kCols);
  LocalTensor<half> in = in_queue.AllocTensor<half>();
  const DataCopyExtParams load_rows{kRows, kCols * sizeof(half), 0, 0, 0};
  const DataCopyPadExtParams<half> pad{true, 0, 3, static_cast<half>(1.0f)};
  DataCopyPad(in, gx, load_rows, pad);
  in_queue.EnQue(in);
  in = in_queue.DeQue<half>();
  LocalTensor<half> out = out_queue.AllocTensor<half>();
  Adds(out, in, static_cast<half>(1.0f), kRows * kWide);
  in_queue.FreeTensor(in);
  out_queue.EnQue(out);
  out = out_queue.DeQue<half>();
  const DataCopyExtParams store_rows{kRows, kCols * sizeof(half), 0, 0, 0};
  DataCopyPad(gy, out, store_rows);
  out_queue.FreeTensor(out);
}

int main() {
  corpus::Tensor<half> x("x", kCores * kRows * kCols), y("y", kCores * kRows * kCols);
  x.seeded(22);
  SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(pad_tails, kCores, x.gm(), y.gm());
  return corpus::compare(y, [&](uint32_t i) { return x.at(i) + 1; });
}
