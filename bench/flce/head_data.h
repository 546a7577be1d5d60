// The operands of one shape, the native operators on them, and the same operators with everything materialised.
// Included by bench_flce.cpp only.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "flce/loss.h"
#include "flce/operators.h"

namespace flce_bench {

using flce::DType;

struct Shape {
  const char* name;
  int64_t m, k, n;
  DType dtype = DType::kFloat32;  // of input, weight and input_grad; weight_grad is fp32
  bool bf16() const { return dtype == DType::kBFloat16; }
};

// Numbers of one of the two types; bfloat16 is the upper half of a float.
struct Numbers {
  std::vector<float> wide;
  std::vector<uint16_t> half;
  Numbers(int64_t count, DType dtype) {
    dtype == DType::kBFloat16 ? half.resize(static_cast<size_t>(count)) : wide.resize(static_cast<size_t>(count));
  }
  void* data() { return half.empty() ? static_cast<void*>(wide.data()) : half.data(); }
  const void* data() const { return half.empty() ? static_cast<const void*>(wide.data()) : half.data(); }
  void fill(const std::function<float()>& next) {
    for (float& v : wide) v = next();
    for (uint16_t& v : half) {
      const float f = next();
      uint32_t bits;
      std::memcpy(&bits, &f, 4);
      v = static_cast<uint16_t>(bits >> 16);
    }
  }
};

struct Data {
  Shape s;
  Numbers x, w, dx;
  std::vector<float> dw, loss;
  std::vector<int32_t> t;
  explicit Data(const Shape& shape)
      : s(shape),
        x(s.m * s.k, s.dtype),
        w(s.n * s.k, s.dtype),
        dx(s.m * s.k, s.dtype),
        dw(s.n * s.k),
        loss(s.m),
        t(s.m) {
    std::mt19937 rng(7);
    x.fill([&] { return static_cast<float>(rng() >> 8) / 8388608.0f - 1; });
    w.fill([&] { return (static_cast<float>(rng() >> 8) / 8388608.0f - 1) / std::sqrt(static_cast<float>(s.k)); });
    for (int32_t& v : t) v = static_cast<int32_t>(rng() % s.n);
  }
  flce::LossInputs inputs() const {
    flce::LossInputs in;
    in.input = flce::Matrix(x.data(), s.dtype, s.m, s.k);
    in.weight = flce::Matrix(w.data(), s.dtype, s.n, s.k);
    in.target = flce::Vector(t.data(), DType::kInt32, s.m);
    return in;
  }
  flce::LossOutputs outputs() { return {{loss.data(), DType::kFloat32, 1}, {}, {}, {}}; }
  flce::LossGradients gradients() {
    flce::LossGradients g;
    g.input_grad = flce::MutableMatrix(dx.data(), s.dtype, s.m, s.k);
    g.weight_grad = flce::MutableMatrix(dw.data(), DType::kFloat32, s.n, s.k);
    return g;
  }
  void forward(int threads) {
    flce::LossOptions o;
    o.threads = threads;
    flce::loss_forward(inputs(), o, outputs());
  }
  void three(int threads) {
    flce::LossOptions o;
    o.threads = threads;
    flce::loss_forward_backward(inputs(), o, outputs(), {}, gradients());
  }
  void recompute(int threads) {
    flce::LossOptions o;
    o.threads = threads;
    const flce::LossState state = flce::loss_forward(inputs(), o, outputs());
    flce::loss_backward(inputs(), o, state, {}, gradients());
  }
};

// The same operators with everything materialised: logits, softmax, gradient from the softmax.
struct Unfused {
  Data& d;
  Numbers& logits;
  std::vector<float>& softmax;
  std::vector<float> max, sum, predicted, grad;
  std::vector<uint8_t> mask;
  std::vector<int32_t> local;
  Unfused(Data& data, Numbers& l, std::vector<float>& p)
      : d(data),
        logits(l),
        softmax(p),
        max(d.s.m),
        sum(d.s.m),
        predicted(d.s.m),
        grad(d.s.m, 1.0f / d.s.m),
        mask((d.s.m + 7) / 8),
        local(d.s.m) {}
  void forward() {
    const auto v = [&](std::vector<float>& a) { return flce::MutableVector(a.data(), DType::kFloat32, d.s.m); };
    const flce::LossInputs in = d.inputs();
    flce::MutableMatrix l(logits.data(), d.s.dtype, d.s.m, d.s.n), p(softmax.data(), DType::kFloat32, d.s.m, d.s.n);
    flce::fused_linear_online_max_sum(in.input, in.weight, in.target, 0, d.s.n, v(max), v(sum), v(predicted),
                                      {mask.data(), DType::kUInt8, (d.s.m + 7) / 8},
                                      {local.data(), DType::kInt32, d.s.m}, l);
    flce::fused_cross_entropy_loss_with_max_sum(v(max), v(sum), v(predicted), v(d.loss), l, p);
  }
  void both() {
    forward();
    const flce::LossInputs in = d.inputs();
    const flce::LossGradients g = d.gradients();
    flce::fused_linear_cross_entropy_loss_with_max_sum_grad(
        {grad.data(), DType::kFloat32, d.s.m}, in.input, in.weight, {mask.data(), DType::kUInt8, (d.s.m + 7) / 8},
        {local.data(), DType::kInt32, d.s.m}, g.input_grad, g.weight_grad, 0, {}, {},
        {softmax.data(), DType::kFloat32, d.s.m, d.s.n});
  }
};

}  // namespace flce_bench
