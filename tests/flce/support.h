// Test support: random operands in any of the formats, and float64 references written from the formulae alone
// (operator specification 2, 3, 10), independent of the library: own rounding, plain loops, one row at a time.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "flce/loss.h"
#include "flce/operators.h"
#include "flce/runtime.h"

namespace flce_test {

using flce::DType;
constexpr double kInf = std::numeric_limits<double>::infinity();

/// Rounds to nearest even on a binary format: `bits` of significand, least exponent, largest finite value.
inline double round_binary(double x, int bits, int min_exponent, double largest) {
  if (!std::isfinite(x) || x == 0) return x;
  const int exponent = std::max(std::ilogb(x), min_exponent);
  const double step = std::ldexp(1.0, exponent - bits + 1);
  const double r = std::nearbyint(x / step) * step;
  return std::fabs(r) > largest ? std::copysign(kInf, x) : r;
}
inline double round_to(double x, DType t) {
  if (t == DType::kFloat16) return round_binary(x, 11, -14, 65504.0);
  if (t == DType::kBFloat16) return round_binary(x, 8, -126, 3.3895313892515355e38);
  if (t == DType::kFloat32) return static_cast<float>(x);
  return x;
}
inline uint16_t encode16(double x, DType t) {
  const bool half = t == DType::kFloat16;
  const int mantissa = half ? 10 : 7, min_exponent = half ? -14 : -126, bias = half ? 15 : 127;
  const uint16_t sign = std::signbit(x) ? 0x8000 : 0, inf = half ? 0x7c00 : 0x7f80;
  if (std::isnan(x)) return inf | (1u << (mantissa - 1));
  const double r = std::fabs(round_to(x, t));
  if (std::isinf(r)) return sign | inf;
  if (r == 0) return sign;
  const int e = std::ilogb(r);
  if (e < min_exponent) return sign | static_cast<uint16_t>(std::ldexp(r, mantissa - min_exponent));
  const int fraction = static_cast<int>(std::ldexp(r, mantissa - e)) - (1 << mantissa);
  return sign | static_cast<uint16_t>(((e + bias) << mantissa) | fraction);
}
inline double decode16(uint16_t h, DType t) {
  const bool half = t == DType::kFloat16;
  const int mantissa = half ? 10 : 7, bias = half ? 15 : 127;
  const int e = (h & 0x7fff) >> mantissa, f = h & ((1 << mantissa) - 1);
  const double sign = h & 0x8000 ? -1 : 1;
  if (e == (half ? 31 : 255)) return f ? std::nan("") : sign * kInf;
  if (e == 0) return sign * std::ldexp(f, 1 - bias - mantissa);
  return sign * std::ldexp(f + (1 << mantissa), e - bias - mantissa);
}

/// Storage of one matrix or vector in a format, with its values as doubles. Strided when `row_gap`/`col_step` ask.
class Array {
 public:
  Array(DType t, int64_t rows, int64_t cols, int64_t col_step = 1, int64_t row_gap = 0, bool transposed = false)
      : dtype(t), rows(rows), cols(cols) {
    if (transposed) {
      row_stride = col_step;
      col_stride = rows * col_step + row_gap;
    } else {
      col_stride = col_step;
      row_stride = cols * col_step + row_gap;
    }
    bytes_.assign((static_cast<size_t>(std::max(rows, int64_t{1})) * std::max(cols, int64_t{1}) * col_step +
                   row_gap * std::max(rows, cols) + 8) *
                      flce::size_of(t),
                  0xA5);
  }
  void set(int64_t i, int64_t j, double x) {
    char* p = bytes_.data() + (i * row_stride + j * col_stride) * flce::size_of(dtype);
    switch (dtype) {
      case DType::kFloat32: {
        const float f = static_cast<float>(x);
        std::memcpy(p, &f, 4);
        break;
      }
      case DType::kFloat64:
        std::memcpy(p, &x, 8);
        break;
      case DType::kInt32: {
        const auto v = static_cast<int32_t>(x);
        std::memcpy(p, &v, 4);
        break;
      }
      case DType::kInt64: {
        const auto v = static_cast<int64_t>(x);
        std::memcpy(p, &v, 8);
        break;
      }
      case DType::kUInt8:
      case DType::kBool:
        *reinterpret_cast<uint8_t*>(p) = static_cast<uint8_t>(x);
        break;
      default: {
        const uint16_t h = encode16(x, dtype);
        std::memcpy(p, &h, 2);
      }
    }
  }
  double get(int64_t i, int64_t j = 0) const {
    const char* p = bytes_.data() + (i * row_stride + j * col_stride) * flce::size_of(dtype);
    switch (dtype) {
      case DType::kFloat32: {
        float f;
        std::memcpy(&f, p, 4);
        return f;
      }
      case DType::kFloat64: {
        double d;
        std::memcpy(&d, p, 8);
        return d;
      }
      case DType::kInt32: {
        int32_t v;
        std::memcpy(&v, p, 4);
        return v;
      }
      case DType::kInt64: {
        int64_t v;
        std::memcpy(&v, p, 8);
        return static_cast<double>(v);
      }
      case DType::kUInt8:
      case DType::kBool:
        return *reinterpret_cast<const uint8_t*>(p);
      default: {
        uint16_t h;
        std::memcpy(&h, p, 2);
        return decode16(h, dtype);
      }
    }
  }
  flce::Matrix matrix() const { return {bytes_.data(), dtype, rows, cols, row_stride, col_stride}; }
  flce::MutableMatrix matrix() { return {bytes_.data(), dtype, rows, cols, row_stride, col_stride}; }
  flce::Vector vector() const { return {bytes_.data(), dtype, rows, row_stride}; }
  flce::MutableVector vector() { return {bytes_.data(), dtype, rows, row_stride}; }
  std::vector<double> values() const {
    std::vector<double> v;
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < cols; ++j) v.push_back(get(i, j));
    }
    return v;
  }
  const std::vector<char>& bytes() const { return bytes_; }

  DType dtype;
  int64_t rows, cols, row_stride = 0, col_stride = 0;

 private:
  std::vector<char> bytes_;
};

inline Array column(DType t, const std::vector<double>& v, int64_t step = 1) {
  Array a(t, static_cast<int64_t>(v.size()), 1, step);
  for (size_t i = 0; i < v.size(); ++i) a.set(static_cast<int64_t>(i), 0, v[i]);
  return a;
}
inline Array table(DType t, const std::vector<std::vector<double>>& v) {
  Array a(t, static_cast<int64_t>(v.size()), v.empty() ? 0 : static_cast<int64_t>(v[0].size()));
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < a.cols; ++j) a.set(i, j, v[i][j]);
  }
  return a;
}
inline Array identity(DType t, int64_t n, int64_t k) {
  Array a(t, n, k);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < k; ++j) a.set(i, j, i == j);
  }
  return a;
}
inline void fill_random(Array* a, std::mt19937_64& rng, double scale) {
  std::normal_distribution<double> normal(0, scale);
  for (int64_t i = 0; i < a->rows; ++i) {
    for (int64_t j = 0; j < a->cols; ++j) a->set(i, j, normal(rng));
  }
}

/// x . w^T in float64 from the stored values.
inline std::vector<double> product(const Array& x, const Array& w) {
  const std::vector<double> a = x.values(), b = w.values();
  std::vector<double> l(static_cast<size_t>(x.rows * w.rows), 0);
  for (int64_t i = 0; i < x.rows; ++i) {
    for (int64_t j = 0; j < w.rows; ++j) {
      double s = 0;
      for (int64_t h = 0; h < x.cols; ++h) s += a[i * x.cols + h] * b[j * x.cols + h];
      l[i * w.rows + j] = s;
    }
  }
  return l;
}

struct RowRef {
  double max = -kInf, sum = 0, predicted = 0, lse = 0;
};
inline RowRef row_reference(const double* l, int64_t n, int64_t local) {
  RowRef r;
  for (int64_t j = 0; j < n; ++j) r.max = std::max(r.max, l[j]);
  for (int64_t j = 0; j < n; ++j) r.sum += std::exp(l[j] - r.max);
  if (local >= 0) r.predicted = l[local] - r.max;
  r.lse = r.max + std::log(r.sum);
  return r;
}

/// Largest |a - b| / (1 + |b|) style error, with equal infinities and NaN counting as equal.
inline double worst(const std::vector<double>& got, const std::vector<double>& want, double floor = 1) {
  EXPECT_EQ(got.size(), want.size());
  double bad = 0;
  for (size_t i = 0; i < std::min(got.size(), want.size()); ++i) {
    if (std::isnan(got[i]) && std::isnan(want[i])) continue;
    if (got[i] == want[i]) continue;
    const double e = std::fabs(got[i] - want[i]) / (floor + std::fabs(want[i]));
    bad = std::isnan(e) ? kInf : std::max(bad, e);
  }
  return bad;
}

/// Sum of squares error relative to the reference.
inline double relative_norm(const std::vector<double>& got, const std::vector<double>& want) {
  double num = 0, den = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    num += (got[i] - want[i]) * (got[i] - want[i]);
    den += want[i] * want[i];
  }
  return den == 0 ? std::sqrt(num) : std::sqrt(num / den);
}

/// Runs a body once per instruction set of this machine.
template <class F>
void for_each_isa(F f) {
  for (const std::string& isa : flce::available_isas()) {
    SCOPED_TRACE("isa " + isa);
    flce::set_isa(isa);
    f();
  }
  flce::set_isa("");
}

/// Operator 1 with all outputs, as doubles.
struct MaxSum {
  Array max, sum, predicted, mask, masked, logits;
  MaxSum(const Array& x, const Array& w, const Array& t, int64_t s, int64_t e, const flce::MaxSumOptions& o = {},
         bool with_logits = false)
      : max(stat(x), x.rows, 1),
        sum(stat(x), x.rows, 1),
        predicted(stat(x), x.rows, 1),
        mask(DType::kUInt8, (x.rows + 7) / 8, 1),
        masked(t.dtype, x.rows, 1),
        logits(x.dtype, with_logits ? x.rows : 0, with_logits ? w.rows : 0) {
    flce::fused_linear_online_max_sum(x.matrix(), w.matrix(), t.vector(), s, e, max.vector(), sum.vector(),
                                      predicted.vector(), mask.vector(), masked.vector(),
                                      with_logits ? logits.matrix() : flce::MutableMatrix(), o);
  }
  static DType stat(const Array& x) { return x.dtype == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32; }
  std::vector<double> loss() const {
    Array out(max.dtype, max.rows, 1);
    flce::fused_cross_entropy_loss_with_max_sum(max.vector(), sum.vector(), predicted.vector(), out.vector());
    return out.values();
  }
};

/// EXPECTs an ArgumentError about `argument`.
template <class F>
void expect_refused(const std::string& argument, F f) {
  try {
    f();
    ADD_FAILURE() << "no error, expected one about " << argument;
  } catch (const flce::ArgumentError& e) {
    EXPECT_EQ(e.argument(), argument) << e.what();
    EXPECT_NE(std::string(e.what()).find("given"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("allowed"), std::string::npos) << e.what();
  }
}

}  // namespace flce_test
