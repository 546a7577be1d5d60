// MIX 1:2: the two AIVs of a block scale A into a workspace, the AIC multiplies by B, the AIVs add a bias and store.
// Rounds overlap through two workspace slots; every hand-over is one cross-core flag. The template argument leaves one
// out.
#pragma once

#include "kernel_operator.h"

namespace kernels {

enum class MixFault { kNone, kAicDoesNotWait, kAicNeverSignals };

constexpr uint32_t kMixM = 32, kMixN = 32, kMixK = 32;  ///< one round: 32 rows of A, the whole B
constexpr uint16_t kScaled = 3, kMultiplied = 5, kStored = 7;

struct MixTiling {
  uint32_t roundsPerBlock;
  float scale;
};

/// AIV half of a round: 16 rows.
template <MixFault fault>
class MixVector {
 public:
  __aicore__ inline void Init(GM_ADDR a, GM_ADDR bias, GM_ADDR y, GM_ADDR scaled, GM_ADDR product, const MixTiling& t) {
    tiling = t;
    aGm.SetGlobalBuffer((__gm__ float*)a);
    yGm.SetGlobalBuffer((__gm__ float*)y);
    biasGm.SetGlobalBuffer((__gm__ float*)bias);
    scaledGm.SetGlobalBuffer((__gm__ half*)scaled);
    productGm.SetGlobalBuffer((__gm__ float*)product);
    pipe.InitBuffer(inQueue, 2, kRows * kMixK * sizeof(float));
    pipe.InitBuffer(outQueue, 2, kRows * kMixK * sizeof(half));
    pipe.InitBuffer(productQueue, 2, kRows * kMixN * sizeof(float));
    pipe.InitBuffer(resultQueue, 2, kRows * kMixN * sizeof(float));
    pipe.InitBuffer(biasBuf, kMixN * sizeof(float));
  }
  __aicore__ inline void Process() {
    using namespace AscendC;
    LocalTensor<float> biasLocal = biasBuf.Get<float>();
    DataCopy(biasLocal, biasGm, kMixN);
    const int32_t id = GetTPipePtr()->FetchEventID(HardEvent::MTE2_V);
    SetFlag<HardEvent::MTE2_V>(id);
    WaitFlag<HardEvent::MTE2_V>(id);
    for (uint32_t round = 0; round <= tiling.roundsPerBlock; ++round) {
      if (round < tiling.roundsPerBlock) {
        Scale(round);
        CrossCoreSetFlag<0x2, PIPE_MTE3>(kScaled);
      }
      if (round > 0) {
        CrossCoreWaitFlag(kMultiplied);
        AddBias(round - 1, biasLocal);
      }
    }
  }

 private:
  static constexpr uint32_t kRows = kMixM / 2;
  __aicore__ inline uint32_t Slot(uint32_t round) { return (AscendC::GetBlockIdx() / 2 * 2 + (round & 1)); }
  __aicore__ inline uint32_t FirstRow(uint32_t round) {
    return (AscendC::GetBlockIdx() / 2 * tiling.roundsPerBlock + round) * kMixM + AscendC::GetSubBlockIdx() * kRows;
  }
  __aicore__ inline void Scale(uint32_t round) {
    using namespace AscendC;
    LocalTensor<float> x = inQueue.AllocTensor<float>();
    DataCopy(x, aGm[FirstRow(round) * kMixK], kRows * kMixK);
    inQueue.EnQue(x);
    x = inQueue.DeQue<float>();
    LocalTensor<half> scaled = outQueue.AllocTensor<half>();
    Muls(x, x, tiling.scale, kRows * kMixK);
    Cast(scaled, x, RoundMode::CAST_RINT, kRows * kMixK);
    inQueue.FreeTensor(x);
    outQueue.EnQue(scaled);
    scaled = outQueue.DeQue<half>();
    DataCopy(scaledGm[Slot(round) * kMixM * kMixK + GetSubBlockIdx() * kRows * kMixK], scaled, kRows * kMixK);
    outQueue.FreeTensor(scaled);
  }
  __aicore__ inline void AddBias(uint32_t round, AscendC::LocalTensor<float>& biasLocal) {
    using namespace AscendC;
    LocalTensor<float> product = productQueue.AllocTensor<float>();
    DataCopy(product, productGm[Slot(round) * kMixM * kMixN + GetSubBlockIdx() * kRows * kMixN], kRows * kMixN);
    productQueue.EnQue(product);
    product = productQueue.DeQue<float>();
    LocalTensor<float> result = resultQueue.AllocTensor<float>();
    for (uint32_t i = 0; i < kRows; ++i) Add(result[i * kMixN], product[i * kMixN], biasLocal, kMixN);
    productQueue.FreeTensor(product);
    resultQueue.EnQue(result);
    result = resultQueue.DeQue<float>();
    DataCopy(yGm[FirstRow(round) * kMixN], result, kRows * kMixN);
    resultQueue.FreeTensor(result);
    CrossCoreSetFlag<0x2, PIPE_MTE2>(kStored);  // the product slot has been read
  }

  AscendC::TPipe pipe;
  AscendC::TQue<AscendC::TPosition::VECIN, 2> inQueue, productQueue;
  AscendC::TQue<AscendC::TPosition::VECOUT, 2> outQueue, resultQueue;
  AscendC::TBuf<> biasBuf;
  AscendC::GlobalTensor<float> aGm, biasGm, yGm, productGm;
  AscendC::GlobalTensor<half> scaledGm;
  MixTiling tiling;
};

template <MixFault fault>
class MixCube {
 public:
  __aicore__ inline void Init(GM_ADDR b, GM_ADDR scaled, GM_ADDR product, const MixTiling& t) {
    tiling = t;
    bGm.SetGlobalBuffer((__gm__ half*)b);
    scaledGm.SetGlobalBuffer((__gm__ half*)scaled);
    productGm.SetGlobalBuffer((__gm__ float*)product);
    pipe.InitBuffer(aQueue, 2, kMixM * kMixK * sizeof(half));
    pipe.InitBuffer(bQueue, 1, kMixK * kMixN * sizeof(half));
    pipe.InitBuffer(a2Queue, 2, kMixM * kMixK * sizeof(half));
    pipe.InitBuffer(b2Queue, 1, kMixK * kMixN * sizeof(half));
    pipe.InitBuffer(cQueue, 2, kMixM * kMixN * sizeof(float));
  }
  __aicore__ inline void Process() {
    using namespace AscendC;
    LocalTensor<half> b0 = LoadB();
    if constexpr (fault == MixFault::kAicDoesNotWait) {
      // Why the fault goes unnoticed for long: the AIC starts late, here because it loads B several times.
      for (uint32_t i = 0; i < 8; ++i) {
        b2Queue.FreeTensor(b0);
        b0 = LoadB();
      }
    }
    for (uint32_t round = 0; round < tiling.roundsPerBlock; ++round) {
      if constexpr (fault != MixFault::kAicDoesNotWait) CrossCoreWaitFlag(kScaled);
      if (round >= 2) CrossCoreWaitFlag(kStored);  // the slot of round - 2 is free again
      Multiply(round, b0);
      if constexpr (fault != MixFault::kAicNeverSignals) CrossCoreSetFlag<0x2, PIPE_FIX>(kMultiplied);
    }
    b2Queue.FreeTensor(b0);
    // The AIVs signal every slot once; take what this loop did not.
    if constexpr (fault != MixFault::kAicNeverSignals)
      for (uint32_t i = 0; i < Std::min(2u, tiling.roundsPerBlock); ++i) CrossCoreWaitFlag(kStored);
  }

 private:
  __aicore__ inline AscendC::LocalTensor<half> LoadB() {
    using namespace AscendC;
    LocalTensor<half> b1 = bQueue.AllocTensor<half>();
    DataCopy(b1, bGm, Nd2NzParams(1, kMixK, kMixN, 0, kMixN, kMixK, 1, 0));
    bQueue.EnQue(b1);
    b1 = bQueue.DeQue<half>();
    LocalTensor<half> b0 = b2Queue.AllocTensor<half>();
    LoadData2DParams load;
    load.repeatTimes = kMixN / 16;
    load.srcStride = kMixK / 16;
    load.ifTranspose = true;
    for (uint32_t i = 0; i < kMixK / 16; ++i) LoadData(b0[i * 16 * kMixN], b1[i * 256], load);
    bQueue.FreeTensor(b1);
    b2Queue.EnQue(b0);
    return b2Queue.DeQue<half>();
  }
  __aicore__ inline void Multiply(uint32_t round, AscendC::LocalTensor<half>& b0) {
    using namespace AscendC;
    const uint32_t slot = GetBlockIdx() * 2 + (round & 1);
    LocalTensor<half> a1 = aQueue.AllocTensor<half>();
    DataCopy(a1, scaledGm[slot * kMixM * kMixK], Nd2NzParams(1, kMixM, kMixK, 0, kMixK, kMixM, 1, 0));
    aQueue.EnQue(a1);
    a1 = aQueue.DeQue<half>();
    LocalTensor<half> a0 = a2Queue.AllocTensor<half>();
    LoadData2DParams load;
    load.repeatTimes = kMixK / 16;
    load.srcStride = kMixM / 16;
    for (uint32_t i = 0; i < kMixM / 16; ++i) LoadData(a0[i * 16 * kMixK], a1[i * 256], load);
    aQueue.FreeTensor(a1);
    a2Queue.EnQue(a0);
    a0 = a2Queue.DeQue<half>();
    LocalTensor<float> c = cQueue.AllocTensor<float>();
    MmadParams mmad;
    mmad.m = kMixM;
    mmad.n = kMixN;
    mmad.k = kMixK;
    Mmad(c, a0, b0, mmad);
    a2Queue.FreeTensor(a0);
    cQueue.EnQue(c);
    c = cQueue.DeQue<float>();
    Fixpipe(productGm[slot * kMixM * kMixN], c, FixpipeParamsV220(kMixN, kMixM, kMixM, kMixN, false));
    cQueue.FreeTensor(c);
  }

  AscendC::TPipe pipe;
  AscendC::TQue<AscendC::TPosition::A1, 2> aQueue;
  AscendC::TQue<AscendC::TPosition::B1, 1> bQueue;
  AscendC::TQue<AscendC::TPosition::A2, 2> a2Queue;
  AscendC::TQue<AscendC::TPosition::B2, 1> b2Queue;
  AscendC::TQue<AscendC::TPosition::CO1, 2> cQueue;
  AscendC::GlobalTensor<half> bGm, scaledGm;
  AscendC::GlobalTensor<float> productGm;
  MixTiling tiling;
};

template <MixFault fault>
__global__ __aicore__ void mix_scale_matmul(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR y, GM_ADDR scaled,
                                            GM_ADDR product, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  GET_TILING_DATA_WITH_STRUCT(MixTiling, tilingData, tiling);
  if ASCEND_IS_AIC {
    MixCube<fault> op;
    op.Init(b, scaled, product, tilingData);
    op.Process();
  }
  if ASCEND_IS_AIV {
    MixVector<fault> op;
    op.Init(a, bias, y, scaled, product, tilingData);
    op.Process();
  }
}

}  // namespace kernels
