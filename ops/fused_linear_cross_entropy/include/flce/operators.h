// The three vocab-parallel operators on the CPU, split exactly at the collectives, with the names, the argument order
// and the meaning of the NPU family. Shapes: m tokens, k hidden, n = rows of this rank's weight shard. Supported
// floating types: float16, bfloat16, float32, and float64 (for tests; statistics are then float64 as well).
// Inputs may be strided and are never modified (but see GradOptions::inplace_softmax). m, n (not operator 1) and k may
// be 0. Every function throws ArgumentError naming the argument, what was given and what is allowed, and returns with
// complete outputs otherwise. Index arithmetic is 64 bits wide.
#pragma once

#include "flce/types.h"

namespace flce {

/// Which target values belong to the shard. The kernels, their goldens and every other framework use [start, end);
/// the public documents print t > end, i.e. [start, end]. See docs/operators/vocab_range.md.
enum class VocabRange { kExclusive, kInclusive };
/// Bits of target_mask beyond m: what the device writes (the mask test on a target of 0), or ones (the document).
enum class MaskPad { kDevice, kOnes };
/// Logits rounded to the input type before max and exp (what A2/A3 forward does), or left in fp32. Use the same choice
/// in forward and backward: otherwise the rows of the recomputed softmax do not sum to 1.
enum class LogitsType { kInput, kFloat32 };
/// kOff checks nothing that depends on values or on end - start; kShape checks shapes and ranges; kValues also reads
/// the targets.
enum class Validate { kOff, kShape, kValues };

struct MaxSumOptions {
  VocabRange vocab_range = VocabRange::kExclusive;
  MaskPad mask_pad = MaskPad::kDevice;
  LogitsType logits_type = LogitsType::kInput;
  Validate validate = Validate::kShape;
  int64_t vocab_size = -1;      // global vocabulary, -1: unknown; with kValues a target outside [0, V) is an error
  int64_t ignore_index = -100;  // the one outside value that kValues accepts
  bool device_limits = false;   // also refuse what the device refuses (k > 65534)
  int threads = 0;              // 0: flce::threads()
};

/// Operator 1. input [m,k], weight [n,k] of one floating type; target [m] int32 or int64, global ids.
/// Outputs: logits_max, sum_exp_logits, predicted_logits [m] float32; target_mask [ceil(m/8)] uint8, least significant
/// bit first, 1 = not owned; masked_target [m] like target; logits (optional, data null = none) [m,n] like input.
/// predicted_logits is L[target] - logits_max where owned, else 0. A row with a NaN gets NaN in max and sum, and
/// in predicted where owned; a row of -inf gets maximum -inf and sum 0, and an owned logit of -inf predicted -inf.
void fused_linear_online_max_sum(const Matrix& input, const Matrix& weight, const Vector& target,
                                 int64_t vocab_start_index, int64_t vocab_end_index, const MutableVector& logits_max,
                                 const MutableVector& sum_exp_logits, const MutableVector& predicted_logits,
                                 const MutableVector& target_mask, const MutableVector& masked_target,
                                 const MutableMatrix& logits = {}, const MaxSumOptions& options = {});

/// Operator 2. loss = log(sum) - predicted per token; with logits [m,n] also softmax = exp(logits - max) / sum, fp32.
/// label_smoothing must be 0. `log(0)` is not guarded: a row without a finite logit gives -inf or NaN.
void fused_cross_entropy_loss_with_max_sum(const Vector& logits_max, const Vector& sum_exp_logits,
                                           const Vector& predicted_logits, const MutableVector& loss,
                                           const Matrix& logits = {}, const MutableMatrix& softmax = {},
                                           double label_smoothing = 0, int threads = 0);

struct GradOptions {
  LogitsType logits_type = LogitsType::kInput;  // of the recomputation; same as in operator 1
  /// Type D = (softmax - one_hot) * grad is rounded to before the two products: the input type like the device, or
  /// fp32. p - 1 is always taken in fp32 first.
  LogitsType dlogits_type = LogitsType::kInput;
  Validate validate = Validate::kShape;
  bool accumulate_input_grad = false;   // add to what input_grad holds
  bool accumulate_weight_grad = false;  // add to what weight_grad holds
  bool inplace_softmax = false;         // leave D in `softmax`, like the device; otherwise softmax is not touched
  bool device_limits = false;           // also refuse n < 128 or n > 24560 with softmax, k > 65535
  int threads = 0;
};

/// Operator 3. grad [m] float32, upstream gradient of the loss per token; target_mask uint8 with at least m bits, or
/// bool [m]; masked_target [m] int32 or int64. Either softmax [m,n] float32, or logits_max and sum_exp_logits [m]
/// float32 (softmax wins when both are given). input_grad [m,k], weight_grad [n,k] of any floating type; sums are fp32.
void fused_linear_cross_entropy_loss_with_max_sum_grad(const Vector& grad, const Matrix& input, const Matrix& weight,
                                                       const Vector& target_mask, const Vector& masked_target,
                                                       const MutableMatrix& input_grad,
                                                       const MutableMatrix& weight_grad, double label_smoothing = 0,
                                                       const Vector& logits_max = {}, const Vector& sum_exp_logits = {},
                                                       const Matrix& softmax = {}, const GradOptions& options = {});

/// The target stage of operator 1 alone: mask bits and local targets, in exact integers.
void mask_targets(const Vector& target, int64_t vocab_start_index, int64_t vocab_end_index,
                  const MutableVector& target_mask, const MutableVector& masked_target,
                  const MaxSumOptions& options = {});

}  // namespace flce
