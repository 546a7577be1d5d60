// Intervals of right values (see row_check.h).
#include "fused_linear_cross_entropy/reference/row_check.h"

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

bool row_is_owned(const OnlineMaxSum& reference, int64_t row) {
  return ((reference.target_mask[static_cast<size_t>(row / 8)] >> (row % 8)) & 1) == 0;
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

RowCheck::RowCheck(const OnlineMaxSum& reference, Storage storage, LogitsType type, int64_t row)
    : max_(reference.logits_max[static_cast<size_t>(row)]),
      sum_(reference.sum_exp_logits[static_cast<size_t>(row)]),
      predicted_(reference.predicted_logits[static_cast<size_t>(row)]),
      max_interval_{-kInfinity, -kInfinity},
      owned_(row_is_owned(reference, row)) {
  const int64_t n = reference.product.columns, local = reference.masked_target[static_cast<size_t>(row)];
  for (int64_t column = 0; column < n; ++column) {
    const Interval logit = logit_interval(reference, storage, type, row, column);
    if (logit.low != logit.high && !std::isnan(logit.low))
      ambiguous_.push_back({reference.logits[static_cast<size_t>(row * n + column)], logit});
    max_interval_.low = std::max(max_interval_.low, logit.low);
    max_interval_.high = std::max(max_interval_.high, logit.high);
    if (column == local) target_ = logit;
  }
  if (std::isnan(max_)) max_interval_ = {max_, max_};
}

double RowCheck::usable_max(double got_max) const {
  return distance(got_max, max_interval_.low, max_interval_.high) == 0.0 ? got_max : max_;
}

Interval RowCheck::sum_interval(double got_max) const {
  const double max = usable_max(got_max);
  if (ambiguous_.empty() || !std::isfinite(max) || !std::isfinite(max_)) return {sum_, sum_};
  const double moved = sum_ * std::exp(max_ - max);
  Interval sum{moved, moved};
  for (const Ambiguous& logit : ambiguous_) {
    // No right value of a logit lies above the max that was returned.
    sum.low -= term(logit.nominal, max) - term(logit.right.low, max);
    sum.high += term(std::min(logit.right.high, max), max) - term(logit.nominal, max);
  }
  if (sum.low > sum.high) std::swap(sum.low, sum.high);
  return sum;
}

Interval RowCheck::predicted_interval(double got_max) const {
  const double max = usable_max(got_max);
  if (!owned_ || ambiguous_.empty() || std::isnan(predicted_) || !std::isfinite(max)) return {predicted_, predicted_};
  return {relative_to(target_.low, max), relative_to(std::min(target_.high, max), max)};
}

StatisticsCheck::StatisticsCheck(const OnlineMaxSum& reference, Storage storage, LogitsType type) {
  for (int64_t row = 0; row < reference.product.rows; ++row) rows_.emplace_back(reference, storage, type, row);
}

StatisticsErrors StatisticsCheck::compare(const float* logits_max, const float* sum_exp_logits,
                                          const float* predicted_logits) const {
  StatisticsErrors errors;
  for (size_t row = 0; row < rows_.size(); ++row) {
    const RowCheck& check = rows_[row];
    const double got_max = logits_max[row];
    const Interval max = check.max_interval(), sum = check.sum_interval(got_max);
    const Interval predicted = check.predicted_interval(got_max);
    errors.logits_max.add(got_max, check.max(), max.low, max.high, kStatisticsTolerance);
    errors.sum_exp_logits.add(sum_exp_logits[row], check.sum(), sum.low, sum.high, kStatisticsTolerance);
    errors.predicted_logits.add(predicted_logits[row], check.predicted(), predicted.low, predicted.high,
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
      const double got = widen(logits[index], storage), nominal = reference.logits[index];
      Interval right{nominal, nominal};
      if (got != nominal) right = logit_interval(reference, storage, LogitsType::kInput, row, column);
      errors.add(got, nominal, right.low, right.high, kNone);
    }
  return errors;
}

}  // namespace flce::reference
