// The kernel on the modelled NPU against the reference on random shapes, types, ranges and schedules; every element of
// every output. Seeds are fixed and printed.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "ascsan/run.h"
#include "fused_linear_cross_entropy/ascendc/launch.h"
#include "fused_linear_cross_entropy/reference/row_check.h"
#include "matrices.h"

namespace flce::ascendc {
namespace {

using reference::Storage;
using test::Matrix;
using test::random_matrix;

struct Call {
  int64_t m, k, n, start, end;
  Storage storage;
  DType target_dtype;
  bool logits;
  uint32_t cores;

  std::string text() const {
    return "m=" + std::to_string(m) + " k=" + std::to_string(k) + " n=" + std::to_string(n) + " [" +
           std::to_string(start) + ", " + std::to_string(end) + ") " + reference::name_of(storage) + " " +
           name_of(target_dtype) + (logits ? " logits" : "") + " cores=" + std::to_string(cores);
  }
};

int64_t up_to(std::mt19937_64& rng, int64_t limit) {
  return static_cast<int64_t>(rng() % static_cast<uint64_t>(limit + 1));
}

Call random_call(std::mt19937_64& rng) {
  Call call{};
  call.m = 1 + up_to(rng, 299);
  call.k = up_to(rng, 9) == 0 ? 0 : 1 + up_to(rng, 149);
  call.n = 1 + up_to(rng, 699);
  call.start = up_to(rng, 2) == 0 ? 0 : up_to(rng, 100000);
  call.end = call.start + (up_to(rng, 4) == 0 ? up_to(rng, call.n) : call.n);
  call.storage = up_to(rng, 1) == 0 ? Storage::kHalf : Storage::kBfloat16;
  call.target_dtype = up_to(rng, 1) == 0 ? DType::kInt32 : DType::kInt64;
  call.logits = up_to(rng, 2) == 0;
  call.cores = static_cast<uint32_t>(1 + up_to(rng, 7));
  return call;
}

void run_and_compare(const Call& call, std::mt19937_64& rng) {
  const Matrix x = random_matrix(call.m, call.k, call.storage, 1.0, rng);
  const Matrix w = random_matrix(call.n, call.k, call.storage, 0.3, rng);
  std::vector<int64_t> target;
  for (int64_t row = 0; row < call.m; ++row) target.push_back(call.start - 20 + up_to(rng, call.n + 40));
  const DType dtype = call.storage == Storage::kHalf ? DType::kFloat16 : DType::kBfloat16;
  const OpDesc op = make_op_desc(call.m, call.k, call.n, dtype, call.target_dtype, call.start, call.end, call.logits);
  TilingData tiling;
  const Status status = compute_tiling(op, {.cube_cores = call.cores}, tiling);
  ASSERT_TRUE(status.ok()) << status.message;
  Device device(op, tiling, x.bits, w.bits, target);
  const Outputs got = device.run(Variant::kShipped);

  const reference::OnlineMaxSum expected =
      reference::fused_linear_online_max_sum(x.view(), w.view(), target, call.start, call.end);
  const reference::StatisticsErrors errors =
      reference::StatisticsCheck(expected, call.storage)
          .compare(got.logits_max.data(), got.sum_exp_logits.data(), got.predicted_logits.data());
  EXPECT_EQ(errors.logits_max.outside, 0);
  EXPECT_EQ(errors.logits_max.max_absolute, 0.0);  // a max is one of the stored logits, exactly
  EXPECT_EQ(errors.sum_exp_logits.outside, 0) << "row " << errors.sum_exp_logits.first_outside;
  EXPECT_LT(errors.sum_exp_logits.max_relative, 1e-4);
  EXPECT_EQ(errors.predicted_logits.outside, 0) << "row " << errors.predicted_logits.first_outside;
  EXPECT_EQ(got.target_mask, expected.target_mask);
  EXPECT_EQ(got.masked_target, expected.masked_target);
  if (!call.logits) return;
  EXPECT_EQ(reference::check_logits(expected, call.storage, got.vocab_parallel_logits.data()).outside, 0);
}

TEST(Kernel, RandomCalls) {
  std::mt19937_64 rng(2025);
  const char* schedules[] = {"in_order", "deferred", "random", "pct"};
  for (int round = 0; round < 40; ++round) {
    const Call call = random_call(rng);
    const char* schedule = schedules[round % 4];
    SCOPED_TRACE(call.text() + " round " + std::to_string(round) + " " + schedule);
    ASSERT_TRUE(ascsan::set_option("schedule", schedule));
    ASSERT_TRUE(ascsan::set_option("seed", std::to_string(round)));
    run_and_compare(call, rng);
  }
}

TEST(Kernel, EveryRowCountOfATile) {
  std::mt19937_64 rng(7);
  ASSERT_TRUE(ascsan::set_option("schedule", "in_order"));
  for (int64_t m : {1, 2, 3, 7, 8, 9, 63, 64, 65, 126, 127, 128, 129, 130, 191, 255, 256, 257}) {
    const Call call{m, 16, 270, 0, 270, Storage::kBfloat16, m % 2 == 0 ? DType::kInt32 : DType::kInt64, m % 3 == 0, 2};
    SCOPED_TRACE(call.text());
    run_and_compare(call, rng);
  }
}

TEST(Kernel, EveryColumnTail) {
  std::mt19937_64 rng(8);
  ASSERT_TRUE(ascsan::set_option("schedule", "in_order"));
  for (int64_t n : {1, 2, 15, 16, 17, 63, 64, 65, 127, 128, 129, 192, 193, 255, 256, 257, 320, 511, 512, 513}) {
    const Call call{11, 20, n, 5, 5 + n, Storage::kHalf, DType::kInt32, n % 2 == 0, 3};
    SCOPED_TRACE(call.text());
    run_and_compare(call, rng);
  }
}

}  // namespace
}  // namespace flce::ascendc
