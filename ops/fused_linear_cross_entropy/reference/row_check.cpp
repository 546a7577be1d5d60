// Intervals of right values (see row_check.h).
#include "reference/row_check.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace flce::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// exp(logit - max) with the conventions of row_statistics: -inf contributes nothing, whatever the max.
double term(double logit, double max) {
  return logit == -kInfinity ? 0.0 : std::exp(logit - max);
}

double relative_to(double logit, double max) {
  return logit == -kInfinity ? -kInfinity : logit - max;
}

bool row_is_owned(const OnlineMaxSum& reference, size_t row) {
  return ((reference.target_mask[row / 8] >> (row % 8)) & 1) == 0;
}

}  // namespace

Interval logit_interval(const OnlineMaxSum& reference, Storage storage, LogitsType type, int64_t row, int64_t column) {
  const double exact = reference.product.at(row, column);
  const double error = reference.product.float32_error(row, column);
  if (!std::isfinite(exact) || !std::isfinite(error)) {
    const double stored = stored_logit(exact, storage, type);
    return {stored, stored};
  }
  return {stored_logit(exact - error, storage, type), stored_logit(exact + error, storage, type)};
}

RowCheck::RowCheck(const OnlineMaxSum& reference, Storage storage, LogitsType type, bool owned, int64_t row)
    : reference_(reference), row_(row), owned_(owned), certain_(true), max_{-kInfinity, -kInfinity} {
  const int64_t n = reference.product.columns;
  logits_.reserve(static_cast<size_t>(n));
  for (int64_t column = 0; column < n; ++column) {
    const Interval logit = logit_interval(reference, storage, type, row, column);
    logits_.push_back(logit);
    if (logit.low != logit.high) certain_ = false;
    max_.low = std::max(max_.low, logit.low);
    max_.high = std::max(max_.high, logit.high);
  }
  const double nominal = reference.logits_max[static_cast<size_t>(row)];
  if (std::isnan(nominal)) max_ = {nominal, nominal};
  const int64_t local = reference.masked_target[static_cast<size_t>(row)];
  if (owned && local < n) target_ = logits_[static_cast<size_t>(local)];
  if (certain_) logits_.clear();
}

double RowCheck::usable_max(double got_max) const {
  return distance(got_max, max_.low, max_.high) == 0.0 ? got_max : reference_.logits_max[static_cast<size_t>(row_)];
}

Interval RowCheck::sum(double got_max) const {
  const double nominal = reference_.sum_exp_logits[static_cast<size_t>(row_)];
  const double max = usable_max(got_max);
  if (certain_ || std::isnan(max) || std::isinf(max)) return {nominal, nominal};
  Interval sum;
  for (const Interval& logit : logits_) {
    sum.low += term(logit.low, max);
    // No right value of a logit lies above the max that was returned.
    sum.high += term(std::min(logit.high, max), max);
  }
  return sum;
}

Interval RowCheck::predicted(double got_max) const {
  const double nominal = reference_.predicted_logits[static_cast<size_t>(row_)];
  const double max = usable_max(got_max);
  if (!owned_ || certain_ || std::isnan(nominal) || std::isinf(max)) return {nominal, nominal};
  return {relative_to(target_.low, max), relative_to(std::min(target_.high, max), max)};
}

StatisticsErrors check_statistics(const OnlineMaxSum& reference, Storage storage, LogitsType type,
                                  const float* logits_max, const float* sum_exp_logits, const float* predicted_logits) {
  StatisticsErrors errors;
  for (size_t row = 0; row < reference.logits_max.size(); ++row) {
    const RowCheck check(reference, storage, type, row_is_owned(reference, row), static_cast<int64_t>(row));
    const double got_max = logits_max[row];
    const Interval max = check.max(), sum = check.sum(got_max), predicted = check.predicted(got_max);
    errors.logits_max.add(got_max, reference.logits_max[row], max.low, max.high, kStatisticsTolerance);
    errors.sum_exp_logits.add(sum_exp_logits[row], reference.sum_exp_logits[row], sum.low, sum.high,
                              kStatisticsTolerance);
    errors.predicted_logits.add(predicted_logits[row], reference.predicted_logits[row], predicted.low, predicted.high,
                                kStatisticsTolerance);
  }
  return errors;
}

ErrorStatistics check_logits(const OnlineMaxSum& reference, Storage storage, const uint16_t* logits) {
  constexpr Tolerance kNone{};
  ErrorStatistics errors;
  const int64_t m = reference.product.rows, n = reference.product.columns;
  for (int64_t row = 0; row < m; ++row)
    for (int64_t column = 0; column < n; ++column) {
      const size_t index = static_cast<size_t>(row * n + column);
      const Interval right = logit_interval(reference, storage, LogitsType::kInput, row, column);
      errors.add(widen(logits[index], storage), reference.logits[index], right.low, right.high, kNone);
    }
  return errors;
}

}  // namespace flce::reference
