// Sum over all cores: each stores its part to a workspace, SyncAll, then the last core adds the parts (SyncAll, GM).
#include "corpus.h"

using namespace AscendC;

constexpr uint32_t kCores = 2, kPerCore = 64;

__global__ __aicore__ void core_sum(GM_ADDR x, GM_ADDR parts, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  TPipe pipe;
  TBuf<TPosition::VECCALC> in_buffer, scratch_buffer, sum_buffer;
  pipe.InitBuffer(in_buffer, kPerCore * sizeof(float));
  pipe.InitBuffer(scratch_buffer, 256);
  pipe.InitBuffer(sum_buffer, 32);
  GlobalTensor<float> gx, gparts, gy;
  gx.SetGlobalBuffer((__gm__ float*)x, kCores * kPerCore);
  gparts.SetGlobalBuffer((__gm__ float*)parts, kCores * 8);
  gy.SetGlobalBuffer((__gm__ float*)y, 8);
  LocalTensor<float> in = in_buffer.Get<float>();
  LocalTensor<float> scratch = scratch_buffer.Get<float>();
  LocalTensor<float> sum = sum_buffer.Get<float>();
  const uint32_t me = GetBlockIdx();
  DataCopy(in, gx[me * kPerCore], kPerCore);
  Duplicate(sum, 0.0f, 8);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  PipeBarrier<PIPE_V>();
  WholeReduceSum(sum, in, 64, 1, 1, 1, 8);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(gparts[me * 8], sum, 8);
  SyncAll();
  if (me != kCores - 1) return;
  DataCopy(in, gparts, kCores * 8);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID1);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID1);
  SetFlag<HardEvent::MTE3_V>(EVENT_ID1);
  WaitFlag<HardEvent::MTE3_V>(EVENT_ID1);
  Add(scratch, in, in[8], 8);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID1);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID1);
  DataCopy(gy, scratch, 8);
}

int main() {
  corpus::Tensor<float> x("x", kCores * kPerCore), parts("workspace", kCores * 8), y("y", 8);
  x.seeded(4);
  SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(core_sum, kCores, x.gm(), parts.gm(), y.gm());
  double sum = 0;
  for (uint32_t i = 0; i < x.size(); ++i) sum += x.at(i);
  return corpus::compare(y, [&](uint32_t i) { return i == 0 ? sum : 0.0; });
}
