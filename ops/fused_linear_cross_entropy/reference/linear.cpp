// The float64 product (see linear.h).
#include "fused_linear_cross_entropy/reference/linear.h"

#include <cmath>

namespace flce::reference {
namespace {

std::vector<double> row_norms(const std::vector<float>& values, int64_t rows, int64_t columns) {
  std::vector<double> norms(static_cast<size_t>(rows));
  for (int64_t row = 0; row < rows; ++row) {
    double sum = 0.0;
    for (int64_t column = 0; column < columns; ++column) {
      const double value = values[static_cast<size_t>(row * columns + column)];
      sum += value * value;
    }
    norms[static_cast<size_t>(row)] = std::sqrt(sum);
  }
  return norms;
}

/// Four rows of the weight at a time: four independent ascending sums, so that the processor is not waiting for one.
void multiply_row(const float* input, const float* weight, int64_t columns, int64_t depth, double* result) {
  int64_t column = 0;
  for (; column + 4 <= columns; column += 4) {
    const float* rows = weight + column * depth;
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    for (int64_t k = 0; k < depth; ++k) {
      const double x = input[k];
      for (int64_t j = 0; j < 4; ++j) sum[j] += x * rows[j * depth + k];
    }
    for (int64_t j = 0; j < 4; ++j) result[column + j] = sum[j];
  }
  for (; column < columns; ++column) {
    double sum = 0.0;
    for (int64_t k = 0; k < depth; ++k) sum += static_cast<double>(input[k]) * weight[column * depth + k];
    result[column] = sum;
  }
}

}  // namespace

std::vector<float> widen_all(const Matrix16& matrix) {
  std::vector<float> values(static_cast<size_t>(matrix.rows * matrix.columns));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(widen(matrix.data[i], matrix.storage));
  return values;
}

double Logits::float32_error(int64_t row, int64_t column) const {
  constexpr double kUnit = 0x1p-24, kSmallest = 0x1p-149;
  const double magnitude = input_norm[static_cast<size_t>(row)] * weight_norm[static_cast<size_t>(column)];
  return depth == 0 ? 0.0 : (4.0 + std::sqrt(static_cast<double>(depth))) * kUnit * magnitude + kSmallest;
}

Logits multiply(const Matrix16& input, const Matrix16& weight) {
  Logits logits;
  logits.rows = input.rows;
  logits.columns = weight.rows;
  logits.depth = input.columns;
  const std::vector<float> x = widen_all(input), w = widen_all(weight);
  logits.exact.resize(static_cast<size_t>(logits.rows * logits.columns));
  for (int64_t row = 0; row < logits.rows; ++row)
    multiply_row(x.data() + row * logits.depth, w.data(), logits.columns, logits.depth,
                 logits.exact.data() + row * logits.columns);
  logits.input_norm = row_norms(x, logits.rows, logits.depth);
  logits.weight_norm = row_norms(w, logits.columns, logits.depth);
  return logits;
}

}  // namespace flce::reference
