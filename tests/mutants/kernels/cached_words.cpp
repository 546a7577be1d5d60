// Every core stores a word of its own cache line, cleans the line, all meet, and each adds the words of all (scalar
// access to global memory, DataCacheCleanAndInvalid).
#include "corpus.h"

using namespace AscendC;

constexpr uint32_t kCores = 2, kLine = 16;

__global__ __aicore__ void cached_words(GM_ADDR words, GM_ADDR sums) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  TPipe pipe;
  const uint32_t me = GetBlockIdx();
  GlobalTensor<int32_t> gwords, gsums;
  gwords.SetGlobalBuffer((__gm__ int32_t*)words, kCores * kLine);
  gsums.SetGlobalBuffer((__gm__ int32_t*)sums, kCores * kLine);
  gwords.SetValue(me * kLine, 100 + static_cast<int32_t>(me));
  DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(gwords[me * kLine]);
  SyncAll();
  int32_t sum = 0;
  for (uint32_t core = 0; core < kCores; ++core) sum += gwords.GetValue(core * kLine);
  gsums.SetValue(me * kLine, sum);
  DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(gsums[me * kLine]);
}

int main() {
  corpus::Tensor<int32_t> words("workspace", kCores * kLine), sums("sums", kCores * kLine);
  words.filled(1), sums.filled(7);
  SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(cached_words, kCores, words.gm(), sums.gm());
  return corpus::compare(sums, [](uint32_t i) { return i % kLine == 0 ? 201.0 : 7.0; });
}
