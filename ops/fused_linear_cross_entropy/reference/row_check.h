// Judges the float outputs of operator 1 without punishing a legal rounding: a matrix unit accumulates in float32, so a
// logit that lies within the accumulation error of a rounding boundary may legally be stored as either neighbour.
// For each row this gives the interval of right values of max, and, given the max that was returned, of sum and
// predicted. Rules: spec/operators.md 2 (rounding points); bound: Logits::float32_error. Left out: nothing is excused
// beyond that.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/online_max_sum.h"
#include "reference/tolerance.h"

namespace flce::reference {

struct Interval {
  double low = 0.0, high = 0.0;
};

/// Right values of the stored logit (row, column).
Interval logit_interval(const OnlineMaxSum& reference, Storage storage, LogitsType type, int64_t row, int64_t column);

class RowCheck {
 public:
  RowCheck(const OnlineMaxSum& reference, Storage storage, LogitsType type, bool owned, int64_t row);

  Interval max() const { return max_; }
  /// Right values of the sum if `got_max` was returned as the max. `got_max` outside max(): those of the reference max.
  Interval sum(double got_max) const;
  /// Right values of predicted, likewise.
  Interval predicted(double got_max) const;

 private:
  double usable_max(double got_max) const;

  const OnlineMaxSum& reference_;
  int64_t row_;
  bool owned_;
  bool certain_;  ///< no logit of the row has two right values
  Interval max_, target_;
  std::vector<Interval> logits_;  ///< empty when certain_
};

/// Collects max, sum and predicted of all rows. Arrays of length m.
struct StatisticsErrors {
  ErrorStatistics logits_max, sum_exp_logits, predicted_logits;
};
StatisticsErrors check_statistics(const OnlineMaxSum& reference, Storage storage, LogitsType type,
                                  const float* logits_max, const float* sum_exp_logits, const float* predicted_logits);

/// Checks returned logits [m, n] given as bit patterns: each must be one of the right roundings.
ErrorStatistics check_logits(const OnlineMaxSum& reference, Storage storage, const uint16_t* logits);

}  // namespace flce::reference
