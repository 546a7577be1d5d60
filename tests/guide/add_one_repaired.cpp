#include "kernel_operator.h"
#include "tikicpulib.h"

extern "C" __global__ __aicore__ void add_one(GM_ADDR x, GM_ADDR y, uint32_t count) {
  AscendC::TPipe pipe;
  AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 4096);
  AscendC::GlobalTensor<float> in, out;
  in.SetGlobalBuffer((__gm__ float*)x, count);
  out.SetGlobalBuffer((__gm__ float*)y, count);
  auto local = buffer.Get<float>();
  AscendC::DataCopy(local, in, count);
  AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(EVENT_ID0);
  AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(EVENT_ID0);
  AscendC::Adds(local, local, 1.0f, count);
  AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(EVENT_ID0);
  AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(EVENT_ID0);
  AscendC::DataCopy(out, local, count);
}

int main() {
  auto* x = (uint8_t*)AscendC::GmAlloc(1024 * sizeof(float));
  auto* y = (uint8_t*)AscendC::GmAlloc(1024 * sizeof(float));
  AscendC::SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(add_one, 1, x, y, 1024);
  AscendC::GmFree(x);
  AscendC::GmFree(y);
}
