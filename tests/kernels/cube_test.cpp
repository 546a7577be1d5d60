// Cube kernels that are right: basic matmul with K in chunks, and the MIX kernel with cross-core flags.
#include "corpus.h"
#include "kernel/matmul_basic.h"
#include "kernel/mix_scale_matmul.h"
#include "matrix_reference.h"

namespace {

using namespace corpus;
using AscendC::KernelMode;

TEST(Cube, MatmulInChunks) {
  const struct {
    uint32_t m, n, k, tileM, chunkK, blocks;
  } shapes[] = {{16, 16, 16, 16, 16, 1},
                {32, 48, 64, 16, 32, 2},
                {17, 33, 80, 16, 16, 2},
                {5, 7, 48, 16, 16, 1},
                {100, 64, 96, 48, 32, 3}};
  for (const auto& shape : shapes) {
    SCOPED_TRACE("m " + std::to_string(shape.m) + ", n " + std::to_string(shape.n) + ", k " + std::to_string(shape.k));
    Random random(shape.m * 10007 + shape.n * 101 + shape.k);
    const auto a = random.integers<half>(size_t{shape.m} * shape.k, -8, 8),
               b = random.integers<half>(size_t{shape.k} * shape.n, -8, 8);
    const auto expected = product(a, b, shape.m, shape.n, shape.k);
    Gm<half> ga(a, "a"), gb(b, "b");
    Gm<float> gc(expected.size(), "c");
    Gm<kernels::MatmulTiling> tiling(
        std::vector<kernels::MatmulTiling>{{shape.m, shape.n, shape.k, shape.tileM, shape.chunkK}}, "tiling");
    AscendC::SetKernelMode(KernelMode::AIC_MODE);
    for (const Schedule& schedule : all_schedules()) {
      use(schedule);
      gc.clear();
      ICPU_RUN_KF(kernels::matmul_basic<kernels::MatmulFault::kNone>, shape.blocks, ga, gb, gc, tiling);
      expect_equal(gc, expected, schedule.text());
    }
  }
}

TEST(Cube, MixWithCrossCoreFlags) {
  const struct { uint32_t rounds, blocks; } shapes[] = {{1, 1}, {2, 2}, {5, 1}, {7, 3}};
  for (const auto& shape : shapes) {
    SCOPED_TRACE("rounds " + std::to_string(shape.rounds) + ", blocks " + std::to_string(shape.blocks));
    MixCase data(shape.rounds, shape.blocks);
    AscendC::SetKernelMode(KernelMode::MIX_MODE);
    for (const Schedule& schedule : all_schedules()) {
      use(schedule);
      data.clear();
      ICPU_RUN_KF(kernels::mix_scale_matmul<kernels::MixFault::kNone>, shape.blocks, data.a, data.b, data.bias, data.y,
                  data.scaled, data.product, data.tiling);
      expect_equal(data.y, data.expected, schedule.text());
    }
  }
}

}  // namespace
