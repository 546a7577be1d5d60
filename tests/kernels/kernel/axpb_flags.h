// y = relu(a x + b) on two TBufs with hand-written flags (ping-pong). The template argument leaves one wait out.
#pragma once

#include "kernel_operator.h"

namespace kernels {

enum class AxpbFault { kNone, kNoMte2ToV, kNoVToMte3, kNoMte3ToMte2 };

struct AxpbTiling {
  uint32_t total, tile;
  float a, b;
};

template <AxpbFault fault>
class AxpbFlags {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const AxpbTiling& tilingData, AscendC::TPipe* pipe) {
    tiling = tilingData;
    const uint32_t perCore =
        AscendC::AlignUp(AscendC::DivCeil(tiling.total, static_cast<uint32_t>(AscendC::GetBlockNum())), 8u);
    start = AscendC::Std::min(perCore * static_cast<uint32_t>(AscendC::GetBlockIdx()), tiling.total);
    length = AscendC::Std::min(perCore, tiling.total - start);
    xGm.SetGlobalBuffer((__gm__ float*)x, tiling.total);
    yGm.SetGlobalBuffer((__gm__ float*)y, tiling.total);
    pipe->InitBuffer(ping, tiling.tile * sizeof(float));
    pipe->InitBuffer(pong, tiling.tile * sizeof(float));
  }
  __aicore__ inline void Process() {
    using namespace AscendC;
    LocalTensor<float> buffers[2] = {ping.Get<float>(), pong.Get<float>()};
    SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
    SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID1);
    uint32_t turn = 0;
    for (uint32_t offset = 0; offset < length; offset += tiling.tile, turn ^= 1) {
      const uint32_t count = Std::min(tiling.tile, length - offset);
      const event_t id = static_cast<event_t>(turn);
      LocalTensor<float>& local = buffers[fault == AxpbFault::kNoMte3ToMte2 ? 0 : turn];
      DataCopyExtParams move{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
      if constexpr (fault != AxpbFault::kNoMte3ToMte2) WaitFlag<HardEvent::MTE3_MTE2>(id);
      DataCopyPad(local, xGm[start + offset], move, {true, 0, 0, 0.0f});
      if constexpr (fault != AxpbFault::kNoMte2ToV) {
        SetFlag<HardEvent::MTE2_V>(id);
        WaitFlag<HardEvent::MTE2_V>(id);
      }
      Muls(local, local, tiling.a, count);
      PipeBarrier<PIPE_V>();
      Adds(local, local, tiling.b, count);
      PipeBarrier<PIPE_V>();
      Relu(local, local, count);
      if constexpr (fault != AxpbFault::kNoVToMte3) {
        SetFlag<HardEvent::V_MTE3>(id);
        WaitFlag<HardEvent::V_MTE3>(id);
      }
      DataCopyPad(yGm[start + offset], local, move);
      if constexpr (fault != AxpbFault::kNoMte3ToMte2) SetFlag<HardEvent::MTE3_MTE2>(id);
    }
    WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
    WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID1);
  }

 private:
  AscendC::TBuf<AscendC::TPosition::VECCALC> ping, pong;
  AscendC::GlobalTensor<float> xGm, yGm;
  AxpbTiling tiling;
  uint32_t start = 0, length = 0;
};

template <AxpbFault fault>
__global__ __aicore__ void axpb_flags(GM_ADDR x, GM_ADDR y, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA_WITH_STRUCT(AxpbTiling, tilingData, tiling);
  AscendC::TPipe pipe;
  AxpbFlags<fault> op;
  op.Init(x, y, tilingData, &pipe);
  op.Process();
}

}  // namespace kernels
