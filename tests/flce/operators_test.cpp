// The three operators against float64 on random shapes (0, 1, primes, tile tails), formats, strides, all instruction
// sets; both backward modes; equal bits for every thread count.
#include "support.h"

namespace flce_test {
namespace {

struct Shape {
  int64_t m, k, n;
};
const Shape kShapes[] = {{1, 1, 1},     {1, 64, 257}, {7, 64, 257},   {129, 13, 300},
                         {13, 257, 31}, {3, 5, 513},  {33, 96, 1031}, {260, 7, 70}};

double tolerance(DType t) {
  return t == DType::kFloat64 ? 1e-12 : 2e-5;
}

Array random_targets(int64_t m, int64_t lo, int64_t hi, DType t, std::mt19937_64& rng) {
  Array a(t, m, 1);
  std::uniform_int_distribution<int64_t> pick(lo, hi);
  for (int64_t i = 0; i < m; ++i) a.set(i, 0, static_cast<double>(pick(rng)));
  return a;
}

class Operators : public testing::TestWithParam<DType> {};

TEST_P(Operators, ForwardMatchesFloat64) {
  for_each_isa([&] {
    std::mt19937_64 rng(11);
    for (const Shape& s : kShapes) {
      for (const auto type : {flce::LogitsType::kInput, flce::LogitsType::kFloat32}) {
        SCOPED_TRACE(testing::Message() << "seed 11, m " << s.m << " k " << s.k << " n " << s.n);
        Array x(GetParam(), s.m, s.k), w(GetParam(), s.n, s.k, 1, 3);
        fill_random(&x, rng, 1);
        fill_random(&w, rng, 2 / std::sqrt(static_cast<double>(s.k)));
        const int64_t start = 5;
        const Array t = random_targets(s.m, 0, start + s.n + 5, DType::kInt32, rng);
        flce::MaxSumOptions o;
        o.logits_type = type;
        const MaxSum got(x, w, t, start, start + s.n, o, true);
        std::vector<double> l = product(x, w);
        const std::vector<double> logits = got.logits.values();
        // Rounded logits are compared on the rounded values the library returned, after checking those.
        const bool rounds =
            type == flce::LogitsType::kInput && (GetParam() == DType::kBFloat16 || GetParam() == DType::kFloat16);
        EXPECT_LE(worst(logits, l), rounds || GetParam() == DType::kBFloat16 ? 0.0042 : 0.0006);
        if (rounds) l = logits;
        for (int64_t i = 0; i < s.m; ++i) {
          const int64_t local = static_cast<int64_t>(t.get(i)) - start;
          const bool owned = local >= 0 && local < s.n;
          const RowRef r = row_reference(l.data() + i * s.n, s.n, owned ? local : -1);
          EXPECT_NEAR(got.max.get(i), r.max, tolerance(GetParam()) * (1 + std::fabs(r.max)));
          EXPECT_NEAR(got.sum.get(i) / r.sum, 1, 10 * tolerance(GetParam()));
          EXPECT_NEAR(got.predicted.get(i), r.predicted, 2 * tolerance(GetParam()) * (1 + std::fabs(r.predicted)));
          EXPECT_EQ((static_cast<int>(got.mask.get(i / 8)) >> (i % 8)) & 1, owned ? 0 : 1);
          EXPECT_EQ(got.masked.get(i), owned ? local : 0);
          EXPECT_NEAR(got.loss()[i], std::log(r.sum) - r.predicted,
                      20 * tolerance(GetParam()) * (1 + std::fabs(r.predicted)));
        }
      }
    }
  });
}

// D, input_grad and weight_grad from the formula, with the rounding of D.
struct GradRef {
  std::vector<double> dx, dw;
};
GradRef grad_reference(const std::vector<double>& p, const Array& x, const Array& w, const std::vector<int64_t>& local,
                       const std::vector<double>& grad, DType d_type) {
  GradRef r;
  r.dx.assign(x.rows * x.cols, 0);
  r.dw.assign(w.rows * w.cols, 0);
  const auto xv = x.values(), wv = w.values();
  for (int64_t i = 0; i < x.rows; ++i) {
    for (int64_t j = 0; j < w.rows; ++j) {
      const double d = round_to((p[i * w.rows + j] - (local[i] == j ? 1 : 0)) * grad[i], d_type);
      for (int64_t h = 0; h < x.cols; ++h) {
        r.dx[i * x.cols + h] += d * wv[j * x.cols + h];
        r.dw[j * x.cols + h] += d * xv[i * x.cols + h];
      }
    }
  }
  return r;
}

TEST_P(Operators, BothBackwardModesMatchFloat64) {
  for_each_isa([&] {
    std::mt19937_64 rng(12);
    for (const Shape& s : kShapes) {
      SCOPED_TRACE(testing::Message() << "seed 12, m " << s.m << " k " << s.k << " n " << s.n);
      Array x(GetParam(), s.m, s.k), w(GetParam(), s.n, s.k);
      fill_random(&x, rng, 1);
      fill_random(&w, rng, 2 / std::sqrt(static_cast<double>(s.k)));
      const Array t = random_targets(s.m, 0, s.n + 3, DType::kInt64, rng);
      const DType st = MaxSum::stat(x);
      Array grad(st, s.m, 1);
      fill_random(&grad, rng, 1);
      flce::MaxSumOptions fo;
      const MaxSum f(x, w, t, 0, s.n, fo, true);
      Array loss(st, s.m, 1), softmax(st, s.m, s.n);
      flce::fused_cross_entropy_loss_with_max_sum(f.max.vector(), f.sum.vector(), f.predicted.vector(), loss.vector(),
                                                  f.logits.matrix(), softmax.matrix());
      std::vector<int64_t> local;
      std::vector<double> p(s.m * s.n);
      for (int64_t i = 0; i < s.m; ++i) {
        local.push_back(t.get(i) < s.n ? static_cast<int64_t>(t.get(i)) : -1);
        std::vector<double> row(s.n);
        for (int64_t j = 0; j < s.n; ++j) row[j] = f.logits.get(i, j);
        const RowRef r = row_reference(row.data(), s.n, -1);
        for (int64_t j = 0; j < s.n; ++j) p[i * s.n + j] = std::exp(row[j] - r.max) / r.sum;
      }
      EXPECT_LE(worst(softmax.values(), p, 1e-3), 1e-4);
      for (const auto d_type : {flce::LogitsType::kInput, flce::LogitsType::kFloat32}) {
        for (const DType out : {st, GetParam()}) {
          for (const bool stored : {false, true}) {
            SCOPED_TRACE(testing::Message() << "stored softmax " << stored << ", output " << flce::name_of(out));
            Array dx(out, s.m, s.k, 1, 1), dw(out, s.n, s.k);
            flce::GradOptions o;
            o.dlogits_type = d_type;
            const std::vector<char> before = softmax.bytes();
            flce::fused_linear_cross_entropy_loss_with_max_sum_grad(
                grad.vector(), x.matrix(), w.matrix(), f.mask.vector(), f.masked.vector(), dx.matrix(), dw.matrix(), 0,
                f.max.vector(), f.sum.vector(), stored ? softmax.matrix() : flce::MutableMatrix(), o);
            EXPECT_EQ(before, softmax.bytes()) << "softmax was modified";
            const GradRef r = grad_reference(p, x, w, local, grad.values(),
                                             d_type == flce::LogitsType::kInput ? GetParam() : DType::kFloat64);
            // A logit that rounds the other way in the recomputation moves one p by half a step of the format.
            const double limit = out == DType::kBFloat16 || GetParam() == DType::kBFloat16 ? 6e-3
                                 : out == DType::kFloat16 || GetParam() == DType::kFloat16 ? 8e-4
                                 : out == DType::kFloat64                                  ? 1e-12
                                                                                           : 1e-5;
            EXPECT_LE(relative_norm(dx.values(), r.dx), limit);
            EXPECT_LE(relative_norm(dw.values(), r.dw), limit);
          }
        }
      }
    }
  });
}

TEST_P(Operators, StridesThreadsAndAccumulationChangeNothing) {
  std::mt19937_64 rng(13);
  const int64_t m = 37, k = 45, n = 777;
  Array x(GetParam(), m, k), w(GetParam(), n, k);
  fill_random(&x, rng, 1);
  fill_random(&w, rng, 0.3);
  const Array t = random_targets(m, 0, n - 1, DType::kInt32, rng);
  Array grad(MaxSum::stat(x), m, 1);
  fill_random(&grad, rng, 1);
  const MaxSum base(x, w, t, 0, n, {}, true);
  auto gradients = [&](const Array& xs, const Array& ws, const MaxSum& f, int threads, bool accumulate, Array* dx,
                       Array* dw) {
    flce::GradOptions o;
    o.threads = threads;
    o.accumulate_input_grad = o.accumulate_weight_grad = accumulate;
    flce::fused_linear_cross_entropy_loss_with_max_sum_grad(grad.vector(), xs.matrix(), ws.matrix(), f.mask.vector(),
                                                            f.masked.vector(), dx->matrix(), dw->matrix(), 0,
                                                            f.max.vector(), f.sum.vector(), {}, o);
  };
  Array dx0(DType::kFloat32, m, k), dw0(DType::kFloat32, n, k);
  gradients(x, w, base, 1, false, &dx0, &dw0);
  for (int layout = 0; layout < 4; ++layout) {
    SCOPED_TRACE(layout);
    Array xs(GetParam(), m, k, layout == 1 ? 2 : 1, layout * 3, layout == 2),
        ws(GetParam(), n, k, layout == 3 ? 3 : 1, 1, layout == 2);
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < k; ++j) xs.set(i, j, x.get(i, j));
    }
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < k; ++j) ws.set(i, j, w.get(i, j));
    }
    Array ts(DType::kInt32, m, 1, 5);
    for (int64_t i = 0; i < m; ++i) ts.set(i, 0, t.get(i));
    const std::vector<char> x_before = xs.bytes(), w_before = ws.bytes();
    for (const int threads : {1, 2, 5}) {
      flce::MaxSumOptions o;
      o.threads = threads;
      const MaxSum f(xs, ws, ts, 0, n, o, true);
      EXPECT_EQ(f.max.values(), base.max.values());
      EXPECT_EQ(f.sum.values(), base.sum.values());
      EXPECT_EQ(f.predicted.values(), base.predicted.values());
      EXPECT_EQ(f.logits.values(), base.logits.values());
      Array dx(DType::kFloat32, m, k), dw(DType::kFloat32, n, k);
      gradients(xs, ws, f, threads, false, &dx, &dw);
      EXPECT_EQ(dx.values(), dx0.values());
      EXPECT_EQ(dw.values(), dw0.values());
      gradients(xs, ws, f, threads, true, &dx, &dw);
      for (int64_t i = 0; i < n; ++i)
        EXPECT_NEAR(dw.get(i, 1), 2 * dw0.get(i, 1), 1e-5 * (1e-3 + std::fabs(dw0.get(i, 1))));
      for (int64_t i = 0; i < m; ++i)
        EXPECT_NEAR(dx.get(i, 1), 2 * dx0.get(i, 1), 1e-4 * (1e-1 + std::fabs(dx0.get(i, 1))));
    }
    EXPECT_EQ(x_before, xs.bytes());
    EXPECT_EQ(w_before, ws.bytes());
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Operators,
                         testing::Values(DType::kFloat32, DType::kBFloat16, DType::kFloat16, DType::kFloat64),
                         [](const auto& info) { return flce::name_of(info.param); });

// Rows taken from the end to the front: offsets below the data pointer.
TEST(OperatorsLarge, NegativeStrides) {
  std::mt19937_64 rng(16);
  Array x(DType::kBFloat16, 21, 33), w(DType::kBFloat16, 300, 33);
  fill_random(&x, rng, 1);
  fill_random(&w, rng, 0.5);
  const Array t = random_targets(21, 0, 299, DType::kInt32, rng);
  const MaxSum want(x, w, t, 0, 300);
  flce::Matrix xr = std::as_const(x).matrix(), wr = std::as_const(w).matrix();
  xr.data = static_cast<const uint16_t*>(xr.data) + 20 * 33;
  xr.row_stride = -33;
  wr.data = static_cast<const uint16_t*>(wr.data) + 299 * 33;
  wr.row_stride = -33;
  Array tr(DType::kInt32, 21, 1);
  for (int64_t i = 0; i < 21; ++i) tr.set(i, 0, 299 - t.get(20 - i));
  Array max(DType::kFloat32, 21, 1), sum = max, predicted = max, mask(DType::kUInt8, 3, 1),
                                     masked(DType::kInt32, 21, 1);
  flce::fused_linear_online_max_sum(xr, wr, tr.vector(), 0, 300, max.vector(), sum.vector(), predicted.vector(),
                                    mask.vector(), masked.vector());
  for (int64_t i = 0; i < 21; ++i) {
    EXPECT_EQ(max.get(i), want.max.get(20 - i));
    EXPECT_NEAR(sum.get(i), want.sum.get(20 - i), 1e-5 * sum.get(i));
    EXPECT_EQ(predicted.get(i), want.predicted.get(20 - i));
  }
}

// Large m and n: several superblocks, groups and strips at once, against a float64 reference.
TEST(OperatorsLarge, ManyBlocks) {
  std::mt19937_64 rng(14);
  const int64_t m = 1201, k = 24, n = 9001;
  Array x(DType::kFloat32, m, k), w(DType::kFloat32, n, k);
  fill_random(&x, rng, 1);
  fill_random(&w, rng, 0.4);
  const Array t = random_targets(m, 0, n - 1, DType::kInt32, rng);
  const Array grad = [&] {
    Array g(DType::kFloat32, m, 1);
    fill_random(&g, rng, 1);
    return g;
  }();
  const MaxSum f(x, w, t, 0, n);
  const std::vector<double> l = product(x, w);
  std::vector<double> p(l.size());
  std::vector<int64_t> local;
  for (int64_t i = 0; i < m; ++i) {
    const RowRef r = row_reference(l.data() + i * n, n, static_cast<int64_t>(t.get(i)));
    EXPECT_NEAR(f.sum.get(i) / r.sum, 1, 1e-5);
    EXPECT_NEAR(f.predicted.get(i), r.predicted, 1e-5);
    for (int64_t j = 0; j < n; ++j) p[i * n + j] = std::exp(l[i * n + j] - r.lse);
    local.push_back(static_cast<int64_t>(t.get(i)));
  }
  const GradRef r = grad_reference(p, x, w, local, grad.values(), DType::kFloat64);
  for (const DType out : {DType::kFloat32, DType::kBFloat16}) {
    Array dx(out, m, k), dw(out, n, k);
    flce::fused_linear_cross_entropy_loss_with_max_sum_grad(grad.vector(), x.matrix(), w.matrix(), f.mask.vector(),
                                                            f.masked.vector(), dx.matrix(), dw.matrix(), 0,
                                                            f.max.vector(), f.sum.vector());
    EXPECT_LE(relative_norm(dx.values(), r.dx), out == DType::kFloat32 ? 1e-6 : 3e-3);
    EXPECT_LE(relative_norm(dw.values(), r.dw), out == DType::kFloat32 ? 1e-6 : 3e-3);
  }
}

// (Helper of the next test.) survives widening and narrowing, and rounding is to nearest even everywhere.
double fraction_of(float v) {
  int e;
  return std::frexp(v, &e);
}

TEST(Formats, RoundingIsExact) {
  for_each_isa([&] {
    std::mt19937_64 rng(15);
    for (const DType t : {DType::kFloat16, DType::kBFloat16}) {
      Array x(DType::kFloat32, 1, 1), w(DType::kFloat32, 4096, 1), logits(DType::kFloat32, 1, 4096), out(t, 1, 4096);
      x.set(0, 0, 1);
      for (int round = 0; round < 16; ++round) {
        for (int64_t j = 0; j < 4096; ++j) {
          const uint32_t u = round < 2 ? 0 : static_cast<uint32_t>(rng());
          float v;
          std::memcpy(&v, &u, 4);
          const int exponent = static_cast<int>(rng() % 48) - 30;
          const double base = decode16(static_cast<uint16_t>(round * 4096 + j), t);
          w.set(
              j, 0,
              round % 2 && std::isfinite(base) ? base : std::ldexp(std::isfinite(v) ? fraction_of(v) : 1.0, exponent));
        }
        // weight_grad = D^T x with one row and grad 1 from a stored softmax: stores exactly what `w` holds.
        Array softmax(DType::kFloat32, 1, 4096), g = column(DType::kFloat32, {1}), mask = column(DType::kUInt8, {255}),
                                                 mt = column(DType::kInt32, {0});
        for (int64_t j = 0; j < 4096; ++j) softmax.set(0, j, w.get(j));
        Array dx(DType::kFloat32, 1, 1), dw(t, 4096, 1);
        flce::fused_linear_cross_entropy_loss_with_max_sum_grad(g.vector(), x.matrix(), w.matrix(), mask.vector(),
                                                                mt.vector(), dx.matrix(), dw.matrix(), 0, {}, {},
                                                                softmax.matrix());
        for (int64_t j = 0; j < 4096; ++j)
          ASSERT_EQ(dw.get(j), round_to(w.get(j), t)) << w.get(j) << " as " << flce::name_of(t);
      }
    }
  });
}

}  // namespace
}  // namespace flce_test
