// The composed loss head: linear layer and cross entropy in one pass, forward and backward, on one rank or with the
// vocabulary split over ranks, without the logits in memory.
//
//   z = x . w^T (+ bias), times logit_scale, softcap c tanh(z / c), divided by temperature   -> logits l
//   lse = log sum_j exp(l_j)   over the whole vocabulary of all ranks
//   nll_i = lse - l_target
//   loss_i = token_weight_i * ( (1 - eps) * w_target * nll + eps / V * sum_j w_j (lse - l_j) + z_loss * lse^2 )
// eps is label_smoothing (formula pytorch) or label_smoothing * V / (V - 1) (formula megatron); w are class weights.
// Tokens with target == ignore_index take no part: loss, lse, entropy, log_prob 0 and gradient 0, even if their row
// holds NaN. reduction mean divides by the number of valid tokens, or by the sum of their class weights when class
// weights are given (PyTorch's rule); `normalizer` replaces that number.
#pragma once

#include <vector>

#include "flce/communicator.h"
#include "flce/operators.h"
#include "flce/types.h"

namespace flce {

enum class Reduction { kNone, kMean, kSum };
enum class SmoothingFormula { kPytorch, kMegatron };
/// What mean is when no token is valid: 0 (default), or NaN like PyTorch. Gradients are 0 either way.
enum class EmptyMean { kZero, kNaN };

struct LossOptions {
  int64_t ignore_index = -100;
  Reduction reduction = Reduction::kMean;
  double normalizer = 0;  // > 0: what mean divides by, e.g. the valid tokens of a whole accumulation step
  EmptyMean empty_mean = EmptyMean::kZero;
  double label_smoothing = 0;  // [0, 1)
  SmoothingFormula smoothing_formula = SmoothingFormula::kPytorch;
  double z_loss = 0;       // >= 0
  double softcap = 0;      // 0: none, else > 0
  double logit_scale = 1;  // finite, not 0
  double temperature = 1;  // > 0
  LogitsType logits_type = LogitsType::kFloat32;
  LogitsType dlogits_type = LogitsType::kInput;
  Validate validate = Validate::kValues;
  int64_t chunk_rows = 0;  // rows of logits kept by forward_backward; 0: kDefaultChunkRows
  int threads = 0;
};
constexpr int64_t kDefaultChunkRows = 512;

struct LossInputs {
  Matrix input;             // [m, k]
  Matrix weight;            // [n, k], this rank's rows; n may be 0 with a communicator
  Vector target;            // [m], global ids
  Vector bias;              // [n] or data null; -inf switches a class off
  Vector token_weight;      // [m] or data null
  Vector class_weight;      // [n] or data null
  int64_t vocab_start = 0;  // global id of the first row of weight
  Communicator* comm = nullptr;
};

/// Float32 (float64 for float64 inputs); data null: not wanted.
struct LossOutputs {
  MutableVector loss;      // [m] for reduction none, else [1]; required
  MutableVector lse;       // [m]
  MutableVector entropy;   // [m], -sum p log p
  MutableVector log_prob;  // [m], -nll
};

/// What backward needs from forward: a few numbers per token, global over ranks.
struct LossState {
  std::vector<double> max, sum, entropy, target_weight;
  double denominator = 1;
  double class_weight_sum = 0;
  int64_t vocab_size = 0;
  bool has_entropy = false;
};

/// Upstream gradients; data null: none. `loss` has the shape of the loss.
struct LossUpstream {
  Vector loss, lse, entropy, log_prob;
};

struct LossGradients {
  MutableMatrix input_grad;   // [m, k], or this rank's token rows with scatter_tokens; data null: not wanted
  MutableMatrix weight_grad;  // [n, k]; data null: not wanted
  MutableVector bias_grad;    // [n]; data null: not wanted
  bool accumulate_input = false, accumulate_weight = false, accumulate_bias = false;
  /// Instead of all-reducing input_grad, rank r keeps the token rows [m r / R, m (r + 1) / R).
  bool scatter_tokens = false;
};

/// Throws ArgumentError for an option outside its range; the calls below do so themselves.
void check_loss_options(const LossOptions& options);

/// Forward pass. `want_entropy` computes what an entropy gradient will need, even without out.entropy.
LossState loss_forward(const LossInputs& in, const LossOptions& options, const LossOutputs& out,
                       bool want_entropy = false);
/// Backward by recomputation: four products with forward together.
void loss_backward(const LossInputs& in, const LossOptions& options, const LossState& state,
                   const LossUpstream& upstream, const LossGradients& gradients);
/// Loss and gradients in one go, gradients made chunk by chunk while the logits are there: three products. Keeps
/// chunk_rows rows of fp32 logits. With several ranks it is forward followed by backward.
LossState loss_forward_backward(const LossInputs& in, const LossOptions& options, const LossOutputs& out,
                                const LossUpstream& upstream, const LossGradients& gradients);

}  // namespace flce
