// Every core adds its rows onto one row of GM with atomic stores; core 0 first stores the start value.
// The template argument leaves the barrier between the plain and the atomic stores out.
#pragma once

#include "kernel_operator.h"

namespace kernels {

struct AtomicTiling {
  uint32_t cols;  ///< elements of a row, a multiple of 16
  uint32_t rowsPerCore;
  float start;
};

template <typename T, bool missingBarrier>
__global__ __aicore__ void atomic_add_rows(GM_ADDR x, GM_ADDR y, GM_ADDR tiling) {
  using namespace AscendC;
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  GET_TILING_DATA_WITH_STRUCT(AtomicTiling, data, tiling);
  TPipe pipe;
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 2> queue;
  TBuf<> startBuf;
  pipe.InitBuffer(queue, 2, data.cols * sizeof(T));
  pipe.InitBuffer(startBuf, data.cols * sizeof(T));
  GlobalTensor<T> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ T*)x, GetBlockNum() * data.rowsPerCore * data.cols);
  yGm.SetGlobalBuffer((__gm__ T*)y, data.cols);
  if (GetBlockIdx() == 0) {
    LocalTensor<T> start = startBuf.Get<T>();
    Duplicate(start, static_cast<T>(data.start), data.cols);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(yGm, start, data.cols);
    PipeBarrier<PIPE_MTE3>();
  }
  if constexpr (!missingBarrier) SyncAll();
  SetAtomicAdd<T>();
  for (uint32_t row = 0; row < data.rowsPerCore; ++row) {
    LocalTensor<T> local = queue.template AllocTensor<T>();
    DataCopy(local, xGm[(GetBlockIdx() * data.rowsPerCore + row) * data.cols], data.cols);
    queue.EnQue(local);
    local = queue.template DeQue<T>();
    DataCopy(yGm, local, data.cols);
    queue.FreeTensor(local);
  }
  SetAtomicNone();
}

}  // namespace kernels
