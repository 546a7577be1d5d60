// Host references and data of the cube kernels. All values are small integers, so float sums are exact in any order.
#pragma once

#include "corpus.h"
#include "kernel/mix_scale_matmul.h"

namespace corpus {

template <typename T>
std::vector<float> product(const std::vector<T>& a, const std::vector<T>& b, size_t m, size_t n, size_t k) {
  std::vector<float> c(m * n);
  for (size_t row = 0; row < m; ++row)
    for (size_t col = 0; col < n; ++col) {
      double sum = 0;
      for (size_t i = 0; i < k; ++i) sum += static_cast<double>(a[row * k + i]) * static_cast<double>(b[i * n + col]);
      c[row * n + col] = static_cast<float>(sum);
    }
  return c;
}

/// Buffers and expected result of mix_scale_matmul: y = (scale * a) b + bias.
struct MixCase {
  MixCase(uint32_t rounds, uint32_t blocks)
      : rows(size_t{rounds} * blocks * kernels::kMixM),
        random(rounds * 31 + blocks),
        a_values(random.integers<float>(rows * kernels::kMixK, -16, 16)),
        b_values(random.integers<half>(size_t{kernels::kMixK} * kernels::kMixN, -8, 8)),
        bias_values(random.integers<float>(kernels::kMixN, -50, 50)),
        a(a_values, "a"),
        bias(bias_values, "bias"),
        y(rows * kernels::kMixN, "y"),
        product(size_t{blocks} * 2 * kernels::kMixM * kernels::kMixN, "product"),
        b(b_values, "b"),
        scaled(size_t{blocks} * 2 * kernels::kMixM * kernels::kMixK, "scaled"),
        tiling(std::vector<kernels::MixTiling>{{rounds, 0.5f}}, "tiling") {
    std::vector<half> halves(a_values.size());
    for (size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<half>(0.5f * a_values[i]);
    expected = corpus::product(halves, b_values, rows, kernels::kMixN, kernels::kMixK);
    for (size_t i = 0; i < expected.size(); ++i) expected[i] += bias_values[i % kernels::kMixN];
  }
  void clear() { y.clear(), product.clear(), scaled.clear(); }

  size_t rows;
  Random random;
  std::vector<float> a_values;
  std::vector<half> b_values;
  std::vector<float> bias_values, expected;
  Gm<float> a, bias, y, product;
  Gm<half> b, scaled;
  Gm<kernels::MixTiling> tiling;
};

}  // namespace corpus
