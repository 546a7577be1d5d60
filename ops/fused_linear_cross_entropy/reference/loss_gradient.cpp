// Operator 3 by its formulae (see loss_gradient.h).
#include "fused_linear_cross_entropy/reference/loss_gradient.h"

#include <cmath>

namespace flce::reference {
namespace {

bool owned(const LossGradientArguments& a, size_t row) {
  return ((a.target_mask[row / 8] >> (row % 8)) & 1) == 0;
}

double probability(const LossGradientArguments& a, size_t row, size_t column, size_t n) {
  if (!a.softmax.empty()) return a.softmax[row * n + column];
  return std::exp(a.logits[row * n + column] - a.logits_max[row]) / a.sum_exp_logits[row];
}

}  // namespace

LossGradient fused_cross_entropy_loss_gradient(const LossGradientArguments& a) {
  const size_t m = static_cast<size_t>(a.input.rows), n = static_cast<size_t>(a.weight.rows);
  const size_t k = static_cast<size_t>(a.input.columns);
  LossGradient result;
  result.d.resize(m * n);
  for (size_t row = 0; row < m; ++row)
    for (size_t column = 0; column < n; ++column) {
      double d = probability(a, row, column, n);
      if (owned(a, row) && static_cast<size_t>(a.masked_target[row]) == column) d -= 1.0;
      d *= a.grad[row];
      result.d[row * n + column] = a.round_d ? round_to(d, a.input.storage) : d;
    }
  const std::vector<float> x = widen_all(a.input), w = widen_all(a.weight);
  result.input_grad.assign(m * k, 0.0);
  result.weight_grad.assign(n * k, 0.0);
  for (size_t row = 0; row < m; ++row)
    for (size_t column = 0; column < n; ++column) {
      const double d = result.d[row * n + column];
      for (size_t h = 0; h < k; ++h) {
        result.input_grad[row * k + h] += d * w[column * k + h];
        result.weight_grad[column * k + h] += d * x[row * k + h];
      }
    }
  return result;
}

}  // namespace flce::reference
