// Ids 58 to 79: the composed loss, protocol between ranks, extensions.
#include "cases.h"

namespace flce_test {
namespace {

// Liger 1298

TEST(Case, Id58_PerTokenGradientsDoNotMix) {
  const Logits c({{1, 0, 0}, {0, 0, 1}}, {0, 2});
  const Array u = column(kF32, {1, 0});
  LossOptions none;
  none.reduction = Reduction::kNone;
  Array loss(kF32, 2, 1), dx(kF32, 2, 3), dw(kF32, 3, 3);
  flce::LossGradients g;
  g.input_grad = dx.matrix();
  g.weight_grad = dw.matrix();
  flce::loss_forward_backward(c.inputs(), none, {loss.vector(), {}, {}, {}}, {u.vector(), {}, {}, {}}, g);
  for (int j = 0; j < 3; ++j) {
    EXPECT_EQ(dw.get(j, 2), 0);  // column 2 of dW comes from row 2 of the input alone
    EXPECT_EQ(dx.get(1, j), 0);
    EXPECT_NE(dw.get(j, 0), 0);
  }
}

// Automodel 3804

TEST(Case, Id59_MeanDoesNotDependOnChunks) {
  const Logits c({{1, 0}, {1, 0}, {2, 0}, {2, 0}}, {0, 1, 0, 1});
  for (const int64_t chunk : {0, 1, 2, 3, 4}) {
    LossOptions o;
    o.chunk_rows = chunk;
    Array loss(kF32, 1, 1), dx(kF32, 4, 2);
    flce::LossGradients g;
    g.input_grad = dx.matrix();
    flce::loss_forward_backward(c.inputs(), o, {loss.vector(), {}, {}, {}}, {}, g);
    EXPECT_NEAR(loss.get(0), 0.970095, 1e-6);
    EXPECT_NEAR(dx.get(0, 0), (1 / (1 + std::exp(-1.0)) - 1) / 4, 1e-6);
  }
}

// TransformerEngine (ROCm) 409

TEST(Case, Id62_MeanOverValidTokens) {
  const std::vector<std::vector<double>> rows{{1, 0}, {5, 0}, {2, 0}, {7, 0}};
  const double both = Logits(rows, {0, -100, 1, -100}).loss();
  const double first = Logits({rows[0], rows[2]}, {0, 1}).loss();
  EXPECT_NEAR(both, first, 1e-7);
}

// TransformerEngine 2476: the reference of these tests is computed apart. If it were the library's own value, a wrong

// formula would pass; so check that the reference alone gives a number known from elsewhere.

TEST(Case, Id63_ReferenceIsIndependent) {
  const double l[] = {3, 2, 1, 0};
  const RowRef r = row_reference(l, 4, 3);
  EXPECT_NEAR(r.lse - l[3], 3.4401896985611953, 1e-12);
}

// pytorch 72056, tinygrad 3570

TEST(Case, Id65_Id66_SmoothingIgnoredRowsAndClassWeights) {
  const Logits c({{0.1735, 0.2191},
                  {-0.1377, 0.3467},
                  {-0.2162, 0.2021},
                  {-0.1177, 0.2157},
                  {-0.1232, 0.2620},
                  {-0.1578, 0.4038},
                  {-0.0209, 0.3298},
                  {-0.0639, 0.2317},
                  {-0.3914, 0.2106},
                  {-0.4211, 0.3420}},
                 {0, -1, 0, 0, 0, 0, 0, 0, -1, 0});
  const Array weight = column(kF32, {1, 16});
  LossOptions o;
  o.ignore_index = -1;
  o.label_smoothing = 0.1;
  EXPECT_NEAR(c.loss(o, nullptr, &weight), 1.284227, 2e-6);
}

// Megatron 7452: the guard itself is in ranks_test.cpp (replicated shards are refused).

TEST(Case, Id68_ReplicatedLogitsWouldAddLog2) {
  const double right = 3.414267, wrong = 4.107414;
  EXPECT_NEAR(wrong - right, std::log(2.0), 1e-6);
  std::vector<double> l(8);
  for (int j = 0; j < 8; ++j) l[j] = kEight[j];
  const double one = Logits({l}, {6}).loss();
  std::vector<double> twice = l;
  twice.insert(twice.end(), l.begin(), l.end());
  EXPECT_NEAR(Logits({twice}, {6}).loss() - one, std::log(2.0), 1e-6);
}

// ms-swift 9947

TEST(Case, Id72_GradientOnOwnerAndOtherShard) {
  const double want[2][4] = {{0.05743, 0.08356, 0.06508, 0.33049}, {0.25738, 0.05743, -0.91644, 0.06508}};
  const Array x = column(kF32, {1}), t = column(DType::kInt32, {6});
  const Array top = column(kF32, {0.5}), sum = column(kF32, {3.0258509});
  for (int r = 0; r < 2; ++r) {
    Array w(kF32, 4, 1);
    for (int j = 0; j < 4; ++j) w.set(j, 0, kEight[4 * r + j]);
    const MaxSum f(x, w, t, 4 * r, 4 * r + 4);
    Array dx(kF32, 1, 1), dw(kF32, 4, 1);
    flce::fused_linear_cross_entropy_loss_with_max_sum_grad(ones(1).vector(), x.matrix(), w.matrix(), f.mask.vector(),
                                                            f.masked.vector(), dx.matrix(), dw.matrix(), 0,
                                                            top.vector(), sum.vector());
    for (int j = 0; j < 4; ++j) EXPECT_NEAR(dw.get(j), want[r][j], 1e-5);
  }
}

// Megatron-Bridge 5947

TEST(Case, Id75_LogitsAreUnchangedAfterTheLoss) {
  const Random c(kBf16, 33, 12, 300, 75);
  const MaxSum f(c.x, c.w, c.t, 0, 300, {}, true);
  const std::vector<char> logits = f.logits.bytes();
  const Array p = softmax_of(f, f.logits);
  const std::vector<char> soft = p.bytes(), x = c.x.bytes(), w = c.w.bytes();
  backward(c.x, c.w, f, c.grad, {}, &p);
  EXPECT_EQ(logits, f.logits.bytes());
  EXPECT_EQ(soft, p.bytes());
  EXPECT_EQ(x, c.x.bytes());
  EXPECT_EQ(w, c.w.bytes());
  GradOptions device;
  device.inplace_softmax = true;
  backward(c.x, c.w, f, c.grad, device, &p);
  EXPECT_NE(soft, p.bytes());  // only where it was asked for
}

// apple ml-cross-entropy 52

TEST(Case, Id76_Bias) {
  const Array bias = column(kF32, {3, 0, -3});
  EXPECT_NEAR(Logits({{1, 2, 3}}, {0}).loss({}, &bias), 0.142932, 1e-6);
  EXPECT_NEAR(Logits({{1, 2, 3}}, {0}).loss(), 2.407606, 1e-6);
}

// apple ml-cross-entropy 48

TEST(Case, Id77_Softcap) {
  LossOptions cap;
  cap.softcap = 30;
  EXPECT_NEAR(Logits({{40, 20, 0}}, {1}).loss(cap), 8.618542, 5e-6);
  EXPECT_NEAR(Logits({{40, 20, 0}}, {1}).loss(), 20, 1e-6);
}

// unsloth-zoo 930: the value of the report's own scale 0.0625 on logits 1, 2, 3.

TEST(Case, Id78_LogitScale) {
  LossOptions scaled;
  scaled.logit_scale = 0.0625;
  EXPECT_NEAR(Logits({{1, 2, 3}}, {0}).loss(scaled), 1.162414, 1e-6);
}

TEST(Case, Id79_TemperatureOnLogitsNotOnHidden) {
  const Array x = table(kF32, {{1, 0.3330078125}}), w = table(kF32, {{1, 1}, {0, 0}}), t = column(DType::kInt64, {0});
  LossOptions o;
  o.temperature = 0.7;
  flce::LossInputs in;
  in.input = x.matrix();
  in.weight = w.matrix();
  in.target = t.vector();
  Array loss(kF32, 1, 1), lse(kF32, 1, 1), lp(kF32, 1, 1);
  flce::loss_forward(in, o, {loss.vector(), lse.vector(), {}, lp.vector()});
  const double logit = lp.get(0) + lse.get(0);
  EXPECT_NEAR(logit, 1.3330078125 / 0.7, 1e-6);
  EXPECT_NEAR(round_to(1.3330078125 / 0.7, DType::kFloat32), 1.904297, 1e-6);
  EXPECT_NEAR(round_to(1 / 0.7, kBf16) + round_to(0.3330078125 / 0.7, kBf16), 1.906250,
              1e-6);  // what scaling the hidden gives
}

}  // namespace
}  // namespace flce_test
