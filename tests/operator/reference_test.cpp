// The float64 reference against rows worked out by hand (ids of cases/operator-cases.csv) and against properties.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "fused_linear_cross_entropy/reference/cross_entropy_loss.h"
#include "fused_linear_cross_entropy/reference/loss_gradient.h"
#include "fused_linear_cross_entropy/reference/online_max_sum.h"
#include "matrices.h"

namespace flce::reference {
namespace {

using test::identity;
using test::Matrix;
using test::random_matrix;

constexpr double kInf = INFINITY;

OnlineMaxSum run(const Matrix& input, const Matrix& weight, const std::vector<int64_t>& target, int64_t start,
                 int64_t end, const OnlineMaxSumOptions& options = {}) {
  return fused_linear_online_max_sum(input.view(), weight.view(), target, start, end, options);
}

std::vector<double> loss_of(const OnlineMaxSum& r) {
  return fused_cross_entropy_loss(r.logits_max, r.sum_exp_logits, r.predicted_logits).loss;
}

const Matrix kRow3210(1, 4, Storage::kBfloat16, {3, 2, 1, 0});

TEST(OnlineMaxSum, Id1LastClass) {
  const OnlineMaxSum whole = run(kRow3210, identity(4, Storage::kBfloat16), {3}, 0, 4);
  EXPECT_EQ(whole.logits_max[0], 3.0);
  EXPECT_NEAR(whole.sum_exp_logits[0], 1.5530018, 1e-7);
  EXPECT_EQ(whole.predicted_logits[0], -3.0);
  EXPECT_EQ(whole.target_mask[0] & 1, 0);
  EXPECT_EQ(whole.masked_target[0], 3);
  EXPECT_NEAR(loss_of(whole)[0], 3.44019, 1e-5);
  const OnlineMaxSum dropped = run(kRow3210, identity(4, Storage::kBfloat16), {3}, 0, 3);
  EXPECT_EQ(dropped.target_mask[0] & 1, 1);
  EXPECT_EQ(dropped.predicted_logits[0], 0.0);
  EXPECT_NEAR(loss_of(dropped)[0], 0.44019, 1e-5);
  OnlineMaxSumOptions inclusive;
  inclusive.vocab_range = VocabRange::kInclusive;
  EXPECT_EQ(run(kRow3210, identity(4, Storage::kBfloat16), {3}, 0, 3, inclusive).predicted_logits[0], -3.0);
}

TEST(OnlineMaxSum, Id2ExactlyOneOwner) {
  for (int64_t target = 0; target < 8; ++target) {
    const bool low = is_masked(target, 0, 4, VocabRange::kExclusive),
               high = is_masked(target, 4, 8, VocabRange::kExclusive);
    EXPECT_NE(low, high) << target;
  }
  EXPECT_FALSE(is_masked(4, 0, 4, VocabRange::kInclusive));  // the document's rule: claimed twice
  EXPECT_FALSE(is_masked(4, 4, 8, VocabRange::kInclusive));
}

TEST(OnlineMaxSum, Id3BeyondTheShardIsNan) {
  const OnlineMaxSum r =
      run(Matrix(1, 4, Storage::kBfloat16, {3, 2, 1, 0.5}), identity(4, Storage::kBfloat16), {5}, 0, 8);
  EXPECT_TRUE(std::isnan(r.predicted_logits[0]));
  EXPECT_EQ(r.logits_max[0], 3.0);
}

TEST(OnlineMaxSum, Id4And9OwnedByNobody) {
  const Matrix x(1, 4, Storage::kHalf, {0.2, 0.1, 0.4, 0.6});
  EXPECT_NEAR(loss_of(run(x, identity(4, Storage::kHalf), {4}, 0, 4))[0], 1.129976, 2e-4);  // log S, not a valid loss
  EXPECT_NEAR(loss_of(run(kRow3210, identity(4, Storage::kBfloat16), {-100}, 0, 4))[0], 0.44019, 1e-5);
}

TEST(OnlineMaxSum, Id11ExactIntegers) {
  const Matrix x(3, 1, Storage::kHalf, {1, 1, 1}), w(4, 1, Storage::kHalf, {1, 2, 3, 4});
  const OnlineMaxSum r = run(x, w, {16777216, 16777217, 16777219}, 16777216, 16777220);
  EXPECT_EQ(r.masked_target, (std::vector<int64_t>{0, 1, 3}));
  EXPECT_EQ(r.target_mask[0] & 7, 0);
}

TEST(OnlineMaxSum, Id13And14MaskPacking) {
  const std::vector<int64_t> ones = {1, 1, 1}, mixed = {0, 5, 1, 1, 1, 1, 1, 7, 1};
  EXPECT_EQ(pack_mask(ones, 0, 2, VocabRange::kExclusive, MaskPad::kDevice), std::vector<uint8_t>{0x00});
  EXPECT_EQ(pack_mask(ones, 1, 2, VocabRange::kExclusive, MaskPad::kDevice), std::vector<uint8_t>{0xF8});
  EXPECT_EQ(pack_mask(ones, 0, 2, VocabRange::kExclusive, MaskPad::kOnes), std::vector<uint8_t>{0xF8});
  EXPECT_EQ(pack_mask(mixed, 0, 4, VocabRange::kExclusive, MaskPad::kDevice), (std::vector<uint8_t>{0x82, 0x00}));
  EXPECT_EQ(pack_mask(mixed, 0, 4, VocabRange::kExclusive, MaskPad::kOnes), (std::vector<uint8_t>{0x82, 0xFE}));
}

TEST(OnlineMaxSum, Id19NoHidden) {
  const Matrix x(16, 0, Storage::kHalf, {}), w(5, 0, Storage::kHalf, {});
  const OnlineMaxSum r = run(x, w, std::vector<int64_t>(16, 2), 0, 5);
  for (size_t row = 0; row < 16; ++row) {
    EXPECT_EQ(r.logits_max[row], 0.0);
    EXPECT_EQ(r.sum_exp_logits[row], 5.0);
    EXPECT_EQ(r.predicted_logits[row], 0.0);
    EXPECT_NEAR(loss_of(r)[row], 1.60944, 1e-5);
  }
  EXPECT_EQ(r.logits, std::vector<double>(80, 0.0));
}

TEST(OnlineMaxSum, Id31RoundedOrNot) {
  const double sizes[] = {16, 128, 512}, steps[] = {0.125, 1, 4};
  const double exact[] = {0.6969, 0.7239, 0.8216}, rounded[] = {0.7576, 1.3133, 4.0181};
  for (int i = 0; i < 3; ++i) {
    const Matrix x(1, 2, Storage::kBfloat16, {sizes[i], 1});
    const Matrix w(2, 2, Storage::kBfloat16, {1, 0.47 * steps[i], 1, 0.53 * steps[i]});
    EXPECT_NEAR(loss_of(run(x, w, {0}, 0, 2))[0], rounded[i], 5e-5);
    OnlineMaxSumOptions unrounded;
    unrounded.logits_type = LogitsType::kFloat32;
    EXPECT_NEAR(loss_of(run(x, w, {0}, 0, 2, unrounded))[0], exact[i], 5e-4);
  }
}

TEST(OnlineMaxSum, Id41Float16Overflow) {
  const Matrix x(1, 2, Storage::kHalf, {256, 256}), w(2, 2, Storage::kHalf, {256, 256, 1, 1});
  EXPECT_TRUE(std::isnan(loss_of(run(x, w, {0}, 0, 2))[0]));
  OnlineMaxSumOptions unrounded;
  unrounded.logits_type = LogitsType::kFloat32;
  const OnlineMaxSum r = run(x, w, {0}, 0, 2, unrounded);
  EXPECT_EQ(r.logits, (std::vector<double>{131072, 512}));
  EXPECT_EQ(loss_of(r)[0], 0.0);
}

TEST(OnlineMaxSum, Id42MinusInfinity) {
  const Matrix x(3, 2, Storage::kBfloat16, {1, 1, 1, 1, 1, 1});
  const Matrix some(3, 2, Storage::kBfloat16, {1, 0, -kInf, -kInf, 0, 1});
  const OnlineMaxSum r = run(x, some, {0, 1, 99}, 0, 3);
  EXPECT_NEAR(loss_of(r)[0], 0.693147, 1e-6);
  EXPECT_EQ(r.predicted_logits[1], -kInf);
  EXPECT_EQ(loss_of(r)[1], kInf);
  EXPECT_EQ(r.predicted_logits[2], 0.0);
  const Matrix all(3, 2, Storage::kBfloat16, std::vector<double>(6, -kInf));
  const OnlineMaxSum empty = run(x, all, {0, 1, 99}, 0, 3);
  EXPECT_EQ(empty.logits_max[0], -kInf);
  EXPECT_EQ(empty.sum_exp_logits[0], 0.0);
  EXPECT_EQ(empty.predicted_logits[1], -kInf);
  EXPECT_TRUE(std::isnan(loss_of(empty)[0]));
}

TEST(OnlineMaxSum, NanAndPlusInfinity) {
  const Matrix x(2, 2, Storage::kHalf, {1, 0, NAN, 1});
  const Matrix w(3, 2, Storage::kHalf, {1, 1, 2, 2, 3, 3});
  const OnlineMaxSum r = run(x, w, {1, 1}, 0, 3);
  EXPECT_EQ(r.logits_max[0], 3.0);
  EXPECT_TRUE(std::isnan(r.logits_max[1]) && std::isnan(r.sum_exp_logits[1]) && std::isnan(r.predicted_logits[1]));
  EXPECT_EQ(run(x, w, {1, 7}, 0, 3).predicted_logits[1], 0.0);  // not owned: selected, not multiplied
  const Matrix huge(1, 1, Storage::kHalf, {60000}), two(2, 1, Storage::kHalf, {2, 1});
  const OnlineMaxSum inf = run(huge, two, {1}, 0, 2);
  EXPECT_EQ(inf.logits_max[0], kInf);
  EXPECT_TRUE(std::isnan(inf.sum_exp_logits[0]));
  EXPECT_EQ(inf.predicted_logits[0], -kInf);
}

TEST(OnlineMaxSum, Id47UniformLogits) {
  for (const auto& [classes, loss] : {std::pair<int64_t, double>{151936, 11.931215}, {262208, 12.476893}}) {
    const Matrix x(1, 1, Storage::kBfloat16, {0}), w(classes, 1, Storage::kBfloat16, std::vector<double>(classes, 1.0));
    const OnlineMaxSum r = run(x, w, {5}, 0, classes);
    EXPECT_EQ(r.sum_exp_logits[0], static_cast<double>(classes));
    EXPECT_NEAR(loss_of(r)[0], loss, 1e-6);
  }
}

TEST(Protocol, Id26UnevenShards) {
  const ShardStatistics parts[] = {{0.5, 1.62353, 0.0, false}, {0.25, 1.80062, -1.125, true}};
  const ShardStatistics total = combine_shards(parts);
  EXPECT_EQ(total.max, 0.5);
  EXPECT_NEAR(total.sum, 3.02585, 1e-5);
  EXPECT_EQ(total.predicted, -1.375);
  EXPECT_NEAR(std::log(total.sum) - total.predicted, 2.48219, 1e-5);
}

TEST(Protocol, ShardsGiveTheWhole) {
  std::mt19937_64 rng(7);
  const int64_t m = 5, k = 6, n = 23;
  const Matrix x = random_matrix(m, k, Storage::kHalf, 1.0, rng), w = random_matrix(n, k, Storage::kHalf, 1.0, rng);
  const std::vector<int64_t> target = {0, 22, 11, 10, 400};
  const std::vector<double> whole = loss_of(run(x, w, target, 0, n));
  const int64_t cuts[] = {0, 3, 10, 11, n};
  std::vector<std::vector<ShardStatistics>> rows(static_cast<size_t>(m));
  for (int part = 0; part < 4; ++part) {
    Matrix shard = w;
    shard.rows = cuts[part + 1] - cuts[part];
    shard.bits.assign(w.bits.begin() + cuts[part] * k, w.bits.begin() + cuts[part + 1] * k);
    const OnlineMaxSum r = run(x, shard, target, cuts[part], cuts[part + 1]);
    for (size_t row = 0; row < rows.size(); ++row)
      rows[row].push_back({r.logits_max[row], r.sum_exp_logits[row], r.predicted_logits[row],
                           ((r.target_mask[row / 8] >> (row % 8)) & 1) == 0});
  }
  for (size_t row = 0; row < rows.size(); ++row) {
    const ShardStatistics total = combine_shards(rows[row]);
    EXPECT_NEAR(std::log(total.sum) - total.predicted, whole[row], 1e-12) << row;
    EXPECT_EQ(total.owned, row != 4);
  }
}

TEST(Gradient, Id1LogitsGradient) {
  const Matrix w = identity(4, Storage::kBfloat16);
  const OnlineMaxSum r = run(kRow3210, w, {3}, 0, 4);
  const double grad[] = {1.0};
  const LossGradient g = fused_cross_entropy_loss_gradient({.grad = grad,
                                                            .input = kRow3210.view(),
                                                            .weight = w.view(),
                                                            .target_mask = r.target_mask,
                                                            .masked_target = r.masked_target,
                                                            .softmax = {},
                                                            .logits = r.logits,
                                                            .logits_max = r.logits_max,
                                                            .sum_exp_logits = r.sum_exp_logits});
  const double expected[] = {0.64453, 0.23730, 0.08691, -0.96875};
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(g.d[static_cast<size_t>(i)], expected[i], 5e-6);
    EXPECT_EQ(g.input_grad[static_cast<size_t>(i)], g.d[static_cast<size_t>(i)]);  // identity weight
  }
}

TEST(Gradient, RowsOfDSumToZeroAndBothModesAgree) {
  std::mt19937_64 rng(11);
  const int64_t m = 9, k = 4, n = 13;
  const Matrix x = random_matrix(m, k, Storage::kHalf, 1.0, rng), w = random_matrix(n, k, Storage::kHalf, 1.0, rng);
  const std::vector<int64_t> target = {0, 1, 2, 3, 4, 5, 12, 12, 12};
  OnlineMaxSum r = run(x, w, target, 0, n);
  const std::vector<double> softmax =
      fused_cross_entropy_loss(r.logits_max, r.sum_exp_logits, r.predicted_logits, r.logits).softmax;
  r.target_mask[1] |= 0xFE;  // bits beyond m are ignored (id 16)
  const std::vector<double> grad = {1, 0.5, -2, 0, 1, 1, 1, 3, 0.25};
  LossGradientArguments arguments{.grad = grad,
                                  .input = x.view(),
                                  .weight = w.view(),
                                  .target_mask = r.target_mask,
                                  .masked_target = r.masked_target,
                                  .softmax = {},
                                  .logits = r.logits,
                                  .logits_max = r.logits_max,
                                  .sum_exp_logits = r.sum_exp_logits,
                                  .round_d = false};
  const LossGradient memory_mode = fused_cross_entropy_loss_gradient(arguments);
  arguments.softmax = softmax;
  const LossGradient softmax_mode = fused_cross_entropy_loss_gradient(arguments);
  for (size_t row = 0; row < 9; ++row) {
    double sum = 0.0;
    for (size_t column = 0; column < 13; ++column) sum += memory_mode.d[row * 13 + column];
    EXPECT_NEAR(sum, 0.0, 1e-12);
  }
  for (size_t i = 0; i < memory_mode.weight_grad.size(); ++i)
    EXPECT_NEAR(memory_mode.weight_grad[i], softmax_mode.weight_grad[i], 1e-12);
}

/// d(loss) / d(input) by central differences of the reference's own loss, on unrounded logits.
TEST(Gradient, MatchesFiniteDifferences) {
  std::mt19937_64 rng(13);
  const int64_t k = 3, n = 5;
  Matrix x = random_matrix(1, k, Storage::kHalf, 1.0, rng), w = random_matrix(n, k, Storage::kHalf, 0.5, rng);
  OnlineMaxSumOptions options;
  options.logits_type = LogitsType::kFloat32;
  const double grad[] = {1.0};
  const OnlineMaxSum r = run(x, w, {2}, 0, n, options);
  const LossGradient g = fused_cross_entropy_loss_gradient({.grad = grad,
                                                            .input = x.view(),
                                                            .weight = w.view(),
                                                            .target_mask = r.target_mask,
                                                            .masked_target = r.masked_target,
                                                            .softmax = {},
                                                            .logits = r.logits,
                                                            .logits_max = r.logits_max,
                                                            .sum_exp_logits = r.sum_exp_logits,
                                                            .round_d = false});
  for (size_t h = 0; h < static_cast<size_t>(k); ++h) {
    const uint16_t before = x.bits[h];
    const double at = widen(before, Storage::kHalf);
    x.bits[h] = narrow(at + 0x1p-6, Storage::kHalf);
    const double high = widen(x.bits[h], Storage::kHalf), loss_high = loss_of(run(x, w, {2}, 0, n, options))[0];
    x.bits[h] = narrow(at - 0x1p-6, Storage::kHalf);
    const double low = widen(x.bits[h], Storage::kHalf), loss_low = loss_of(run(x, w, {2}, 0, n, options))[0];
    x.bits[h] = before;
    EXPECT_NEAR(g.input_grad[h], (loss_high - loss_low) / (high - low), 1e-3) << h;
  }
}

TEST(Gradient, Id37And45Accumulation) {
  const int64_t m = 4097;
  // One class beside the target with probability 2^-9 of row gradient: every row but the first adds 2^-9, the first
  // adds 1.
  std::vector<double> grad(static_cast<size_t>(m), 0x1p-9), softmax(static_cast<size_t>(m), 1.0);
  grad[0] = 1.0;
  const Matrix x(m, 1, Storage::kBfloat16, std::vector<double>(static_cast<size_t>(m), 1.0)),
      w(1, 1, Storage::kBfloat16, {1});
  const std::vector<uint8_t> masked(static_cast<size_t>((m + 7) / 8), 0xFF);
  const std::vector<int64_t> local(static_cast<size_t>(m), 0);
  LossGradientArguments arguments{.grad = grad,
                                  .input = x.view(),
                                  .weight = w.view(),
                                  .target_mask = masked,
                                  .masked_target = local,
                                  .softmax = softmax,
                                  .logits = {},
                                  .logits_max = {},
                                  .sum_exp_logits = {}};
  EXPECT_EQ(fused_cross_entropy_loss_gradient(arguments).weight_grad[0], 9.0);
  const std::vector<double> zero(static_cast<size_t>(m), 0.0);
  arguments.grad = zero;
  const LossGradient none = fused_cross_entropy_loss_gradient(arguments);
  EXPECT_EQ(none.weight_grad[0], 0.0);
  EXPECT_EQ(none.input_grad, zero);
}

TEST(Gradient, NoRowsGiveAZeroWeightGradient) {
  const Matrix x(0, 2, Storage::kHalf, {}), w(3, 2, Storage::kHalf, {1, 2, 3, 4, 5, 6});
  const LossGradient g = fused_cross_entropy_loss_gradient({.grad = {},
                                                            .input = x.view(),
                                                            .weight = w.view(),
                                                            .target_mask = {},
                                                            .masked_target = {},
                                                            .softmax = {},
                                                            .logits = {},
                                                            .logits_max = {},
                                                            .sum_exp_logits = {}});
  EXPECT_EQ(g.weight_grad, std::vector<double>(6, 0.0));
}

}  // namespace
}  // namespace flce::reference
