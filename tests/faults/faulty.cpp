// Kernels that die, never end or misbehave, one per word on the command line. Run by faults_test.sh with and without
// `ascsan run`; every one must end with its place named, never with a dead or silent process.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "kernel_operator.h"
#include "tikicpulib.h"

using namespace AscendC;

namespace {
volatile int g_zero = 0;

void null_kernel(GM_ADDR x) {
  if (GetBlockIdx() == 1) *reinterpret_cast<volatile int*>(x) = 3;  // LINE null
}
void divide_kernel(GM_ADDR) {
  volatile int seven = 7;
  seven = seven / g_zero;  // LINE divide
}
void loop_kernel(GM_ADDR) {
  volatile uint64_t turns = 0;
  for (;;) turns = turns + 1;  // LINE loop
}
int deep(int n) {
  volatile char room[4096];
  room[0] = static_cast<char>(n);
  return n <= 0 ? room[0] : deep(n - 1) + room[0];  // LINE stack
}
void stack_kernel(GM_ADDR) {
  g_zero = deep(1 << 20) * 0;
}
void trap_kernel(GM_ADDR) {
  ascendc_assert(g_zero == 1, "zero is %d\n", g_zero);  // LINE trap
}
void hang_kernel(GM_ADDR) {
  if (GetBlockIdx() == 0) CrossCoreWaitFlag(4);  // LINE hang
}
void outside_kernel(GM_ADDR x) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 512);
  GlobalTensor<float> gm;
  gm.SetGlobalBuffer(reinterpret_cast<float*>(x), 64);
  DataCopy(buffer.Get<float>(), gm, 128);  // LINE outside
}
void endless_kernel(GM_ADDR) {
  for (;;) PipeBarrier<PIPE_V>();  // LINE endless
}
void clean_kernel(GM_ADDR x) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> queue;
  pipe.InitBuffer(queue, 1, 256);
  GlobalTensor<float> gm;
  gm.SetGlobalBuffer(reinterpret_cast<float*>(x), 64);
  LocalTensor<float> a = queue.AllocTensor<float>();
  DataCopy(a, gm, 64);
  queue.EnQue(a);
  a = queue.DeQue<float>();
  queue.FreeTensor(a);
}
}  // namespace

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  std::printf("before the kernel\n");
  std::fflush(stdout);
  auto* x = static_cast<uint8_t*>(GmAlloc(256));
  SetKernelMode(KernelMode::AIV_MODE);
  const auto is = [&](const char* name) { return std::strcmp(what, name) == 0; };
  if (is("null"))
    ICPU_RUN_KF(null_kernel, 2, nullptr);
  else if (is("divide"))
    ICPU_RUN_KF(divide_kernel, 1, x);
  else if (is("loop"))
    ICPU_RUN_KF(loop_kernel, 1, x);
  else if (is("stack"))
    ICPU_RUN_KF(stack_kernel, 1, x);
  else if (is("trap"))
    ICPU_RUN_KF(trap_kernel, 1, x);
  else if (is("outside"))
    ICPU_RUN_KF(outside_kernel, 1, x);
  else if (is("endless"))
    ICPU_RUN_KF(endless_kernel, 1, x);
  else if (is("clean"))
    ICPU_RUN_KF(clean_kernel, 1, x);
  else if (is("big"))
    ICPU_RUN_KF(clean_kernel, 4000, x);
  else if (is("hang")) {
    SetKernelMode(KernelMode::MIX_MODE);
    ICPU_RUN_KF(hang_kernel, 1, x);
  } else if (is("host")) {
    ICPU_RUN_KF(clean_kernel, 1, x);
    std::abort();
  } else if (is("status")) {
    ICPU_RUN_KF(clean_kernel, 1, x);
    return 7;
  }
  GmFree(x);
  std::printf("after the kernel\n");
  return 0;
}
