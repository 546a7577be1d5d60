// C = A B with the basic cube instructions: 16 x 16 tiles, two steps of K through double-buffered L1 and L0, flags in
// both directions, Fixpipe at the end (AIC flags through L1, L0, L0C, FIX).
#include "corpus.h"

using namespace AscendC;

constexpr uint32_t kM = 16, kN = 16, kStep = 16, kSteps = 2, kK = kStep * kSteps;

__global__ __aicore__ void matmul_flags(GM_ADDR a, GM_ADDR b, GM_ADDR c) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  TPipe pipe;
  TBuf<TPosition::A1> a1_buffer;
  TBuf<TPosition::B1> b1_buffer;
  TBuf<TPosition::A2> a2_buffer;
  TBuf<TPosition::B2> b2_buffer;
  TBuf<TPosition::CO1> c_buffer;
  pipe.InitBuffer(a1_buffer, kM * kStep * sizeof(half));
  pipe.InitBuffer(b1_buffer, kStep * kN * sizeof(half));
  pipe.InitBuffer(a2_buffer, kM * kStep * sizeof(half));
  pipe.InitBuffer(b2_buffer, kStep * kN * sizeof(half));
  pipe.InitBuffer(c_buffer, kM * kN * sizeof(float));
  GlobalTensor<half> ga, gb;
  GlobalTensor<float> gc;
  ga.SetGlobalBuffer((__gm__ half*)a, kM * kK);
  gb.SetGlobalBuffer((__gm__ half*)b, kK * kN);
  gc.SetGlobalBuffer((__gm__ float*)c, kM * kN);
  LocalTensor<half> a1 = a1_buffer.Get<half>();
  LocalTensor<half> b1 = b1_buffer.Get<half>();
  LocalTensor<half> a2 = a2_buffer.Get<half>();
  LocalTensor<half> b2 = b2_buffer.Get<half>();
  LocalTensor<float> product = c_buffer.Get<float>();
  LoadData2DParams load;
  load.repeatTimes = 1;
  load.srcStride = 1;
  LoadData2DParams turned = load;
  turned.ifTranspose = true;
  MmadParams mmad;
  mmad.m = kM;
  mmad.n = kN;
  mmad.k = kStep;
  SetFlag<HardEvent::MTE1_MTE2>(EVENT_ID0);
  SetFlag<HardEvent::M_MTE1>(EVENT_ID5);
  for (uint32_t k = 0; k < kSteps; ++k) {
    WaitFlag<HardEvent::MTE1_MTE2>(EVENT_ID0);
    DataCopy(a1, ga[k * kStep], Nd2NzParams(1, kM, kStep, 0, kK, kM, 1, 0));
    DataCopy(b1, gb[k * kStep * kN], Nd2NzParams(1, kStep, kN, 0, kN, kStep, 1, 0));
    SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID2);
    WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID2);
    WaitFlag<HardEvent::M_MTE1>(EVENT_ID5);
    LoadData(a2, a1, load);
    LoadData(b2, b1, turned);
    SetFlag<HardEvent::MTE1_MTE2>(EVENT_ID0);
    SetFlag<HardEvent::MTE1_M>(EVENT_ID3);
    WaitFlag<HardEvent::MTE1_M>(EVENT_ID3);
    mmad.cmatrixInitVal = k == 0;
    Mmad(product, a2, b2, mmad);
    PipeBarrier<PIPE_M>();
    SetFlag<HardEvent::M_MTE1>(EVENT_ID5);
  }
  WaitFlag<HardEvent::MTE1_MTE2>(EVENT_ID0);
  WaitFlag<HardEvent::M_MTE1>(EVENT_ID5);
  SetFlag<HardEvent::M_FIX>(EVENT_ID4);
  WaitFlag<HardEvent::M_FIX>(EVENT_ID4);
  Fixpipe(gc, product, FixpipeParamsV220(kN, kM, kM, kN, false));
}

int main() {
  corpus::Tensor<half> a("a", kM * kK), b("b", kK * kN);
  corpus::Tensor<float> c("c", kM * kN);
  a.seeded(5), b.seeded(6);
  SetKernelMode(KernelMode::AIC_MODE);
  ICPU_RUN_KF(matmul_flags, 1, a.gm(), b.gm(), c.gm());
  return corpus::compare(c, [&](uint32_t i) {
    double sum = 0;
    for (uint32_t k = 0; k < kK; ++k) sum += a.at(i / kN * kK + k) * b.at(k * kN + i % kN);
    return sum;
  });
}
