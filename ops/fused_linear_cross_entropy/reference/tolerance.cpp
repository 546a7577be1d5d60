// Tolerances and error statistics (see tolerance.h).
#include "fused_linear_cross_entropy/reference/tolerance.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace flce::reference {

Tolerance tolerance_of(Storage storage) {
  // One unit in the last place is at most 2^-10 (float16) and 2^-7 (bfloat16) of the value; below the normal numbers of
  // float16 the step is 2^-24.
  return storage == Storage::kHalf ? Tolerance{0x1p-10, 0x1p-24} : Tolerance{0x1p-7, 0.0};
}

double distance(double got, double low, double high) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (std::isnan(low) || std::isnan(high)) return std::isnan(got) ? 0.0 : kInfinity;
  if (std::isnan(got)) return kInfinity;
  if (got < low) return low - got;
  if (got > high) return got - high;
  return 0.0;
}

void ErrorStatistics::add(double got, double expected, double low, double high, const Tolerance& tolerance) {
  const double error = distance(got, low, high);
  const double scale = std::isfinite(expected) ? std::abs(expected) : 0.0;
  if (error > tolerance.absolute + tolerance.relative * scale) {
    if (outside == 0) {
      first_outside = elements;
      first_got = got;
      first_expected = expected;
    }
    ++outside;
  }
  ++elements;
  max_absolute = std::max(max_absolute, error);
  max_relative = std::max(max_relative, error / std::max(scale, kSmallestReference));
}

void ErrorStatistics::add_exact(int64_t got, int64_t expected) {
  // Differences of 64-bit integers need not fit one; double is exact enough for a magnitude, and equality is tested on
  // integers.
  const double error = got == expected ? 0.0 : std::abs(static_cast<double>(got) - static_cast<double>(expected));
  if (got != expected) {
    if (outside == 0) {
      first_outside = elements;
      first_got = static_cast<double>(got);
      first_expected = static_cast<double>(expected);
    }
    ++outside;
  }
  ++elements;
  max_absolute = std::max(max_absolute, error);
  max_relative = std::max(max_relative, error / std::max(std::abs(static_cast<double>(expected)), kSmallestReference));
}

void ErrorStatistics::merge(const ErrorStatistics& other) {
  if (outside == 0 && other.outside != 0) {
    first_outside = other.first_outside;
    first_got = other.first_got;
    first_expected = other.first_expected;
  }
  elements += other.elements;
  outside += other.outside;
  max_absolute = std::max(max_absolute, other.max_absolute);
  max_relative = std::max(max_relative, other.max_relative);
}

ErrorStatistics compare(std::span<const double> got, std::span<const double> expected, const Tolerance& tolerance) {
  ErrorStatistics statistics;
  for (size_t i = 0; i < got.size(); ++i) statistics.add(got[i], expected[i], tolerance);
  return statistics;
}

}  // namespace flce::reference
