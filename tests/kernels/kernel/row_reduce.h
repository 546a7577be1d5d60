// Per row: sum, maximum and position of the maximum, results collected in UB by the scalar unit and stored once.
#pragma once

#include "kernel_operator.h"

namespace kernels {

struct RowReduceTiling {
  uint32_t rows, cols;
};

/// sums[rows], maxima[rows], places[rows]; cols <= 1024. Rows are dealt out in runs of 8 per core.
extern "C" __global__ __aicore__ void row_reduce(GM_ADDR x, GM_ADDR sums, GM_ADDR maxima, GM_ADDR places,
                                                 GM_ADDR tiling) {
  using namespace AscendC;
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA_WITH_STRUCT(RowReduceTiling, data, tiling);
  TPipe pipe;
  TQue<TPosition::VECIN, 1> inQueue;
  TBuf<TPosition::VECCALC> scratchBuf, sumBuf, maxBuf, placeBuf, resultBuf;
  const uint32_t rowBytes = AlignUp(data.cols * static_cast<uint32_t>(sizeof(float)), 32u);
  pipe.InitBuffer(inQueue, 2, rowBytes);
  pipe.InitBuffer(scratchBuf, 1024);
  pipe.InitBuffer(resultBuf, 32);
  pipe.InitBuffer(sumBuf, 32);
  pipe.InitBuffer(maxBuf, 32);
  pipe.InitBuffer(placeBuf, 32);
  GlobalTensor<float> xGm, sumGm, maxGm;
  GlobalTensor<int32_t> placeGm;
  xGm.SetGlobalBuffer((__gm__ float*)x, data.rows * data.cols);
  sumGm.SetGlobalBuffer((__gm__ float*)sums, data.rows);
  maxGm.SetGlobalBuffer((__gm__ float*)maxima, data.rows);
  placeGm.SetGlobalBuffer((__gm__ int32_t*)places, data.rows);
  LocalTensor<float> scratch = scratchBuf.Get<float>(), result = resultBuf.Get<float>();
  LocalTensor<float> sumLocal = sumBuf.Get<float>(), maxLocal = maxBuf.Get<float>();
  LocalTensor<int32_t> placeLocal = placeBuf.Get<int32_t>();

  for (uint32_t first = 8 * GetBlockIdx(); first < data.rows; first += 8 * GetBlockNum()) {
    const uint32_t rows = Std::min(8u, data.rows - first);
    for (uint32_t i = 0; i < rows; ++i) {
      LocalTensor<float> row = inQueue.AllocTensor<float>();
      DataCopyPad(row, xGm[(first + i) * data.cols], {1, static_cast<uint32_t>(data.cols * sizeof(float)), 0, 0, 0},
                  DataCopyPadExtParams<float>{true, 0, 0, 0.0f});
      inQueue.EnQue(row);
      row = inQueue.DeQue<float>();
      ReduceMax(result, row, scratch, static_cast<int32_t>(data.cols), true);
      event_t toScalar = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S));
      SetFlag<HardEvent::V_S>(toScalar);
      WaitFlag<HardEvent::V_S>(toScalar);
      maxLocal.SetValue(i, result.GetValue(0));
      placeLocal.SetValue(i, result.ReinterpretCast<int32_t>().GetValue(1));
      event_t toVector = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::S_V));
      SetFlag<HardEvent::S_V>(toVector);
      WaitFlag<HardEvent::S_V>(toVector);
      ReduceSum(result, row, scratch, static_cast<int32_t>(data.cols));
      SetFlag<HardEvent::V_S>(toScalar);
      WaitFlag<HardEvent::V_S>(toScalar);
      sumLocal.SetValue(i, result.GetValue(0));
      SetFlag<HardEvent::S_V>(toVector);
      WaitFlag<HardEvent::S_V>(toVector);
      inQueue.FreeTensor(row);
    }
    event_t toStore = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::S_MTE3));
    SetFlag<HardEvent::S_MTE3>(toStore);
    WaitFlag<HardEvent::S_MTE3>(toStore);
    const DataCopyExtParams out{1, static_cast<uint32_t>(rows * sizeof(float)), 0, 0, 0};
    DataCopyPad(sumGm[first], sumLocal, out);
    DataCopyPad(maxGm[first], maxLocal, out);
    DataCopyPad(placeGm[first], placeLocal, out);
    event_t back = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::MTE3_S));
    SetFlag<HardEvent::MTE3_S>(back);
    WaitFlag<HardEvent::MTE3_S>(back);
  }
}

}  // namespace kernels
