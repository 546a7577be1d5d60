// A 16 x 16 tile of half turned round, one tile a core (transpose).
#include "corpus.h"

using namespace AscendC;

constexpr uint32_t kSide = 16, kTile = kSide * kSide, kCores = 2;

__global__ __aicore__ void transpose(GM_ADDR x, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in_queue;
  TQue<TPosition::VECOUT, 1> out_queue;
  pipe.InitBuffer(in_queue, 1, kTile * sizeof(half));
  pipe.InitBuffer(out_queue, 1, kTile * sizeof(half));
  GlobalTensor<half> gx, gy;
  gx.SetGlobalBuffer((__gm__ half*)x + GetBlockIdx() * kTile, kTile);
  gy.SetGlobalBuffer((__gm__ half*)y + GetBlockIdx() * kTile, kTile);
  LocalTensor<half> in = in_queue.AllocTensor<half>();
  DataCopy(in, gx, kTile);
  in_queue.EnQue(in);
  in = in_queue.DeQue<half>();
  LocalTensor<half> out = out_queue.AllocTensor<half>();
  Transpose(out, in);
  in_queue.FreeTensor(in);
  out_queue.EnQue(out);
  out = out_queue.DeQue<half>();
  DataCopy(gy, out, kTile);
  out_queue.FreeTensor(out);
}

int main() {
  corpus::Tensor<half> x("x", kCores * kTile), y("y", kCores * kTile);
  x.seeded(12);
  SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(transpose, kCores, x.gm(), y.gm());
  return corpus::compare(y, [&](uint32_t i) {
    const uint32_t tile = i / kTile * kTile, row = i % kTile / kSide, col = i % kSide;
    return x.at(tile + col * kSide + row);
  });
}
