// Small kernels with one fault each, for the catalogue of `ascsan fix`: what is missing is said at each kernel, and
// fix_test.py expects it back. usage: fix_sample CASE
#include <cstdio>
#include <string>

#include "ascsan/run.h"
#include "kernel_operator.h"
#include "tikicpulib.h"

namespace {

using namespace AscendC;

constexpr uint32_t kTile = 64, kTiles = 4, kBlocks = 2;

__aicore__ inline GlobalTensor<float> global(GM_ADDR address, uint32_t elements = kBlocks * kTiles * kTile) {
  GlobalTensor<float> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(address), elements);
  return tensor;
}
__aicore__ inline LocalTensor<float> ub(uint32_t tile) {
  return LocalTensor<float>(TPosition::VECCALC, tile * kTile * sizeof(float), kTile);
}
template <HardEvent event>
__aicore__ inline void pass() {
  SetFlag<event>(EVENT_ID0);
  WaitFlag<event>(EVENT_ID0);
}

/// The matrix core stores a product, the vector core loads it: a cross-core flag pair of the group.
__global__ __aicore__ void matrix_to_vector(GM_ADDR middle, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
  GlobalTensor<float> gm = global(middle), gy = global(y);
  if ASCEND_IS_AIC {
    LocalTensor<half> a1(TPosition::A1, 0, 256), a2(TPosition::A2, 0, 256), b2(TPosition::B2, 0, 256);
    LocalTensor<float> c(TPosition::CO1, 0, 256);
    InitConstValue(a1, InitConstValueParams<half>(1, 16, 0, half(1.0f)));
    PipeBarrier<PIPE_ALL>();
    LoadData2DParams load;
    load.repeatTimes = 1;
    load.srcStride = 1;
    LoadData(a2, a1, load);
    LoadData(b2, a1, load);
    PipeBarrier<PIPE_ALL>();
    MmadParams product;
    product.m = product.n = product.k = 16;
    product.cmatrixInitVal = true;
    Mmad(c, a2, b2, product);
    PipeBarrier<PIPE_ALL>();
    FixpipeParamsV220 store;
    store.nSize = store.mSize = store.srcStride = store.dstStride = 16;
    Fixpipe(gm[GetBlockIdx() * 256], c, store);
  } else {
    LocalTensor<float> in = ub(0), out = ub(4);
    DataCopy(in, gm[GetBlockIdx() * 256], kTile);
    pass<HardEvent::MTE2_V>();
    Adds(out, in, 1.0f, kTile);
    pass<HardEvent::V_MTE3>();
    DataCopy(gy[GetBlockIdx() * 256], out, kTile);
  }
}

/// Each turn loads into the buffer the turn before may still be computing with: a pair from turn to turn.
__global__ __aicore__ void turn_by_turn(GM_ADDR x, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GlobalTensor<float> gx = global(x), gy = global(y);
  LocalTensor<float> in = ub(0);
  for (uint32_t i = 0; i < kTiles; ++i) {
    const uint32_t at = (GetBlockIdx() * kTiles + i) * kTile;
    LocalTensor<float> out = ub(1 + i);
    DataCopy(in, gx[at], kTile);
    pass<HardEvent::MTE2_V>();
    Adds(out, in, 1.0f, kTile);
    pass<HardEvent::V_MTE3>();
    DataCopy(gy[at], out, kTile);
  }
}

/// Neither waits the computation for the load, nor the next load for the computation: two places.
__global__ __aicore__ void both_ways(GM_ADDR x, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GlobalTensor<float> gx = global(x), gy = global(y);
  LocalTensor<float> in = ub(0);
  for (uint32_t i = 0; i < kTiles; ++i) {
    const uint32_t at = (GetBlockIdx() * kTiles + i) * kTile;
    LocalTensor<float> out = ub(1 + i);
    DataCopy(in, gx[at], kTile);
    Adds(out, in, 1.0f, kTile);
    pass<HardEvent::V_MTE3>();
    DataCopy(gy[at], out, kTile);
  }
}

/// The loaded tensor is used without having been passed through its queue.
__global__ __aicore__ void past_the_queue(GM_ADDR x, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> loads;
  TQue<QuePosition::VECOUT, 1> stores;
  pipe.InitBuffer(loads, 1, kTile * sizeof(float));
  pipe.InitBuffer(stores, 1, kTile * sizeof(float));
  GlobalTensor<float> gx = global(x), gy = global(y);
  LocalTensor<float> in = loads.AllocTensor<float>();
  DataCopy(in, gx[GetBlockIdx() * kTile], kTile);
  LocalTensor<float> out = stores.AllocTensor<float>();
  Adds(out, in, 1.0f, kTile);
  loads.FreeTensor(in);
  stores.EnQue(out);
  out = stores.DeQue<float>();
  DataCopy(gy[GetBlockIdx() * kTile], out, kTile);
  stores.FreeTensor(out);
}

/// A scalar load behind a store takes the line that an earlier load has left in the data cache.
__global__ __aicore__ void stale_line(GM_ADDR x, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GlobalTensor<float> gx = global(x), gy = global(y);
  const float before = gx.GetValue(GetBlockIdx() * kTile);
  LocalTensor<float> out = ub(0);
  Duplicate(out, before + 1.0f, kTile);
  pass<HardEvent::V_MTE3>();
  DataCopy(gx[GetBlockIdx() * kTile], out, kTile);
  pass<HardEvent::MTE3_S>();
  const float after = gx.GetValue(GetBlockIdx() * kTile);
  WriteGmByPassDCache(gy.GetPhyAddr(GetBlockIdx() * kTile), after);
}

/// Cores that wait for nobody, in a kernel whose type has no flags between cores.
__global__ __aicore__ void type_without_flags(GM_ADDR x, GM_ADDR middle, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GlobalTensor<float> gx = global(x), gm = global(middle), gy = global(y);
  LocalTensor<float> in = ub(0), out = ub(1);
  DataCopy(in, gx[GetBlockIdx() * kTile], kTile);
  pass<HardEvent::MTE2_MTE3>();
  DataCopy(gm[GetBlockIdx() * kTile], in, kTile);
  PipeBarrier<PIPE_ALL>();
  DataCopy(out, gm[(GetBlockIdx() + 1) % kBlocks * kTile], kTile);
  pass<HardEvent::MTE2_MTE3>();
  DataCopy(gy[GetBlockIdx() * kTile], out, kTile);
}

/// A function of the kernel bears the name of the call that is missing, so that patch does not compile.
class Shadowed {
 public:
  __aicore__ inline void Process(GM_ADDR x, GM_ADDR y) {
    GlobalTensor<float> gx = global(x), gy = global(y);
    LocalTensor<float> in = ub(0), out = ub(1);
    DataCopy(in, gx[GetBlockIdx() * kTile], kTile);
    Adds(out, in, 1.0f, kTile);
    SetFlag();
    DataCopy(gy[GetBlockIdx() * kTile], out, kTile);
  }

 private:
  __aicore__ inline void SetFlag() { PipeBarrier<PIPE_ALL>(); }
};
__global__ __aicore__ void shadowed(GM_ADDR x, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  Shadowed op;
  op.Process(x, y);
}

uint8_t* buffer(const char* name, float first) {
  constexpr uint32_t kElements = kBlocks * kTiles * kTile;
  auto* memory = static_cast<float*>(GmAlloc(kElements * sizeof(float)));
  for (uint32_t i = 0; i < kElements; ++i) memory[i] = first * static_cast<float>(i % 97 + 1);
  ascsan::name_tensor(memory, name);
  return reinterpret_cast<uint8_t*>(memory);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string which = argc > 1 ? argv[1] : "";
  uint8_t *x = buffer("x", 1.0f), *middle = buffer("middle", 0.0f), *y = buffer("y", 0.0f);
  SetKernelMode(which == "group" ? KernelMode::MIX_MODE : KernelMode::AIV_MODE);
  if (which == "group")
    ICPU_RUN_KF(matrix_to_vector, kBlocks, middle, y);
  else if (which == "turns")
    ICPU_RUN_KF(turn_by_turn, kBlocks, x, y);
  else if (which == "two")
    ICPU_RUN_KF(both_ways, kBlocks, x, y);
  else if (which == "queue")
    ICPU_RUN_KF(past_the_queue, kBlocks, x, y);
  else if (which == "stale")
    ICPU_RUN_KF(stale_line, kBlocks, x, y);
  else if (which == "type")
    ICPU_RUN_KF(type_without_flags, kBlocks, x, middle, y);
  else if (which == "shadowed")
    ICPU_RUN_KF(shadowed, kBlocks, x, y);
  else
    return std::fprintf(stderr, "usage: fix_sample group|turns|two|queue|stale|type|shadowed\n"), 2;
  for (uint8_t* memory : {x, middle, y}) GmFree(memory);
  return 0;
}
