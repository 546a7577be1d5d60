// Sum over all cores: each core stores the sum of its part, SyncAll, then the last core adds the partial sums.
// The template arguments choose the barrier and the fault.
#pragma once

#include "kernel_operator.h"

namespace kernels {

enum class Barrier { kHard, kHardMix, kSoft };
enum class SyncFault { kNone, kNoBarrier, kOneCoreLeaves };

struct SumTiling {
  uint32_t perCore;  ///< elements, a multiple of 8
};

template <Barrier barrier, SyncFault fault>
__global__ __aicore__ void all_core_sum(GM_ADDR x, GM_ADDR partial, GM_ADDR y, GM_ADDR slots, GM_ADDR tiling) {
  using namespace AscendC;
  if constexpr (barrier == Barrier::kHardMix)
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  else if constexpr (barrier == Barrier::kHard)
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  else
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA_WITH_STRUCT(SumTiling, data, tiling);
  TPipe pipe;
  if ASCEND_IS_AIC {
    if constexpr (barrier == Barrier::kHardMix && fault != SyncFault::kNoBarrier) SyncAll<false>();
    return;
  }
  const uint32_t cores = GetBlockNum() * GetTaskRation();
  const uint32_t me = GetBlockIdx();
  TBuf<> inBuf, tmpBuf, outBuf, slotBuf;
  pipe.InitBuffer(inBuf, Std::max(data.perCore, cores * 8) * sizeof(float));
  pipe.InitBuffer(tmpBuf, 1024);
  pipe.InitBuffer(outBuf, 32);
  pipe.InitBuffer(slotBuf, cores * 32);
  GlobalTensor<float> xGm, partialGm, yGm;
  GlobalTensor<int32_t> slotGm;
  xGm.SetGlobalBuffer((__gm__ float*)x, cores * data.perCore);
  partialGm.SetGlobalBuffer((__gm__ float*)partial, cores * 8);
  yGm.SetGlobalBuffer((__gm__ float*)y, 8);
  slotGm.SetGlobalBuffer((__gm__ int32_t*)slots, cores * 8);
  LocalTensor<float> in = inBuf.Get<float>(), tmp = tmpBuf.Get<float>(), out = outBuf.Get<float>();

  DataCopy(in, xGm[me * data.perCore], data.perCore);
  Duplicate(out, 0.0f, 8);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  ReduceSum(out, in, tmp, static_cast<int32_t>(data.perCore));
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  SetFlag<HardEvent::S_MTE3>(EVENT_ID0);  // the last step of ReduceSum is a scalar store
  WaitFlag<HardEvent::S_MTE3>(EVENT_ID0);
  DataCopy(partialGm[me * 8], out, 8);

  if (fault == SyncFault::kOneCoreLeaves && me == 1) return;
  if constexpr (fault != SyncFault::kNoBarrier) {
    if constexpr (barrier == Barrier::kHard)
      SyncAll();
    else if constexpr (barrier == Barrier::kHardMix)
      SyncAll<false>();
    else
      SyncAll(slotGm, slotBuf.Get<int32_t>());
  } else {
    PipeBarrier<PIPE_ALL>();  // orders this core only
  }

  if (me != cores - 1) return;
  DataCopy(in, partialGm, cores * 8);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  ReduceSum(out, in, tmp, static_cast<int32_t>(cores * 8));
  SetFlag<HardEvent::S_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::S_MTE3>(EVENT_ID0);
  DataCopy(yGm, out, 8);
}

}  // namespace kernels
