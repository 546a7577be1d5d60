// Softmax of each row, float, in place in the input buffer: max, subtract, exp, sum, scale.
#pragma once

#include "kernel_operator.h"

namespace kernels {

struct SoftmaxTiling {
  uint32_t rows, cols;
};

class SoftmaxRows {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const SoftmaxTiling& tilingData) {
    tiling = tilingData;
    xGm.SetGlobalBuffer((__gm__ float*)x, tiling.rows * tiling.cols);
    yGm.SetGlobalBuffer((__gm__ float*)y, tiling.rows * tiling.cols);
    const uint32_t bytes = AscendC::AlignUp(tiling.cols * 4u, 32u);
    pipe.InitBuffer(inQueue, 2, bytes);
    pipe.InitBuffer(outQueue, 2, bytes);
    pipe.InitBuffer(scratch, 1024);
    pipe.InitBuffer(result, 32);
  }
  __aicore__ inline void Process() {
    for (uint32_t row = AscendC::GetBlockIdx(); row < tiling.rows; row += AscendC::GetBlockNum()) {
      CopyIn(row);
      Compute();
      CopyOut(row);
    }
  }

 private:
  __aicore__ inline void CopyIn(uint32_t row) {
    AscendC::LocalTensor<float> local = inQueue.AllocTensor<float>();
    AscendC::DataCopyPad(local, xGm[row * tiling.cols], {1, tiling.cols * 4u, 0, 0, 0},
                         AscendC::DataCopyPadExtParams<float>{true, 0, 0, 0.0f});
    inQueue.EnQue(local);
  }
  /// First element of `result` once V has written it.
  __aicore__ inline float Scalar(const AscendC::LocalTensor<float>& local) {
    const int32_t id = GetTPipePtr()->FetchEventID(AscendC::HardEvent::V_S);
    AscendC::SetFlag<AscendC::HardEvent::V_S>(id);
    AscendC::WaitFlag<AscendC::HardEvent::V_S>(id);
    return local.GetValue(0);
  }
  __aicore__ inline void Compute() {
    const int32_t cols = static_cast<int32_t>(tiling.cols);
    AscendC::LocalTensor<float> x = inQueue.DeQue<float>();
    AscendC::LocalTensor<float> y = outQueue.AllocTensor<float>();
    AscendC::LocalTensor<float> tmp = scratch.Get<float>(), value = result.Get<float>();
    AscendC::ReduceMax(value, x, tmp, cols, false);
    const float largest = Scalar(value);
    AscendC::Adds(y, x, -largest, cols);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Exp(y, y, cols);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::ReduceSum(value, y, tmp, cols);
    const float sum = Scalar(value);
    AscendC::Muls(y, y, 1.0f / sum, cols);
    inQueue.FreeTensor(x);
    outQueue.EnQue(y);
  }
  __aicore__ inline void CopyOut(uint32_t row) {
    AscendC::LocalTensor<float> y = outQueue.DeQue<float>();
    AscendC::DataCopyPad(yGm[row * tiling.cols], y, {1, tiling.cols * 4u, 0, 0, 0});
    outQueue.FreeTensor(y);
  }
  using TPipe = AscendC::TPipe;
  __aicore__ inline TPipe* GetTPipePtr() { return AscendC::GetTPipePtr(); }

  TPipe pipe;
  AscendC::TQue<AscendC::TPosition::VECIN, 2> inQueue;
  AscendC::TQue<AscendC::TPosition::VECOUT, 2> outQueue;
  AscendC::TBuf<> scratch, result;
  AscendC::GlobalTensor<float> xGm, yGm;
  SoftmaxTiling tiling;
};

extern "C" __global__ __aicore__ void softmax_rows(GM_ADDR x, GM_ADDR y, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA_WITH_STRUCT(SoftmaxTiling, tilingData, tiling);
  SoftmaxRows op;
  op.Init(x, y, tilingData);
  op.Process();
}

}  // namespace kernels
