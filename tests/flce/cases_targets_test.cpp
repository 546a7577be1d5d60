// Ids 1 to 16: which class belongs to whom, masks, and what ignored or foreign targets mean.
#include "cases.h"

namespace flce_test {
namespace {

// verl 04fb04cd

TEST(Case, Id01_LastClassDroppedByInclusiveCaller) {
  const Logits c({{3, 2, 1, 0}}, {3}, kBf16);
  const MaxSum right = c.run(0, 4), wrong = c.run(0, 3);
  EXPECT_EQ(right.max.get(0), 3);
  EXPECT_NEAR(right.sum.get(0), 1.5530018, 1e-6);
  EXPECT_EQ(right.predicted.get(0), -3);
  EXPECT_EQ(right.mask.get(0), 0);
  EXPECT_EQ(right.masked.get(0), 3);
  EXPECT_NEAR(right.loss()[0], 3.44019, 1e-5);
  const std::vector<double> d{0.64453, 0.23730, 0.08691, -0.96875};
  const Grads g = backward(c.x, c.w, right, ones(1));
  for (int j = 0; j < 4; ++j) EXPECT_NEAR(g.dx.get(0, j), d[j], 5e-6);
  EXPECT_EQ(wrong.mask.get(0), 1);
  EXPECT_EQ(wrong.predicted.get(0), 0);
  EXPECT_NEAR(wrong.loss()[0], 0.44019, 1e-5);
  EXPECT_NEAR(backward(c.x, c.w, wrong, ones(1)).dx.get(0, 3), 0.03198, 1e-4);
  expect_refused("vocab_end_index", [&] { c.run(0, 3, values()); });
}

TEST(Case, Id02_ClassOwnedByTwoRanks) {
  const Logits c({{3, 2, 1, 0}}, {4});
  const MaxSum r0 = c.run(0, 4), r1 = c.run(4, 8);
  EXPECT_EQ(r0.mask.get(0), 1);
  EXPECT_EQ(r0.masked.get(0), 0);
  EXPECT_EQ(static_cast<int>(r1.mask.get(0)) & 1, 0);
  EXPECT_EQ(r1.masked.get(0), 0);
  // The document's rule on the same bounds claims the class twice; here a range of n + 1 classes is an error.
  MaxSumOptions inclusive;
  inclusive.vocab_range = flce::VocabRange::kInclusive;
  expect_refused("vocab_end_index", [&] { c.run(0, 4, inclusive); });
  const MaxSum i0 = c.run(0, 3, inclusive), i1 = c.run(4, 7, inclusive);
  EXPECT_EQ((static_cast<int>(i0.mask.get(0)) & 1) + (static_cast<int>(i1.mask.get(0)) & 1), 1);
}

TEST(Case, Id03_RangeWiderThanTheShard) {
  const Logits c({{3, 2, 1, 0.5}}, {5});
  expect_refused("vocab_end_index", [&] { c.run(0, 8); });
  MaxSumOptions off;
  off.validate = flce::Validate::kOff;
  const MaxSum f = c.run(0, 8, off);
  EXPECT_TRUE(std::isnan(f.predicted.get(0)));
  EXPECT_TRUE(std::isnan(f.loss()[0]));
  expect_refused("masked_target", [&] { backward(c.x, c.w, f, ones(1)); });
  GradOptions unchecked;
  unchecked.validate = flce::Validate::kOff;
  EXPECT_TRUE(std::isnan(backward(c.x, c.w, f, ones(1), unchecked).dx.get(0, 0)));
}

// optax 1185

TEST(Case, Id04_TargetOutsideEveryShard) {
  const Logits c({{0.2, 0.1, 0.4, 0.6}}, {4});
  const MaxSum f = c.run(0, 4);
  EXPECT_EQ(f.predicted.get(0), 0);
  EXPECT_NEAR(f.loss()[0], 1.129976, 1e-6);
  expect_refused("target", [&] { c.run(0, 4, values(4)); });
  expect_refused("target", [&] { c.loss(); });
}

// pytorch 43840

TEST(Case, Id05_OutOfRangeLabelIsNotPlausible) {
  const Logits c({{2.5, 0, 0}, {0, 0, 2.5}}, {0, 1000});
  expect_refused("target", [&] { c.loss(); });
  LossOptions off;
  off.validate = flce::Validate::kOff;
  EXPECT_TRUE(std::isnan(c.loss(off)));
  EXPECT_NEAR(Logits({{2.5, 0, 0}}, {0}).loss(), 0.152008, 1e-6);
}

// pytorch 39769

TEST(Case, Id06_OutOfRangeLabelNegativeLoss) {
  std::mt19937_64 rng(6);
  Array x(kF32, 3, 5);
  fill_random(&x, rng, 1);
  std::vector<std::vector<double>> rows(3, std::vector<double>(5));
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 5; ++j) rows[i][j] = x.get(i, j);
  }
  expect_refused("target", [&] { Logits(rows, {1, 0, 5}).loss(); });
  expect_refused("target", [&] { Logits(rows, {1, 0, -1}).loss(); });
  EXPECT_GT(Logits(rows, {1, 0, 4}).loss(), 0);
}

// tt-metal 53209

TEST(Case, Id07_LabelEqualToVocabularySize) {
  const Logits c({{3, 2, 1, 0}}, {4});
  EXPECT_EQ(static_cast<int>(c.run(0, 4).mask.get(0)) & 1, 1);
  expect_refused("vocab_end_index", [&] { c.run(0, 5); });
  expect_refused("target", [&] { c.loss(); });
}

TEST(Case, Id09_IgnoreIndexAtOperatorAndModule) {
  const Logits c({{3, 2, 1, 0}}, {-100});
  const MaxSum f = c.run(0, 4);
  EXPECT_EQ(static_cast<int>(f.mask.get(0)) & 1, 1);
  EXPECT_EQ(f.predicted.get(0), 0);
  EXPECT_NEAR(f.loss()[0], 0.44019, 1e-5);
  EXPECT_NEAR(backward(c.x, c.w, f, ones(1)).dx.get(0, 0), 1 / 1.5530018, 1e-6);
  EXPECT_EQ(c.loss(), 0);
  Array loss(kF32, 1, 1), dx(kF32, 1, 4), dw(kF32, 4, 4);
  flce::LossGradients g;
  g.input_grad = dx.matrix();
  g.weight_grad = dw.matrix();
  flce::loss_forward_backward(c.inputs(), {}, {loss.vector(), {}, {}, {}}, {}, g);
  EXPECT_EQ(dx.values(), std::vector<double>(4, 0));
  EXPECT_EQ(dw.values(), std::vector<double>(16, 0));
}

TEST(Case, Id10_EmptyAndReversedRange) {
  const Logits c({{3, 2, 1, 0}, {0, 1, 2, 3}}, {2, 1});
  const MaxSum f = c.run(2, 2);
  EXPECT_EQ(static_cast<int>(f.mask.get(0)) & 3, 3);
  EXPECT_EQ(f.predicted.get(0), 0);
  EXPECT_EQ(f.predicted.get(1), 0);
  expect_refused("vocab_end_index", [&] { c.run(3, 2); });
  expect_refused("vocab_start_index", [&] { c.run(-1, 2); });
}

TEST(Case, Id11_TargetsAbove2To24) {
  const Array t = column(DType::kInt32, {16777216, 16777217, 16777219});
  Array mask(DType::kUInt8, 1, 1), local(DType::kInt32, 3, 1);
  flce::mask_targets(t.vector(), 16777216, 16777220, mask.vector(), local.vector());
  EXPECT_EQ(static_cast<int>(mask.get(0)) & 7, 0);
  EXPECT_EQ(local.values(), (std::vector<double>{0, 1, 3}));
  flce::mask_targets(t.vector(), 16777216, 16777217, mask.vector(), local.vector());
  EXPECT_EQ(static_cast<int>(mask.get(0)) & 7, 6);
}

// mxnet 8405

TEST(Case, Id12_FloatLabelsAreRefused) {
  Logits c({{3, 2, 1, 0}}, {3});
  c.t = column(kF32, {3});
  expect_refused("target", [&] { c.run(0, 4); });
  expect_refused("target", [&] { c.loss(); });
}

TEST(Case, Id13_PaddingBitsOfTheMask) {
  const Logits c({{3, 2}, {3, 2}, {3, 2}}, {1, 1, 1});
  EXPECT_EQ(c.run(0, 2).mask.get(0), 0x00);
  const Array t = column(DType::kInt32, {1, 1, 1});
  Array mask(DType::kUInt8, 1, 1), local(DType::kInt32, 3, 1);
  flce::mask_targets(t.vector(), 1, 2, mask.vector(), local.vector());
  EXPECT_EQ(mask.get(0), 0xF8);
  MaxSumOptions document;
  document.mask_pad = flce::MaskPad::kOnes;
  for (int start : {0, 1}) {
    flce::mask_targets(t.vector(), start, 2, mask.vector(), local.vector(), document);
    EXPECT_EQ(mask.get(0), 0xF8);
  }
}

TEST(Case, Id14_BitOrderOfTheMask) {
  const Array t = column(DType::kInt64, {0, 5, 1, 1, 1, 1, 1, 7, 1});
  Array mask(DType::kUInt8, 2, 1), local(DType::kInt64, 9, 1);
  flce::mask_targets(t.vector(), 0, 4, mask.vector(), local.vector());
  EXPECT_EQ(mask.values(), (std::vector<double>{0x82, 0x00}));
  MaxSumOptions document;
  document.mask_pad = flce::MaskPad::kOnes;
  flce::mask_targets(t.vector(), 0, 4, mask.vector(), local.vector(), document);
  EXPECT_EQ(mask.values(), (std::vector<double>{0x82, 0xFE}));
}

TEST(Case, Id16_LongerMaskAndBoolMask) {
  const Random c(kBf16, 64, 24, 100, 16);
  const MaxSum f(c.x, c.w, c.t, 0, 100);
  std::mt19937_64 rng(16);
  Array bits(DType::kUInt8, 9, 1), bools(DType::kBool, 64, 1);
  for (int i = 0; i < 9; ++i) bits.set(i, 0, static_cast<double>(rng() % 256));
  for (int i = 0; i < 64; ++i) bools.set(i, 0, (static_cast<int>(bits.get(i / 8)) >> (i % 8)) & 1);
  std::vector<Grads> all;
  for (const Array* mask : {&bits, &bools}) {
    all.push_back({Array(kF32, 64, 24), Array(kF32, 100, 24)});
    flce::fused_linear_cross_entropy_loss_with_max_sum_grad(c.grad.vector(), c.x.matrix(), c.w.matrix(), mask->vector(),
                                                            f.masked.vector(), all.back().dx.matrix(),
                                                            all.back().dw.matrix(), 0, f.max.vector(), f.sum.vector());
  }
  EXPECT_EQ(all[0].dx.values(), all[1].dx.values());
  EXPECT_EQ(all[0].dw.values(), all[1].dw.values());
  EXPECT_NE(all[0].dw.values(), backward(c.x, c.w, f, c.grad).dw.values());
}

}  // namespace
}  // namespace flce_test
