// Everything the composed loss derives from its arguments before a product runs: checks, valid rows, local targets,
// copies of the small vectors in the working type, constants of the smoothing formula.
#pragma once

#include <vector>

#include "flce/loss.h"
#include "head.h"

namespace flce::cpu {

void check_loss(const LossInputs& in, const LossOptions& options);
void check_loss_outputs(const LossInputs& in, const LossOptions& options, const LossOutputs& out);
void check_loss_gradients(const LossInputs& in, const LossOptions& options, const LossUpstream& upstream,
                          const LossGradients& g);
inline bool distributed(const LossInputs& in) {
  return in.comm && in.comm->size() > 1;
}
/// Token rows of rank r under scatter_tokens.
inline int64_t token_begin(int64_t m, int ranks, int r) {
  return m * r / ranks;
}

template <class T>
struct LossPlan {
  LossPlan(const LossInputs& in, const LossOptions& options, int64_t vocab_size);

  HeadInputs<T> head;           // only the valid rows
  std::vector<int64_t> rows;    // valid row -> token
  std::vector<int64_t> target;  // per valid row: local column or -1
  std::vector<T> bias, class_weight;
  std::vector<double> token_weight;  // per token
  bool all_valid;
  int64_t vocab_size;
  double eps;  // weight of the uniform part, after the formula

  int64_t valid() const { return static_cast<int64_t>(rows.size()); }
  const T* weights() const { return class_weight.empty() ? nullptr : class_weight.data(); }
  /// Coefficients of one valid row; `u` = upstream of loss_i over the denominator.
  RowGrad<T> coefficients(const LossOptions& o, double class_weight_sum, int64_t v, double max, double sum,
                          double entropy, double target_weight, double u, double g_lse, double g_entropy,
                          double g_log_prob) const;
};

}  // namespace flce::cpu
