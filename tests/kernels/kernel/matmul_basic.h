// C[m,n] = A[m,k] B[k,n], half in, float out, with the basic cube instructions: one output tile per core, K in chunks
// with double-buffered L1 and L0. k is a multiple of 16. The template argument leaves one wait out.
#pragma once

#include "kernel_operator.h"

namespace kernels {

enum class MatmulFault { kNone, kNoMte2ToMte1, kNoMte1ToM, kNoMToFix, kNoMToMte1 };

struct MatmulTiling {
  uint32_t m, n, k;        ///< whole problem
  uint32_t tileM, chunkK;  ///< rows per core, K per step (multiples of 16)
};

template <MatmulFault fault>
class MatmulBasic {
 public:
  __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR c, const MatmulTiling& tilingData, AscendC::TPipe* pipe) {
    tiling = tilingData;
    row = tiling.tileM * AscendC::GetBlockIdx();
    rows = row >= tiling.m ? 0 : AscendC::Std::min(tiling.tileM, tiling.m - row);
    if (rows == 0) return;
    aGm.SetGlobalBuffer((__gm__ half*)a, tiling.m * tiling.k);
    bGm.SetGlobalBuffer((__gm__ half*)b, tiling.k * tiling.n);
    cGm.SetGlobalBuffer((__gm__ float*)c, tiling.m * tiling.n);
    m16 = AscendC::AlignUp(rows, 16u);
    n16 = AscendC::AlignUp(tiling.n, 16u);
    pipe->InitBuffer(a1, 2 * m16 * tiling.chunkK * sizeof(half));
    pipe->InitBuffer(b1, 2 * n16 * tiling.chunkK * sizeof(half));
    pipe->InitBuffer(a2, 2 * m16 * tiling.chunkK * sizeof(half));
    pipe->InitBuffer(b2, 2 * n16 * tiling.chunkK * sizeof(half));
    pipe->InitBuffer(co1, m16 * n16 * sizeof(float));
  }
  __aicore__ inline void Process() {
    using namespace AscendC;
    if (rows == 0) return;
    for (int32_t id = 0; id < 2; ++id) {
      SetFlag<HardEvent::MTE1_MTE2>(id);
      SetFlag<HardEvent::M_MTE1>(3 + id);
    }
    uint32_t step = 0;
    for (uint32_t k0 = 0; k0 < tiling.k; k0 += tiling.chunkK, ++step) {
      const uint32_t kc = Std::min(tiling.chunkK, tiling.k - k0);
      const int32_t id = static_cast<int32_t>(step & 1);
      LoadToL1(k0, kc, id);
      LoadToL0(kc, id);
      Compute(k0, kc, id);
    }
    for (int32_t id = 0; id < 2; ++id) {
      WaitFlag<HardEvent::MTE1_MTE2>(id);
      if constexpr (fault != MatmulFault::kNoMToMte1) WaitFlag<HardEvent::M_MTE1>(3 + id);
    }
    if constexpr (fault == MatmulFault::kNoMToMte1) PipeBarrier<PIPE_ALL>();
    if constexpr (fault != MatmulFault::kNoMToFix) {
      SetFlag<HardEvent::M_FIX>(EVENT_ID0);
      WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
    }
    FixpipeParamsV220 out;
    out.nSize = tiling.n;
    out.mSize = rows;
    out.srcStride = m16;
    out.dstStride = tiling.n;
    Fixpipe(cGm[row * tiling.n], co1.Get<float>(), out);
  }

 private:
  __aicore__ inline void LoadToL1(uint32_t k0, uint32_t kc, int32_t id) {
    using namespace AscendC;
    WaitFlag<HardEvent::MTE1_MTE2>(id);
    LocalTensor<half> aL1 = a1.Get<half>()[id * m16 * tiling.chunkK], bL1 = b1.Get<half>()[id * n16 * tiling.chunkK];
    Nd2NzParams toNz;
    toNz.ndNum = 1;
    toNz.nValue = rows;
    toNz.dValue = kc;
    toNz.srcDValue = tiling.k;
    toNz.dstNzC0Stride = m16;
    toNz.dstNzNStride = 1;
    DataCopy(aL1, aGm[row * tiling.k + k0], toNz);
    toNz.nValue = kc;
    toNz.dValue = tiling.n;
    toNz.srcDValue = tiling.n;
    toNz.dstNzC0Stride = kc;
    DataCopy(bL1, bGm[k0 * tiling.n], toNz);
    if constexpr (fault != MatmulFault::kNoMte2ToMte1) {
      SetFlag<HardEvent::MTE2_MTE1>(id);
      WaitFlag<HardEvent::MTE2_MTE1>(id);
    }
  }
  __aicore__ inline void LoadToL0(uint32_t kc, int32_t id) {
    using namespace AscendC;
    if constexpr (fault != MatmulFault::kNoMToMte1) WaitFlag<HardEvent::M_MTE1>(3 + id);
    const int32_t half0 = fault == MatmulFault::kNoMToMte1 ? 0 : id;
    LocalTensor<half> aL1 = a1.Get<half>()[id * m16 * tiling.chunkK], bL1 = b1.Get<half>()[id * n16 * tiling.chunkK];
    LocalTensor<half> aL0 = a2.Get<half>()[half0 * m16 * tiling.chunkK],
                      bL0 = b2.Get<half>()[half0 * n16 * tiling.chunkK];
    LoadData2DParams load;
    load.repeatTimes = kc / 16;
    load.srcStride = m16 / 16;
    for (uint32_t i = 0; i < m16 / 16; ++i) LoadData(aL0[i * 16 * kc], aL1[i * 256], load);
    load.repeatTimes = n16 / 16;
    load.srcStride = kc / 16;
    load.ifTranspose = true;
    for (uint32_t i = 0; i < kc / 16; ++i) LoadData(bL0[i * 16 * n16], bL1[i * 256], load);
    SetFlag<HardEvent::MTE1_MTE2>(id);
    if constexpr (fault != MatmulFault::kNoMte1ToM) {
      SetFlag<HardEvent::MTE1_M>(id);
      WaitFlag<HardEvent::MTE1_M>(id);
    }
  }
  __aicore__ inline void Compute(uint32_t k0, uint32_t kc, int32_t id) {
    using namespace AscendC;
    const int32_t half0 = fault == MatmulFault::kNoMToMte1 ? 0 : id;
    MmadParams mmad;
    mmad.m = rows == 1 ? 16 : rows;  // m = 1 selects the vector form, which lays A out differently
    mmad.n = tiling.n;
    mmad.k = kc;
    mmad.cmatrixInitVal = k0 == 0;
    Mmad(co1.Get<float>(), a2.Get<half>()[half0 * m16 * tiling.chunkK], b2.Get<half>()[half0 * n16 * tiling.chunkK],
         mmad);
    PipeBarrier<PIPE_M>();
    if constexpr (fault != MatmulFault::kNoMToMte1) SetFlag<HardEvent::M_MTE1>(3 + id);
  }

  AscendC::TBuf<AscendC::TPosition::A1> a1;
  AscendC::TBuf<AscendC::TPosition::B1> b1;
  AscendC::TBuf<AscendC::TPosition::A2> a2;
  AscendC::TBuf<AscendC::TPosition::B2> b2;
  AscendC::TBuf<AscendC::TPosition::CO1> co1;
  AscendC::GlobalTensor<half> aGm, bGm;
  AscendC::GlobalTensor<float> cGm;
  MatmulTiling tiling;
  uint32_t row = 0, rows = 0, m16 = 0, n16 = 0;
};

template <MatmulFault fault>
__global__ __aicore__ void matmul_basic(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  GET_TILING_DATA_WITH_STRUCT(MatmulTiling, tilingData, tiling);
  AscendC::TPipe pipe;
  MatmulBasic<fault> op;
  op.Init(a, b, c, tilingData, &pipe);
  op.Process();
}

}  // namespace kernels
