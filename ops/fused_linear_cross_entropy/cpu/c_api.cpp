// The C ABI: structures to views, exceptions to codes.
#include "flce/c_api.h"

#include <string>

#include "flce/loss.h"
#include "flce/operators.h"

namespace {

thread_local std::string last_error;

template <class F>
int guarded(F f) {
  try {
    f();
    last_error.clear();
    return 0;
  } catch (const flce::ArgumentError& e) {
    last_error = e.what();
    return static_cast<int>(e.code());
  } catch (const std::exception& e) {
    last_error = e.what();
    return 1;
  }
}

flce::DType dtype(int32_t d) {
  if (d < 0 || d > FLCE_BOOL) {
    throw flce::ArgumentError("dtype", "given " + std::to_string(d) + ", allowed: a value of enum flce_dtype");
  }
  return static_cast<flce::DType>(d);
}
flce::MutableMatrix matrix(const flce_matrix& m) {
  return {m.data, m.data ? dtype(m.dtype) : flce::DType::kFloat32, m.rows, m.cols, m.row_stride, m.col_stride};
}
flce::MutableVector vector(const flce_vector& v) {
  return {v.data, v.data ? dtype(v.dtype) : flce::DType::kFloat32, v.size, v.stride};
}

flce::LogitsType logits(int32_t float32) {
  return float32 ? flce::LogitsType::kFloat32 : flce::LogitsType::kInput;
}
flce::Validate validate(int32_t v) {
  if (v < 0 || v > 2) throw flce::ArgumentError("validate", "given " + std::to_string(v) + ", allowed: 0, 1, 2");
  return static_cast<flce::Validate>(v);
}
const flce_operator_options& or_defaults(const flce_operator_options* o) {
  static const flce_operator_options defaults = [] {
    flce_operator_options d;
    flce_operator_defaults(&d);
    return d;
  }();
  return o ? *o : defaults;
}

}  // namespace

extern "C" {

const char* flce_last_error(void) {
  return last_error.c_str();
}

void flce_operator_defaults(flce_operator_options* o) {
  *o = flce_operator_options{};
  o->validate = 1;
  o->vocab_size = -1;
  o->ignore_index = -100;
}

int flce_online_max_sum(flce_matrix input, flce_matrix weight, flce_vector target, int64_t start, int64_t end,
                        flce_vector logits_max, flce_vector sum_exp_logits, flce_vector predicted_logits,
                        flce_vector target_mask, flce_vector masked_target, flce_matrix vocab_parallel_logits,
                        const flce_operator_options* options) {
  return guarded([&] {
    const flce_operator_options& c = or_defaults(options);
    flce::MaxSumOptions o;
    o.vocab_range = c.inclusive_range ? flce::VocabRange::kInclusive : flce::VocabRange::kExclusive;
    o.mask_pad = c.mask_pad_ones ? flce::MaskPad::kOnes : flce::MaskPad::kDevice;
    o.logits_type = logits(c.logits_float32);
    o.validate = validate(c.validate);
    o.vocab_size = c.vocab_size;
    o.ignore_index = c.ignore_index;
    o.device_limits = c.device_limits != 0;
    o.threads = c.threads;
    flce::fused_linear_online_max_sum(matrix(input), matrix(weight), vector(target), start, end, vector(logits_max),
                                      vector(sum_exp_logits), vector(predicted_logits), vector(target_mask),
                                      vector(masked_target), matrix(vocab_parallel_logits), o);
  });
}

int flce_loss_with_max_sum(flce_vector logits_max, flce_vector sum_exp_logits, flce_vector predicted_logits,
                           flce_vector loss, flce_matrix vocab_parallel_logits, flce_matrix softmax,
                           double label_smoothing, const flce_operator_options* options) {
  return guarded([&] {
    flce::fused_cross_entropy_loss_with_max_sum(vector(logits_max), vector(sum_exp_logits), vector(predicted_logits),
                                                vector(loss), matrix(vocab_parallel_logits), matrix(softmax),
                                                label_smoothing, or_defaults(options).threads);
  });
}

int flce_loss_with_max_sum_grad(flce_vector grad, flce_matrix input, flce_matrix weight, flce_vector target_mask,
                                flce_vector masked_target, flce_matrix input_grad, flce_matrix weight_grad,
                                double label_smoothing, flce_vector logits_max, flce_vector sum_exp_logits,
                                flce_matrix softmax, const flce_operator_options* options) {
  return guarded([&] {
    const flce_operator_options& c = or_defaults(options);
    flce::GradOptions o;
    o.logits_type = logits(c.logits_float32);
    o.dlogits_type = logits(c.dlogits_float32);
    o.validate = validate(c.validate);
    o.accumulate_input_grad = c.accumulate_input_grad != 0;
    o.accumulate_weight_grad = c.accumulate_weight_grad != 0;
    o.inplace_softmax = c.inplace_softmax != 0;
    o.device_limits = c.device_limits != 0;
    o.threads = c.threads;
    flce::fused_linear_cross_entropy_loss_with_max_sum_grad(
        vector(grad), matrix(input), matrix(weight), vector(target_mask), vector(masked_target), matrix(input_grad),
        matrix(weight_grad), label_smoothing, vector(logits_max), vector(sum_exp_logits), matrix(softmax), o);
  });
}

void flce_loss_defaults(flce_loss_options* o) {
  *o = flce_loss_options{};
  o->ignore_index = -100;
  o->reduction = 1;
  o->logits_float32 = 1;
  o->validate = 2;
  o->logit_scale = o->temperature = 1;
}

int flce_linear_cross_entropy(flce_matrix input, flce_matrix weight, flce_vector target, flce_vector bias,
                              flce_vector token_weight, flce_vector class_weight, flce_vector loss, flce_vector lse,
                              flce_vector entropy, flce_vector log_prob, flce_vector grad_loss, flce_matrix input_grad,
                              flce_matrix weight_grad, flce_vector bias_grad, const flce_loss_options* options) {
  return guarded([&] {
    flce_loss_options c;
    flce_loss_defaults(&c);
    if (options) c = *options;
    if (c.reduction < 0 || c.reduction > 2) {
      throw flce::ArgumentError("reduction", "given " + std::to_string(c.reduction) + ", allowed: 0, 1, 2");
    }
    flce::LossOptions o;
    o.ignore_index = c.ignore_index;
    o.reduction = static_cast<flce::Reduction>(c.reduction);
    o.normalizer = c.normalizer;
    o.empty_mean = c.empty_mean_nan ? flce::EmptyMean::kNaN : flce::EmptyMean::kZero;
    o.label_smoothing = c.label_smoothing;
    o.smoothing_formula = c.smoothing_megatron ? flce::SmoothingFormula::kMegatron : flce::SmoothingFormula::kPytorch;
    o.z_loss = c.z_loss;
    o.softcap = c.softcap;
    o.logit_scale = c.logit_scale;
    o.temperature = c.temperature;
    o.logits_type = logits(c.logits_float32);
    o.dlogits_type = logits(c.dlogits_float32);
    o.validate = validate(c.validate);
    o.chunk_rows = c.chunk_rows;
    o.threads = c.threads;
    flce::LossInputs in;
    in.input = matrix(input);
    in.weight = matrix(weight);
    in.target = vector(target);
    in.bias = vector(bias);
    in.token_weight = vector(token_weight);
    in.class_weight = vector(class_weight);
    const flce::LossOutputs out{vector(loss), vector(lse), vector(entropy), vector(log_prob)};
    flce::LossGradients g;
    g.input_grad = matrix(input_grad);
    g.weight_grad = matrix(weight_grad);
    g.bias_grad = vector(bias_grad);
    if (g.input_grad.data || g.weight_grad.data || g.bias_grad.data) {
      flce::loss_forward_backward(in, o, out, {vector(grad_loss), {}, {}, {}}, g);
    } else {
      flce::loss_forward(in, o, out);
    }
  });
}

}  // extern "C"
