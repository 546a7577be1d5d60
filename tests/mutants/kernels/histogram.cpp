// Counts of the values 0..15 of each core's slice, by the scalar unit in on-chip memory, stored per core (histogram).
#include "corpus.h"

using namespace AscendC;

constexpr uint32_t kCores = 2, kSlice = 16, kBins = 16;

__global__ __aicore__ void histogram(GM_ADDR x, GM_ADDR counts) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  TPipe pipe;
  TBuf<TPosition::VECCALC> in_buffer, bin_buffer;
  pipe.InitBuffer(in_buffer, kSlice * sizeof(int32_t));
  pipe.InitBuffer(bin_buffer, kBins * sizeof(int32_t));
  GlobalTensor<int32_t> gx, gcounts;
  gx.SetGlobalBuffer((__gm__ int32_t*)x + GetBlockIdx() * kSlice, kSlice);
  gcounts.SetGlobalBuffer((__gm__ int32_t*)counts + GetBlockIdx() * kBins, kBins);
  LocalTensor<int32_t> in = in_buffer.Get<int32_t>();
  LocalTensor<int32_t> bins = bin_buffer.Get<int32_t>();
  DataCopy(in, gx, kSlice);
  Duplicate(bins, static_cast<int32_t>(0), kBins);
  SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
  SetFlag<HardEvent::V_S>(EVENT_ID0);
  WaitFlag<HardEvent::V_S>(EVENT_ID0);
  for (uint32_t i = 0; i < kSlice; ++i) {
    const int32_t bin = in.GetValue(i);
    bins.SetValue(bin, bins.GetValue(bin) + 1);
  }
  SetFlag<HardEvent::S_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::S_MTE3>(EVENT_ID0);
  DataCopy(gcounts, bins, kBins);
}

int main() {
  corpus::Tensor<int32_t> x("x", kCores * kSlice), counts("counts", kCores * kBins);
  for (uint32_t i = 0; i < x.size(); ++i) x[i] = static_cast<int32_t>(i * i * 7 % kBins);
  SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(histogram, kCores, x.gm(), counts.gm());
  return corpus::compare(counts, [&](uint32_t i) {
    double count = 0;
    for (uint32_t k = 0; k < kSlice; ++k) count += x[i / kBins * kSlice + k] == static_cast<int32_t>(i % kBins);
    return count;
  });
}
