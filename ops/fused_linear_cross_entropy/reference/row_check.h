// Judges the float outputs of operator 1 without punishing a legal rounding: a matrix unit accumulates in float32, so a
// logit that lies within the accumulation error of a rounding boundary may legally be stored as either neighbour.
// For each row this gives the interval of right values of max, and, given the max that was returned, of sum and
// predicted. Rules: spec/operators.md 2 (rounding points); size of the error: Logits::float32_error. Nothing is excused
// beyond that.
#pragma once

#include <cstdint>
#include <vector>

#include "fused_linear_cross_entropy/reference/online_max_sum.h"
#include "fused_linear_cross_entropy/reference/tolerance.h"

namespace flce::reference {

struct Interval {
  double low = 0.0, high = 0.0;
};

/// Right values of the stored logit (row, column).
Interval logit_interval(const OnlineMaxSum& reference, Storage storage, LogitsType type, int64_t row, int64_t column);

/// Right values of one row.
class RowCheck {
 public:
  RowCheck(const OnlineMaxSum& reference, Storage storage, LogitsType type, int64_t row);

  double max() const { return max_; }
  double sum() const { return sum_; }
  double predicted() const { return predicted_; }
  Interval max_interval() const { return max_interval_; }
  /// Right values of the sum if `got_max` was returned as the max. `got_max` outside max_interval(): those of max().
  Interval sum_interval(double got_max) const;
  /// Right values of predicted, likewise.
  Interval predicted_interval(double got_max) const;
  /// Number of logits with two right values.
  size_t ambiguous() const { return ambiguous_.size(); }

 private:
  struct Ambiguous {
    double nominal;
    Interval right;
  };
  double usable_max(double got_max) const;

  double max_, sum_, predicted_;  ///< of the reference
  Interval max_interval_, target_;
  bool owned_;
  std::vector<Ambiguous> ambiguous_;
};

struct StatisticsErrors {
  ErrorStatistics logits_max, sum_exp_logits, predicted_logits;
};

/// All rows of one reference, built once and used for any number of runs.
class StatisticsCheck {
 public:
  StatisticsCheck(const OnlineMaxSum& reference, Storage storage, LogitsType type = LogitsType::kInput);
  /// Arrays of length m.
  StatisticsErrors compare(const float* logits_max, const float* sum_exp_logits, const float* predicted_logits) const;
  const std::vector<RowCheck>& rows() const { return rows_; }

 private:
  std::vector<RowCheck> rows_;
};

/// Checks returned logits [m, n] given as bit patterns: each must be one of the right roundings.
ErrorStatistics check_logits(const OnlineMaxSum& reference, Storage storage, const uint16_t* logits);

}  // namespace flce::reference
