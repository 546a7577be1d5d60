// See loss_plan.h. Refusals follow one rule: an option that is given is honoured or named, never ignored.
#include "loss_plan.h"

#include <algorithm>
#include <cmath>

#include "checks.h"
#include "targets.h"

namespace flce {

using cpu::refuse;

void check_loss_options(const LossOptions& o) {
  if (!(o.label_smoothing >= 0 && o.label_smoothing < 1)) refuse("label_smoothing", o.label_smoothing, "[0, 1)");
  if (!(o.z_loss >= 0) || std::isinf(o.z_loss)) refuse("z_loss", o.z_loss, "finite and >= 0");
  if (!(o.softcap >= 0) || std::isinf(o.softcap)) refuse("softcap", o.softcap, "0 (none) or a finite value > 0");
  if (!std::isfinite(o.logit_scale) || o.logit_scale == 0) refuse("logit_scale", o.logit_scale, "finite and not 0");
  if (!(o.temperature > 0) || std::isinf(o.temperature)) refuse("temperature", o.temperature, "finite and > 0");
  if (!(o.normalizer >= 0) || std::isinf(o.normalizer)) refuse("normalizer", o.normalizer, "0 (automatic) or > 0");
  if (o.normalizer > 0 && o.reduction != Reduction::kMean)
    refuse("normalizer", o.normalizer, "0 unless reduction is mean");
  if (o.chunk_rows < 0) refuse("chunk_rows", o.chunk_rows, "0 (default) or > 0");
  if (o.threads < 0) refuse("threads", o.threads, "0 (default) or > 0");
}

namespace cpu {
namespace {

void check_optional(const char* name, const Vector& v, int64_t size) {
  if (v.data == nullptr && v.size == 0) return;
  check_dtype(name, v.dtype, {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat64});
  check_input(name, v, size);
}

DType working_type(const LossInputs& in) {
  return in.input.dtype == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
}

}  // namespace

void check_loss(const LossInputs& in, const LossOptions& options) {
  check_loss_options(options);
  check_head(in.input, in.weight);
  const int64_t m = in.input.rows, n = in.weight.rows;
  if (n == 0 && (in.comm == nullptr || in.comm->size() == 1)) {
    refuse("weight", text("shape [0, ", in.weight.cols, "]"),
           "at least one class (a shard may be empty, the vocabulary not)");
  }
  check_dtype("target", in.target.dtype, {DType::kInt32, DType::kInt64});
  check_input("target", in.target, m);
  check_optional("bias", in.bias, n);
  check_optional("token_weight", in.token_weight, m);
  check_optional("class_weight", in.class_weight, n);
  if (in.vocab_start < 0) refuse("vocab_start", in.vocab_start, ">= 0");
  if ((in.comm == nullptr || in.comm->size() == 1) && in.vocab_start != 0) {
    refuse("vocab_start", in.vocab_start, "0 without a communicator: the shard is the vocabulary");
  }
}

void check_loss_outputs(const LossInputs& in, const LossOptions& options, const LossOutputs& out) {
  const int64_t m = in.input.rows;
  check_dtype("loss", out.loss.dtype, {working_type(in)});
  check_output("loss", out.loss, options.reduction == Reduction::kNone ? m : 1);
  for (const auto& [name, v] : {std::pair{"lse", &out.lse}, {"entropy", &out.entropy}, {"log_prob", &out.log_prob}}) {
    if (v->data == nullptr && v->size == 0) continue;
    check_dtype(name, v->dtype, {working_type(in)});
    check_output(name, *v, m);
  }
}

void check_loss_gradients(const LossInputs& in, const LossOptions& options, const LossUpstream& up,
                          const LossGradients& g) {
  const int64_t m = in.input.rows, n = in.weight.rows, k = in.input.cols;
  check_optional("grad_loss", up.loss, options.reduction == Reduction::kNone ? m : 1);
  check_optional("grad_lse", up.lse, m);
  check_optional("grad_entropy", up.entropy, m);
  check_optional("grad_log_prob", up.log_prob, m);
  const auto floats = {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat64};
  if (g.input_grad.data) {
    int64_t rows = m;
    if (g.scatter_tokens && in.comm) {
      rows = token_begin(m, in.comm->size(), in.comm->rank() + 1) - token_begin(m, in.comm->size(), in.comm->rank());
    }
    check_dtype("input_grad", g.input_grad.dtype, floats);
    check_output("input_grad", g.input_grad, rows, k);
  }
  if (g.weight_grad.data) {
    check_dtype("weight_grad", g.weight_grad.dtype, floats);
    check_output("weight_grad", g.weight_grad, n, k);
  }
  if (g.bias_grad.data) {
    if (in.bias.data == nullptr && n > 0) refuse("bias_grad", "a buffer", "nothing, because there is no bias");
    check_dtype("bias_grad", g.bias_grad.dtype, floats);
    check_output("bias_grad", g.bias_grad, n);
  }
}

template <class T>
LossPlan<T>::LossPlan(const LossInputs& in, const LossOptions& o, int64_t vocab) : vocab_size(vocab) {
  const int64_t m = in.input.rows, n = in.weight.rows;
  MaxSumOptions values;
  values.validate = o.validate;
  values.vocab_size = vocab_size;
  values.ignore_index = o.ignore_index;
  check_target_values(in.target, in.vocab_start, in.vocab_start + n, -1, values);
  for (int64_t i = 0; i < m; ++i) {
    const int64_t t = index_at(in.target, i);
    if (t == o.ignore_index) continue;
    rows.push_back(i);
    const int64_t local = t - in.vocab_start;
    target.push_back(local >= 0 && local < n ? local : t < 0 || t >= vocab_size ? kBadTarget : -1);
  }
  all_valid = valid() == m;
  auto copy = [](const Vector& v, auto* out) {
    for (int64_t i = 0; i < v.size; ++i) {
      out->push_back(static_cast<typename std::decay_t<decltype(*out)>::value_type>(float_at(v, i)));
    }
  };
  if (in.bias.data) copy(in.bias, &bias);
  if (in.class_weight.data) copy(in.class_weight, &class_weight);
  if (in.token_weight.data) copy(in.token_weight, &token_weight);
  eps = o.label_smoothing;
  if (eps > 0 && o.smoothing_formula == SmoothingFormula::kMegatron) {
    if (vocab_size < 2) refuse("label_smoothing", eps, "0 for a vocabulary of one class with the megatron formula");
    eps = eps * static_cast<double>(vocab_size) / static_cast<double>(vocab_size - 1);
  }
  head.input = in.input;
  head.weight = in.weight;
  head.rows = all_valid ? nullptr : rows.data();
  head.m = valid();
  head.threads = o.threads;
  head.transform.round_to = o.logits_type == LogitsType::kInput ? in.input.dtype : DType::kFloat32;
  head.transform.bias = bias.empty() ? nullptr : bias.data();
  head.transform.scale = static_cast<T>(o.logit_scale);
  head.transform.softcap = static_cast<T>(o.softcap);
  head.transform.inv_temperature = static_cast<T>(1 / o.temperature);
}

template <class T>
RowGrad<T> LossPlan<T>::coefficients(const LossOptions& o, double class_weight_sum, int64_t v, double max, double sum,
                                     double entropy, double target_weight, double u, double g_lse, double g_entropy,
                                     double g_log_prob) const {
  const double lse = max + std::log(sum);
  const double a = (1 - eps) * target_weight, b = eps / static_cast<double>(vocab_size);
  RowGrad<T> g{};
  g.max = static_cast<T>(max);
  g.inv_sum = static_cast<T>(1 / sum);
  g.lse = static_cast<T>(lse);
  g.entropy = static_cast<T>(entropy);
  g.cp = static_cast<T>(u * (a + b * class_weight_sum + 2 * o.z_loss * lse) + g_lse - g_log_prob);
  g.ct = static_cast<T>(u * a - g_log_prob);
  g.cb = static_cast<T>(u * b);
  g.ch = static_cast<T>(g_entropy);
  g.target = target[v];
  g.poison = target[v] == kBadTarget;
  return g;
}

template struct LossPlan<float>;
template struct LossPlan<double>;

}  // namespace cpu
}  // namespace flce
