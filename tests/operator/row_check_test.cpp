// Intervals of right values: float32 accumulations in several orders are always inside, one step of the format beside a
// certain logit is outside, and errors in max, sum or predicted are seen.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "fused_linear_cross_entropy/reference/row_check.h"
#include "matrices.h"

namespace flce::reference {
namespace {

using test::Matrix;
using test::random_matrix;

constexpr int64_t kRows = 12, kDepth = 300, kColumns = 150;

struct Problem {
  Matrix x, w;
  OnlineMaxSum reference;
  Storage storage;
};

/// Even seeds: elements of both signs; odd seeds: positive ones only, where float32 sums err most.
Problem make_problem(Storage storage, uint64_t seed) {
  std::mt19937_64 rng(seed);
  Matrix x = random_matrix(kRows, kDepth, storage, 1.0, rng), w = random_matrix(kColumns, kDepth, storage, 0.1, rng);
  if (seed % 2 == 1)
    for (Matrix* matrix : {&x, &w})
      for (uint16_t& bits : matrix->bits) bits &= 0x7FFF;
  std::vector<int64_t> target;
  for (int64_t row = 0; row < kRows; ++row) target.push_back(static_cast<int64_t>(rng() % (kColumns + 20)));
  OnlineMaxSum reference = fused_linear_online_max_sum(x.view(), w.view(), target, 0, kColumns);
  return {std::move(x), std::move(w), std::move(reference), storage};
}

/// One logit accumulated in float32, in the given order of the products, rounded to the storage.
uint16_t float_logit(const Problem& s, int64_t row, int64_t column, const std::vector<int64_t>& order) {
  float sum = 0.0f;
  for (int64_t h : order)
    sum += static_cast<float>(s.x.view().at(row, h)) * static_cast<float>(s.w.view().at(column, h));
  return narrow(sum, s.storage);
}

struct Float32Result {
  std::vector<uint16_t> logits;
  std::vector<float> max, sum, predicted;
};

Float32Result float_operator(const Problem& s, std::mt19937_64& rng) {
  Float32Result result;
  std::vector<int64_t> order(kDepth);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), rng);
  for (int64_t row = 0; row < kRows; ++row) {
    float max = -INFINITY, sum = 0.0f;
    std::vector<float> logits;
    for (int64_t column = 0; column < kColumns; ++column) {
      result.logits.push_back(float_logit(s, row, column, order));
      logits.push_back(static_cast<float>(widen(result.logits.back(), s.storage)));
      max = std::max(max, logits.back());
    }
    for (float logit : logits) sum += std::exp(logit - max);
    const bool masked = (s.reference.target_mask[static_cast<size_t>(row / 8)] >> (row % 8)) & 1;
    const size_t local = static_cast<size_t>(s.reference.masked_target[static_cast<size_t>(row)]);
    result.max.push_back(max);
    result.sum.push_back(sum);
    result.predicted.push_back(masked ? 0.0f : logits[local] - max);
  }
  return result;
}

TEST(RowCheck, Float32InAnyOrderIsRight) {
  for (Storage storage : {Storage::kHalf, Storage::kBfloat16}) {
    size_t different = 0, ambiguous = 0;
    for (uint64_t seed = 1; seed <= 6; ++seed) {
      const Problem s = make_problem(storage, seed);
      const StatisticsCheck check(s.reference, storage);
      for (const RowCheck& row : check.rows()) ambiguous += row.ambiguous();
      std::mt19937_64 rng(seed + 100);
      for (int order = 0; order < 4; ++order) {
        const Float32Result got = float_operator(s, rng);
        const StatisticsErrors errors = check.compare(got.max.data(), got.sum.data(), got.predicted.data());
        EXPECT_EQ(errors.logits_max.outside, 0) << "seed " << seed;
        EXPECT_EQ(errors.logits_max.max_absolute, 0.0) << "seed " << seed;
        EXPECT_EQ(errors.sum_exp_logits.outside, 0) << "seed " << seed;
        EXPECT_LT(errors.sum_exp_logits.max_relative, 1e-4) << "seed " << seed;
        EXPECT_EQ(errors.predicted_logits.outside, 0) << "seed " << seed;
        EXPECT_EQ(check_logits(s.reference, storage, got.logits.data()).outside, 0) << "seed " << seed;
        for (size_t i = 0; i < got.logits.size(); ++i)
          different += widen(got.logits[i], storage) != s.reference.logits[i] ? 1 : 0;
      }
    }
    // The intervals are needed, and they are rare.
    if (storage == Storage::kHalf) {
      EXPECT_GT(different, 0u);
    }
    EXPECT_LT(static_cast<double>(ambiguous) / (6.0 * kRows * kColumns), storage == Storage::kHalf ? 0.25 : 0.05)
        << name_of(storage);
  }
}

TEST(RowCheck, AStepBesideACertainLogitIsWrong) {
  const Problem s = make_problem(Storage::kBfloat16, 22);
  std::vector<uint16_t> logits;
  for (double logit : s.reference.logits) logits.push_back(narrow(logit, s.storage));
  ASSERT_EQ(check_logits(s.reference, s.storage, logits.data()).outside, 0);
  int64_t flagged = 0, certain = 0;
  for (int64_t row = 0; row < kRows; ++row)
    for (int64_t column = 0; column < kColumns; column += 17) {
      const Interval right = logit_interval(s.reference, s.storage, LogitsType::kInput, row, column);
      if (right.low != right.high) continue;
      ++certain;
      const size_t index = static_cast<size_t>(row * kColumns + column);
      ++logits[index];
      flagged += check_logits(s.reference, s.storage, logits.data()).outside;
      --logits[index];
    }
  EXPECT_GT(certain, 50);
  EXPECT_EQ(flagged, certain);
}

TEST(RowCheck, WrongStatisticsAreSeen) {
  const Problem s = make_problem(Storage::kHalf, 32);
  const StatisticsCheck check(s.reference, s.storage);
  std::mt19937_64 rng(5);
  const Float32Result right = float_operator(s, rng);
  for (size_t row = 0; row < kRows; ++row) {
    Float32Result wrong = right;
    wrong.max[row] *= 1.002f;
    EXPECT_EQ(check.compare(wrong.max.data(), wrong.sum.data(), wrong.predicted.data()).logits_max.outside, 1);
    wrong = right;
    wrong.sum[row] *= 1.003f;
    EXPECT_EQ(check.compare(wrong.max.data(), wrong.sum.data(), wrong.predicted.data()).sum_exp_logits.outside, 1);
    wrong = right;
    wrong.predicted[row] -= 0.01f + 0.01f * std::abs(wrong.predicted[row]);
    EXPECT_EQ(check.compare(wrong.max.data(), wrong.sum.data(), wrong.predicted.data()).predicted_logits.outside, 1);
    wrong = right;
    wrong.sum[row] = NAN;
    EXPECT_EQ(check.compare(wrong.max.data(), wrong.sum.data(), wrong.predicted.data()).sum_exp_logits.outside, 1);
  }
}

TEST(Tolerance, SpecialValues) {
  EXPECT_EQ(distance(NAN, NAN, NAN), 0.0);
  EXPECT_EQ(distance(1.0, NAN, NAN), INFINITY);
  EXPECT_EQ(distance(NAN, 1.0, 2.0), INFINITY);
  EXPECT_EQ(distance(-INFINITY, -INFINITY, -INFINITY), 0.0);
  EXPECT_EQ(distance(-1e300, -INFINITY, -INFINITY), INFINITY);
  EXPECT_EQ(distance(1.5, 1.0, 2.0), 0.0);
  ErrorStatistics errors;
  errors.add(1.0, 1.0, kStatisticsTolerance);
  errors.add(1.0005, 1.0, kStatisticsTolerance);
  errors.add(1.002, 1.0, kStatisticsTolerance);
  errors.add(-5.0, 0.0, kStatisticsTolerance);
  EXPECT_EQ(errors.elements, 4);
  EXPECT_EQ(errors.outside, 2);
  EXPECT_EQ(errors.first_outside, 2);
  EXPECT_EQ(errors.share_outside(), 0.5);
  EXPECT_EQ(errors.max_relative, 5000.0);
  errors.add_exact(std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::max() - 1);
  EXPECT_EQ(errors.outside, 3);
}

}  // namespace
}  // namespace flce::reference
