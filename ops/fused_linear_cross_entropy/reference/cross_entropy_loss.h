// Operator 2 in float64: loss and softmax from the (already combined) statistics, and the combination of shards.
// Formulae: spec/operators.md 2 and 9. Label smoothing must be 0 in the operators, so it has no argument here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace flce::reference {

struct CrossEntropyLoss {
  std::vector<double> loss;     ///< [m], log(sum) - predicted
  std::vector<double> softmax;  ///< [m, n], exp(logit - max) / sum; empty when no logits were given
};

/// logits: [m, n] row-major, or empty for loss only.
CrossEntropyLoss fused_cross_entropy_loss(std::span<const double> logits_max, std::span<const double> sum_exp_logits,
                                          std::span<const double> predicted_logits,
                                          std::span<const double> logits = {});

/// Statistics of one row on one shard, and whether the shard owns the target.
struct ShardStatistics {
  double max, sum, predicted;
  bool owned;
};
/// The collectives between operators 1 and 2: global max, rescaled sum, predicted relative to the global max.
/// A shard whose max is -inf contributes nothing to the sum.
ShardStatistics combine_shards(std::span<const ShardStatistics> shards);

}  // namespace flce::reference
