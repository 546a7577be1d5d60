// y[i] = x[index[i]]: the table and the byte offsets are loaded, then gathered by one vector instruction (gather).
#include "corpus.h"

using namespace AscendC;

constexpr uint32_t kTable = 64, kCount = 64, kCores = 2;

__global__ __aicore__ void gather(GM_ADDR x, GM_ADDR index, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  TPipe pipe;
  TBuf<TPosition::VECCALC> table_buffer, index_buffer, offset_buffer, out_buffer;
  pipe.InitBuffer(table_buffer, kTable * sizeof(float));
  pipe.InitBuffer(index_buffer, kCount * sizeof(int32_t));
  pipe.InitBuffer(offset_buffer, kCount * sizeof(int32_t));
  pipe.InitBuffer(out_buffer, kCount * sizeof(float));
  GlobalTensor<float> gx, gy;
  GlobalTensor<int32_t> gindex;
  gx.SetGlobalBuffer((__gm__ float*)x, kTable);
  gindex.SetGlobalBuffer((__gm__ int32_t*)index + GetBlockIdx() * kCount, kCount);
  gy.SetGlobalBuffer((__gm__ float*)y + GetBlockIdx() * kCount, kCount);
  LocalTensor<float> table = table_buffer.Get<float>();
  LocalTensor<int32_t> places = index_buffer.Get<int32_t>();
  LocalTensor<int32_t> offsets = offset_buffer.Get<int32_t>();
  LocalTensor<float> out = out_buffer.Get<float>();
  DataCopy(places, gindex, kCount);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  DataCopy(table, gx, kTable);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID1);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  Muls(offsets, places, 4, kCount);
  PipeBarrier<PIPE_V>();
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID1);
  Gather(out, table, offsets.ReinterpretCast<uint32_t>(), 0, kCount);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(gy, out, kCount);
}

int main() {
  corpus::Tensor<float> x("x", kTable), y("y", kCores * kCount);
  corpus::Tensor<int32_t> index("index", kCores * kCount);
  x.seeded(13);
  for (uint32_t i = 0; i < index.size(); ++i) index[i] = static_cast<int32_t>(i * 37 % kTable);
  SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(gather, kCores, x.gm(), index.gm(), y.gm());
  return corpus::compare(y, [&](uint32_t i) { return x.at(i * 37 % kTable); });
}
