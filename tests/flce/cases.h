// Helpers of the case tests: logits given as they are, one random case, backward and softmax through the operators.
// The number in each test name is the id in the project's list of public reports and documentation conflicts. Where a
// report quotes sizes for a GPU, the shape is scaled down and the property is the same.
#pragma once

#include "support.h"

namespace flce_test {

using flce::GradOptions;
using flce::LossOptions;
using flce::MaxSumOptions;
using flce::Reduction;
constexpr DType kF32 = DType::kFloat32, kBf16 = DType::kBFloat16, kF16 = DType::kFloat16;

// Logits as they are: input = logits, weight = identity.
struct Logits {
  Array x, w, t;
  Logits(const std::vector<std::vector<double>>& l, const std::vector<double>& targets, DType type = kF32)
      : x(table(type, l)), w(identity(type, x.cols, x.cols)), t(column(DType::kInt64, targets)) {}
  int64_t n() const { return w.rows; }
  MaxSum run(int64_t s, int64_t e, const MaxSumOptions& o = {}, bool logits = false) const {
    return {x, w, t, s, e, o, logits};
  }
  flce::LossInputs inputs() const {
    flce::LossInputs in;
    in.input = x.matrix();
    in.weight = w.matrix();
    in.target = t.vector();
    return in;
  }
  double loss(LossOptions o = {}, const Array* bias = nullptr, const Array* class_weight = nullptr) const {
    flce::LossInputs in = inputs();
    if (bias) in.bias = bias->vector();
    if (class_weight) in.class_weight = class_weight->vector();
    Array out(kF32, 1, 1);
    flce::loss_forward(in, o, {out.vector(), {}, {}, {}});
    return out.get(0);
  }
};

struct Grads {
  Array dx, dw;
};
inline Grads backward(const Array& x, const Array& w, const MaxSum& f, const Array& grad, GradOptions o = {},
                      const Array* softmax = nullptr, DType out = kF32) {
  Grads g{Array(out, x.rows, x.cols), Array(out, w.rows, w.cols)};
  flce::fused_linear_cross_entropy_loss_with_max_sum_grad(
      grad.vector(), x.matrix(), w.matrix(), f.mask.vector(), f.masked.vector(), g.dx.matrix(), g.dw.matrix(), 0,
      f.max.vector(), f.sum.vector(), softmax ? softmax->matrix() : flce::Matrix(), o);
  return g;
}
inline Array softmax_of(const MaxSum& f, const Array& logits) {
  Array p(kF32, logits.rows, logits.cols), loss(kF32, logits.rows, 1);
  flce::fused_cross_entropy_loss_with_max_sum(f.max.vector(), f.sum.vector(), f.predicted.vector(), loss.vector(),
                                              logits.matrix(), p.matrix());
  return p;
}
inline Array ones(int64_t m, double value = 1) {
  return column(kF32, std::vector<double>(m, value));
}
inline MaxSumOptions values(int64_t v = -1) {
  MaxSumOptions o;
  o.validate = flce::Validate::kValues;
  o.vocab_size = v;
  return o;
}

struct Random {
  Array x, w, t, grad;
  Random(DType type, int64_t m, int64_t k, int64_t n, uint64_t seed, double scale = 0.3)
      : x(type, m, k), w(type, n, k), t(DType::kInt32, m, 1), grad(kF32, m, 1) {
    std::mt19937_64 rng(seed);
    fill_random(&x, rng, 1);
    fill_random(&w, rng, scale);
    fill_random(&grad, rng, 1);
    for (int64_t i = 0; i < m; ++i) t.set(i, 0, static_cast<double>(rng() % n));
  }
};

// Operator results of one random case against float64, from the logits the operator itself returned.
inline void expect_dense(const Random& c, double limit) {
  const int64_t m = c.x.rows, n = c.w.rows, k = c.x.cols;
  const MaxSum f(c.x, c.w, c.t, 0, n, {}, true);
  const Array p = softmax_of(f, f.logits);
  std::vector<double> dx(m * k, 0), dw(n * k, 0);
  for (int64_t i = 0; i < m; ++i) {
    std::vector<double> l(n);
    for (int64_t j = 0; j < n; ++j) l[j] = f.logits.get(i, j);
    const RowRef r = row_reference(l.data(), n, static_cast<int64_t>(c.t.get(i)));
    EXPECT_NEAR(f.loss()[i], std::log(r.sum) - r.predicted, 1e-5 * (1 - r.predicted));
    for (int64_t j = 0; j < n; ++j) {
      const double d = round_to((std::exp(l[j] - r.lse) - (c.t.get(i) == j)) * c.grad.get(i), c.x.dtype);
      for (int64_t h = 0; h < k; ++h) {
        dx[i * k + h] += d * c.w.get(j, h);
        dw[j * k + h] += d * c.x.get(i, h);
      }
    }
  }
  for (const Array* stored : {static_cast<const Array*>(nullptr), &p}) {
    const Grads g = backward(c.x, c.w, f, c.grad, {}, stored);
    EXPECT_LE(relative_norm(g.dx.values(), dx), limit);
    EXPECT_LE(relative_norm(g.dw.values(), dw), limit);
  }
}

const std::vector<double> kEight{-1.25, -0.875, -1.125, 0.5, 0.25, -1.25, -0.875, -1.125};

}  // namespace flce_test
