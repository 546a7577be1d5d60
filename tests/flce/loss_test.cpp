// The composed loss: every option against a float64 reference written from the formula in flce/loss.h, gradients
// against finite differences through the float64 build of the same templates, both gradient paths, chunk sizes, ignored
// tokens, upstream gradients of every output.
#include "support.h"

#include <functional>

namespace flce_test {
namespace {

using flce::LossOptions;
using flce::Reduction;

struct Case {
  Array x, w, t, bias, tw, cw;
  bool with_bias = true, with_tw = true, with_cw = true;
  flce::LossInputs inputs() const {
    flce::LossInputs in;
    in.input = x.matrix();
    in.weight = w.matrix();
    in.target = t.vector();
    if (with_bias) in.bias = bias.vector();
    if (with_tw) in.token_weight = tw.vector();
    if (with_cw) in.class_weight = cw.vector();
    return in;
  }
};

Case make_case(DType t, int64_t m, int64_t k, int64_t n, uint64_t seed, double ignored = 0.2) {
  std::mt19937_64 rng(seed);
  const DType s = t == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  Case c{Array(t, m, k), Array(t, n, k), Array(DType::kInt64, m, 1), Array(s, n, 1), Array(s, m, 1), Array(s, n, 1)};
  fill_random(&c.x, rng, 1);
  fill_random(&c.w, rng, 1.5 / std::sqrt(static_cast<double>(k)));
  fill_random(&c.bias, rng, 0.5);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int64_t i = 0; i < m; ++i) c.tw.set(i, 0, 0.5 + unit(rng));
  for (int64_t j = 0; j < n; ++j) c.cw.set(j, 0, 0.25 + unit(rng));
  for (int64_t i = 0; i < m; ++i) c.t.set(i, 0, unit(rng) < ignored ? -100 : static_cast<double>(rng() % n));
  return c;
}

struct Reference {
  std::vector<double> per_token, lse, entropy, log_prob;
  double reduced = 0;
};

Reference reference(const Case& c, const LossOptions& o) {
  const int64_t m = c.x.rows, n = c.w.rows;
  const std::vector<double> z = product(c.x, c.w);
  Reference r;
  double eps = o.label_smoothing;
  if (o.smoothing_formula == flce::SmoothingFormula::kMegatron) eps = eps * n / (n - 1);
  double denominator = 0;
  for (int64_t i = 0; i < m; ++i) {
    const auto target = static_cast<int64_t>(c.t.get(i));
    r.per_token.push_back(0);
    r.lse.push_back(0);
    r.entropy.push_back(0);
    r.log_prob.push_back(0);
    if (target == o.ignore_index) continue;
    std::vector<double> l(n);
    double top = -kInf, sum = 0;
    for (int64_t j = 0; j < n; ++j) {
      l[j] = (z[i * n + j] + (c.with_bias ? c.bias.get(j) : 0)) * o.logit_scale;
      if (o.softcap > 0 && l[j] != -kInf) l[j] = o.softcap * std::tanh(l[j] / o.softcap);
      l[j] /= o.temperature;
      top = std::max(top, l[j]);
    }
    for (double v : l) sum += std::exp(v - top);
    const double lse = top + std::log(sum);
    const double wt = c.with_cw ? c.cw.get(target) : 1;
    double loss = (1 - eps) * wt * (lse - l[target]), h = 0;
    for (int64_t j = 0; j < n; ++j) {
      if (eps > 0) loss += eps / n * (c.with_cw ? c.cw.get(j) : 1) * (lse - l[j]);
      const double p = std::exp(l[j] - lse);
      if (p > 0) h -= p * (l[j] - lse);
    }
    loss += o.z_loss * lse * lse;
    r.per_token[i] = loss * (c.with_tw ? c.tw.get(i) : 1);
    r.lse[i] = lse;
    r.entropy[i] = h;
    r.log_prob[i] = l[target] - lse;
    r.reduced += r.per_token[i];
    denominator += c.with_cw ? wt : 1;
  }
  if (o.reduction == Reduction::kMean) r.reduced = denominator > 0 ? r.reduced / denominator : 0;
  return r;
}

struct Result {
  Array loss, lse, entropy, log_prob, dx, dw, db;
  Result(const Case& c, const LossOptions& o)
      : loss(type(c), o.reduction == Reduction::kNone ? c.x.rows : 1, 1),
        lse(type(c), c.x.rows, 1),
        entropy(type(c), c.x.rows, 1),
        log_prob(type(c), c.x.rows, 1),
        dx(c.x.dtype, c.x.rows, c.x.cols),
        dw(c.x.dtype, c.w.rows, c.w.cols),
        db(type(c), c.w.rows, 1) {}
  static DType type(const Case& c) { return c.bias.dtype; }
  flce::LossOutputs outputs() { return {loss.vector(), lse.vector(), entropy.vector(), log_prob.vector()}; }
  flce::LossGradients gradients(const Case& c) {
    flce::LossGradients g;
    g.input_grad = dx.matrix();
    g.weight_grad = dw.matrix();
    if (c.with_bias) g.bias_grad = db.vector();
    return g;
  }
};

std::vector<LossOptions> option_grid() {
  std::vector<LossOptions> all;
  for (int i = 0; i < 12; ++i) {
    LossOptions o;
    o.reduction = static_cast<Reduction>(i % 3);
    if (i & 1) o.label_smoothing = 0.1;
    if (i & 2) o.smoothing_formula = flce::SmoothingFormula::kMegatron;
    if (i % 4 == 1) o.z_loss = 1e-2;
    if (i % 5 == 2) o.softcap = 3;
    if (i % 5 == 3) o.temperature = 0.7;
    if (i % 7 == 4) o.logit_scale = 0.25;
    all.push_back(o);
  }
  return all;
}

TEST(Loss, ValuesOfEveryOption) {
  for_each_isa([&] {
    uint64_t seed = 100;
    for (const LossOptions& base : option_grid()) {
      for (const auto& [t, tol] :
           {std::pair{DType::kFloat32, 2e-5}, {DType::kBFloat16, 2e-5}, {DType::kFloat64, 1e-12}}) {
        Case c = make_case(t, 23, 17, 290, ++seed);
        c.with_bias = seed % 2;
        c.with_cw = seed % 3 == 0;
        c.with_tw = seed % 5 != 0;
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Result r(c, base);
        flce::loss_forward(c.inputs(), base, r.outputs());
        const Reference want = reference(c, base);
        if (base.reduction == Reduction::kNone) {
          EXPECT_LE(worst(r.loss.values(), want.per_token), tol);
        } else {
          EXPECT_NEAR(r.loss.get(0), want.reduced, tol * (1 + std::fabs(want.reduced)));
        }
        EXPECT_LE(worst(r.lse.values(), want.lse), tol);
        EXPECT_LE(worst(r.entropy.values(), want.entropy), tol);
        EXPECT_LE(worst(r.log_prob.values(), want.log_prob), tol);
      }
    }
  });
}

// d(sum of everything)/d(argument) by central differences in float64, for a random linear combination of the outputs.
TEST(Loss, FiniteDifferencesInFloat64) {
  uint64_t seed = 200;
  for (const LossOptions& o : option_grid()) {
    ++seed;
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Case c = make_case(DType::kFloat64, 7, 5, 11, seed);
    c.with_cw = seed % 3 == 0;
    std::mt19937_64 rng(seed);
    const int64_t m = c.x.rows;
    Array u_loss(DType::kFloat64, o.reduction == Reduction::kNone ? m : 1, 1), u(DType::kFloat64, 3 * m, 1);
    fill_random(&u_loss, rng, 1);
    fill_random(&u, rng, 1);
    auto value = [&] {
      Result r(c, o);
      flce::loss_forward(c.inputs(), o, r.outputs());
      double v = 0;
      for (int64_t i = 0; i < r.loss.rows; ++i) v += r.loss.get(i) * u_loss.get(i);
      for (int64_t i = 0; i < m; ++i)
        v += r.lse.get(i) * u.get(i) + r.entropy.get(i) * u.get(m + i) + r.log_prob.get(i) * u.get(2 * m + i);
      return v;
    };
    flce::LossUpstream up{u_loss.vector(), u.vector(), u.vector(), u.vector()};
    up.lse.size = up.entropy.size = up.log_prob.size = m;
    up.entropy.data = static_cast<const double*>(up.entropy.data) + m;
    up.log_prob.data = static_cast<const double*>(up.log_prob.data) + 2 * m;
    Result fused(c, o), split(c, o);
    flce::loss_forward_backward(c.inputs(), o, fused.outputs(), up, fused.gradients(c));
    const flce::LossState s = flce::loss_forward(c.inputs(), o, split.outputs());
    flce::loss_backward(c.inputs(), o, s, up, split.gradients(c));
    auto check = [&](Array* a, const Array& g1, const Array& g2, const char* what) {
      for (int64_t i = 0; i < a->rows; ++i) {
        for (int64_t j = 0; j < a->cols; ++j) {
          const double keep = a->get(i, j), h = 1e-6;
          a->set(i, j, keep + h);
          const double up_value = value();
          a->set(i, j, keep - h);
          const double slope = (up_value - value()) / (2 * h);
          a->set(i, j, keep);
          ASSERT_NEAR(g1.get(i, j), slope, 2e-7 * (1 + std::fabs(slope))) << what << " fused " << i << "," << j;
          ASSERT_NEAR(g2.get(i, j), slope, 2e-7 * (1 + std::fabs(slope))) << what << " split " << i << "," << j;
        }
      }
    };
    check(&c.x, fused.dx, split.dx, "input");
    check(&c.w, fused.dw, split.dw, "weight");
    check(&c.bias, fused.db, split.db, "bias");
  }
}

// fp32 and bf16 gradients of both paths against the float64 build on the same values.
TEST(Loss, BothPathsMatchFloat64) {
  for_each_isa([&] {
    uint64_t seed = 300;
    for (const LossOptions& base : option_grid()) {
      for (const DType t : {DType::kFloat32, DType::kBFloat16}) {
        ++seed;
        SCOPED_TRACE(testing::Message() << "seed " << seed << " " << flce::name_of(t));
        Case c = make_case(t, 61, 29, 521, seed);
        c.with_cw = seed % 3 == 0;
        c.with_bias = seed % 2;
        Case d = make_case(DType::kFloat64, 61, 29, 521, seed);
        for (auto& [to, from] :
             {std::pair{&d.x, &c.x}, {&d.w, &c.w}, {&d.bias, &c.bias}, {&d.tw, &c.tw}, {&d.cw, &c.cw}}) {
          for (int64_t i = 0; i < to->rows; ++i) {
            for (int64_t j = 0; j < to->cols; ++j) to->set(i, j, from->get(i, j));
          }
        }
        d.with_cw = c.with_cw;
        d.with_bias = c.with_bias;
        Result want(d, base), fused(c, base), split(c, base);
        flce::loss_forward_backward(d.inputs(), base, want.outputs(), {}, want.gradients(d));
        LossOptions o = base;
        o.chunk_rows = 1 + seed % 40;
        flce::loss_forward_backward(c.inputs(), o, fused.outputs(), {}, fused.gradients(c));
        const flce::LossState s = flce::loss_forward(c.inputs(), base, split.outputs());
        flce::loss_backward(c.inputs(), base, s, {}, split.gradients(c));
        const double tol = t == DType::kFloat32 ? 3e-6 : 5e-3;
        EXPECT_EQ(fused.loss.values(), split.loss.values());
        for (const Result* r : {&fused, &split}) {
          EXPECT_LE(worst(r->loss.values(), want.loss.values()), 2e-5);
          EXPECT_LE(relative_norm(r->dx.values(), want.dx.values()), tol);
          EXPECT_LE(relative_norm(r->dw.values(), want.dw.values()), tol);
          if (c.with_bias) {
            EXPECT_LE(relative_norm(r->db.values(), want.db.values()), tol);
          }
        }
      }
    }
  });
}

TEST(Loss, ChunksAndThreadsChangeNothing) {
  const Case c = make_case(DType::kFloat32, 700, 33, 1500, 41);
  LossOptions o;
  o.label_smoothing = 0.1;
  auto run = [&](int64_t chunk, int threads) {
    LossOptions each = o;
    each.chunk_rows = chunk;
    each.threads = threads;
    Result r(c, each);
    flce::loss_forward_backward(c.inputs(), each, r.outputs(), {}, r.gradients(c));
    return r;
  };
  const Result base = run(256, 1);
  for (const int threads : {2, 3, 7}) {
    const Result r = run(256, threads);
    EXPECT_EQ(r.loss.values(), base.loss.values());
    EXPECT_EQ(r.dx.values(), base.dx.values());
    EXPECT_EQ(r.dw.values(), base.dw.values());
  }
  for (const int64_t chunk : {1, 7, 100, 512, 100000}) {
    const Result r = run(chunk, 2);
    EXPECT_EQ(r.loss.values(), base.loss.values());
    EXPECT_EQ(r.dx.values(), base.dx.values());
    EXPECT_LE(relative_norm(r.dw.values(), base.dw.values()), 1e-6) << "chunk " << chunk;
  }
  // Multiples of 512 keep the order of additions.
  EXPECT_EQ(run(512, 2).dw.values(), run(1024, 3).dw.values());
}

// More blocks of columns than the gradient pass keeps at a time, few and many: tasks wait for each other in every
// order.
TEST(Loss, ManyBlocksGiveEqualBitsForAnyThreads) {
  for (const int64_t n : {255, 256 * 3, 256 * 16 + 1, 256 * 41 + 19}) {
    const Case c = make_case(DType::kFloat32, 19, 37, n, 43);
    auto run = [&](bool recompute, int threads) {
      LossOptions o;
      o.threads = threads;
      Result r(c, o);
      if (recompute) {
        const flce::LossState s = flce::loss_forward(c.inputs(), o, r.outputs());
        flce::loss_backward(c.inputs(), o, s, {}, r.gradients(c));
      } else {
        flce::loss_forward_backward(c.inputs(), o, r.outputs(), {}, r.gradients(c));
      }
      return r;
    };
    const Result base = run(false, 1);
    for (const int threads : {1, 2, 3, 8}) {
      for (const bool recompute : {false, true}) {
        SCOPED_TRACE(testing::Message() << "n " << n << ", threads " << threads << ", recompute " << recompute);
        const Result r = run(recompute, threads);
        EXPECT_EQ(r.loss.values(), base.loss.values());
        EXPECT_EQ(r.dx.values(), base.dx.values());
        EXPECT_EQ(r.dw.values(), base.dw.values());
      }
    }
  }
}

TEST(Loss, IgnoredRowsMayHoldAnything) {
  Case c = make_case(DType::kFloat32, 40, 9, 33, 51, 0.4);
  Case clean = make_case(DType::kFloat32, 40, 9, 33, 51, 0.4);
  for (int64_t i = 0; i < 40; ++i) {
    if (c.t.get(i) == -100) {
      for (int64_t j = 0; j < 9; ++j) c.x.set(i, j, j % 2 ? std::nan("") : kInf);
    }
  }
  for (const bool accumulate : {false, true}) {
    Result a(c, {}), b(clean, {});
    for (Result* r : {&a, &b}) {
      const Case& from = r == &a ? c : clean;
      flce::LossGradients g = r->gradients(from);
      for (int64_t i = 0; i < 40; ++i) {
        for (int64_t j = 0; j < 9; ++j) r->dx.set(i, j, 1);
      }
      for (int64_t i = 0; i < 33; ++i) {
        for (int64_t j = 0; j < 9; ++j) r->dw.set(i, j, 1);
      }
      g.accumulate_input = g.accumulate_weight = accumulate;
      flce::loss_forward_backward(from.inputs(), {}, r->outputs(), {}, g);
    }
    EXPECT_EQ(a.loss.values(), b.loss.values());
    EXPECT_EQ(a.dx.values(), b.dx.values());
    EXPECT_EQ(a.dw.values(), b.dw.values());
    for (int64_t i = 0; i < 40; ++i) {
      if (c.t.get(i) == -100) {
        EXPECT_EQ(a.dx.get(i, 3), accumulate ? 1 : 0);
      }
    }
  }
}

TEST(Loss, NormalizerAndHalfGradients) {
  const Case c = make_case(DType::kBFloat16, 30, 16, 64, 61);
  LossOptions sum, mean;
  sum.reduction = Reduction::kSum;
  mean.normalizer = 8;
  Result a(c, sum), b(c, mean);
  flce::loss_forward_backward(c.inputs(), sum, a.outputs(), {}, a.gradients(c));
  flce::loss_forward_backward(c.inputs(), mean, b.outputs(), {}, b.gradients(c));
  EXPECT_NEAR(a.loss.get(0) / 8, b.loss.get(0), 1e-5);
  for (int64_t j = 0; j < 64; ++j) EXPECT_EQ(a.dw.get(j, 3) / 8, b.dw.get(j, 3));
}

}  // namespace
}  // namespace flce_test
