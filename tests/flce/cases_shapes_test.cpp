// Ids 17 to 34: empty and odd shapes, shards, rounding, precision of the true class. Ids 18 and 21 also in Python.
#include "cases.h"

namespace flce_test {
namespace {

TEST(Case, Id17_NoTokens) {
  const Random c(kBf16, 0, 24, 50, 17);
  const MaxSum f(c.x, c.w, c.t, 0, 50, {}, false);
  EXPECT_TRUE(f.loss().empty());
  Array dx(kF32, 0, 24), dw(kF32, 50, 24);
  for (int i = 0; i < 50; ++i) {
    for (int j = 0; j < 24; ++j) dw.set(i, j, std::nan(""));
  }
  flce::fused_linear_cross_entropy_loss_with_max_sum_grad(c.grad.vector(), c.x.matrix(), c.w.matrix(), f.mask.vector(),
                                                          f.masked.vector(), dx.matrix(), dw.matrix(), 0,
                                                          f.max.vector(), f.sum.vector());
  EXPECT_EQ(dw.values(), std::vector<double>(50 * 24, 0));
}

// trl 6859, pytorch 75181, apple 49

TEST(Case, Id18_Id21_Id61_NothingToAverage) {
  for (const int64_t m : {0, 3}) {
    Random c(kF32, m, 6, 9, 18);
    for (int64_t i = 0; i < m; ++i) c.t.set(i, 0, -100);
    for (const auto empty : {flce::EmptyMean::kZero, flce::EmptyMean::kNaN}) {
      LossOptions o;
      o.empty_mean = empty;
      flce::LossInputs in;
      in.input = c.x.matrix();
      in.weight = c.w.matrix();
      in.target = c.t.vector();
      Array loss(kF32, 1, 1), dx(kF32, m, 6), dw(kF32, 9, 6);
      for (int i = 0; i < 9; ++i) {
        for (int j = 0; j < 6; ++j) dw.set(i, j, std::nan(""));
      }
      flce::LossGradients g;
      g.input_grad = dx.matrix();
      g.weight_grad = dw.matrix();
      flce::loss_forward_backward(in, o, {loss.vector(), {}, {}, {}}, {}, g);
      if (empty == flce::EmptyMean::kZero) {
        EXPECT_EQ(loss.get(0), 0);
      } else {
        EXPECT_TRUE(std::isnan(loss.get(0)));
      }
      EXPECT_EQ(dx.values(), std::vector<double>(m * 6, 0));
      EXPECT_EQ(dw.values(), std::vector<double>(54, 0));
    }
  }
}

TEST(Case, Id19_NoHiddenSize) {
  const Random c(kBf16, 16, 0, 5, 19);
  const MaxSum f(c.x, c.w, c.t, 0, 5, {}, true);
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(f.max.get(i), 0);
    EXPECT_EQ(f.sum.get(i), 5);
    EXPECT_EQ(f.predicted.get(i), 0);
    EXPECT_NEAR(f.loss()[i], 1.60944, 1e-5);
  }
  EXPECT_EQ(f.logits.values(), std::vector<double>(80, 0));
}

// Liger 767, Paddle 79523, pytorch 73165; the sharded form is in ranks_test.cpp.

TEST(Case, Id20_Id22_Id23_NoClasses) {
  for (const int64_t m : {1, 5, 8192}) {
    const Random c(kF32, m, 4, 1, 20);
    const Array w(kF32, 0, 4);
    expect_refused("weight", [&] { MaxSum(c.x, w, c.t, 0, 0); });
    flce::LossInputs in;
    in.input = c.x.matrix();
    in.weight = w.matrix();
    in.target = c.t.vector();
    Array loss(kF32, 1, 1);
    expect_refused("weight", [&] { flce::loss_forward(in, {}, {loss.vector(), {}, {}, {}}); });
  }
}

TEST(Case, Id24_SingleRowAndOneRowTail) {
  for (const int64_t m : {1, 129}) {
    expect_dense(Random(kF32, m, 32, 257, 24), 1e-5);
    expect_dense(Random(kBf16, m, 32, 257, 24), 2e-3);
  }
}

TEST(Case, Id25_LimitsOfTheSoftmaxMode) {
  for (const int64_t n : {127, 128, 24560, 24561}) {
    const Random c(kBf16, 3, 4, n, 25);
    const MaxSum f(c.x, c.w, c.t, 0, n, {}, true);
    const Array p = softmax_of(f, f.logits);
    GradOptions device;
    device.device_limits = true;
    if (n == 127 || n == 24561) {
      expect_refused("softmax", [&] { backward(c.x, c.w, f, c.grad, device, &p); });
    } else {
      backward(c.x, c.w, f, c.grad, device, &p);
    }
    expect_dense(c, 2e-3);
  }
}

// Megatron 1754; with real shards and gradients in ranks_test.cpp.

TEST(Case, Id26_UnevenShards) {
  for (const int64_t cut : {4, 3}) {
    const Array x = column(kF32, {1});
    const Array t = column(DType::kInt32, {6});
    std::vector<std::vector<double>> a, b;
    for (int64_t j = 0; j < 8; ++j) (j < cut ? a : b).push_back({kEight[j]});
    const MaxSum r0(x, table(kF32, a), t, 0, cut), r1(x, table(kF32, b), t, cut, 8);
    const double top = std::max(r0.max.get(0), r1.max.get(0));
    const double s0 = std::exp(r0.max.get(0) - top), s1 = std::exp(r1.max.get(0) - top);
    const double sum = r0.sum.get(0) * s0 + r1.sum.get(0) * s1, p = r1.predicted.get(0) + r1.max.get(0) - top;
    EXPECT_NEAR(top, 0.5, 1e-7);
    EXPECT_NEAR(sum, 3.025851, 1e-5);
    EXPECT_NEAR(p, -1.375, 1e-6);
    EXPECT_NEAR(std::log(sum) - p, 2.482192, 1e-5);
    if (cut == 4) {
      EXPECT_NEAR(r0.sum.get(0), 1.62353, 1e-5);
      EXPECT_NEAR(r1.sum.get(0), 1.80062, 1e-5);
      EXPECT_NEAR(r1.predicted.get(0), -1.125, 1e-6);
    }
  }
}

TEST(Case, Id27_PaddedRowsAreMaskedByBias) {
  Array x(kF32, 1, 1), w(kF32, 50258, 1), bias(kF32, 50258, 1);
  x.set(0, 0, 1);
  for (int64_t j = 0; j < 50258; ++j) {
    w.set(j, 0, 0);
    bias.set(j, 0, j == 50257 ? -kInf : 0);
  }
  const Array t = column(DType::kInt64, {7});
  flce::LossInputs in;
  in.input = x.matrix();
  in.weight = w.matrix();
  in.target = t.vector();
  Array loss(kF32, 1, 1);
  flce::loss_forward(in, {}, {loss.vector(), {}, {}, {}});
  EXPECT_NEAR(loss.get(0), 10.824925, 1e-6);
  in.bias = bias.vector();
  flce::loss_forward(in, {}, {loss.vector(), {}, {}, {}});
  EXPECT_NEAR(loss.get(0), 10.824905, 1e-6);
}

// unsloth 10616

TEST(Case, Id29_SoftcapKeepsMaskedLanesMasked) {
  LossOptions cap;
  cap.softcap = 30;
  EXPECT_NEAR(Logits({{-200, -201, -202}}, {0}).loss(cap), 1.098606, 2e-6);
  const Array bias = column(kF32, {0, 0, 0, -kInf, -kInf, -kInf, -kInf, -kInf});
  EXPECT_NEAR(Logits({{-200, -201, -202, 9, 9, 9, 9, 9}}, {0}).loss(cap, &bias), 1.098606, 2e-6);
  for (const int64_t n : {32000, 65537, 256000}) {  // column tails of every kind
    Array x(kF32, 1, 1), w(kF32, n, 1);
    x.set(0, 0, 1);
    for (int64_t j = 0; j < n; ++j) w.set(j, 0, -200);
    const Array t = column(DType::kInt64, {static_cast<double>(n - 1)});
    flce::LossInputs in;
    in.input = x.matrix();
    in.weight = w.matrix();
    in.target = t.vector();
    Array loss(kF32, 1, 1);
    flce::loss_forward(in, cap, {loss.vector(), {}, {}, {}});
    EXPECT_NEAR(loss.get(0), std::log(static_cast<double>(n)), 1e-5);
  }
}

// Two classes whose logits differ by 6 % of one bf16 step (marin 8217).

Random two_classes(double s) {
  const double step = std::ldexp(1.0, std::ilogb(s) - 7);
  Random c(kBf16, 1, 2, 2, 31);
  c.x = table(kBf16, {{s, 1}});
  c.w = table(kBf16, {{1, 0.47 * step}, {1, 0.53 * step}});
  c.t.set(0, 0, 0);
  c.grad.set(0, 0, 1);
  return c;
}

TEST(Case, Id31_ForwardAndBackwardRoundAlike) {
  const double rounded[] = {0.7576, 1.3133, 4.0181}, unrounded[] = {0.6969, 0.7239, 0.8216};
  int at = 0;
  for (const double s : {16.0, 128.0, 512.0}) {
    const Random c = two_classes(s);
    for (const auto type : {flce::LogitsType::kInput, flce::LogitsType::kFloat32}) {
      MaxSumOptions fo;
      fo.logits_type = type;
      GradOptions bo;
      bo.logits_type = type;
      bo.dlogits_type = flce::LogitsType::kFloat32;
      const MaxSum f(c.x, c.w, c.t, 0, 2, fo);
      EXPECT_NEAR(f.loss()[0], (type == flce::LogitsType::kInput ? rounded : unrounded)[at], 1e-4);
      // dX through a probe column: x = (s, 1) and weight (1, *): the first entry of dx is the sum of D = row sum - 1.
      EXPECT_NEAR(backward(c.x, c.w, f, c.grad, bo).dx.get(0, 0) + 1, 1, 1e-5);
    }
    ++at;
  }
}

TEST(Case, Id32_SoftmaxOfReturnedLogitsSumsToOne) {
  for (const double s : {16.0, 128.0, 512.0}) {
    const Random c = two_classes(s);
    const MaxSum f(c.x, c.w, c.t, 0, 2, {}, true);
    const Array p = softmax_of(f, f.logits);
    EXPECT_NEAR(p.get(0, 0) + p.get(0, 1), 1, 1e-5);
    EXPECT_LE(p.get(0, 0), 1);
    EXPECT_LE(p.get(0, 1), 1);
  }
}

// Liger 1329, 1341

TEST(Case, Id34_TrueClassGradientSurvivesBf16) {
  const int64_t v = 32000;
  for (const double p : {0.9, 0.99, 0.999}) {
    Array x(kBf16, 1, 2), w(kBf16, v, 2);
    // logit = x . w; the target gets log(p / (1 - p) * (V - 1)) split over two bf16 numbers.
    const double l = std::log(p / (1 - p) * (v - 1));
    x.set(0, 0, 1);
    x.set(0, 1, 1.0 / 256);
    for (int64_t j = 0; j < v; ++j) {
      w.set(j, 0, j == 17 ? round_to(l, kBf16) : 0);
      w.set(j, 1, j == 17 ? (l - round_to(l, kBf16)) * 256 : 0);
    }
    const double exact = w.get(17, 0) + w.get(17, 1) / 256, true_p = std::exp(exact) / (std::exp(exact) + v - 1);
    const Array t = column(DType::kInt32, {17});
    MaxSumOptions fo;
    fo.logits_type = flce::LogitsType::kFloat32;
    const MaxSum f(x, w, t, 0, v, fo, true);
    GradOptions bo;
    bo.logits_type = flce::LogitsType::kFloat32;
    const Grads g = backward(x, w, f, ones(1), bo, nullptr, kBf16);
    EXPECT_LE(std::fabs(g.dw.get(17, 0) / (true_p - 1) - 1), 0.006) << p;
    // From stored bf16 logits, against the probability those logits mean.
    const MaxSum fi(x, w, t, 0, v, {}, true);
    const Array soft = softmax_of(fi, fi.logits);
    const double li = fi.logits.get(0, 17), pi = std::exp(li) / (std::exp(li) + v - 1);
    EXPECT_LE(std::fabs(backward(x, w, fi, ones(1), {}, &soft, kBf16).dw.get(17, 0) / (pi - 1) - 1), 0.006) << p;
  }
}

}  // namespace
}  // namespace flce_test
