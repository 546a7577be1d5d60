// y[core] = x[0] + ... + x[core] by rows: each core waits for the one before it and adds its own row (scan over cores,
// IBSet and IBWait).
#include "corpus.h"

using namespace AscendC;

constexpr uint32_t kCores = 3, kCols = 32;

__global__ __aicore__ void scan_cores(GM_ADDR x, GM_ADDR y, GM_ADDR slots) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  TPipe pipe;
  TBuf<TPosition::VECCALC> row_buffer, sum_buffer, slot_buffer;
  pipe.InitBuffer(row_buffer, kCols * sizeof(float));
  pipe.InitBuffer(sum_buffer, kCols * sizeof(float));
  pipe.InitBuffer(slot_buffer, kCores * 32 + 32);
  GlobalTensor<float> gx, gy;
  GlobalTensor<int32_t> gslots;
  gx.SetGlobalBuffer((__gm__ float*)x, kCores * kCols);
  gy.SetGlobalBuffer((__gm__ float*)y, kCores * kCols);
  gslots.SetGlobalBuffer((__gm__ int32_t*)slots, kCores * 32);
  LocalTensor<float> row = row_buffer.Get<float>();
  LocalTensor<float> sum = sum_buffer.Get<float>();
  LocalTensor<int32_t> slot = slot_buffer.Get<int32_t>();
  const int32_t me = static_cast<int32_t>(GetBlockIdx());
  DataCopy(row, gx[me * kCols], kCols);
  if (me > 0) {
    IBWait(gslots, slot, me - 1, 0);
    DataCopy(sum, gy[(me - 1) * kCols], kCols);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Add(row, row, sum, kCols);
  }
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  DataCopy(gy[me * kCols], row, kCols);
  if (me + 1 < static_cast<int32_t>(kCores)) {
    IBSet(gslots, slot, me, 0);
  }
}

int main() {
  corpus::Tensor<float> x("x", kCores * kCols), y("y", kCores * kCols);
  corpus::Tensor<int32_t> slots("slot_workspace", kCores * 32);
  x.seeded(15), slots.filled(0);
  SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(scan_cores, kCores, x.gm(), y.gm(), slots.gm());
  return corpus::compare(y, [&](uint32_t i) {
    double sum = 0;
    for (uint32_t core = 0; core <= i / kCols; ++core) sum += x.at(core * kCols + i % kCols);
    return sum;
  });
}
