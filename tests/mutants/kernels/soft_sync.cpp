// Every core squares its slice, all meet in a barrier that lives in global memory, and each adds the slice of its
// neighbour (soft SyncAll with a workspace cleared by the host).
#include "corpus.h"

using namespace AscendC;

constexpr uint32_t kCores = 2, kSlice = 32;

__global__ __aicore__ void soft_sync(GM_ADDR x, GM_ADDR middle, GM_ADDR y, GM_ADDR slots) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  TPipe pipe;
  TBuf<TPosition::VECCALC> in_buffer, out_buffer, slot_buffer;
  pipe.InitBuffer(in_buffer, kSlice * sizeof(float));
  pipe.InitBuffer(out_buffer, kSlice * sizeof(float));
  pipe.InitBuffer(slot_buffer, kCores * 32);
  GlobalTensor<float> gx, gmiddle, gy;
  GlobalTensor<int32_t> gslots;
  gx.SetGlobalBuffer((__gm__ float*)x, kCores * kSlice);
  gmiddle.SetGlobalBuffer((__gm__ float*)middle, kCores * kSlice);
  gy.SetGlobalBuffer((__gm__ float*)y, kCores * kSlice);
  gslots.SetGlobalBuffer((__gm__ int32_t*)slots, kCores * 8);
  LocalTensor<float> in = in_buffer.Get<float>();
  LocalTensor<float> out = out_buffer.Get<float>();
  LocalTensor<int32_t> slot = slot_buffer.Get<int32_t>();
  const uint32_t me = GetBlockIdx();
  DataCopy(in, gx[me * kSlice], kSlice);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  Mul(out, in, in, kSlice);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(gmiddle[me * kSlice], out, kSlice);
  SyncAll(gslots, slot);
  DataCopy(in, gmiddle[(me + 1) % kCores * kSlice], kSlice);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID1);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID1);
  Add(out, out, in, kSlice);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID1);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID1);
  DataCopy(gy[me * kSlice], out, kSlice);
}

int main() {
  corpus::Tensor<float> x("x", kCores * kSlice), middle("workspace", kCores * kSlice), y("y", kCores * kSlice);
  corpus::Tensor<int32_t> slots("slot_workspace", kCores * 8);
  x.seeded(14), slots.filled(0);
  SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(soft_sync, kCores, x.gm(), middle.gm(), y.gm(), slots.gm());
  return corpus::compare(y, [&](uint32_t i) {
    const uint32_t other = (i + kSlice) % (kCores * kSlice);
    return x.at(i) * x.at(i) + x.at(other) * x.at(other);
  });
}
