// Vector kernels that are right: queues, hand-written flags, reductions, softmax; every schedule, odd lengths.
#include <cmath>

#include "corpus.h"
#include "kernel/add_queue.h"
#include "kernel/axpb_flags.h"
#include "kernel/row_reduce.h"
#include "kernel/softmax_rows.h"

namespace {

using namespace corpus;
using AscendC::KernelMode;

template <typename T>
void check_add(uint32_t total, uint32_t tile, uint32_t blocks, uint64_t seed) {
  SCOPED_TRACE("total " + std::to_string(total) + ", tile " + std::to_string(tile) + ", blocks " +
               std::to_string(blocks) + ", data seed " + std::to_string(seed));
  Random random(seed);
  const auto x = random.integers<T>(total, -1000, 1000), y = random.integers<T>(total, -1000, 1000);
  std::vector<T> expected(total);
  for (uint32_t i = 0; i < total; ++i)
    expected[i] = static_cast<T>(static_cast<double>(x[i]) + static_cast<double>(y[i]));
  Gm<T> gx(x, "x"), gy(y, "y"), gz(total, "z");
  Gm<kernels::AddTiling> tiling(std::vector<kernels::AddTiling>{{total, tile}}, "tiling");
  AscendC::SetKernelMode(KernelMode::AIV_MODE);
  for (const Schedule& schedule : all_schedules()) {
    use(schedule);
    gz.clear();
    ICPU_RUN_KF(kernels::add_queue<T>, blocks, gx, gy, gz, tiling);
    expect_equal(gz, expected, schedule.text());
  }
}

TEST(Vector, AddWithQueues) {
  check_add<float>(1, 64, 1, 1);
  check_add<float>(31, 64, 3, 2);
  check_add<float>(257, 64, 3, 3);
  check_add<float>(4099, 256, 7, 4);
  check_add<float>(48 * 64, 64, 48, 5);
  check_add<int32_t>(1009, 128, 5, 6);
  check_add<half>(1013, 128, 4, 7);
  check_add<half>(16, 16, 2, 8);  // the second core has nothing to do
}

TEST(Vector, AxpbWithHandWrittenFlags) {
  for (const uint32_t total : {1u, 63u, 509u, 2048u}) {
    SCOPED_TRACE("total " + std::to_string(total));
    Random random(total);
    const auto x = random.integers<float>(total, -100, 100);
    std::vector<float> expected(total);
    for (uint32_t i = 0; i < total; ++i) expected[i] = std::max(0.0f, 3.0f * x[i] + 7.0f);
    Gm<float> gx(x, "x"), gy(total, "y");
    Gm<kernels::AxpbTiling> tiling(std::vector<kernels::AxpbTiling>{{total, 64, 3.0f, 7.0f}}, "tiling");
    AscendC::SetKernelMode(KernelMode::AIV_MODE);
    for (const Schedule& schedule : all_schedules()) {
      use(schedule);
      gy.clear();
      ICPU_RUN_KF(kernels::axpb_flags<kernels::AxpbFault::kNone>, 3, gx, gy, tiling);
      expect_equal(gy, expected, schedule.text());
    }
  }
}

TEST(Vector, RowReduce) {
  const struct {
    uint32_t rows, cols, blocks;
  } shapes[] = {{1, 1, 1}, {3, 7, 2}, {17, 64, 2}, {9, 200, 1}, {25, 1000, 4}};
  for (const auto& shape : shapes) {
    SCOPED_TRACE("rows " + std::to_string(shape.rows) + ", cols " + std::to_string(shape.cols));
    Random random(shape.rows * 1000 + shape.cols);
    const auto x = random.integers<float>(size_t{shape.rows} * shape.cols, -500, 500);
    std::vector<float> sums(shape.rows), maxima(shape.rows);
    std::vector<int32_t> places(shape.rows);
    for (uint32_t row = 0; row < shape.rows; ++row) {
      const float* begin = x.data() + size_t{row} * shape.cols;
      maxima[row] = begin[0];
      for (uint32_t i = 0; i < shape.cols; ++i) {
        sums[row] += begin[i];
        if (begin[i] > maxima[row]) maxima[row] = begin[i], places[row] = static_cast<int32_t>(i);
      }
    }
    Gm<float> gx(x, "x"), gs(shape.rows, "sums"), gm(shape.rows, "maxima");
    Gm<int32_t> gp(shape.rows, "places");
    Gm<kernels::RowReduceTiling> tiling(std::vector<kernels::RowReduceTiling>{{shape.rows, shape.cols}}, "tiling");
    AscendC::SetKernelMode(KernelMode::AIV_MODE);
    for (const Schedule& schedule : all_schedules()) {
      use(schedule);
      gs.clear(), gm.clear(), gp.clear();
      ICPU_RUN_KF(kernels::row_reduce, shape.blocks, gx, gs, gm, gp, tiling);
      expect_equal(gs, sums, schedule.text() + ", sums");
      expect_equal(gm, maxima, schedule.text() + ", maxima");
      expect_equal(gp, places, schedule.text() + ", places");
    }
  }
}

TEST(Vector, SoftmaxRows) {
  const struct {
    uint32_t rows, cols, blocks;
  } shapes[] = {{1, 1, 1}, {5, 7, 2}, {6, 64, 3}, {11, 129, 4}, {4, 1000, 4}};
  for (const auto& shape : shapes) {
    SCOPED_TRACE("rows " + std::to_string(shape.rows) + ", cols " + std::to_string(shape.cols));
    Random random(shape.rows * 77 + shape.cols);
    const auto x = random.reals<float>(size_t{shape.rows} * shape.cols, -20, 20);
    std::vector<double> expected(x.size());
    for (uint32_t row = 0; row < shape.rows; ++row) {
      const size_t at = size_t{row} * shape.cols;
      double largest = x[at], sum = 0;
      for (uint32_t i = 0; i < shape.cols; ++i) largest = std::max(largest, static_cast<double>(x[at + i]));
      for (uint32_t i = 0; i < shape.cols; ++i)
        sum += expected[at + i] = std::exp(static_cast<double>(x[at + i]) - largest);
      for (uint32_t i = 0; i < shape.cols; ++i) expected[at + i] /= sum;
    }
    Gm<float> gx(x, "x"), gy(x.size(), "y");
    Gm<kernels::SoftmaxTiling> tiling(std::vector<kernels::SoftmaxTiling>{{shape.rows, shape.cols}}, "tiling");
    AscendC::SetKernelMode(KernelMode::AIV_MODE);
    std::vector<float> first;
    for (const Schedule& schedule : all_schedules()) {
      use(schedule);
      gy.clear();
      ICPU_RUN_KF(kernels::softmax_rows, shape.blocks, gx, gy, tiling);
      for (size_t i = 0; i < expected.size(); ++i)
        ASSERT_NEAR(gy[i], expected[i], 4e-6 * expected[i] + 1e-12) << schedule.text() << ", element " << i;
      if (first.empty()) first = gy.values();
      expect_equal(gy, first, schedule.text() + ": bits differ from the first schedule");
    }
  }
}

}  // namespace
