// Operator 1 in float64: statistics of one vocabulary shard. Slow and obvious; the oracle of every other
// implementation. Formulae, packing, ranges, special values: spec/operators.md 0, 2, 3, 4 and 6.8. Decisions of this
// definition where the specification leaves room:
//  * masked row: predicted is 0 whatever the logits are (selected, not multiplied);
//  * a NaN among the logits of a row makes max, sum and (owned) predicted NaN;
//  * a target logit of -inf gives predicted -inf, also when the whole shard is -inf; then max is -inf and sum is 0;
//  * target inside [start, end) but beyond the shard (possible only without validation): predicted NaN.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fused_linear_cross_entropy/reference/linear.h"

namespace flce::reference {

enum class LogitsType : uint8_t {
  kInput,
  kFloat32
};  ///< what max and exp see: rounded to the input type, or to float32
enum class VocabRange : uint8_t { kExclusive, kInclusive };  ///< [start, end) or [start, end]
enum class MaskPad : uint8_t { kDevice, kOnes };             ///< bits of the last mask byte beyond the rows

struct OnlineMaxSumOptions {
  LogitsType logits_type = LogitsType::kInput;
  VocabRange vocab_range = VocabRange::kExclusive;
  MaskPad mask_pad = MaskPad::kDevice;
};

struct OnlineMaxSum {
  std::vector<double> logits_max, sum_exp_logits, predicted_logits;  ///< [m]
  std::vector<uint8_t> target_mask;                                  ///< [ceil(m / 8)], least significant bit first
  std::vector<int64_t> masked_target;                                ///< [m]
  std::vector<double> logits;                                        ///< [m, n], as max and exp saw them
  Logits product;                                                    ///< the unrounded product and its error bound
};

/// True if the shard [start, end) (or [start, end]) does not own `target`.
bool is_masked(int64_t target, int64_t start, int64_t end, VocabRange range);

/// Logit as the statistics see it.
double stored_logit(double exact, Storage storage, LogitsType type);

/// Mask bytes of `target`, least significant bit first.
std::vector<uint8_t> pack_mask(std::span<const int64_t> target, int64_t start, int64_t end, VocabRange range,
                               MaskPad pad);

/// Statistics of one row of logits. `local` is the local target, or -1 when the row is masked.
struct RowStatistics {
  double max, sum, predicted;
};
RowStatistics row_statistics(std::span<const double> logits, int64_t local);

/// The operator. input [m, k], weight [n, k] of one storage, target [m] with m = input.rows; start <= end.
OnlineMaxSum fused_linear_online_max_sum(const Matrix16& input, const Matrix16& weight, std::span<const int64_t> target,
                                         int64_t vocab_start, int64_t vocab_end,
                                         const OnlineMaxSumOptions& options = {});

}  // namespace flce::reference
