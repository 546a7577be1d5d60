// Operator 2 and the protocol between ranks (see cross_entropy_loss.h).
#include "fused_linear_cross_entropy/reference/cross_entropy_loss.h"

#include <cmath>
#include <limits>

namespace flce::reference {

CrossEntropyLoss fused_cross_entropy_loss(std::span<const double> logits_max, std::span<const double> sum_exp_logits,
                                          std::span<const double> predicted_logits, std::span<const double> logits) {
  CrossEntropyLoss result;
  const size_t m = logits_max.size();
  for (size_t row = 0; row < m; ++row) result.loss.push_back(std::log(sum_exp_logits[row]) - predicted_logits[row]);
  const size_t n = m == 0 ? 0 : logits.size() / m;
  result.softmax.resize(m * n);
  for (size_t row = 0; row < m; ++row)
    for (size_t column = 0; column < n; ++column)
      result.softmax[row * n + column] = std::exp(logits[row * n + column] - logits_max[row]) / sum_exp_logits[row];
  return result;
}

ShardStatistics combine_shards(std::span<const ShardStatistics> shards) {
  ShardStatistics total{-std::numeric_limits<double>::infinity(), 0.0, 0.0, false};
  for (const ShardStatistics& shard : shards) {
    if (std::isnan(shard.max) || std::isnan(total.max))
      total.max = std::numeric_limits<double>::quiet_NaN();
    else if (shard.max > total.max)
      total.max = shard.max;
  }
  for (const ShardStatistics& shard : shards) {
    const bool empty = std::isinf(shard.max) && shard.max < 0;
    if (!empty) total.sum += shard.sum * std::exp(shard.max - total.max);
    if (!shard.owned) continue;
    total.owned = true;
    total.predicted += empty ? -std::numeric_limits<double>::infinity() : shard.predicted + (shard.max - total.max);
  }
  return total;
}

}  // namespace flce::reference
