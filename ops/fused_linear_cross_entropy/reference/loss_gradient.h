// Operator 3 in float64: gradients of the loss with respect to input and weight.
// Formulae and rounding points: spec/operators.md 2. One 16-bit rounding of d, none elsewhere.
// Left out: the in-place reuse of softmax (an input is never modified, spec/operators.md 0 point 9).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fused_linear_cross_entropy/reference/linear.h"

namespace flce::reference {

struct LossGradient {
  std::vector<double> input_grad;   ///< [m, k]
  std::vector<double> weight_grad;  ///< [n, k]; all zero when m is 0
  std::vector<double> d;            ///< [m, n], the gradient of the logits, rounded if asked
};

struct LossGradientArguments {
  std::span<const double> grad;            ///< [m], upstream gradient of the loss
  Matrix16 input, weight;                  ///< [m, k], [n, k]
  std::span<const uint8_t> target_mask;    ///< packed, least significant bit first; bits beyond m are ignored
  std::span<const int64_t> masked_target;  ///< [m]
  std::span<const double> softmax;         ///< [m, n]: softmax mode; empty: recompute from logits, max and sum
  std::span<const double> logits;          ///< [m, n], memory-saving mode: the very logits max and sum came from
  std::span<const double> logits_max, sum_exp_logits;  ///< [m]
  bool round_d = true;                                 ///< false: exact gradient, for finite differences
};

LossGradient fused_cross_entropy_loss_gradient(const LossGradientArguments& arguments);

}  // namespace flce::reference
