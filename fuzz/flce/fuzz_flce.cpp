// Fuzzer of the native operators: random shapes, strides, formats, values, options and instruction sets against loops
// in float64. Stands alone (no libFuzzer): the seed is the input.
//   fuzz_flce [--seconds S] [--ci-seconds S] [--seed N] [--runs N]
// --ci-seconds counts when CI is set in the environment.
// A failing case prints its seed; fuzz_flce --seed N --runs 1 repeats it. Special values: NaN, infinities, -0, huge and
// tiny numbers, ignored and foreign targets.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "../../tests/flce/support.h"

namespace flce_test {
namespace {

struct Failure {
  std::string text;
};

template <class... Parts>
void fail(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  throw Failure{out.str()};
}

class Run {
 public:
  explicit Run(uint64_t seed) : rng_(seed) {}

  void go() {
    const auto isas = flce::available_isas();
    flce::set_isa(isas[pick(isas.size())]);
    const DType types[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat64};
    type_ = types[pick(4)];
    const bool tall = pick(12) == 0;  // more tokens than a slice of weight_grad holds
    m_ = size(tall ? 1100 : 70);
    k_ = size(!tall && pick(6) == 0 ? 600 : 60);
    n_ = std::max<int64_t>(size(!tall && pick(6) == 0 ? 1500 : 300), 1);
    special_ = pick(5) == 0;
    Array x = operand(m_, k_, 1), w = operand(n_, k_, 1.0 / std::sqrt(k_ + 1.0));
    start_ = pick(3) ? 0 : static_cast<int64_t>(pick(1000));
    end_ = start_ + (pick(3) ? n_ : static_cast<int64_t>(pick(n_ + 1)));
    Array t(pick(2) ? DType::kInt32 : DType::kInt64, m_, 1, 1 + static_cast<int64_t>(pick(3)));
    for (int64_t i = 0; i < m_; ++i) t.set(i, 0, static_cast<double>(start_) - 3 + static_cast<double>(pick(n_ + 6)));
    flce::MaxSumOptions o;
    o.logits_type = pick(2) ? flce::LogitsType::kInput : flce::LogitsType::kFloat32;
    o.threads = 1 + static_cast<int>(pick(3));
    const MaxSum f(x, w, t, start_, end_, o, true);
    forward(x, w, t, f);
    backward(x, w, t, f, o);
  }
  std::string describe() const {
    std::ostringstream out;
    out << flce::name_of(type_) << " m " << m_ << " k " << k_ << " n " << n_ << " range [" << start_ << ", " << end_
        << ") special " << special_ << " isa " << flce::isa();
    return out.str();
  }

 private:
  uint64_t pick(uint64_t n) { return rng_() % n; }
  int64_t size(int64_t limit) { return static_cast<int64_t>(pick(8) == 0 ? pick(3) : pick(limit)); }
  Array operand(int64_t rows, int64_t cols, double scale) {
    Array a(type_, rows, cols, 1 + static_cast<int64_t>(pick(4) == 0), static_cast<int64_t>(pick(5)), pick(4) == 0);
    fill_random(&a, rng_, scale * std::pow(2.0, static_cast<double>(pick(6)) - 3));
    const double odd[] = {std::nan(""), kInf, -kInf, -0.0, 60000, 1e-30};
    for (int i = 0; special_ && rows * cols > 0 && i < 3; ++i)
      a.set(static_cast<int64_t>(pick(rows)), static_cast<int64_t>(pick(cols)), odd[pick(6)]);
    return a;
  }
  int64_t local(const Array& t, int64_t i) const {
    const auto id = static_cast<int64_t>(t.get(i));
    return id >= start_ && id < end_ ? id - start_ : -1;
  }
  static bool near(double got, double want, double tol) {
    if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
    if (std::isinf(want) || std::isinf(got)) return got == want;
    return std::fabs(got - want) <= tol * (1 + std::fabs(want));
  }

  void forward(const Array& x, const Array& w, const Array& t, const MaxSum& f) {
    const std::vector<double> exact = product(x, w);
    // One unit in the last place: a sum on the edge of two 16-bit numbers may fall either way in float32.
    const double step = type_ == DType::kBFloat16  ? 1.0 / 128
                        : type_ == DType::kFloat16 ? 1.0 / 1024
                        : type_ == DType::kFloat64 ? 1e-12
                                                   : 1e-4;
    for (int64_t i = 0; i < m_; ++i) {
      double magnitude = 0;
      for (int64_t h = 0; h < k_; ++h) magnitude = std::max(magnitude, std::fabs(x.get(i, h)));
      for (int64_t j = 0; j < n_; ++j) {
        const double got = f.logits.get(i, j), want = round_to(exact[i * n_ + j], type_);
        if (special_ && (!std::isfinite(want) || std::fabs(want) > 1e4 || !std::isfinite(got) || magnitude > 1e3))
          continue;
        if (!near(got, want, step)) fail("logit ", i, ",", j, " is ", got, ", expected ", want);
      }
    }
    for (int64_t i = 0; i < m_; ++i) {
      if (((static_cast<int>(f.mask.get(i / 8)) >> (i % 8)) & 1) != (local(t, i) < 0)) fail("mask bit ", i);
      if (f.masked.get(i) != (local(t, i) < 0 ? 0 : static_cast<double>(local(t, i)))) fail("masked target ", i);
    }
    if (special_) return specials(t, f);
    for (int64_t i = 0; i < m_; ++i) {
      const RowRef r = row_reference(exact.data() + i * n_, n_, local(t, i));
      if (!near(f.max.get(i), r.max, step)) fail("max ", i, " is ", f.max.get(i), ", expected ", r.max);
      // Rounded logits move the sum by up to one step of the largest logit.
      const double lse = f.max.get(i) + std::log(f.sum.get(i));
      if (!near(lse, r.lse, 2 * step)) fail("lse ", i, " is ", lse, ", expected ", r.lse);
      if (!near(f.predicted.get(i) + (local(t, i) < 0 ? 0 : f.max.get(i)), r.predicted + (local(t, i) < 0 ? 0 : r.max),
                2 * step))
        fail("predicted ", i);
    }
  }
  // With special values: the laws that hold whatever the numbers are.
  void specials(const Array& t, const MaxSum& f) {
    for (int64_t i = 0; i < m_; ++i) {
      bool nan = false, plus = false, finite = false;
      for (int64_t j = 0; j < n_; ++j) {
        const double l = f.logits.get(i, j);
        nan |= std::isnan(l);
        plus |= l == kInf;
        finite |= std::isfinite(l);
      }
      const double sum = f.sum.get(i);
      const bool owned = local(t, i) >= 0;
      if (nan && !(std::isnan(f.max.get(i)) && std::isnan(sum) && (!owned || std::isnan(f.predicted.get(i)))))
        fail("row ", i, " hides a NaN");
      if (!owned && f.predicted.get(i) != 0) fail("predicted ", i, " is ", f.predicted.get(i), " without ownership");
      // Returned logits may have overflowed where the statistics did not (fp32 logits), hence no claim then.
      if (!nan && !plus && finite && !(sum > 0) && f.logits.dtype == DType::kFloat32) fail("row ", i, " sum ", sum);
    }
  }

  void backward(const Array& x, const Array& w, const Array& t, const MaxSum& f, const flce::MaxSumOptions& fo) {
    if (special_) return;
    Array grad(f.max.dtype, m_, 1, 1 + static_cast<int64_t>(pick(2)));
    fill_random(&grad, rng_, 1);
    const DType outs[] = {f.max.dtype, type_};
    const DType out = outs[pick(2)];
    Array dx(out, m_, k_, 1, static_cast<int64_t>(pick(4)), pick(3) == 0),
        dw(out, n_, k_, 1, static_cast<int64_t>(pick(4)), pick(3) == 0);
    flce::GradOptions o;
    o.logits_type = fo.logits_type;
    o.dlogits_type = pick(2) ? flce::LogitsType::kInput : flce::LogitsType::kFloat32;
    o.threads = 1 + static_cast<int>(pick(3));
    flce::fused_linear_cross_entropy_loss_with_max_sum_grad(grad.vector(), x.matrix(), w.matrix(), f.mask.vector(),
                                                            f.masked.vector(), dx.matrix(), dw.matrix(), 0,
                                                            f.max.vector(), f.sum.vector(), {}, o);
    std::vector<double> rx(m_ * k_, 0), rw(n_ * k_, 0), l = product(x, w);
    double scale_x = 0, scale_w = 0;
    for (int64_t i = 0; i < m_; ++i) {
      for (int64_t j = 0; j < n_ && fo.logits_type == flce::LogitsType::kInput; ++j) l[i * n_ + j] = f.logits.get(i, j);
      const RowRef r = row_reference(l.data() + i * n_, n_, -1);
      for (int64_t j = 0; j < n_; ++j) {
        const double d = (std::exp(l[i * n_ + j] - r.lse) - (local(t, i) == j)) * grad.get(i);
        for (int64_t h = 0; h < k_; ++h) {
          rx[i * k_ + h] += d * w.get(j, h);
          rw[j * k_ + h] += d * x.get(i, h);
          scale_x = std::max(scale_x, std::fabs(d * w.get(j, h)));
          scale_w = std::max(scale_w, std::fabs(d * x.get(i, h)));
        }
      }
    }
    // A logit on the edge of two 16-bit numbers may fall either way in the recomputation: tolerate one step of p.
    const bool half = type_ == DType::kBFloat16 || type_ == DType::kFloat16;
    const double tol = half ? 0.08 : type_ == DType::kFloat64 ? 1e-10 : 1e-3;
    auto compare = [&](const Array& got, const std::vector<double>& want, double scale, const char* what) {
      const std::vector<double> g = got.values();
      for (size_t i = 0; i < g.size(); ++i) {
        if (!(std::fabs(g[i] - want[i]) <= tol * (scale + std::fabs(want[i])) + 1e-30))
          fail(what, " ", i, " is ", g[i], ", expected ", want[i]);
      }
    };
    compare(dx, rx, scale_x, "input_grad");
    compare(dw, rw, scale_w, "weight_grad");
  }

  std::mt19937_64 rng_;
  DType type_ = DType::kFloat32;
  int64_t m_ = 0, k_ = 0, n_ = 0, start_ = 0, end_ = 0;
  bool special_ = false;
};

}  // namespace
}  // namespace flce_test

int main(int argc, char** argv) {
  double seconds = 60;
  long long runs = -1;
  uint64_t seed = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!std::strcmp(argv[i], "--seconds")) seconds = std::atof(argv[i + 1]);
    if (!std::strcmp(argv[i], "--ci-seconds") && std::getenv("CI")) seconds = std::atof(argv[i + 1]);
    if (!std::strcmp(argv[i], "--seed")) seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (!std::strcmp(argv[i], "--runs")) runs = std::atoll(argv[i + 1]);
  }
  const auto begin = std::chrono::steady_clock::now();
  long long done = 0;
  for (;; ++seed, ++done) {
    if (runs >= 0 ? done >= runs
                  : std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() >= seconds)
      break;
    flce_test::Run run(seed);
    try {
      run.go();
    } catch (const flce_test::Failure& f) {
      std::printf("seed %llu: %s\n  %s\nrepeat: fuzz_flce --seed %llu --runs 1\n",
                  static_cast<unsigned long long>(seed), run.describe().c_str(), f.text.c_str(),
                  static_cast<unsigned long long>(seed));
      return 1;
    } catch (const std::exception& e) {
      std::printf("seed %llu: %s\n  unexpected exception: %s\n", static_cast<unsigned long long>(seed),
                  run.describe().c_str(), e.what());
      return 1;
    }
  }
  std::printf("%lld cases, no difference\n", done);
  return 0;
}
