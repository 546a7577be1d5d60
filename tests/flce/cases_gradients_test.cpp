// Ids 35 to 56: upstream gradients, summation, special values, large offsets, strides.
#include <memory>
#include <new>

#include "cases.h"

namespace flce_test {
namespace {

// TransformerEngine 2139, Megatron 1750

TEST(Case, Id35_Id73_UpstreamGradientScalesEverything) {
  const Random c(kF32, 20, 12, 70, 35);
  const MaxSum f(c.x, c.w, c.t, 0, 70, {}, true);
  const Array p = softmax_of(f, f.logits);
  for (const Array* stored : {static_cast<const Array*>(nullptr), &p}) {
    const Grads full = backward(c.x, c.w, f, ones(20), {}, stored),
                quarter = backward(c.x, c.w, f, ones(20, 0.25), {}, stored);
    double norm = 0;
    for (size_t i = 0; i < full.dw.values().size(); ++i) {
      norm += std::fabs(full.dw.values()[i]);
      ASSERT_NEAR(quarter.dw.values()[i], full.dw.values()[i] / 4, 1e-6);
    }
    EXPECT_GT(norm, 1);
    for (size_t i = 0; i < full.dx.values().size(); ++i)
      ASSERT_NEAR(quarter.dx.values()[i], full.dx.values()[i] / 4, 1e-6);
  }
}

// TransformerEngine 3193

TEST(Case, Id36_Bf16LogitsAndTheirFp32Copy) {
  const Random c(kBf16, 64, 8, 4096, 36, 1);
  const MaxSum f(c.x, c.w, c.t, 0, 4096, {}, true);
  Array copy(kF32, 64, 4096);
  for (int64_t i = 0; i < 64; ++i) {
    for (int64_t j = 0; j < 4096; ++j) copy.set(i, j, f.logits.get(i, j));
  }
  const Array a = softmax_of(f, f.logits), b = softmax_of(f, copy);
  EXPECT_EQ(a.values(), b.values());
  EXPECT_EQ(backward(c.x, c.w, f, c.grad, {}, &a).dx.values(), backward(c.x, c.w, f, c.grad, {}, &b).dx.values());
}

// Liger 512: 1 + 4096 additions of 2^-9 must give 9, in bf16 output too.

TEST(Case, Id37_WeightGradientIsSummedInFp32) {
  const int64_t m = 4097;
  Array x(kBf16, m, 1), w(kBf16, 1, 1), p(kF32, m, 1), mask(DType::kUInt8, (m + 7) / 8, 1), local(DType::kInt32, m, 1);
  w.set(0, 0, 0);
  for (int64_t i = 0; i < m; ++i) {
    x.set(i, 0, i == 0 ? 1 : std::ldexp(1, -9));
    p.set(i, 0, 1);
    local.set(i, 0, 0);
  }
  for (int64_t i = 0; i < mask.rows; ++i) mask.set(i, 0, 255);  // nobody owns a target: D = grad
  Array dx(kF32, m, 1), dw(kBf16, 1, 1);
  flce::fused_linear_cross_entropy_loss_with_max_sum_grad(ones(m).vector(), x.matrix(), w.matrix(), mask.vector(),
                                                          local.vector(), dx.matrix(), dw.matrix(), 0, {}, {},
                                                          p.matrix());
  EXPECT_EQ(dw.get(0), 9);
}

// Liger 1391: with fp32 sums the error does not grow with the number of chunks.

TEST(Case, Id38_ErrorDoesNotGrowWithChunks) {
  const Random c(kBf16, 512, 16, 130, 38);
  flce::LossInputs in;
  in.input = c.x.matrix();
  in.weight = c.w.matrix();
  in.target = c.t.vector();
  std::vector<double> exact;
  double first = 0;
  for (const int64_t chunk : {512, 256, 128, 32, 4, 1}) {
    for (const DType out : {kF32, kBf16}) {
      LossOptions o;
      o.reduction = Reduction::kSum;
      o.chunk_rows = chunk;
      Array loss(kF32, 1, 1), dw(out, 130, 16);
      flce::LossGradients g;
      g.weight_grad = dw.matrix();
      flce::loss_forward_backward(in, o, {loss.vector(), {}, {}, {}}, {}, g);
      if (exact.empty()) exact = dw.values();
      const double e = relative_norm(dw.values(), exact);
      if (out == kF32) {
        EXPECT_LE(e, 1e-6) << chunk;
      } else if (first == 0) {
        first = e;
      } else {
        EXPECT_LE(e, 1.01 * first) << chunk;
      }
    }
  }
}

// apple ml-cross-entropy 14

TEST(Case, Id39_ClassifierGradientNearReference) {
  const Random c(kBf16, 8192, 128, 32, 39, 0.1);
  const MaxSum f(c.x, c.w, c.t, 0, 32, {}, true);
  const Grads g = backward(c.x, c.w, f, ones(8192), {}, nullptr, kBf16);
  std::vector<double> dw(32 * 128, 0);
  const std::vector<double> xv = c.x.values(), l = f.logits.values();
  for (int64_t i = 0; i < 8192; ++i) {
    const RowRef r = row_reference(l.data() + i * 32, 32, -1);
    for (int64_t j = 0; j < 32; ++j) {
      const double d = round_to(std::exp(l[i * 32 + j] - r.lse) - (c.t.get(i) == j), kBf16);
      for (int64_t h = 0; h < 128; ++h) dw[j * 128 + h] += d * xv[i * 128 + h];
    }
  }
  EXPECT_LE(relative_norm(g.dw.values(), dw), 3e-3);
}

TEST(Case, Id41_Fp16OverflowOfLogits) {
  Logits c({{256, 256}}, {0}, kF16);
  c.w = table(kF16, {{256, 256}, {1, 1}});
  EXPECT_TRUE(std::isnan(c.run(0, 2).loss()[0]));
  MaxSumOptions wide;
  wide.logits_type = flce::LogitsType::kFloat32;
  const MaxSum f = c.run(0, 2, wide);
  EXPECT_EQ(f.max.get(0), 131072);
  EXPECT_EQ(f.loss()[0], 0);
}

// SkyRL 2259

TEST(Case, Id42_MinusInfinityLogits) {
  Logits c({{1, 1}, {1, 1}}, {0, 1});
  c.w = table(kF32, {{0.5, 0.5}, {-kInf, -kInf}, {0.5, 0.5}});
  const auto loss = c.run(0, 3).loss();
  EXPECT_NEAR(loss[0], 0.693147, 1e-6);
  EXPECT_EQ(loss[1], kInf);
  Array per(kF32, 2, 1), entropy(kF32, 2, 1);
  LossOptions o;
  o.reduction = Reduction::kNone;
  flce::loss_forward(c.inputs(), o, {per.vector(), {}, entropy.vector(), {}});
  EXPECT_NEAR(entropy.get(0), 0.693147, 1e-6);
  EXPECT_NEAR(per.get(0), 0.693147, 1e-6);
  EXPECT_EQ(per.get(1), kInf);
  c.w = table(kF32, {{-kInf, -kInf}, {-kInf, -kInf}, {-kInf, -kInf}});
  EXPECT_TRUE(std::isnan(c.run(0, 3).loss()[0]));
  EXPECT_EQ(c.run(0, 3).max.get(0), -kInf);
  EXPECT_EQ(c.run(0, 3).sum.get(0), 0);
  flce::loss_forward(c.inputs(), o, {per.vector(), {}, {}, {}});
  EXPECT_TRUE(std::isnan(per.get(0)));
  // The shard as one of two: the other one has finite logits, so the right loss of its -inf class is +inf.
  EXPECT_EQ(c.run(0, 3).predicted.get(0), -kInf);
  EXPECT_EQ(c.run(5, 8).predicted.get(0), 0);
  // A NaN shows in max and sum; predicted of a target that others own stays 0, as on the device.
  c.w = table(kF32, {{std::nan(""), 1}, {0, 0}, {0, 0}});
  EXPECT_TRUE(std::isnan(c.run(0, 3).max.get(0)) && std::isnan(c.run(0, 3).sum.get(0)));
  EXPECT_TRUE(std::isnan(c.run(0, 3).predicted.get(0)));
  EXPECT_EQ(c.run(5, 8).predicted.get(0), 0);
}

TEST(Case, Id45_ZeroUpstreamGradient) {
  const Random c(kF16, 16, 256, 256, 45);
  const MaxSum f(c.x, c.w, c.t, 0, 256, {}, true);
  const Array p = softmax_of(f, f.logits);
  for (const Array* stored : {static_cast<const Array*>(nullptr), &p}) {
    const Grads g = backward(c.x, c.w, f, ones(16, 0), {}, stored, kF16);
    EXPECT_EQ(worst(g.dx.values(), std::vector<double>(16 * 256, 0)), 0);
    EXPECT_EQ(worst(g.dw.values(), std::vector<double>(256 * 256, 0)), 0);
  }
}

// pytorch 124480

TEST(Case, Id47_UniformLogitsLargeVocabulary) {
  for (const auto& [v, loss] : {std::pair<int64_t, double>{151936, 11.931215}, {262208, 12.476893}}) {
    const Array x(kBf16, 2, 1);
    Array w(kBf16, v, 1);
    for (int64_t j = 0; j < v; ++j) w.set(j, 0, 1);
    Array zero = x;
    zero.set(0, 0, 0);
    zero.set(1, 0, 0);
    const Array t = column(DType::kInt32, {0, static_cast<double>(v - 1)});
    const MaxSum f(zero, w, t, 0, v);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(f.sum.get(i), static_cast<double>(v));
      EXPECT_NEAR(f.loss()[i], loss, 2e-6);
    }
  }
}

// The shipped system tests use zeros and m, k, n <= 6. Here every output of a random case of that size must move when

// any single input element moves, which zeros cannot show.

TEST(Case, Id48_EveryInputMatters) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    Random c(kF32, 3, 4, 6, 480 + seed);
    const auto base = MaxSum(c.x, c.w, c.t, 0, 6).loss();
    const std::vector<double> l = product(c.x, c.w);
    for (int64_t i = 0; i < 3; ++i) {
      const RowRef r = row_reference(l.data() + i * 6, 6, static_cast<int64_t>(c.t.get(i)));
      EXPECT_NEAR(base[i], std::log(r.sum) - r.predicted, 1e-6);
    }
    for (int64_t j = 0; j < 6; ++j) {
      const double keep = c.w.get(j, 2);
      c.w.set(j, 2, keep + 0.5);
      EXPECT_NE(MaxSum(c.x, c.w, c.t, 0, 6).loss()[1], base[1]) << "weight row " << j;
      c.w.set(j, 2, keep);
    }
  }
}

TEST(Case, Id49_LossIsNeverNegative) {
  std::mt19937_64 rng(49);
  std::uniform_real_distribution<double> unit(0, 1);
  const int64_t m = 3000;
  Array max(kF32, m, 1), sum(kF32, m, 1), predicted(kF32, m, 1), loss(kF32, m, 1);
  for (int64_t i = 0; i < m; ++i) {
    const double n = 1 + 100000 * unit(rng);
    max.set(i, 0, 10 * unit(rng) - 5);
    sum.set(i, 0, 1 + (n - 1) * unit(rng));
    predicted.set(i, 0, -20 * unit(rng));
  }
  flce::fused_cross_entropy_loss_with_max_sum(max.vector(), sum.vector(), predicted.vector(), loss.vector());
  for (int64_t i = 0; i < m; ++i) {
    ASSERT_GE(loss.get(i), -1e-6);
    ASSERT_NEAR(loss.get(i), std::log(sum.get(i)) - predicted.get(i), 1e-5);
  }
}

// pytorch 90793, Liger 47: offsets beyond 2^31 elements. Rows far apart in a sparse mapping reach them cheaply: a view
// of 3 rows with a stride of 2^30 elements, over one buffer, read only where it is backed.
TEST(Case, Id51_Id52_OffsetsBeyond32Bits) {
  const int64_t stride = (int64_t{1} << 30) + 1024, k = 8;
  Random c(kBf16, 3, k, 40, 51);
  const std::unique_ptr<uint16_t[]> big(new (std::nothrow) uint16_t[2 * stride + 40]);  // mapped, mostly not touched
  ASSERT_TRUE(big) << "no 4 GiB of address space";
  uint16_t* base = big.get();
  for (int64_t i = 0; i < 3; ++i) {
    for (int64_t j = 0; j < k; ++j) base[i * stride + j] = encode16(c.x.get(i, j), kBf16);
  }
  ASSERT_GT(2 * stride, int64_t{1} << 31);
  Array max(kF32, 3, 1), sum(kF32, 3, 1), predicted(kF32, 3, 1), mask(DType::kUInt8, 1, 1), local(DType::kInt32, 3, 1);
  flce::fused_linear_online_max_sum(flce::Matrix(base, kBf16, 3, k, stride, 1), c.w.matrix(), c.t.vector(), 0, 40,
                                    max.vector(), sum.vector(), predicted.vector(), mask.vector(), local.vector());
  const MaxSum want(c.x, c.w, c.t, 0, 40, {}, true);
  EXPECT_EQ(sum.values(), want.sum.values());
  EXPECT_EQ(predicted.values(), want.predicted.values());
  // Operator 2 on logits with the same row pitch.
  for (int64_t i = 0; i < 3; ++i) {
    for (int64_t j = 0; j < 40; ++j) base[i * stride + j] = encode16(want.logits.get(i, j), kBf16);
  }
  Array loss(kF32, 3, 1), softmax(kF32, 3, 40);
  flce::fused_cross_entropy_loss_with_max_sum(max.vector(), sum.vector(), predicted.vector(), loss.vector(),
                                              flce::Matrix(base, kBf16, 3, 40, stride, 1), softmax.matrix());
  EXPECT_EQ(softmax.values(), softmax_of(want, want.logits).values());
}

// TransformerEngine 2734: [S, B, V] logits seen as [B, S, V].
TEST(Case, Id53_TransposedLogits) {
  const int64_t s = 4, b = 2, v = 8;
  std::mt19937_64 rng(53);
  Array sbv(kF32, s * b, v);
  fill_random(&sbv, rng, 1);
  for (int64_t row = 0; row < b; ++row) {
    Array copy(kF32, s, v), loss_view(kF32, s, 1), loss_copy(kF32, s, 1), p_view(kF32, s, v), p_copy(kF32, s, v);
    Array max(kF32, s, 1), sum(kF32, s, 1), predicted(kF32, s, 1);
    flce::Matrix view = sbv.matrix();
    view.data = static_cast<const float*>(view.data) + row * v;
    view.rows = s;
    view.row_stride = b * v;
    for (int64_t i = 0; i < s; ++i) {
      std::vector<double> l(v);
      for (int64_t j = 0; j < v; ++j) copy.set(i, j, l[j] = sbv.get(i * b + row, j));
      const RowRef r = row_reference(l.data(), v, i);
      max.set(i, 0, r.max);
      sum.set(i, 0, r.sum);
      predicted.set(i, 0, r.predicted);
    }
    flce::fused_cross_entropy_loss_with_max_sum(max.vector(), sum.vector(), predicted.vector(), loss_view.vector(),
                                                view, p_view.matrix());
    flce::fused_cross_entropy_loss_with_max_sum(max.vector(), sum.vector(), predicted.vector(), loss_copy.vector(),
                                                copy.matrix(), p_copy.matrix());
    EXPECT_EQ(p_view.values(), p_copy.values());
    // The module on hidden states with the same view: identity weight makes hidden the logits.
    const Array w = identity(kF32, v, v), t = column(DType::kInt64, {0, 1, 2, 3});
    Array a(kF32, s, 1), c(kF32, s, 1);
    LossOptions none;
    none.reduction = Reduction::kNone;
    flce::LossInputs in;
    in.weight = w.matrix();
    in.target = t.vector();
    in.input = view;
    flce::loss_forward(in, none, {a.vector(), {}, {}, {}});
    in.input = copy.matrix();
    flce::loss_forward(in, none, {c.vector(), {}, {}, {}});
    EXPECT_EQ(a.values(), c.values());
    EXPECT_LE(worst(a.values(), loss_view.values()), 1e-6);
  }
}

// verl 6960, unsloth 10713

TEST(Case, Id55_Id56_StridedGradientAndLabels) {
  const Random c(kF32, 9, 6, 31, 55);
  const MaxSum f(c.x, c.w, c.t, 0, 31);
  for (const int64_t step : {2, 5}) {
    Array g(kF32, 9, 1, step), t(DType::kInt32, 9, 1, step);
    for (int64_t i = 0; i < 9; ++i) {
      g.set(i, 0, c.grad.get(i));
      t.set(i, 0, c.t.get(i));
    }
    EXPECT_EQ(MaxSum(c.x, c.w, t, 0, 31).loss(), f.loss());
    EXPECT_EQ(backward(c.x, c.w, f, g).dw.values(), backward(c.x, c.w, f, c.grad).dw.values());
  }
  // Labels of an expanded batch: stride 0.
  Array same(DType::kInt32, 9, 1);
  for (int64_t i = 0; i < 9; ++i) same.set(i, 0, c.t.get(0));
  const MaxSum want(c.x, c.w, same, 0, 31);
  flce::Vector expanded = c.t.vector();
  expanded.stride = 0;
  Array max(kF32, 9, 1), sum(kF32, 9, 1), predicted(kF32, 9, 1), mask(DType::kUInt8, 2, 1), local(DType::kInt32, 9, 1);
  flce::fused_linear_online_max_sum(c.x.matrix(), c.w.matrix(), expanded, 0, 31, max.vector(), sum.vector(),
                                    predicted.vector(), mask.vector(), local.vector());
  EXPECT_EQ(predicted.values(), want.predicted.values());
  EXPECT_EQ(local.values(), want.masked.values());
}

}  // namespace
}  // namespace flce_test
