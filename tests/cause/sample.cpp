// Small kernels with one fault each, for witness, replay, diagnose and fix from outside. usage: cause_sample CASE
// The fault is described at each kernel. Right results are not checked here: the tool under test has to find out.
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "ascsan/run.h"
#include "ascsan/stage.h"
#include "kernel_operator.h"
#include "tikicpulib.h"

namespace {

using namespace AscendC;

constexpr uint32_t kTile = 64, kCores = 4;

/// The vector instruction does not wait for the load of its input.
__global__ __aicore__ void no_load_flag(GM_ADDR x, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer, result;
  pipe.InitBuffer(buffer, kTile * sizeof(float));
  pipe.InitBuffer(result, kTile * sizeof(float));
  GlobalTensor<float> gx, gy;
  gx.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x) + GetBlockIdx() * kTile, kTile);
  gy.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y) + GetBlockIdx() * kTile, kTile);
  LocalTensor<float> in = buffer.Get<float>(), out = result.Get<float>();
  DataCopy(in, gx, kTile);
  Adds(out, in, 1.0f, kTile);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(gy, out, kTile);
}

/// The next tile is loaded into a buffer that may still be stored from.
__global__ __aicore__ void buffer_reused(GM_ADDR x, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, kTile * sizeof(float));
  GlobalTensor<float> gx, gy;
  gx.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x), kCores * kTile);
  gy.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y), kCores * kTile);
  LocalTensor<float> local = buffer.Get<float>();
  for (uint32_t i = 0; i < 2; ++i) {
    const uint32_t at = (GetBlockIdx() / 2 * 2 + i) * kTile;
    if (GetBlockIdx() % 2 != 0) continue;
    DataCopy(local, gx[at], kTile);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(gy[at], local, kTile);
  }
}

/// Produce stores a slice per core, Consume loads the slice of the next core, and nothing makes the cores wait. kSame:
/// the value stored is the value that was there, so that no schedule shows a difference.
template <bool kSame>
class Neighbours {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR middle, GM_ADDR other, GM_ADDR y) {
    gx_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x), kCores * kTile);
    middle_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(middle), kCores * kTile);
    other_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(other), kCores * kTile);
    gy_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y), kCores * kTile);
    pipe_.InitBuffer(in_, kTile * sizeof(float));
    pipe_.InitBuffer(out_, kTile * sizeof(float));
  }
  __aicore__ inline void Process() {
    Produce();
    PipeBarrier<PIPE_ALL>();
    Consume();
    Finish();
  }

 private:
  __aicore__ inline void Produce() {
    LocalTensor<float> in = in_.Get<float>(), out = out_.Get<float>();
    DataCopy(in, gx_[GetBlockIdx() * kTile], kTile);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Muls(out, in, kSame ? 0.0f : 2.0f, kTile);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(middle_[GetBlockIdx() * kTile], out, kTile);
  }
  __aicore__ inline void Consume() {
    LocalTensor<float> in = in_.Get<float>(), out = out_.Get<float>();
    Duplicate(out, 0.0f, kTile);  // enough work for all cores to have stored when they keep in step
    PipeBarrier<PIPE_V>();
    DataCopy(in, middle_[(GetBlockIdx() + 1) % kCores * kTile], kTile);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID1);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID1);
    Adds(out, in, 1.0f, kTile);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID1);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID1);
    DataCopy(gy_[GetBlockIdx() * kTile], out, kTile);
  }
  __aicore__ inline void Finish() {
    PipeBarrier<PIPE_ALL>();
    LocalTensor<float> out = out_.Get<float>();
    Duplicate(out, 3.0f, kTile);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID2);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID2);
    DataCopy(other_[GetBlockIdx() * kTile], out, kTile);
  }
  TPipe pipe_;
  TBuf<TPosition::VECCALC> in_, out_;
  GlobalTensor<float> gx_, middle_, other_, gy_;
};

template <bool kSame>
__global__ __aicore__ void neighbours(GM_ADDR x, GM_ADDR middle, GM_ADDR other, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  Neighbours<kSame> op;
  op.Init(x, middle, other, y);
  op.Process();
}

/// Waits for a flag that nobody sets.
__global__ __aicore__ void hangs(GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  WaitFlag<HardEvent::MTE3_S>(EVENT_ID3);
  GlobalTensor<float> gy;
  gy.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y), kTile);
  gy.SetValue(0, 1.0f);
}

/// Half of what is stored was never written.
__global__ __aicore__ void half_written(GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, kTile * sizeof(float));
  GlobalTensor<float> gy;
  gy.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y) + GetBlockIdx() * kTile, kTile);
  LocalTensor<float> out = buffer.Get<float>();
  Duplicate(out, 5.0f, kTile / 2);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(gy, out, kTile);
}

/// Stores a tile more than its tensor has.
__global__ __aicore__ void past_the_end(GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 2 * kTile * sizeof(float));
  GlobalTensor<float> gy;
  gy.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y) + GetBlockIdx() * kTile, kTile);
  LocalTensor<float> out = buffer.Get<float>();
  Duplicate(out, static_cast<float>(GetBlockIdx()), 2 * kTile);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(gy, out, 2 * kTile);
}

/// Its result hangs on state of the host that every run changes.
__global__ __aicore__ void counts_runs(GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  static float counter = 0;
  GlobalTensor<float> gy;
  gy.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y), kCores * kTile);
  ASCSAN_STAGE("count");
  gy.SetValue(GetBlockIdx() * kTile, counter += 1.0f);
  DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE>(gy);
}

/// A barrier behind every instruction. Needed are two of the five in the loop (the second of them waits for the store
/// of the turn before as well), and with two tiles the one in front of reading back. One block has one tile.
__global__ __aicore__ void barriers_everywhere(GM_ADDR x, GM_ADDR middle, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  TPipe pipe;
  TBuf<TPosition::VECCALC> left, right, result;
  pipe.InitBuffer(left, kTile * sizeof(float));
  pipe.InitBuffer(right, kTile * sizeof(float));
  pipe.InitBuffer(result, kTile * sizeof(float));
  GlobalTensor<float> gx, gm, gy;
  gx.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x), kCores * kTile);
  gm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(middle), kCores * kTile);
  gy.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y), kCores * kTile);
  LocalTensor<float> a = left.Get<float>(), b = right.Get<float>(), out = result.Get<float>();
  const uint32_t tiles = GetBlockNum() == 1 ? 1 : 2;
  for (uint32_t i = 0; i < tiles; ++i) {
    const uint32_t at = (GetBlockIdx() * 2 + i) * kTile;
    DataCopy(a, gx[at], kTile);
    PipeBarrier<PIPE_ALL>();  // @first_load
    DataCopy(b, gm[at], kTile);
    PipeBarrier<PIPE_ALL>();  // @second_load
    Add(out, a, b, kTile);
    PipeBarrier<PIPE_ALL>();  // @add
    Muls(out, out, 2.0f, kTile);
    PipeBarrier<PIPE_ALL>();  // @muls
    DataCopy(gy[at], out, kTile);
    PipeBarrier<PIPE_ALL>();  // @store
  }
  PipeBarrier<PIPE_ALL>();  // @end
  if (tiles > 1) DataCopy(a, gy[(GetBlockIdx() * 2 + 1) * kTile], kTile);
}

float* buffer(const char* name, uint32_t elements = kCores * kTile) {
  auto* memory = static_cast<float*>(GmAlloc(elements * sizeof(float)));
  ascsan::name_tensor(memory, name);
  return memory;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string which = argc > 1 ? argv[1] : "";
  auto *px = buffer("x"), *pmiddle = buffer("middle"), *pother = buffer("other"), *py = buffer("y", 2 * kCores * kTile);
  for (uint32_t i = 0; i < kCores * kTile; ++i) px[i] = static_cast<float>(i % 97 + 1);
  if (which == "clock") px[3] = static_cast<float>(getpid());
  auto *x = reinterpret_cast<uint8_t*>(px), *middle = reinterpret_cast<uint8_t*>(pmiddle),
       *other = reinterpret_cast<uint8_t*>(pother), *y = reinterpret_cast<uint8_t*>(py);
  SetKernelMode(KernelMode::AIV_MODE);
  if (which == "flag")
    ICPU_RUN_KF(no_load_flag, kCores, x, y);
  else if (which == "reuse")
    ICPU_RUN_KF(buffer_reused, kCores, x, y);
  else if (which == "cores" || which == "clock")
    ICPU_RUN_KF(neighbours<false>, kCores, x, middle, other, y);
  else if (which == "same")
    ICPU_RUN_KF(neighbours<true>, kCores, x, middle, other, y);
  else if (which == "hang")
    ICPU_RUN_KF(hangs, 1, y);
  else if (which == "half")
    ICPU_RUN_KF(half_written, kCores, y);
  else if (which == "past")
    ICPU_RUN_KF(past_the_end, kCores, y);
  else if (which == "everywhere" || which == "once")
    ICPU_RUN_KF(barriers_everywhere, which == "once" ? 1 : kCores / 2, x, middle, y);
  else if (which == "count")
    ICPU_RUN_KF(counts_runs, kCores, y);
  else
    return std::fprintf(stderr,
                        "usage: cause_sample flag|reuse|cores|clock|same|hang|half|past|everywhere|once|count\n"),
           2;
  for (float* memory : {px, pmiddle, pother, py}) GmFree(memory);
  return 0;
}
