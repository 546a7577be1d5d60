// Three ways to hand a running sum from core to core: IBSet/IBWait, WaitPreBlock/NotifyNextBlock, and a polled GM word.
// y[b] = x[0] + ... + x[b] for the rows x of all cores. The template argument leaves the hand-over out.
#pragma once

#include "kernel_operator.h"

namespace kernels {

enum class Chain { kIb, kToken, kPolled };
enum class ChainFault { kNone, kNoWait, kNoSet };

struct ChainTiling {
  uint32_t cols;    ///< elements of a row, a multiple of 8
  uint32_t rounds;  ///< rows per core; the chain runs once per round
};

template <Chain chain, ChainFault fault>
class ChainedCores {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR slots, const ChainTiling& t, AscendC::TPipe* pipe) {
    tiling = t;
    cores = AscendC::GetBlockNum();
    me = AscendC::GetBlockIdx();
    xGm.SetGlobalBuffer((__gm__ float*)x, tiling.rounds * cores * tiling.cols);
    yGm.SetGlobalBuffer((__gm__ float*)y, tiling.rounds * cores * tiling.cols);
    slotGm.SetGlobalBuffer((__gm__ int32_t*)slots, cores * 8 * 4);
    pipe->InitBuffer(rowBuf, tiling.cols * sizeof(float));
    pipe->InitBuffer(sumBuf, tiling.cols * sizeof(float));
    pipe->InitBuffer(slotBuf, cores * 32 + 32);
    slotLocal = slotBuf.Get<int32_t>();
    if constexpr (chain == Chain::kToken) AscendC::InitDetermineComputeWorkspace(slotGm, slotLocal);
  }
  __aicore__ inline void Process() {
    for (uint32_t round = 0; round < tiling.rounds; ++round) {
      if constexpr (fault != ChainFault::kNoWait) Await(round);
      AddRow(round);
      if constexpr (fault != ChainFault::kNoSet) Release(round);
    }
  }

 private:
  __aicore__ inline void Await(uint32_t round) {
    using namespace AscendC;
    if constexpr (chain == Chain::kToken) {
      WaitPreBlock(slotGm, slotLocal);
    } else if (me > 0) {
      if constexpr (chain == Chain::kIb)
        IBWait(slotGm, slotLocal, static_cast<int32_t>(me) - 1, 0);
      else
        while (ReadGmByPassDCache(slotGm.GetPhyAddr((me - 1) * 16)) < static_cast<int32_t>(round + 1)) {
        }
    }
  }
  __aicore__ inline void Release(uint32_t round) {
    using namespace AscendC;
    if constexpr (chain == Chain::kToken) {
      NotifyNextBlock(slotGm, slotLocal);
    } else if (me + 1 < cores) {
      if constexpr (chain == Chain::kIb) {
        IBSet(slotGm, slotLocal, static_cast<int32_t>(me), 0);
      } else {
        SetFlag<HardEvent::MTE3_S>(EVENT_ID2);
        WaitFlag<HardEvent::MTE3_S>(EVENT_ID2);
        WriteGmByPassDCache(slotGm.GetPhyAddr(me * 16), static_cast<int32_t>(round + 1));
      }
    }
  }
  __aicore__ inline void AddRow(uint32_t round) {
    using namespace AscendC;
    LocalTensor<float> row = rowBuf.Get<float>(), sum = sumBuf.Get<float>();
    const uint32_t at = round * cores + me;
    DataCopy(row, xGm[at * tiling.cols], tiling.cols);
    if (me > 0) DataCopy(sum, yGm[(at - 1) * tiling.cols], tiling.cols);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    if (me > 0) Add(row, row, sum, tiling.cols);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(yGm[at * tiling.cols], row, tiling.cols);
    SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
    WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
    SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
  }

  AscendC::TBuf<> rowBuf, sumBuf, slotBuf;
  AscendC::LocalTensor<int32_t> slotLocal;
  AscendC::GlobalTensor<float> xGm, yGm;
  AscendC::GlobalTensor<int32_t> slotGm;
  ChainTiling tiling;
  uint32_t cores = 0, me = 0;
};

template <Chain chain, ChainFault fault>
__global__ __aicore__ void chained_cores(GM_ADDR x, GM_ADDR y, GM_ADDR slots, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA_WITH_STRUCT(ChainTiling, tilingData, tiling);
  AscendC::TPipe pipe;
  ChainedCores<chain, fault> op;
  op.Init(x, y, slots, tilingData, &pipe);
  op.Process();
}

}  // namespace kernels
