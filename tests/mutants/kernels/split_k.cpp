// C = A B with K cut in two: the AIC of each block stores its partial product to a workspace, all cores meet, and the
// AIV of block 0 adds the parts (split-K with workspace, SyncAll of both kinds of cores, Fixpipe).
#include "corpus.h"

using namespace AscendC;

constexpr uint32_t kM = 16, kN = 16, kPart = 16, kBlocks = 2, kK = kPart * kBlocks;

__aicore__ inline void multiply(GM_ADDR a, GM_ADDR b, GM_ADDR parts) {
  TPipe pipe;
  TQue<TPosition::A1, 1> a1_queue;
  TQue<TPosition::B1, 1> b1_queue;
  TQue<TPosition::A2, 1> a2_queue;
  TQue<TPosition::B2, 1> b2_queue;
  TQue<TPosition::CO1, 1> c_queue;
  pipe.InitBuffer(a1_queue, 1, kM * kPart * sizeof(half));
  pipe.InitBuffer(b1_queue, 1, kPart * kN * sizeof(half));
  pipe.InitBuffer(a2_queue, 1, kM * kPart * sizeof(half));
  pipe.InitBuffer(b2_queue, 1, kPart * kN * sizeof(half));
  pipe.InitBuffer(c_queue, 1, kM * kN * sizeof(float));
  GlobalTensor<half> ga, gb;
  GlobalTensor<float> gparts;
  ga.SetGlobalBuffer((__gm__ half*)a, kM * kK);
  gb.SetGlobalBuffer((__gm__ half*)b, kK * kN);
  gparts.SetGlobalBuffer((__gm__ float*)parts, kBlocks * kM * kN);
  LoadData2DParams load;
  load.repeatTimes = 1;
  load.srcStride = 1;
  LoadData2DParams turned = load;
  turned.ifTranspose = true;
  MmadParams mmad;
  mmad.m = kM;
  mmad.n = kN;
  mmad.k = kPart;
  LocalTensor<half> a1 = a1_queue.AllocTensor<half>();
  LocalTensor<half> b1 = b1_queue.AllocTensor<half>();
  DataCopy(a1, ga[GetBlockIdx() * kPart], Nd2NzParams(1, kM, kPart, 0, kK, kM, 1, 0));
  DataCopy(b1, gb[GetBlockIdx() * kPart * kN], Nd2NzParams(1, kPart, kN, 0, kN, kPart, 1, 0));
  a1_queue.EnQue(a1);
  a1 = a1_queue.DeQue<half>();
  b1_queue.EnQue(b1);
  b1 = b1_queue.DeQue<half>();
  LocalTensor<half> a2 = a2_queue.AllocTensor<half>();
  LocalTensor<half> b2 = b2_queue.AllocTensor<half>();
  LoadData(a2, a1, load);
  LoadData(b2, b1, turned);
  a1_queue.FreeTensor(a1);
  b1_queue.FreeTensor(b1);
  a2_queue.EnQue(a2);
  a2 = a2_queue.DeQue<half>();
  b2_queue.EnQue(b2);
  b2 = b2_queue.DeQue<half>();
  LocalTensor<float> product = c_queue.AllocTensor<float>();
  Mmad(product, a2, b2, mmad);
  a2_queue.FreeTensor(a2);
  b2_queue.FreeTensor(b2);
  c_queue.EnQue(product);
  product = c_queue.DeQue<float>();
  Fixpipe(gparts[GetBlockIdx() * kM * kN], product, FixpipeParamsV220(kN, kM, kM, kN, false));
  c_queue.FreeTensor(product);
}

__aicore__ inline void add_parts(GM_ADDR parts, GM_ADDR c) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> first_buffer, second_buffer;
  pipe.InitBuffer(first_buffer, kM * kN * sizeof(float));
  pipe.InitBuffer(second_buffer, kM * kN * sizeof(float));
  GlobalTensor<float> gparts, gc;
  gparts.SetGlobalBuffer((__gm__ float*)parts, kBlocks * kM * kN);
  gc.SetGlobalBuffer((__gm__ float*)c, kM * kN);
  LocalTensor<float> first = first_buffer.Get<float>();
  LocalTensor<float> second = second_buffer.Get<float>();
  DataCopy(first, gparts, kM * kN);
  DataCopy(second, gparts[kM * kN], kM * kN);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  Add(first, first, second, kM * kN);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(gc, first, kM * kN);
}

__global__ __aicore__ void split_k(GM_ADDR a, GM_ADDR b, GM_ADDR parts, GM_ADDR c) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
  if ASCEND_IS_AIC {
    multiply(a, b, parts);
    SyncAll<false>();
  }
  if ASCEND_IS_AIV {
    SyncAll<false>();
    if (GetBlockIdx() == 0) {
      add_parts(parts, c);
    }
  }
}

int main() {
  corpus::Tensor<half> a("a", kM * kK), b("b", kK * kN);
  corpus::Tensor<float> parts("workspace", kBlocks * kM * kN), c("c", kM * kN);
  a.seeded(20), b.seeded(21);
  SetKernelMode(KernelMode::MIX_AIC_1_1);
  ICPU_RUN_KF(split_k, kBlocks, a.gm(), b.gm(), parts.gm(), c.gm());
  return corpus::compare(c, [&](uint32_t i) {
    double sum = 0;
    for (uint32_t k = 0; k < kK; ++k) sum += a.at(i / kN * kK + k) * b.at(k * kN + i % kN);
    return sum;
  });
}
