// y = half(float(x) * float(x) + 1), each conversion through a tensor of its own queue (casts, VECCALC queue).
#include "corpus.h"

using namespace AscendC;

constexpr uint32_t kTile = 32, kTiles = 2, kTotal = kTile * kTiles;

__global__ __aicore__ void cast_chain(GM_ADDR x, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  TPipe pipe;
  TQue<TPosition::VECIN, 2> in_queue;
  TQue<TPosition::VECOUT, 2> out_queue;
  TBuf<TPosition::VECCALC> wide_buffer;
  pipe.InitBuffer(in_queue, 2, kTile * sizeof(half));
  pipe.InitBuffer(out_queue, 2, kTile * sizeof(half));
  pipe.InitBuffer(wide_buffer, kTile * sizeof(float));
  GlobalTensor<half> gx, gy;
  gx.SetGlobalBuffer((__gm__ half*)x, kTotal);
  gy.SetGlobalBuffer((__gm__ half*)y, kTotal);
  LocalTensor<float> wide = wide_buffer.Get<float>();
  for (uint32_t i = 0; i < kTiles; ++i) {
    LocalTensor<half> in = in_queue.AllocTensor<half>();
    DataCopy(in, gx[i * kTile], kTile);
    in_queue.EnQue(in);
    in = in_queue.DeQue<half>();
    Cast(wide, in, RoundMode::CAST_NONE, kTile);
    in_queue.FreeTensor(in);
    PipeBarrier<PIPE_V>();
    Mul(wide, wide, wide, kTile);
    PipeBarrier<PIPE_V>();
    Adds(wide, wide, 1.0f, kTile);
    PipeBarrier<PIPE_V>();
    LocalTensor<half> out = out_queue.AllocTensor<half>();
    Cast(out, wide, RoundMode::CAST_RINT, kTile);
    out_queue.EnQue(out);
    out = out_queue.DeQue<half>();
    DataCopy(gy[i * kTile], out, kTile);
    out_queue.FreeTensor(out);
  }
}

int main() {
  corpus::Tensor<half> x("x", kTotal), y("y", kTotal);
  x.seeded(26);
  SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(cast_chain, 1, x.gm(), y.gm());
  return corpus::compare(y, [&](uint32_t i) { return x.at(i) * x.at(i) + 1; });
}
