// Every check of the operators and of the composed loss: one bad argument at a time, the exception must name it, say
// what was given and what is allowed (operator specification 5). Nothing may come out as a plausible value.
#include "support.h"

namespace flce_test {
namespace {

struct Call {
  Array x{DType::kBFloat16, 5, 4}, w{DType::kBFloat16, 7, 4}, t{DType::kInt32, 5, 1}, max{DType::kFloat32, 5, 1},
      sum{DType::kFloat32, 5, 1}, predicted{DType::kFloat32, 5, 1}, mask{DType::kUInt8, 1, 1},
      masked{DType::kInt32, 5, 1}, logits{DType::kBFloat16, 5, 7}, loss{DType::kFloat32, 5, 1},
      softmax{DType::kFloat32, 5, 7}, grad{DType::kFloat32, 5, 1}, dx{DType::kFloat32, 5, 4}, dw{DType::kFloat32, 7, 4};
  int64_t start = 0, end = 7;
  double smoothing = 0;
  bool give_softmax = false, drop_max = false, drop_sum = false;
  flce::GradOptions go;
  Call() {
    std::mt19937_64 rng(3);
    for (Array* a : {&x, &w, &grad}) fill_random(a, rng, 1);
    for (Array* a : {&t, &masked}) {
      for (int i = 0; i < 5; ++i) a->set(i, 0, i);
    }
    mask.set(0, 0, 0);
    for (Array* a : {&max, &sum, &predicted}) {
      for (int i = 0; i < 5; ++i) a->set(i, 0, 1);
    }
    for (int i = 0; i < 5; ++i) {
      for (int j = 0; j < 7; ++j) logits.set(i, j, 0), softmax.set(i, j, 0.1);
    }
  }
  void op1() {
    flce::fused_linear_online_max_sum(x.matrix(), w.matrix(), t.vector(), start, end, max.vector(), sum.vector(),
                                      predicted.vector(), mask.vector(), masked.vector(), logits.matrix());
  }
  void op2() {
    flce::fused_cross_entropy_loss_with_max_sum(max.vector(), sum.vector(), predicted.vector(), loss.vector(),
                                                logits.matrix(), softmax.matrix(), smoothing);
  }
  void op3() {
    flce::fused_linear_cross_entropy_loss_with_max_sum_grad(
        grad.vector(), x.matrix(), w.matrix(), mask.vector(), masked.vector(), dx.matrix(), dw.matrix(), smoothing,
        drop_max ? flce::Vector() : std::as_const(max).vector(),
        drop_sum ? flce::Vector() : std::as_const(sum).vector(),
        give_softmax ? std::as_const(softmax).matrix() : flce::Matrix(), go);
  }
};

template <class Change>
void bad1(const char* argument, Change change) {
  SCOPED_TRACE(std::string("operator 1, ") + argument);
  Call c;
  change(c);
  expect_refused(argument, [&] { c.op1(); });
}
template <class Change>
void bad2(const char* argument, Change change) {
  SCOPED_TRACE(std::string("operator 2, ") + argument);
  Call c;
  change(c);
  expect_refused(argument, [&] { c.op2(); });
}
template <class Change>
void bad3(const char* argument, Change change) {
  SCOPED_TRACE(std::string("operator 3, ") + argument);
  Call c;
  change(c);
  expect_refused(argument, [&] { c.op3(); });
}

constexpr DType kF32 = DType::kFloat32;

TEST(Refusals, TheGoodCallPasses) {
  Call c;
  c.op1();
  c.op2();
  c.op3();
  c.give_softmax = true;
  c.op3();
}

TEST(Refusals, Operator1) {
  bad1("input", [](Call& c) { c.x = Array(DType::kInt32, 5, 4); });
  bad1("weight", [](Call& c) { c.w = Array(DType::kFloat16, 7, 4); });
  bad1("weight", [](Call& c) { c.w = Array(DType::kBFloat16, 7, 3); });
  bad1("weight", [](Call& c) { c.w = Array(DType::kBFloat16, 0, 4); });
  bad1("target", [](Call& c) { c.t = Array(DType::kInt32, 4, 1); });
  bad1("target", [](Call& c) { c.t = Array(kF32, 5, 1); });
  bad1("logits_max", [](Call& c) { c.max = Array(DType::kBFloat16, 5, 1); });
  bad1("logits_max", [](Call& c) { c.max = Array(kF32, 6, 1); });
  bad1("sum_exp_logits", [](Call& c) { c.sum = Array(kF32, 4, 1); });
  bad1("predicted_logits", [](Call& c) { c.predicted = Array(DType::kFloat64, 5, 1); });
  bad1("target_mask", [](Call& c) { c.mask = Array(DType::kUInt8, 2, 1); });
  bad1("target_mask", [](Call& c) { c.mask = Array(DType::kBool, 1, 1); });
  bad1("masked_target", [](Call& c) { c.masked = Array(DType::kInt64, 5, 1); });
  bad1("masked_target", [](Call& c) { c.masked = Array(DType::kInt32, 6, 1); });
  bad1("vocab_parallel_logits", [](Call& c) { c.logits = Array(kF32, 5, 7); });
  bad1("vocab_parallel_logits", [](Call& c) { c.logits = Array(DType::kBFloat16, 5, 6); });
  bad1("vocab_start_index", [](Call& c) { c.start = -1; });
  bad1("vocab_end_index", [](Call& c) { c.start = 4, c.end = 3; });
  bad1("vocab_end_index", [](Call& c) { c.end = 8; });
  bad1("vocab_parallel_logits", [](Call& c) { c.logits.row_stride = 3; });  // rows over each other
  bad1("logits_max", [](Call& c) { c.max.row_stride = 0; });
  Call c;
  flce::MaxSumOptions limits;
  limits.device_limits = true;
  const Array wide(DType::kBFloat16, 1, 65535), rows(DType::kBFloat16, 1, 65535), t = column(DType::kInt32, {0});
  expect_refused("input", [&] { MaxSum(rows, wide, t, 0, 1, limits); });
  Array v(kF32, 5, 1);
  try {
    flce::fused_linear_online_max_sum({nullptr, DType::kBFloat16, 5, 4}, c.w.matrix(), c.t.vector(), 0, 7, v.vector(),
                                      v.vector(), v.vector(), c.mask.vector(), c.masked.vector());
    ADD_FAILURE();
  } catch (const flce::ArgumentError& e) {
    EXPECT_EQ(e.argument(), "input");
    EXPECT_EQ(e.code(), flce::ArgumentError::kNullPointer);
  }
}

TEST(Refusals, Operator2) {
  bad2("logits_max", [](Call& c) { c.max = Array(DType::kFloat16, 5, 1); });
  bad2("sum_exp_logits", [](Call& c) { c.sum = Array(kF32, 6, 1); });
  bad2("predicted_logits", [](Call& c) { c.predicted = Array(DType::kBFloat16, 5, 1); });
  bad2("loss", [](Call& c) { c.loss = Array(kF32, 4, 1); });
  bad2("vocab_parallel_logits", [](Call& c) { c.logits = Array(DType::kBFloat16, 4, 7); });
  bad2("vocab_parallel_logits", [](Call& c) { c.logits = Array(DType::kInt32, 5, 7); });
  bad2("softmax", [](Call& c) { c.softmax = Array(DType::kBFloat16, 5, 7); });
  bad2("softmax", [](Call& c) { c.softmax = Array(kF32, 5, 8); });
  bad2("label_smoothing", [](Call& c) { c.smoothing = 0.1; });
  bad2("label_smoothing", [](Call& c) { c.smoothing = std::nan(""); });
}

TEST(Refusals, Operator3) {
  bad3("grad", [](Call& c) { c.grad = Array(DType::kBFloat16, 5, 1); });
  bad3("grad", [](Call& c) { c.grad = Array(kF32, 1, 1); });  // no broadcasting
  bad3("input", [](Call& c) { c.x = Array(DType::kUInt8, 5, 4); });
  bad3("weight", [](Call& c) { c.w = Array(kF32, 7, 4); });
  bad3("weight", [](Call& c) { c.w = Array(DType::kBFloat16, 7, 5); });
  bad3("target_mask", [](Call& c) { c.mask = Array(DType::kInt32, 5, 1); });
  bad3("target_mask", [](Call& c) { c.mask = Array(DType::kBool, 8, 1); });
  bad3("target_mask", [](Call& c) { c.mask = Array(DType::kUInt8, 0, 1); });
  bad3("masked_target", [](Call& c) { c.masked = Array(kF32, 5, 1); });
  bad3("masked_target", [](Call& c) { c.masked = Array(DType::kInt64, 4, 1); });
  bad3("masked_target", [](Call& c) { c.masked.set(2, 0, 7); });
  bad3("masked_target", [](Call& c) { c.masked.set(2, 0, -1); });
  bad3("label_smoothing", [](Call& c) { c.smoothing = 0.1; });
  bad3("logits_max", [](Call& c) { c.max = Array(kF32, 4, 1); });
  bad3("sum_exp_logits", [](Call& c) { c.sum = Array(DType::kFloat64, 5, 1); });
  bad3("logits_max", [](Call& c) { c.drop_max = true; });
  bad3("sum_exp_logits", [](Call& c) { c.drop_sum = true; });
  bad3("softmax", [](Call& c) { c.give_softmax = true, c.softmax = Array(kF32, 5, 6); });
  bad3("softmax", [](Call& c) { c.give_softmax = true, c.softmax = Array(DType::kFloat16, 5, 7); });
  bad3("softmax", [](Call& c) { c.give_softmax = true, c.go.device_limits = true; });
  bad3("input_grad", [](Call& c) { c.dx = Array(kF32, 5, 5); });
  bad3("input_grad", [](Call& c) { c.dx = Array(DType::kInt32, 5, 4); });
  bad3("weight_grad", [](Call& c) { c.dw = Array(kF32, 6, 4); });
  bad3("weight_grad", [](Call& c) { c.dw.row_stride = 0; });
}

struct Loss {
  Array x{kF32, 5, 4}, w{kF32, 7, 4}, t{DType::kInt64, 5, 1}, loss{kF32, 1, 1}, extra{kF32, 5, 1}, dx{kF32, 5, 4},
      dw{kF32, 7, 4}, db{kF32, 7, 1}, bias{kF32, 7, 1}, tw{kF32, 5, 1}, cw{kF32, 7, 1}, up{kF32, 1, 1};
  flce::LossOptions o;
  int64_t start = 0;
  bool with_bias = true;
  Loss() {
    std::mt19937_64 rng(4);
    for (Array* a : {&x, &w, &bias, &tw, &cw, &up}) fill_random(a, rng, 1);
    for (int i = 0; i < 5; ++i) t.set(i, 0, i);
  }
  void run() {
    flce::LossInputs in;
    in.input = x.matrix();
    in.weight = w.matrix();
    in.target = t.vector();
    if (with_bias) in.bias = bias.vector();
    in.token_weight = tw.vector();
    in.class_weight = cw.vector();
    in.vocab_start = start;
    flce::LossGradients g;
    g.input_grad = dx.matrix();
    g.weight_grad = dw.matrix();
    g.bias_grad = db.vector();
    flce::loss_forward_backward(in, o, {loss.vector(), extra.vector(), {}, {}}, {up.vector(), {}, {}, {}}, g);
  }
};

template <class Change>
void bad(const char* argument, Change change) {
  SCOPED_TRACE(argument);
  Loss c;
  change(c);
  expect_refused(argument, [&] { c.run(); });
}

TEST(Refusals, ComposedLoss) {
  Loss().run();
  for (const double v : {-0.1, 1.0, 2.0, std::nan("")})
    bad("label_smoothing", [&](Loss& c) { c.o.label_smoothing = v; });
  for (const double v : {-1.0, kInf, std::nan("")}) bad("z_loss", [&](Loss& c) { c.o.z_loss = v; });
  for (const double v : {-1.0, kInf, std::nan("")}) bad("softcap", [&](Loss& c) { c.o.softcap = v; });
  for (const double v : {0.0, kInf, std::nan("")}) bad("logit_scale", [&](Loss& c) { c.o.logit_scale = v; });
  for (const double v : {0.0, -1.0, kInf, std::nan("")}) bad("temperature", [&](Loss& c) { c.o.temperature = v; });
  for (const double v : {-1.0, kInf, std::nan("")}) bad("normalizer", [&](Loss& c) { c.o.normalizer = v; });
  bad("normalizer", [](Loss& c) { c.o.normalizer = 4, c.o.reduction = flce::Reduction::kSum; });
  bad("chunk_rows", [](Loss& c) { c.o.chunk_rows = -1; });
  bad("threads", [](Loss& c) { c.o.threads = -1; });
  bad("target", [](Loss& c) { c.t.set(1, 0, 7); });
  bad("target", [](Loss& c) { c.t.set(1, 0, -1); });
  bad("target", [](Loss& c) { c.t = Array(kF32, 5, 1); });
  bad("bias", [](Loss& c) { c.bias = Array(kF32, 6, 1); });
  bad("bias", [](Loss& c) { c.bias = Array(DType::kInt32, 7, 1); });
  bad("token_weight", [](Loss& c) { c.tw = Array(kF32, 7, 1); });
  bad("class_weight", [](Loss& c) { c.cw = Array(kF32, 5, 1); });
  bad("vocab_start", [](Loss& c) { c.start = 1; });
  bad("vocab_start", [](Loss& c) { c.start = -1; });
  bad("loss", [](Loss& c) { c.loss = Array(kF32, 5, 1); });
  bad("loss", [](Loss& c) { c.loss = Array(DType::kBFloat16, 1, 1); });
  bad("lse", [](Loss& c) { c.extra = Array(kF32, 4, 1); });
  bad("grad_loss", [](Loss& c) { c.up = Array(kF32, 5, 1); });
  bad("input_grad", [](Loss& c) { c.dx = Array(kF32, 4, 4); });
  bad("weight_grad", [](Loss& c) { c.dw = Array(kF32, 7, 3); });
  bad("bias_grad", [](Loss& c) { c.with_bias = false; });
  bad("weight", [](Loss& c) { c.w = Array(kF32, 7, 3); });
}

}  // namespace
}  // namespace flce_test
