// The composed loss: statistics, the collectives between ranks, and the arithmetic per token. Protocol: operator
// specification 9 (maximum first, then one stacked sum). Matrix work is in Head, input_grad of several ranks in
// reduce_input_grad.cpp.
#include "flce/loss.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "agreement.h"
#include "checks.h"
#include "head_internal.h"
#include "loss_plan.h"
#include "reduce_input_grad.h"
#include "targets.h"

namespace flce {
namespace cpu {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// What is known of one valid row once all columns of all ranks were seen.
struct RowTotal {
  double max, sum, predicted, entropy, linear, target_weight;  // predicted is relative to max
};

RowTotal row_total(const RowStats& s, double predicted, bool owned, bool bad, double target_weight) {
  RowTotal t{s.max, s.sum, 0, 0, s.linear, owned ? target_weight : 0};
  // A logit of -inf where the whole shard is -inf: the other shards decide, the loss is +inf and not NaN.
  if (owned) t.predicted = std::isinf(predicted) && predicted < 0 ? predicted : predicted - s.max;
  if (bad) t.predicted = kNan;
  return t;
}

// Of the classes of this rank.
double sum_of_class_weights(const LossInputs& in) {
  if (in.class_weight.size == 0) return static_cast<double>(in.weight.rows);
  double sum = 0;
  for (int64_t j = 0; j < in.class_weight.size; ++j) sum += float_at(in.class_weight, j);
  return sum;
}

// Loss parts of the valid rows from this rank's statistics; with several ranks, after the two collectives.
template <class T>
std::vector<RowTotal> totals(const LossInputs& in, const LossOptions& o, const LossPlan<T>& plan, const RowStats* stats,
                             const T* predicted, bool weighted, double* class_weight_sum) {
  const int64_t m = plan.valid();
  std::vector<RowTotal> out(m);
  for (int64_t v = 0; v < m; ++v) {
    const bool owned = plan.target[v] >= 0;
    const double w = plan.weights() && owned ? plan.weights()[plan.target[v]] : 1.0;
    out[v] = row_total(stats[v], predicted[v], owned, plan.target[v] == kBadTarget, w);
    out[v].entropy = stats[v].weighted;  // raw until the end
  }
  if (distributed(in)) {
    std::vector<T> max(m);
    for (int64_t v = 0; v < m; ++v) max[v] = static_cast<T>(out[v].max);
    in.comm->all_reduce(max.data(), m, own_dtype<T>(), ReduceOp::kMax);
    const bool linear = plan.eps > 0;
    const int64_t parts = 3 + (weighted ? 1 : 0) + (linear ? 1 : 0);
    std::vector<T> stack(parts * m + 1);
    for (int64_t v = 0; v < m; ++v) {
      RowTotal& r = out[v];
      const double top = max[v], shift = r.max - top;
      // A shard without a finite logit has max -inf and sum 0: shift may be -inf - -inf.
      const double scale = r.sum == 0 ? 0 : std::exp(shift);
      T* at = stack.data() + v;
      at[0] = static_cast<T>(r.sum == 0 ? 0 : r.sum * scale);
      at[m] = static_cast<T>(plan.target[v] >= 0 ? r.predicted + shift : r.predicted);
      at[2 * m] = static_cast<T>(r.target_weight);
      if (weighted) at[3 * m] = static_cast<T>(scale == 0 ? 0 : scale * (r.entropy + r.sum * shift));
      if (linear) at[(parts - 1) * m] = static_cast<T>(r.linear);
      r.max = top;
    }
    stack[parts * m] = static_cast<T>(*class_weight_sum);
    in.comm->all_reduce(stack.data(), parts * m + 1, own_dtype<T>(), ReduceOp::kSum);
    *class_weight_sum = stack[parts * m];
    for (int64_t v = 0; v < m; ++v) {
      const T* at = stack.data() + v;
      out[v].sum = at[0];
      out[v].predicted = at[m];
      out[v].target_weight = at[2 * m];
      out[v].entropy = weighted ? at[3 * m] : 0;
      out[v].linear = linear ? at[(parts - 1) * m] : 0;
    }
  }
  for (RowTotal& r : out) {
    r.entropy = weighted ? std::log(r.sum) - r.entropy / r.sum : 0;
    if (o.validate == Validate::kOff && std::isnan(r.max)) r.predicted = kNan;
  }
  return out;
}

template <class T>
double denominator(const LossInputs& in, const LossOptions& o, const LossPlan<T>& plan,
                   const std::vector<RowTotal>& rows) {
  if (o.reduction != Reduction::kMean) return 1;
  if (o.normalizer > 0) return o.normalizer;
  // A rank with an empty shard has no class weights itself: with several ranks the sum over all of them decides.
  if (!distributed(in) && plan.weights() == nullptr) return static_cast<double>(plan.valid());
  double sum = 0;
  for (const RowTotal& r : rows) sum += r.target_weight;
  return sum;
}

double token_weight(const std::vector<double>& w, int64_t token) {
  return w.empty() ? 1.0 : w[token];
}

// Writes all outputs of forward and returns the state.
template <class T>
LossState finish(const LossInputs& in, const LossOptions& o, const LossPlan<T>& plan, const LossOutputs& out,
                 const std::vector<RowTotal>& rows, double class_weight_sum, bool weighted) {
  const int64_t m = in.input.rows;
  LossState s;
  s.vocab_size = plan.vocab_size;
  s.class_weight_sum = class_weight_sum;
  s.denominator = denominator(in, o, plan, rows);
  s.has_entropy = weighted;
  s.max.assign(m, 0);
  s.sum.assign(m, 1);
  s.target_weight.assign(m, 0);
  s.entropy.assign(weighted ? m : 0, 0);
  const bool none = o.reduction == Reduction::kNone;
  for (int64_t i = 0; i < m; ++i) {
    if (none) set_float(out.loss, i, 0);
    for (const MutableVector* v : {&out.lse, &out.entropy, &out.log_prob}) {
      if (v->data) set_float(*v, i, 0);
    }
  }
  double total = 0;
  for (int64_t v = 0; v < plan.valid(); ++v) {
    const RowTotal& r = rows[v];
    const int64_t i = plan.rows[v];
    const double log_sum = std::log(r.sum), lse = r.max + log_sum, nll = log_sum - r.predicted;
    double loss = (1 - plan.eps) * r.target_weight * nll;
    if (plan.eps > 0) loss += plan.eps / static_cast<double>(plan.vocab_size) * (class_weight_sum * lse - r.linear);
    if (o.z_loss > 0) loss += o.z_loss * lse * lse;
    loss *= token_weight(plan.token_weight, i);
    total += loss;
    if (none) set_float(out.loss, i, loss);
    if (out.lse.data) set_float(out.lse, i, lse);
    if (out.entropy.data) set_float(out.entropy, i, r.entropy);
    if (out.log_prob.data) set_float(out.log_prob, i, -nll);
    s.max[i] = r.max;
    s.sum[i] = r.sum;
    s.target_weight[i] = r.target_weight;
    if (weighted) s.entropy[i] = r.entropy;
  }
  if (!none) {
    const bool empty_mean = o.reduction == Reduction::kMean && s.denominator == 0;
    const double empty = o.empty_mean == EmptyMean::kNaN ? kNan : 0;
    set_float(out.loss, 0, empty_mean ? empty : total / s.denominator);
  }
  if (s.denominator == 0) s.denominator = 1;
  return s;
}

template <class T>
StatsWish<T> stats_wish(const LossPlan<T>& plan, bool weighted) {
  StatsWish<T> wish;
  wish.weighted = weighted;
  wish.linear = plan.eps > 0;
  wish.class_weight = plan.weights();
  wish.target = plan.target.data();
  return wish;
}

double upstream_at(const Vector& v, int64_t i, double absent) {
  return v.data ? float_at(v, v.size == 1 ? 0 : i) : absent;
}

// No upstream at all means 1 for the loss: the gradient of the reduced loss itself.
double loss_upstream(const LossUpstream& up, const LossOptions& o, int64_t i) {
  const bool others = up.lse.data || up.entropy.data || up.log_prob.data;
  return upstream_at(up.loss, o.reduction == Reduction::kNone ? i : 0, others ? 0.0 : 1.0);
}

template <class T>
RowGrad<T> row_gradient(const LossOptions& o, const LossPlan<T>& plan, const LossUpstream& up, int64_t v,
                        const RowTotal& r, double class_weight_sum, double denominator) {
  const int64_t i = plan.rows[v];
  const double u = loss_upstream(up, o, i) * token_weight(plan.token_weight, i) / denominator;
  auto each = [i](const Vector& x) { return x.data ? float_at(x, i) : 0.0; };
  return plan.coefficients(o, class_weight_sum, v, r.max, r.sum, r.entropy, r.target_weight, u, each(up.lse),
                           each(up.entropy), each(up.log_prob));
}

// Rows that took no part have a zero gradient, which nobody else writes.
void zero_ignored(const MutableMatrix& g, const std::vector<int64_t>& valid) {
  size_t next = 0;
  for (int64_t i = 0; i < g.rows; ++i) {
    if (next < valid.size() && valid[next] == i) {
      ++next;
    } else {
      zero_row(g, i);
    }
  }
}

template <class T>
struct GradientBuffers {
  GradientBuffers(const LossInputs& in, const LossOptions& o, const LossPlan<T>& plan, const LossGradients& g)
      : in_(in), g_(g), bias(g.bias_grad.data ? in.weight.rows : 0, T(0)) {
    wish.class_weight = plan.weights();
    wish.round_to = o.dlogits_type == LogitsType::kInput ? in.input.dtype : DType::kFloat32;
    wish.input_grad = g.input_grad;
    wish.weight_grad = g.weight_grad;
    wish.accumulate_input = g.accumulate_input;
    wish.accumulate_weight = g.accumulate_weight;
    wish.bias_grad = bias.empty() ? nullptr : bias.data();
  }
  /// Outputs nothing else touches: no valid row, or no row of the weight here.
  void finish(const LossPlan<T>& plan) {
    if (g_.input_grad.data && !g_.accumulate_input && !plan.all_valid) zero_ignored(g_.input_grad, plan.rows);
    if (g_.weight_grad.data && !g_.accumulate_weight && plan.valid() == 0) zero_ignored(g_.weight_grad, {});
    for (int64_t j = 0; j < static_cast<int64_t>(bias.size()); ++j) {
      const double before = g_.accumulate_bias ? float_at(g_.bias_grad, j) : 0;
      set_float(g_.bias_grad, j, before + bias[j]);
    }
  }

  const LossInputs& in_;
  const LossGradients& g_;
  GradWish<T> wish;
  std::vector<T> bias;
};

template <class T>
LossState forward(const LossInputs& in, const LossOptions& o, const LossOutputs& out, int64_t vocab, bool weighted) {
  const LossPlan<T> plan(in, o, vocab);
  const StatsOut<T> stats = Head<T>(plan.head).statistics(stats_wish(plan, weighted));
  double weight_sum = sum_of_class_weights(in);
  const auto rows = totals(in, o, plan, stats.rows.data(), stats.predicted.data(), weighted, &weight_sum);
  return finish(in, o, plan, out, rows, weight_sum, weighted);
}

template <class T>
void backward(const LossInputs& in, const LossOptions& o, const LossState& s, const LossUpstream& up,
              const LossGradients& g) {
  const LossPlan<T> plan(in, o, s.vocab_size);
  GradientBuffers<T> buffers(in, o, plan, g);
  std::vector<RowGrad<T>> rows(plan.valid());
  for (int64_t v = 0; v < plan.valid(); ++v) {
    const int64_t i = plan.rows[v];
    const RowTotal r{s.max[i], s.sum[i], 0, s.has_entropy ? s.entropy[i] : 0, 0, s.target_weight[i]};
    rows[v] = row_gradient(o, plan, up, v, r, s.class_weight_sum, s.denominator);
  }
  buffers.wish.rows = rows.data();
  const Head<T> head(plan.head);
  if (distributed(in) && g.input_grad.data) {
    reduce_input_grad(in, plan, g, buffers.wish, head);
  } else {
    head.gradients(buffers.wish);
  }
  if (g.scatter_tokens && distributed(in)) {
    buffers.wish.input_grad = {};
    LossGradients rest = g;
    rest.input_grad = {};
    GradientBuffers<T> tail(in, o, plan, rest);
    tail.bias = buffers.bias;
    tail.finish(plan);
  } else {
    buffers.finish(plan);
  }
}

template <class T>
LossState forward_backward(const LossInputs& in, const LossOptions& o, const LossOutputs& out, const LossUpstream& up,
                           const LossGradients& g) {
  const LossPlan<T> plan(in, o, in.weight.rows);
  const bool weighted = out.entropy.data || up.entropy.data;
  GradientBuffers<T> buffers(in, o, plan, g);
  double weight_sum = sum_of_class_weights(in);
  // The denominator hangs on the targets alone, so it is known before the first product.
  std::vector<RowTotal> rows(plan.valid());
  for (int64_t v = 0; v < plan.valid(); ++v) {
    const bool owned = plan.target[v] >= 0;
    rows[v] = row_total(empty_stats(), 0, owned, false, plan.weights() && owned ? plan.weights()[plan.target[v]] : 1.0);
  }
  double divisor = denominator(in, o, plan, rows);
  if (divisor == 0) divisor = 1;
  const Head<T> head(plan.head);
  head.forward_backward(stats_wish(plan, weighted), buffers.wish, o.chunk_rows > 0 ? o.chunk_rows : kDefaultChunkRows,
                        [&](int64_t r0, int64_t r1, const RowStats* stats, const T* predicted, RowGrad<T>* grads) {
                          for (int64_t v = r0; v < r1; ++v) {
                            RowTotal& r = rows[v];
                            r = row_total(stats[v - r0], predicted[v - r0], plan.target[v] >= 0,
                                          plan.target[v] == kBadTarget, r.target_weight);
                            r.entropy = weighted ? std::log(r.sum) - stats[v - r0].weighted / r.sum : 0;
                            grads[v - r0] = row_gradient(o, plan, up, v, r, weight_sum, divisor);
                          }
                        });
  buffers.finish(plan);
  return finish(in, o, plan, out, rows, weight_sum, weighted);
}

// Runs the checks, lets all ranks know their outcome, and tells the others when the work itself fails.
template <class Check, class Work>
auto guarded(const LossInputs& in, const LossOptions& o, int64_t pass, Check check, Work work) {
  std::exception_ptr error;
  try {
    check();
  } catch (...) {
    error = std::current_exception();
  }
  const Agreement agreed = agree(in, o, pass, error);
  try {
    return work(agreed.vocab_size);
  } catch (const CommunicatorError&) {
    throw;
  } catch (const std::exception& e) {
    if (in.comm) in.comm->fail(e.what());
    throw;
  }
}

}  // namespace
}  // namespace cpu

using namespace cpu;

LossState loss_forward(const LossInputs& in, const LossOptions& o, const LossOutputs& out, bool want_entropy) {
  auto check = [&] {
    check_loss(in, o);
    check_loss_outputs(in, o, out);
  };
  const bool weighted = want_entropy || out.entropy.data;
  // Bits of a pass: 1 forward, 2 backward, the others what is exchanged in it.
  return guarded(in, o, 1 + (weighted ? 16 : 0), check, [&](int64_t vocab) {
    return in.input.dtype == DType::kFloat64 ? forward<double>(in, o, out, vocab, weighted)
                                             : forward<float>(in, o, out, vocab, weighted);
  });
}

void loss_backward(const LossInputs& in, const LossOptions& o, const LossState& state, const LossUpstream& up,
                   const LossGradients& g) {
  auto check = [&] {
    check_loss(in, o);
    check_loss_gradients(in, o, up, g);
    if (static_cast<int64_t>(state.max.size()) != in.input.rows) {
      refuse("state", text("statistics of ", state.max.size(), " tokens"), text("those of ", in.input.rows, " tokens"));
    }
    if (up.entropy.data && !state.has_entropy) {
      refuse("grad_entropy", "a gradient", "nothing, because forward did not compute the entropy (want_entropy)");
    }
  };
  const int64_t pass = 2 + (g.input_grad.data ? 4 : 0) + (g.scatter_tokens ? 8 : 0);
  guarded(in, o, pass, check, [&](int64_t vocab) {
    if (vocab != state.vocab_size) refuse("state", text("a vocabulary of ", state.vocab_size), text(vocab));
    in.input.dtype == DType::kFloat64 ? backward<double>(in, o, state, up, g) : backward<float>(in, o, state, up, g);
    return 0;
  });
}

LossState loss_forward_backward(const LossInputs& in, const LossOptions& o, const LossOutputs& out,
                                const LossUpstream& up, const LossGradients& g) {
  if (distributed(in)) {
    const LossState s = loss_forward(in, o, out, up.entropy.data != nullptr);
    loss_backward(in, o, s, up, g);
    return s;
  }
  check_loss(in, o);
  check_loss_outputs(in, o, out);
  check_loss_gradients(in, o, up, g);
  return in.input.dtype == DType::kFloat64 ? forward_backward<double>(in, o, out, up, g)
                                           : forward_backward<float>(in, o, out, up, g);
}

}  // namespace flce
