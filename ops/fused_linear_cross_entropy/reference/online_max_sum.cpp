// Operator 1 by its formulae (see online_max_sum.h).
#include "fused_linear_cross_entropy/reference/online_max_sum.h"

#include <cmath>
#include <limits>

namespace flce::reference {

bool is_masked(int64_t target, int64_t start, int64_t end, VocabRange range) {
  return target < start || (range == VocabRange::kExclusive ? target >= end : target > end);
}

double stored_logit(double exact, Storage storage, LogitsType type) {
  if (type == LogitsType::kInput) return round_to(exact, storage);
  if (!std::isfinite(exact)) return exact;
  // Largest float32 plus half a step: nearest even goes to infinity from there on.
  if (std::abs(exact) >= 0x1.ffffffp127) return std::copysign(std::numeric_limits<double>::infinity(), exact);
  return static_cast<float>(exact);
}

std::vector<uint8_t> pack_mask(std::span<const int64_t> target, int64_t start, int64_t end, VocabRange range,
                               MaskPad pad) {
  std::vector<uint8_t> bytes((target.size() + 7) / 8, 0);
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bool masked = true;
    if (bit < target.size())
      masked = is_masked(target[bit], start, end, range);
    else if (pad == MaskPad::kDevice)
      masked = is_masked(0, start, end, range);  // the device pads the targets with 0
    if (masked) bytes[bit / 8] = static_cast<uint8_t>(bytes[bit / 8] | (1u << (bit % 8)));
  }
  return bytes;
}

RowStatistics row_statistics(std::span<const double> logits, int64_t local) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  double max = -kInfinity;
  bool has_nan = false;
  for (double logit : logits) {
    if (std::isnan(logit))
      has_nan = true;
    else if (logit > max)
      max = logit;
  }
  if (has_nan) return {kNan, kNan, local < 0 ? 0.0 : kNan};
  double sum = 0.0;
  for (double logit : logits)
    if (logit != -kInfinity) sum += std::exp(logit - max);
  double predicted = 0.0;
  if (local >= static_cast<int64_t>(logits.size()))
    predicted = kNan;
  else if (local >= 0) {
    const double logit = logits[static_cast<size_t>(local)];
    predicted = logit == -kInfinity ? -kInfinity : logit - max;
  }
  return {max, sum, predicted};
}

OnlineMaxSum fused_linear_online_max_sum(const Matrix16& input, const Matrix16& weight, std::span<const int64_t> target,
                                         int64_t vocab_start, int64_t vocab_end, const OnlineMaxSumOptions& options) {
  OnlineMaxSum result;
  result.product = multiply(input, weight);
  const size_t m = static_cast<size_t>(input.rows), n = static_cast<size_t>(weight.rows);
  result.logits.resize(m * n);
  for (size_t i = 0; i < m * n; ++i)
    result.logits[i] = stored_logit(result.product.exact[i], input.storage, options.logits_type);
  result.target_mask = pack_mask(target, vocab_start, vocab_end, options.vocab_range, options.mask_pad);
  for (size_t row = 0; row < m; ++row) {
    const bool masked = is_masked(target[row], vocab_start, vocab_end, options.vocab_range);
    const int64_t local = masked ? -1 : target[row] - vocab_start;
    result.masked_target.push_back(masked ? 0 : local);
    const RowStatistics statistics = row_statistics(std::span(result.logits).subspan(row * n, n), local);
    result.logits_max.push_back(statistics.max);
    result.sum_exp_logits.push_back(statistics.sum);
    result.predicted_logits.push_back(statistics.predicted);
  }
  return result;
}

}  // namespace flce::reference
