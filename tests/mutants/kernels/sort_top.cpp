// The eight largest of 64 values with their places: two runs of 32 sorted, merged, scores and places taken apart
// (top-k, sort).
#include "corpus.h"

using namespace AscendC;

constexpr uint32_t kCount = 64, kTop = 8;

__global__ __aicore__ void sort_top(GM_ADDR x, GM_ADDR places, GM_ADDR tops, GM_ADDR top_places) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  TPipe pipe;
  TBuf<TPosition::VECCALC> in_buffer, place_buffer, sorted_buffer, merged_buffer, top_buffer, top_place_buffer;
  pipe.InitBuffer(in_buffer, kCount * sizeof(float));
  pipe.InitBuffer(place_buffer, kCount * sizeof(uint32_t));
  pipe.InitBuffer(sorted_buffer, 2 * kCount * sizeof(float));
  pipe.InitBuffer(merged_buffer, 2 * kCount * sizeof(float));
  pipe.InitBuffer(top_buffer, kCount * sizeof(float));
  pipe.InitBuffer(top_place_buffer, kCount * sizeof(uint32_t));
  GlobalTensor<float> gx, gtops;
  GlobalTensor<uint32_t> gplaces, gtop_places;
  gx.SetGlobalBuffer((__gm__ float*)x, kCount);
  gplaces.SetGlobalBuffer((__gm__ uint32_t*)places, kCount);
  gtops.SetGlobalBuffer((__gm__ float*)tops, kTop);
  gtop_places.SetGlobalBuffer((__gm__ uint32_t*)top_places, kTop);
  LocalTensor<float> in = in_buffer.Get<float>();
  LocalTensor<uint32_t> place = place_buffer.Get<uint32_t>();
  LocalTensor<float> sorted = sorted_buffer.Get<float>();
  LocalTensor<float> merged = merged_buffer.Get<float>();
  LocalTensor<float> top = top_buffer.Get<float>();
  LocalTensor<uint32_t> top_place = top_place_buffer.Get<uint32_t>();
  DataCopy(in, gx, kCount);
  DataCopy(place, gplaces, kCount);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  Sort32(sorted, in, place, kCount / 32);
  PipeBarrier<PIPE_V>();
  MrgSort4Info runs;
  runs.elementLengths[0] = 32;
  runs.elementLengths[1] = 32;
  runs.ifExhaustedSuspension = false;
  runs.validBit = 3;
  runs.repeatTimes = 1;
  MrgSort(merged, MrgSortSrcList<float>(sorted, sorted[64], sorted, sorted), runs);
  PipeBarrier<PIPE_V>();
  Extract(top, top_place, merged, kCount / 32);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(gtops, top, kTop);
  DataCopy(gtop_places, top_place, kTop);
}

int main() {
  corpus::Tensor<float> x("x", kCount), tops("tops", kTop);
  corpus::Tensor<uint32_t> places("places", kCount), top_places("top_places", kTop);
  for (uint32_t i = 0; i < kCount; ++i) x[i] = static_cast<float>(i * 29 % kCount), places[i] = i;
  SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(sort_top, 1, x.gm(), places.gm(), tops.gm(), top_places.gm());
  const int wrong = corpus::compare(tops, [&](uint32_t i) { return static_cast<double>(kCount - 1 - i); });
  if (wrong != 0) return wrong;
  return corpus::compare(top_places, [&](uint32_t i) {
    uint32_t at = 0;
    while (x[at] != static_cast<float>(kCount - 1 - i)) ++at;
    return static_cast<double>(at);
  });
}
