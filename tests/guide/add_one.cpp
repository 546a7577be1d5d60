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
  AscendC::Adds(local, local, 1.0f, count);
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
