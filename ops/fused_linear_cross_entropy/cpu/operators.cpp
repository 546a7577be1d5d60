// The three operators: checks, then Head. Formulae and check order: operator specification sections 2, 5, 7, 8.
#include "flce/operators.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "checks.h"
#include "head.h"
#include "targets.h"
#include "thread_pool.h"

namespace flce {
namespace cpu {
namespace {

DType stats_type(DType input) {
  return input == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
}

DType rounding(LogitsType choice, DType input) {
  return choice == LogitsType::kInput ? input : DType::kFloat32;
}

template <class T>
void run_max_sum(const Matrix& input, const Matrix& weight, const std::vector<int64_t>& local, const MutableVector& max,
                 const MutableVector& sum, const MutableVector& predicted, const MutableMatrix& logits,
                 const MaxSumOptions& options) {
  HeadInputs<T> in;
  in.input = input;
  in.weight = weight;
  in.m = input.rows;
  in.threads = options.threads;
  in.transform.round_to = rounding(options.logits_type, input.dtype);
  // A target beyond the shard can only get here with validate = off: it must not look like a class.
  std::vector<int64_t> target = local;
  for (int64_t& t : target) t = t >= weight.rows ? -1 : t;
  StatsWish<T> wish;
  wish.target = target.data();
  wish.logits = logits;
  const StatsOut<T> stats = Head<T>(in).statistics(wish);
  for (int64_t i = 0; i < input.rows; ++i) {
    const RowStats& s = stats.rows[i];
    set_float(max, i, s.max);
    set_float(sum, i, s.sum);
    // Not owned: 0, also in a row with a NaN (which the sum carries on). A logit of -inf stays -inf also where the
    // maximum of the shard is -inf: merged with other shards the loss is then +inf, not NaN. Both as the kernel does.
    const double logit = static_cast<double>(stats.predicted[i]);
    double p = local[i] < 0 ? 0.0 : std::isinf(logit) && logit < 0 ? logit : logit - s.max;
    if (local[i] >= weight.rows || (local[i] >= 0 && std::isnan(s.max))) p = std::numeric_limits<double>::quiet_NaN();
    set_float(predicted, i, p);
  }
}

template <class T>
void run_grad(const Vector& grad, const Matrix& input, const Matrix& weight, const std::vector<int64_t>& local,
              const MutableMatrix& input_grad, const MutableMatrix& weight_grad, const Vector& max, const Vector& sum,
              const Matrix& softmax, const GradOptions& options) {
  HeadInputs<T> in;
  in.input = input;
  in.weight = weight;
  in.m = input.rows;
  in.threads = options.threads;
  in.transform.round_to = rounding(options.logits_type, input.dtype);
  std::vector<RowGrad<T>> rows(in.m);
  for (int64_t i = 0; i < in.m; ++i) {
    RowGrad<T>& g = rows[i];
    g = {};
    g.cp = g.ct = static_cast<T>(float_at(grad, i));
    g.target = local[i];
    g.poison = local[i] >= weight.rows || local[i] == kBadTarget;
    if (softmax.data) continue;
    g.max = static_cast<T>(float_at(max, i));
    g.inv_sum = static_cast<T>(1.0 / float_at(sum, i));
  }
  GradWish<T> wish;
  wish.rows = rows.data();
  wish.round_to = rounding(options.dlogits_type, input.dtype);
  wish.softmax = softmax;
  if (options.inplace_softmax) wish.softmax_overwrite = const_cast<void*>(softmax.data);
  wish.input_grad = input_grad;
  wish.weight_grad = weight_grad;
  wish.accumulate_input = options.accumulate_input_grad;
  wish.accumulate_weight = options.accumulate_weight_grad;
  Head<T>(in).gradients(wish);
}

void zero_fill(const MutableMatrix& m) {
  for (int64_t i = 0; i < m.rows; ++i) zero_row(m, i);
}

void check_masks(const Vector& target_mask, const Vector& masked_target, int64_t m, int64_t n, Validate validate) {
  check_dtype("target_mask", target_mask.dtype, {DType::kUInt8, DType::kBool});
  if (target_mask.dtype == DType::kBool) {
    check_input("target_mask", target_mask, m);
  } else {
    if (target_mask.size * 8 < m) {
      refuse("target_mask", text("length ", target_mask.size, ", ", target_mask.size * 8, " bits"),
             text("at least ", (m + 7) / 8, " bytes for ", m, " tokens"));
    }
    check_data("target_mask", target_mask.data, m);
  }
  check_dtype("masked_target", masked_target.dtype, {DType::kInt32, DType::kInt64});
  check_input("masked_target", masked_target, m);
  if (validate == Validate::kOff) return;
  const std::vector<int64_t> owned = unmask_targets(target_mask, masked_target, m);
  for (int64_t i = 0; i < m; ++i) {
    if (owned[i] == -1 || (owned[i] >= 0 && owned[i] < n)) continue;
    refuse("masked_target", text("local class ", owned[i], " at position ", i),
           text("[0, ", n, "), the rows of weight"));
  }
}

}  // namespace
}  // namespace cpu

using namespace cpu;

void fused_linear_online_max_sum(const Matrix& input, const Matrix& weight, const Vector& target, int64_t start,
                                 int64_t end, const MutableVector& logits_max, const MutableVector& sum_exp_logits,
                                 const MutableVector& predicted_logits, const MutableVector& target_mask,
                                 const MutableVector& masked_target, const MutableMatrix& logits,
                                 const MaxSumOptions& options) {
  check_head(input, weight);
  const int64_t m = input.rows, n = weight.rows;
  if (n == 0)
    refuse("weight", text("shape [0, ", weight.cols, "]"),
           "at least one row (an empty shard is the business of the composed loss)");
  if (options.device_limits && weight.cols > 65534)
    refuse("input", text("k = ", weight.cols), "k <= 65534 on the device");
  check_dtype("target", target.dtype, {DType::kInt32, DType::kInt64});
  check_input("target", target, m);
  const DType st = stats_type(input.dtype);
  const std::pair<const char*, const MutableVector*> outputs[] = {
      {"logits_max", &logits_max}, {"sum_exp_logits", &sum_exp_logits}, {"predicted_logits", &predicted_logits}};
  for (const auto& [name, v] : outputs) {
    check_dtype(name, v->dtype, {st});
    check_output(name, *v, m);
  }
  if (logits.data) {
    check_dtype("vocab_parallel_logits", logits.dtype, {input.dtype});
    check_output("vocab_parallel_logits", logits, m, n);
  }
  const int64_t stop = checked_end(start, end, n, options);
  check_target_values(target, start, stop, n, options);
  mask_targets(target, start, end, target_mask, masked_target, options);
  if (m == 0) return;
  const std::vector<int64_t> local = local_targets(target, start, stop);
  if (input.dtype == DType::kFloat64) {
    run_max_sum<double>(input, weight, local, logits_max, sum_exp_logits, predicted_logits, logits, options);
  } else {
    run_max_sum<float>(input, weight, local, logits_max, sum_exp_logits, predicted_logits, logits, options);
  }
}

void fused_cross_entropy_loss_with_max_sum(const Vector& logits_max, const Vector& sum_exp_logits,
                                           const Vector& predicted_logits, const MutableVector& loss,
                                           const Matrix& logits, const MutableMatrix& softmax, double label_smoothing,
                                           int threads) {
  const int64_t m = logits_max.size;
  check_dtype("logits_max", logits_max.dtype, {DType::kFloat32, DType::kFloat64});
  const DType st = logits_max.dtype;
  check_input("logits_max", logits_max, m);
  check_dtype("sum_exp_logits", sum_exp_logits.dtype, {st});
  check_input("sum_exp_logits", sum_exp_logits, m);
  check_dtype("predicted_logits", predicted_logits.dtype, {st});
  check_input("predicted_logits", predicted_logits, m);
  check_dtype("loss", loss.dtype, {st});
  check_output("loss", loss, m);
  check_label_smoothing_is_zero(label_smoothing);
  if (logits.data) {
    check_dtype("vocab_parallel_logits", logits.dtype,
                {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat64});
    check_input("vocab_parallel_logits", logits, m, logits.cols);
    check_dtype("softmax", softmax.dtype, {st});
    check_output("softmax", softmax, m, logits.cols);
  }
  for (int64_t i = 0; i < m; ++i) {
    set_float(loss, i, std::log(float_at(sum_exp_logits, i)) - float_at(predicted_logits, i));
  }
  if (!logits.data) return;
  auto rows = [&](auto zero) {
    using T = decltype(zero);
    const KernelTable<T>& t = table_for<T>(false);
    constexpr double kPerElement = 60;  // exp, division, two passes over memory
    ThreadPool& pool = ThreadPool::shared();
    pool.run(m, pool.slots(threads, kPerElement * static_cast<double>(m) * static_cast<double>(logits.cols)),
             [&](int64_t i, int) {
               T x[512];
               const T max = static_cast<T>(float_at(logits_max, i)),
                       inv = static_cast<T>(1 / float_at(sum_exp_logits, i));
               for (int64_t j = 0; j < logits.cols; j += 512) {
                 const int64_t count = std::min<int64_t>(512, logits.cols - j);
                 load_strip(t, logits, i, j, count, x);
                 t.softmax(x, x, count, max, inv);
                 store_strip(t, x, softmax, i, j, count, false);
               }
             });
  };
  st == DType::kFloat64 ? rows(double{}) : rows(float{});
}

void fused_linear_cross_entropy_loss_with_max_sum_grad(const Vector& grad, const Matrix& input, const Matrix& weight,
                                                       const Vector& target_mask, const Vector& masked_target,
                                                       const MutableMatrix& input_grad,
                                                       const MutableMatrix& weight_grad, double label_smoothing,
                                                       const Vector& logits_max, const Vector& sum_exp_logits,
                                                       const Matrix& softmax, const GradOptions& options) {
  const bool from_softmax = softmax.data != nullptr || (softmax.rows > 0 && softmax.cols > 0);
  check_head(input, weight);
  const int64_t m = input.rows, n = weight.rows, k = input.cols;
  const DType st = stats_type(input.dtype);
  check_dtype("grad", grad.dtype, {st});
  check_input("grad", grad, m);
  check_label_smoothing_is_zero(label_smoothing);
  if (from_softmax) {
    check_dtype("softmax", softmax.dtype, {st});
    check_input("softmax", softmax, m, n);
    if (options.device_limits && (n < 128 || n > 24560)) {
      refuse("softmax", text("n = ", n), "128 <= n <= 24560 on the device (192 KiB of on-chip memory)");
    }
  } else {
    if (m > 0 && (logits_max.data == nullptr || sum_exp_logits.data == nullptr)) {
      throw ArgumentError(logits_max.data == nullptr ? "logits_max" : "sum_exp_logits",
                          "given nothing, allowed: softmax, or both of logits_max and sum_exp_logits",
                          ArgumentError::kNullPointer);
    }
    check_dtype("logits_max", logits_max.dtype, {st});
    check_input("logits_max", logits_max, m);
    check_dtype("sum_exp_logits", sum_exp_logits.dtype, {st});
    check_input("sum_exp_logits", sum_exp_logits, m);
  }
  if (options.device_limits && k > 65535) refuse("input", text("k = ", k), "k <= 65535 on the device");
  check_masks(target_mask, masked_target, m, n, options.validate);
  for (const auto& [name, g, rows] : {std::tuple{"input_grad", &input_grad, m}, {"weight_grad", &weight_grad, n}}) {
    check_dtype(name, g->dtype, {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat64});
    check_output(name, *g, rows, k);
  }
  if (m == 0 || n == 0) {  // the device leaves weight_grad uninitialised here
    if (!options.accumulate_weight_grad) zero_fill(weight_grad);
    if (!options.accumulate_input_grad) zero_fill(input_grad);
    return;
  }
  const std::vector<int64_t> local = unmask_targets(target_mask, masked_target, m);
  Matrix s = from_softmax ? softmax : Matrix();
  if (input.dtype == DType::kFloat64) {
    run_grad<double>(grad, input, weight, local, input_grad, weight_grad, logits_max, sum_exp_logits, s, options);
  } else {
    run_grad<float>(grad, input, weight, local, input_grad, weight_grad, logits_max, sum_exp_logits, s, options);
  }
}

}  // namespace flce
