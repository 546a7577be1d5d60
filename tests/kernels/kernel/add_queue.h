// z = x + y with queues, double buffered, over any number of cores and any length (tails by DataCopyPad).
#pragma once

#include "kernel_operator.h"

namespace kernels {

constexpr int32_t kAddBuffers = 2;

struct AddTiling {
  uint32_t total;  ///< elements
  uint32_t tile;   ///< elements per transfer
};

template <typename T>
class AddQueue {
 public:
  __aicore__ inline AddQueue() {}
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, const AddTiling& tiling) {
    tile = tiling.tile;
    const uint32_t perBlock = 32 / sizeof(T);
    const uint32_t perCore =
        AscendC::AlignUp(AscendC::DivCeil(tiling.total, static_cast<uint32_t>(AscendC::GetBlockNum())), perBlock);
    const uint32_t start = perCore * AscendC::GetBlockIdx();
    length = start >= tiling.total ? 0 : AscendC::Std::min(perCore, tiling.total - start);
    if (length == 0) return;
    xGm.SetGlobalBuffer((__gm__ T*)x + start, length);
    yGm.SetGlobalBuffer((__gm__ T*)y + start, length);
    zGm.SetGlobalBuffer((__gm__ T*)z + start, length);
    pipe.InitBuffer(inQueueX, kAddBuffers, tile * sizeof(T));
    pipe.InitBuffer(inQueueY, kAddBuffers, tile * sizeof(T));
    pipe.InitBuffer(outQueueZ, kAddBuffers, tile * sizeof(T));
  }
  __aicore__ inline void Process() {
    for (uint32_t offset = 0; offset < length; offset += tile) {
      const uint32_t count = AscendC::Std::min(tile, length - offset);
      CopyIn(offset, count);
      Compute(count);
      CopyOut(offset, count);
    }
  }

 private:
  __aicore__ inline void CopyIn(uint32_t offset, uint32_t count) {
    AscendC::LocalTensor<T> xLocal = inQueueX.template AllocTensor<T>();
    AscendC::LocalTensor<T> yLocal = inQueueY.template AllocTensor<T>();
    AscendC::DataCopyExtParams copyParams{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
    AscendC::DataCopyPadExtParams<T> padParams{true, 0, 0, static_cast<T>(0)};
    AscendC::DataCopyPad(xLocal, xGm[offset], copyParams, padParams);
    AscendC::DataCopyPad(yLocal, yGm[offset], copyParams, padParams);
    inQueueX.EnQue(xLocal);
    inQueueY.EnQue(yLocal);
  }
  __aicore__ inline void Compute(uint32_t count) {
    AscendC::LocalTensor<T> xLocal = inQueueX.template DeQue<T>();
    AscendC::LocalTensor<T> yLocal = inQueueY.template DeQue<T>();
    AscendC::LocalTensor<T> zLocal = outQueueZ.template AllocTensor<T>();
    AscendC::Add(zLocal, xLocal, yLocal, count);
    outQueueZ.template EnQue<T>(zLocal);
    inQueueX.FreeTensor(xLocal);
    inQueueY.FreeTensor(yLocal);
  }
  __aicore__ inline void CopyOut(uint32_t offset, uint32_t count) {
    AscendC::LocalTensor<T> zLocal = outQueueZ.template DeQue<T>();
    AscendC::DataCopyExtParams copyParams{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
    AscendC::DataCopyPad(zGm[offset], zLocal, copyParams);
    outQueueZ.FreeTensor(zLocal);
  }

  AscendC::TPipe pipe;
  AscendC::TQue<AscendC::QuePosition::VECIN, kAddBuffers> inQueueX, inQueueY;
  AscendC::TQue<AscendC::QuePosition::VECOUT, kAddBuffers> outQueueZ;
  AscendC::GlobalTensor<T> xGm, yGm, zGm;
  uint32_t length = 0, tile = 0;
};

template <typename T>
__global__ __aicore__ void add_queue(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA_WITH_STRUCT(AddTiling, tilingData, tiling);
  AddQueue<T> op;
  op.Init(x, y, z, tilingData);
  op.Process();
}

}  // namespace kernels
