// MIX 1:2: the AIC multiplies a 32 x 16 tile by B for two rounds, its two AIVs add a bias to their half of each and
// store; one slot, so the AIC waits until both have read it (CrossCoreSetFlag and CrossCoreWaitFlag in both
// directions).
#include "corpus.h"

using namespace AscendC;

constexpr uint32_t kM = 32, kN = 16, kK = 16, kRounds = 2;
constexpr uint16_t kReady = 3, kTaken = 5;

__aicore__ inline void multiply(GM_ADDR a, GM_ADDR b, GM_ADDR slot) {
  TPipe pipe;
  TBuf<TPosition::A1> a1_buffer;
  TBuf<TPosition::B1> b1_buffer;
  TBuf<TPosition::A2> a2_buffer;
  TBuf<TPosition::B2> b2_buffer;
  TBuf<TPosition::CO1> c_buffer;
  pipe.InitBuffer(a1_buffer, kM * kK * sizeof(half));
  pipe.InitBuffer(b1_buffer, kK * kN * sizeof(half));
  pipe.InitBuffer(a2_buffer, kM * kK * sizeof(half));
  pipe.InitBuffer(b2_buffer, kK * kN * sizeof(half));
  pipe.InitBuffer(c_buffer, kM * kN * sizeof(float));
  GlobalTensor<half> ga, gb;
  GlobalTensor<float> gslot;
  ga.SetGlobalBuffer((__gm__ half*)a, kRounds * kM * kK);
  gb.SetGlobalBuffer((__gm__ half*)b, kK * kN);
  gslot.SetGlobalBuffer((__gm__ float*)slot, kM * kN);
  LocalTensor<half> a1 = a1_buffer.Get<half>();
  LocalTensor<half> b1 = b1_buffer.Get<half>();
  LocalTensor<half> a2 = a2_buffer.Get<half>();
  LocalTensor<half> b2 = b2_buffer.Get<half>();
  LocalTensor<float> product = c_buffer.Get<float>();
  LoadData2DParams load;
  load.repeatTimes = kM / 16;
  load.srcStride = 1;
  LoadData2DParams turned;
  turned.repeatTimes = 1;
  turned.srcStride = 1;
  turned.ifTranspose = true;
  MmadParams mmad;
  mmad.m = kM;
  mmad.n = kN;
  mmad.k = kK;
  DataCopy(b1, gb, Nd2NzParams(1, kK, kN, 0, kN, kK, 1, 0));
  SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID2);
  WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID2);
  LoadData(b2, b1, turned);
  for (uint32_t round = 0; round < kRounds; ++round) {
    DataCopy(a1, ga[round * kM * kK], Nd2NzParams(1, kM, kK, 0, kK, kM, 1, 0));
    SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID3);
    WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID3);
    LoadData(a2, a1, load);
    SetFlag<HardEvent::MTE1_M>(EVENT_ID4);
    WaitFlag<HardEvent::MTE1_M>(EVENT_ID4);
    Mmad(product, a2, b2, mmad);
    SetFlag<HardEvent::M_FIX>(EVENT_ID5);
    WaitFlag<HardEvent::M_FIX>(EVENT_ID5);
    if (round > 0) {
      CrossCoreWaitFlag(kTaken);
    }
    Fixpipe(gslot, product, FixpipeParamsV220(kN, kM, kM, kN, false));
    CrossCoreSetFlag<0x2, PIPE_FIX>(kReady);
    PipeBarrier<PIPE_ALL>();
  }
  CrossCoreWaitFlag(kTaken);
}

__aicore__ inline void add_bias(GM_ADDR slot, GM_ADDR bias, GM_ADDR y) {
  constexpr uint32_t kHalf = kM / 2 * kN;
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in_queue;
  TQue<TPosition::VECOUT, 1> out_queue;
  TBuf<TPosition::VECCALC> bias_buffer;
  pipe.InitBuffer(in_queue, 1, kHalf * sizeof(float));
  pipe.InitBuffer(out_queue, 1, kHalf * sizeof(float));
  pipe.InitBuffer(bias_buffer, kHalf * sizeof(float));
  GlobalTensor<float> gslot, gbias, gy;
  gslot.SetGlobalBuffer((__gm__ float*)slot, kM * kN);
  gbias.SetGlobalBuffer((__gm__ float*)bias, kHalf);
  gy.SetGlobalBuffer((__gm__ float*)y, kRounds * kM * kN);
  LocalTensor<float> added = bias_buffer.Get<float>();
  DataCopy(added, gbias, kHalf);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID4);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID4);
  for (uint32_t round = 0; round < kRounds; ++round) {
    CrossCoreWaitFlag(kReady);
    LocalTensor<float> in = in_queue.AllocTensor<float>();
    DataCopy(in, gslot[GetSubBlockIdx() * kHalf], kHalf);
    CrossCoreSetFlag<0x2, PIPE_MTE2>(kTaken);
    in_queue.EnQue(in);
    in = in_queue.DeQue<float>();
    LocalTensor<float> out = out_queue.AllocTensor<float>();
    Add(out, in, added, kHalf);
    in_queue.FreeTensor(in);
    out_queue.EnQue(out);
    out = out_queue.DeQue<float>();
    DataCopy(gy[(round * 2 + GetSubBlockIdx()) * kHalf], out, kHalf);
    out_queue.FreeTensor(out);
  }
}

__global__ __aicore__ void matmul_mix(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR slot, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  if ASCEND_IS_AIC {
    multiply(a, b, slot);
  }
  if ASCEND_IS_AIV {
    add_bias(slot, bias, y);
  }
}

int main() {
  corpus::Tensor<half> a("a", kRounds * kM * kK), b("b", kK * kN);
  corpus::Tensor<float> bias("bias", kM / 2 * kN), slot("workspace", kM * kN), y("y", kRounds * kM * kN);
  a.seeded(17), b.seeded(18), bias.seeded(19);
  SetKernelMode(KernelMode::MIX_MODE);
  ICPU_RUN_KF(matmul_mix, 1, a.gm(), b.gm(), bias.gm(), slot.gm(), y.gm());
  return corpus::compare(y, [&](uint32_t i) {
    double sum = bias.at(i % (kM / 2 * kN));
    for (uint32_t k = 0; k < kK; ++k) sum += a.at(i / kN * kK + k) * b.at(k * kN + i % kN);
    return sum;
  });
}
