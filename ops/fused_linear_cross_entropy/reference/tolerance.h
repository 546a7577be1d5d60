// How far an output may be from the reference: relative tolerance by type, and the share of elements outside it.
// Values: spec/operators.md 2 and 12 (rtol 1e-3 for 16-bit input, 1e-4 for float32). Two NaN agree, as do equal
// infinities. Left out: what "the reference" is where the operator's rounding is ambiguous; see row_check.h.
#pragma once

#include <cstdint>
#include <span>

#include "fused_linear_cross_entropy/reference/number.h"

namespace flce::reference {

struct Tolerance {
  double relative = 0.0;
  double absolute = 0.0;
};

/// Statistics computed from 16-bit inputs (max, sum, predicted), whatever their own type.
inline constexpr Tolerance kStatisticsTolerance{1e-3, 1e-6};
/// Values of type float32 computed in float32 throughout.
inline constexpr Tolerance kFloat32Tolerance{1e-4, 1e-6};
/// Values stored in a 16-bit type: one step of the format, relative.
Tolerance tolerance_of(Storage storage);

/// Below this magnitude of the reference a relative error is taken relative to this value instead.
inline constexpr double kSmallestReference = 1e-3;

/// Distance of `got` from the interval [low, high]: 0 inside; infinite when exactly one side is NaN or infinite.
/// A NaN bound means that NaN, and only NaN, is right.
double distance(double got, double low, double high);

/// Errors of one output, collected element by element.
struct ErrorStatistics {
  int64_t elements = 0;
  int64_t outside = 0;         ///< elements outside the tolerance
  int64_t first_outside = -1;  ///< index of the first of them
  double first_got = 0.0, first_expected = 0.0;
  double max_absolute = 0.0;  ///< largest distance from the reference
  double max_relative = 0.0;  ///< largest distance / max(|reference|, kSmallestReference)

  double share_outside() const {
    return elements == 0 ? 0.0 : static_cast<double>(outside) / static_cast<double>(elements);
  }
  /// Adds one element: `expected` is the nominal reference, right values lie in [low, high].
  void add(double got, double expected, double low, double high, const Tolerance& tolerance);
  void add(double got, double expected, const Tolerance& tolerance) {
    add(got, expected, expected, expected, tolerance);
  }
  /// Adds an element that must be equal.
  void add_exact(int64_t got, int64_t expected);
  /// Takes the worst of both; used to sum up repeats and cases.
  void merge(const ErrorStatistics& other);
};

/// Element-wise comparison of two arrays of equal length.
ErrorStatistics compare(std::span<const double> got, std::span<const double> expected, const Tolerance& tolerance);

}  // namespace flce::reference
