// Scalar loads and stores: a histogram in UB, and GM words written through the data cache, cleaned, and read by a peer.
#pragma once

#include "kernel_operator.h"

namespace kernels {

constexpr uint32_t kBins = 16;

struct HistogramTiling {
  uint32_t perCore;  ///< elements of x per core, a multiple of 8
};

/// counts[core * kBins + bin] = number of values of this core's part of x (0..15) in that bin.
extern "C" __global__ __aicore__ void histogram(GM_ADDR x, GM_ADDR counts, GM_ADDR tiling) {
  using namespace AscendC;
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA_WITH_STRUCT(HistogramTiling, data, tiling);
  TPipe pipe;
  TBuf<> inBuf, binBuf;
  pipe.InitBuffer(inBuf, data.perCore * sizeof(int32_t));
  pipe.InitBuffer(binBuf, kBins * sizeof(int32_t));
  GlobalTensor<int32_t> xGm, countGm;
  xGm.SetGlobalBuffer((__gm__ int32_t*)x + GetBlockIdx() * data.perCore, data.perCore);
  countGm.SetGlobalBuffer((__gm__ int32_t*)counts + GetBlockIdx() * kBins, kBins);
  LocalTensor<int32_t> in = inBuf.Get<int32_t>(), bins = binBuf.Get<int32_t>();
  DataCopy(in, xGm, data.perCore);
  Duplicate(bins, static_cast<int32_t>(0), kBins);
  SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
  SetFlag<HardEvent::V_S>(EVENT_ID0);
  WaitFlag<HardEvent::V_S>(EVENT_ID0);
  for (uint32_t i = 0; i < data.perCore; ++i) {
    const int32_t bin = in.GetValue(i);
    ascendc_assert(bin >= 0 && bin < static_cast<int32_t>(kBins), "value %d of element %u has no bin", bin, i);
    bins.SetValue(bin, bins.GetValue(bin) + 1);
  }
  SetFlag<HardEvent::S_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::S_MTE3>(EVENT_ID0);
  DataCopy(countGm, bins, kBins);
}

enum class CacheFault { kNone, kNoClean };

/// Core b writes words[b * 16] = 100 + b through its data cache and cleans the line (unless faulty); after SyncAll
/// every core reads all words: sums[b * 16] = sum over all cores.
template <CacheFault fault>
__global__ __aicore__ void cached_words(GM_ADDR words, GM_ADDR sums, GM_ADDR) {
  using namespace AscendC;
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  TPipe pipe;
  const uint32_t cores = GetBlockNum(), me = GetBlockIdx();
  GlobalTensor<int32_t> wordGm, sumGm;
  wordGm.SetGlobalBuffer((__gm__ int32_t*)words, cores * 16);
  sumGm.SetGlobalBuffer((__gm__ int32_t*)sums, cores * 16);
  wordGm.SetValue(me * 16, 100 + static_cast<int32_t>(me));
  if constexpr (fault != CacheFault::kNoClean)
    DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(wordGm[me * 16]);
  SyncAll();
  int32_t sum = 0;
  for (uint32_t core = 0; core < cores; ++core) sum += wordGm.GetValue(core * 16);
  sumGm.SetValue(me * 16, sum);
  DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(sumGm[me * 16]);
}

}  // namespace kernels
