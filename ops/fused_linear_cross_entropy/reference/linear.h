// logits = input · weight^T in float64, with an estimate of how far a float32 accumulation may stray from it.
// Formula: spec/operators.md 2. Products of two 16-bit numbers are exact in double; sums run in ascending k.
// Left out: any blocking or order of a real matrix unit (that is what the estimate is for).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fused_linear_cross_entropy/reference/number.h"

namespace flce::reference {

/// Row-major matrix of 16-bit numbers that somebody else owns.
struct Matrix16 {
  const uint16_t* data = nullptr;
  int64_t rows = 0, columns = 0;
  Storage storage = Storage::kHalf;
  double at(int64_t row, int64_t column) const { return widen(data[row * columns + column], storage); }
};

/// Every value widened, row-major.
std::vector<float> widen_all(const Matrix16& matrix);

/// The product and what is needed to bound its float32 counterpart.
struct Logits {
  int64_t rows = 0, columns = 0, depth = 0;
  std::vector<double> exact;        ///< [rows, columns]
  std::vector<double> input_norm;   ///< [rows], Euclidean
  std::vector<double> weight_norm;  ///< [columns], Euclidean

  double at(int64_t row, int64_t column) const { return exact[static_cast<size_t>(row * columns + column)]; }
  /// How far a float32 accumulation in any order may be from `exact`: (4 + sqrt(depth)) · 2^-24 · |input row| ·
  /// |weight row|. The worst case is depth units of the sum of magnitudes (at most the product of the norms), but
  /// rounding errors of a sum behave like a random walk; this is four standard deviations and more for sums of one
  /// sign, and tens of them for sums of mixed signs. Sums that are exact in float32 have no error in any case.
  double float32_error(int64_t row, int64_t column) const;
};

Logits multiply(const Matrix16& input, const Matrix16& weight);

}  // namespace flce::reference
