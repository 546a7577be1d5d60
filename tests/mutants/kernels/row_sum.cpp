// Sum and largest element of each row of 64, one row a core, through queues; eight rows a tile (row reduction).
#include "corpus.h"

using namespace AscendC;

constexpr uint32_t kCols = 64, kRows = 8, kCores = 2;

__global__ __aicore__ void row_sum(GM_ADDR x, GM_ADDR sums, GM_ADDR tops) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  TPipe pipe;
  TQue<TPosition::VECIN, 1> rows;
  TQue<TPosition::VECOUT, 1> results;
  pipe.InitBuffer(rows, 1, kRows * kCols * sizeof(float));
  pipe.InitBuffer(results, 2, kRows * sizeof(float));
  GlobalTensor<float> gx, gsums, gtops;
  gx.SetGlobalBuffer((__gm__ float*)x + GetBlockIdx() * kRows * kCols, kRows * kCols);
  gsums.SetGlobalBuffer((__gm__ float*)sums + GetBlockIdx() * kRows, kRows);
  gtops.SetGlobalBuffer((__gm__ float*)tops + GetBlockIdx() * kRows, kRows);
  LocalTensor<float> tile = rows.AllocTensor<float>();
  DataCopy(tile, gx, kRows * kCols);
  rows.EnQue(tile);
  tile = rows.DeQue<float>();
  LocalTensor<float> sum = results.AllocTensor<float>();
  WholeReduceSum(sum, tile, kCols, kRows, 1, 1, 8);
  results.EnQue(sum);
  sum = results.DeQue<float>();
  DataCopy(gsums, sum, kRows);
  LocalTensor<float> top = results.AllocTensor<float>();
  WholeReduceMax(top, tile, kCols, kRows, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
  rows.FreeTensor(tile);
  results.EnQue(top);
  top = results.DeQue<float>();
  DataCopy(gtops, top, kRows);
  results.FreeTensor(sum);
  results.FreeTensor(top);
}

int main() {
  corpus::Tensor<float> x("x", kCores * kRows * kCols), sums("sums", kCores * kRows), tops("tops", kCores * kRows);
  x.seeded(8);
  SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(row_sum, kCores, x.gm(), sums.gm(), tops.gm());
  const auto reduced = [&](uint32_t row, auto&& step) {
    double value = x.at(row * kCols);
    for (uint32_t i = 1; i < kCols; ++i) value = step(value, x.at(row * kCols + i));
    return value;
  };
  const int wrong =
      corpus::compare(sums, [&](uint32_t row) { return reduced(row, [](double a, double b) { return a + b; }); });
  return wrong + corpus::compare(tops, [&](uint32_t row) {
                   return reduced(row, [](double a, double b) { return std::fmax(a, b); });
                 }) * (wrong == 0);
}
