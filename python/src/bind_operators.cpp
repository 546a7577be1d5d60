// Module ascsan._flce: the three operators and the run-time switches. Python allocates every output; this file only
// turns arrays into views, words into options, and releases the interpreter lock while an operator works.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "flce/operators.h"
#include "flce/runtime.h"

namespace flce_python {

void bind_loss(nb::module_& m);

namespace {

flce::Validate validate(const std::string& s) {
  return choice<flce::Validate>(
      "validate", s,
      {{"off", flce::Validate::kOff}, {"shape", flce::Validate::kShape}, {"values", flce::Validate::kValues}});
}
flce::LogitsType numbers(const char* name, const std::string& s) {
  return choice<flce::LogitsType>(name, s,
                                  {{"input", flce::LogitsType::kInput}, {"float32", flce::LogitsType::kFloat32}});
}

void online_max_sum(const In& input, const In& weight, const In& target, int64_t start, int64_t end, const Out& max,
                    const Out& sum, const Out& predicted, const Out& mask, const Out& masked,
                    const std::optional<Out>& logits, const std::string& vocab_range, const std::string& mask_pad,
                    const std::string& logits_dtype, const std::string& check, int64_t vocab_size, int64_t ignore_index,
                    bool device_limits, int threads) {
  flce::MaxSumOptions o;
  o.vocab_range = choice<flce::VocabRange>(
      "vocab_range", vocab_range,
      {{"exclusive", flce::VocabRange::kExclusive}, {"inclusive", flce::VocabRange::kInclusive}});
  o.mask_pad =
      choice<flce::MaskPad>("mask_pad", mask_pad, {{"device", flce::MaskPad::kDevice}, {"ones", flce::MaskPad::kOnes}});
  o.logits_type = numbers("logits_dtype", logits_dtype);
  o.validate = validate(check);
  o.vocab_size = vocab_size;
  o.ignore_index = ignore_index;
  o.device_limits = device_limits;
  o.threads = threads;
  const flce::Matrix x = in_matrix("input", input), w = in_matrix("weight", weight);
  const flce::Vector t = in_vector("target", target);
  const flce::MutableVector m = out_vector("logits_max", max), s = out_vector("sum_exp_logits", sum),
                            p = out_vector("predicted_logits", predicted), b = out_vector("target_mask", mask),
                            l = out_vector("masked_target", masked);
  const flce::MutableMatrix full = out_matrix("vocab_parallel_logits", logits);
  nb::gil_scoped_release release;
  flce::fused_linear_online_max_sum(x, w, t, start, end, m, s, p, b, l, full, o);
}

void loss_with_max_sum(const In& max, const In& sum, const In& predicted, const Out& loss,
                       const std::optional<In>& logits, const std::optional<Out>& softmax, double label_smoothing,
                       int threads) {
  const flce::Vector m = in_vector("logits_max", max), s = in_vector("sum_exp_logits", sum),
                     p = in_vector("predicted_logits", predicted);
  const flce::MutableVector l = out_vector("loss", loss);
  const flce::Matrix full = in_matrix("vocab_parallel_logits", logits);
  const flce::MutableMatrix soft = out_matrix("softmax", softmax);
  nb::gil_scoped_release release;
  flce::fused_cross_entropy_loss_with_max_sum(m, s, p, l, full, soft, label_smoothing, threads);
}

void loss_grad(const In& grad, const In& input, const In& weight, const In& mask, const In& masked, const Out& dx,
               const Out& dw, double label_smoothing, const std::optional<In>& max, const std::optional<In>& sum,
               const std::optional<In>& softmax, const std::string& logits_dtype, const std::string& dlogits_dtype,
               const std::string& check, bool accumulate_input, bool accumulate_weight, bool inplace_softmax,
               bool device_limits, int threads) {
  flce::GradOptions o;
  o.logits_type = numbers("logits_dtype", logits_dtype);
  o.dlogits_type = numbers("dlogits_dtype", dlogits_dtype);
  o.validate = validate(check);
  o.accumulate_input_grad = accumulate_input;
  o.accumulate_weight_grad = accumulate_weight;
  o.inplace_softmax = inplace_softmax;
  o.device_limits = device_limits;
  o.threads = threads;
  const flce::Vector g = in_vector("grad", grad), b = in_vector("target_mask", mask),
                     t = in_vector("masked_target", masked), m = in_vector("logits_max", max),
                     s = in_vector("sum_exp_logits", sum);
  const flce::Matrix x = in_matrix("input", input), w = in_matrix("weight", weight), p = in_matrix("softmax", softmax);
  const flce::MutableMatrix gx = out_matrix("input_grad", dx), gw = out_matrix("weight_grad", dw);
  nb::gil_scoped_release release;
  flce::fused_linear_cross_entropy_loss_with_max_sum_grad(g, x, w, b, t, gx, gw, label_smoothing, m, s, p, o);
}

}  // namespace
}  // namespace flce_python

NB_MODULE(_flce, m) {
  using namespace flce_python;
  static nb::exception<flce::ArgumentError> argument_error(m, "ArgumentError", PyExc_ValueError);
  m.def("online_max_sum", online_max_sum, nb::arg("input"), nb::arg("weight"), nb::arg("target"), nb::arg("start"),
        nb::arg("end"), nb::arg("max"), nb::arg("sum"), nb::arg("predicted"), nb::arg("mask"), nb::arg("masked"),
        nb::arg("logits").none(), nb::arg("vocab_range"), nb::arg("mask_pad"), nb::arg("logits_dtype"),
        nb::arg("validate"), nb::arg("vocab_size"), nb::arg("ignore_index"), nb::arg("device_limits"),
        nb::arg("threads"));
  m.def("loss_with_max_sum", loss_with_max_sum, nb::arg("max"), nb::arg("sum"), nb::arg("predicted"), nb::arg("loss"),
        nb::arg("logits").none(), nb::arg("softmax").none(), nb::arg("label_smoothing"), nb::arg("threads"));
  m.def("loss_grad", loss_grad, nb::arg("grad"), nb::arg("input"), nb::arg("weight"), nb::arg("mask"),
        nb::arg("masked"), nb::arg("input_grad"), nb::arg("weight_grad"), nb::arg("label_smoothing"),
        nb::arg("max").none(), nb::arg("sum").none(), nb::arg("softmax").none(), nb::arg("logits_dtype"),
        nb::arg("dlogits_dtype"), nb::arg("validate"), nb::arg("accumulate_input"), nb::arg("accumulate_weight"),
        nb::arg("inplace_softmax"), nb::arg("device_limits"), nb::arg("threads"));
  m.def("set_threads", flce::set_threads, nb::arg("threads"),
        "Threads of a call that does not say; 0 restores the default.");
  m.def("threads", flce::threads);
  m.def("set_isa", flce::set_isa, nb::arg("isa"));
  m.def("isa", flce::isa);
  m.def("available_isas", flce::available_isas);
  m.def("set_scratch_limit", flce::set_scratch_limit, nb::arg("bytes"));
  bind_loss(m);
}
