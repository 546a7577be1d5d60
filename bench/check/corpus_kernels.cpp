// The kernels of tests/kernels at sizes with some work in them, on random data. Buffers are owned by the closures.
#include "corpus.h"
#include "kernel/add_queue.h"
#include "kernel/all_core_sum.h"
#include "kernel/atomic_add.h"
#include "kernel/axpb_flags.h"
#include "kernel/matmul_basic.h"
#include "kernel/row_reduce.h"
#include "kernel/scalar_paths.h"
#include "kernel/softmax_rows.h"
#include "matrix_reference.h"
#include "subjects.h"

namespace ascsan::bench {
namespace {
using AscendC::KernelMode;
using corpus::Gm;
using corpus::Random;

template <typename T>
std::shared_ptr<Gm<T>> buffer(size_t size, const char* name) {
  return std::make_shared<Gm<T>>(size, name);
}
template <typename T>
std::shared_ptr<Gm<T>> filled(size_t size, const char* name) {
  Random random(size);
  return std::make_shared<Gm<T>>(random.integers<T>(size, -50, 50), name);
}
template <typename Tiling>
std::shared_ptr<Gm<Tiling>> tiling_of(const Tiling& tiling) {
  return std::make_shared<Gm<Tiling>>(std::vector<Tiling>{tiling}, "tiling");
}

Subject add() {
  constexpr uint32_t kTotal = 48 * 4096;
  return {"add with queues, 48 cores",
          [x = filled<float>(kTotal, "x"), y = filled<float>(kTotal, "y"), z = buffer<float>(kTotal, "z"),
           t = tiling_of(kernels::AddTiling{kTotal, 1024})] {
            AscendC::SetKernelMode(KernelMode::AIV_MODE);
            ICPU_RUN_KF(kernels::add_queue<float>, 48, *x, *y, *z, *t);
          }};
}

Subject axpb() {
  constexpr uint32_t kTotal = 8 * 4096;
  return {"a*x+b with flags, 8 cores", [x = filled<float>(kTotal, "x"), y = buffer<float>(kTotal, "y"),
                                        t = tiling_of(kernels::AxpbTiling{kTotal, 512, 3.0f, 7.0f})] {
            AscendC::SetKernelMode(KernelMode::AIV_MODE);
            ICPU_RUN_KF(kernels::axpb_flags<kernels::AxpbFault::kNone>, 8, *x, *y, *t);
          }};
}

Subject reduce() {
  constexpr uint32_t kRows = 65, kCols = 1000;
  return {"row reduction, 4 cores",
          [x = filled<float>(kRows * kCols, "x"), s = buffer<float>(kRows, "sums"), m = buffer<float>(kRows, "maxima"),
           p = buffer<int32_t>(kRows, "places"), t = tiling_of(kernels::RowReduceTiling{kRows, kCols})] {
            AscendC::SetKernelMode(KernelMode::AIV_MODE);
            ICPU_RUN_KF(kernels::row_reduce, 4, *x, *s, *m, *p, *t);
          }};
}

Subject softmax() {
  constexpr uint32_t kRows = 67, kCols = 2000;
  return {"softmax, 4 cores", [x = filled<float>(kRows * kCols, "x"), y = buffer<float>(kRows * kCols, "y"),
                               t = tiling_of(kernels::SoftmaxTiling{kRows, kCols})] {
            AscendC::SetKernelMode(KernelMode::AIV_MODE);
            ICPU_RUN_KF(kernels::softmax_rows, 4, *x, *y, *t);
          }};
}

template <kernels::Barrier barrier>
Subject all_core_sum(const char* name, KernelMode mode, uint32_t cores) {
  constexpr uint32_t kPerCore = 512;
  return {name, [mode, cores, x = filled<float>(size_t{cores} * kPerCore, "x"),
                 partial = buffer<float>(cores * 8, "partial"), y = buffer<float>(8, "y"),
                 slots = buffer<int32_t>(cores * 8, "slots"), t = tiling_of(kernels::SumTiling{kPerCore})] {
            AscendC::SetKernelMode(mode);
            slots->clear();
            ICPU_RUN_KF((kernels::all_core_sum<barrier, kernels::SyncFault::kNone>), cores, *x, *partial, *y, *slots,
                        *t);
          }};
}

Subject atomics() {
  constexpr uint32_t kCols = 208, kRowsPerCore = 30, kBlocks = 8;
  return {"atomic adds, 8 cores",
          [x = filled<float>(size_t{kCols} * kRowsPerCore * kBlocks, "x"), y = buffer<float>(kCols, "y"),
           t = tiling_of(kernels::AtomicTiling{kCols, kRowsPerCore, 3.0f})] {
            AscendC::SetKernelMode(KernelMode::MIX_AIV_1_0);
            ICPU_RUN_KF((kernels::atomic_add_rows<float, false>), kBlocks, *x, *y, *t);
          }};
}

Subject histogram() {
  constexpr uint32_t kPerCore = 2048, kBlocks = 3;
  Random random(11);
  const auto x = std::make_shared<Gm<int32_t>>(random.integers<int32_t>(kPerCore * kBlocks, 0, 15), "x");
  return {"scalar histogram, 3 cores", [x, counts = buffer<int32_t>(kBlocks * kernels::kBins, "counts"),
                                        t = tiling_of(kernels::HistogramTiling{kPerCore})] {
            AscendC::SetKernelMode(KernelMode::AIV_MODE);
            ICPU_RUN_KF(kernels::histogram, kBlocks, *x, *counts, *t);
          }};
}

Subject matmul() {
  constexpr uint32_t kM = 192, kN = 128, kK = 256;
  return {"matmul, 3 cores",
          [a = filled<half>(kM * kK, "a"), b = filled<half>(kK * kN, "b"), c = buffer<float>(kM * kN, "c"),
           t = tiling_of(kernels::MatmulTiling{kM, kN, kK, 64, 64})] {
            AscendC::SetKernelMode(KernelMode::AIC_MODE);
            ICPU_RUN_KF(kernels::matmul_basic<kernels::MatmulFault::kNone>, 3, *a, *b, *c, *t);
          }};
}

Subject mix() {
  return {"MIX matmul with cross-core flags", [data = std::make_shared<corpus::MixCase>(12, 3)] {
            AscendC::SetKernelMode(KernelMode::MIX_MODE);
            ICPU_RUN_KF(kernels::mix_scale_matmul<kernels::MixFault::kNone>, 3, data->a, data->b, data->bias, data->y,
                        data->scaled, data->product, data->tiling);
          }};
}

}  // namespace

std::vector<Maker> corpus_kernels() {
  using kernels::Barrier;
  return {add,
          axpb,
          reduce,
          softmax,
          [] { return all_core_sum<Barrier::kHard>("sum over 40 cores, hard SyncAll", KernelMode::MIX_AIV_1_0, 40); },
          [] { return all_core_sum<Barrier::kSoft>("sum over 31 cores, soft SyncAll", KernelMode::AIV_MODE, 31); },
          atomics,
          histogram,
          matmul,
          mix};
}

}  // namespace ascsan::bench
