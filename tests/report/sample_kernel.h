// The kernel behind the sample reports: every vector core stores masked targets, then reads those of its neighbour. The
// SyncAll between the two is missing, as in the story of the README.
#pragma once

#include "kernel_operator.h"

namespace sample_kernel {

constexpr uint32_t kTile = 64, kTiles = 3;  // elements of a tile, tiles of a core

class OnlineMaxSum {
 public:
  __aicore__ inline void Init(GM_ADDR logits, GM_ADDR maskedTarget, GM_ADDR sums, AscendC::TPipe* pipe) {
    const uint32_t total = AscendC::GetBlockNum() * kTile * kTiles;
    logitsGm.SetGlobalBuffer((__gm__ float*)logits, total);
    maskedGm.SetGlobalBuffer((__gm__ float*)maskedTarget, total);
    sumsGm.SetGlobalBuffer((__gm__ float*)sums, total);
    pipe->InitBuffer(inBuf, 2 * kTile * sizeof(float));
    pipe->InitBuffer(outBuf, 2 * kTile * sizeof(float));
  }

  __aicore__ inline void Process() {
    AscendC::SyncAll();
    TargetProcess();
    // AscendC::SyncAll() is missing here.
    CVProcess();
  }

 private:
  __aicore__ inline void TargetProcess() {
    using namespace AscendC;
    SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
    SetFlag<HardEvent::V_MTE2>(EVENT_ID1);
    SetFlag<HardEvent::MTE3_V>(EVENT_ID0);
    SetFlag<HardEvent::MTE3_V>(EVENT_ID1);
    for (uint32_t tile = 0; tile < kTiles; ++tile) TargetInnerProcess(tile, static_cast<event_t>(tile % 2));
    WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE2>(EVENT_ID1);
    WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE3_V>(EVENT_ID1);
  }

  __aicore__ inline void TargetInnerProcess(uint32_t tile, event_t turn) {
    using namespace AscendC;
    LocalTensor<float> in = inBuf.Get<float>()[turn * kTile], out = outBuf.Get<float>()[turn * kTile];
    const uint32_t offset = (GetBlockIdx() * kTiles + tile) * kTile;
    WaitFlag<HardEvent::V_MTE2>(turn);
    DataCopy(in, logitsGm[offset], kTile);
    SetFlag<HardEvent::MTE2_V>(turn);
    WaitFlag<HardEvent::MTE2_V>(turn);
    WaitFlag<HardEvent::MTE3_V>(turn);
    Adds(out, in, 1.0f, kTile);
    SetFlag<HardEvent::V_MTE2>(turn);
    SetFlag<HardEvent::V_MTE3>(turn);
    WaitFlag<HardEvent::V_MTE3>(turn);
    DataCopy(maskedGm[offset], out, kTile);
    SetFlag<HardEvent::MTE3_V>(turn);
  }

  __aicore__ inline void CVProcess() {
    using namespace AscendC;
    const uint32_t neighbour = (GetBlockIdx() + 1) % GetBlockNum();
    for (uint32_t tile = 0; tile < kTiles; ++tile) {
      OnlineCopyIn((neighbour * kTiles + tile) * kTile);
      LocalTensor<float> in = inBuf.Get<float>(), out = outBuf.Get<float>();
      SetFlag<HardEvent::MTE2_V>(EVENT_ID2);
      WaitFlag<HardEvent::MTE2_V>(EVENT_ID2);
      Muls(out, in, 0.5f, kTile);
      PipeBarrier<PIPE_V>();
      Exp(out, out, kTile);
      SetFlag<HardEvent::V_MTE3>(EVENT_ID2);
      WaitFlag<HardEvent::V_MTE3>(EVENT_ID2);
      DataCopy(sumsGm[(GetBlockIdx() * kTiles + tile) * kTile], out, kTile);
      PipeBarrier<PIPE_ALL>();
    }
  }

  __aicore__ inline void OnlineCopyIn(uint32_t offset) {
    AscendC::LocalTensor<float> in = inBuf.Get<float>();
    AscendC::DataCopy(in, maskedGm[offset], kTile);
  }

  AscendC::GlobalTensor<float> logitsGm, maskedGm, sumsGm;
  AscendC::TBuf<AscendC::TPosition::VECCALC> inBuf, outBuf;
};

}  // namespace sample_kernel
