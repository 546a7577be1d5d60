// Small matrices for the operator tests: from lists of numbers, or random with a printed seed.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "fused_linear_cross_entropy/reference/linear.h"

namespace flce::test {

/// Owns what a Matrix16 points to.
struct Matrix {
  int64_t rows, columns;
  reference::Storage storage;
  std::vector<uint16_t> bits;

  Matrix(int64_t rows, int64_t columns, reference::Storage storage, const std::vector<double>& values)
      : rows(rows), columns(columns), storage(storage) {
    for (double value : values) bits.push_back(reference::narrow(value, storage));
  }
  reference::Matrix16 view() const { return {bits.data(), rows, columns, storage}; }
};

inline Matrix identity(int64_t size, reference::Storage storage) {
  std::vector<double> values(static_cast<size_t>(size * size), 0.0);
  for (int64_t i = 0; i < size; ++i) values[static_cast<size_t>(i * size + i)] = 1.0;
  return Matrix(size, size, storage, values);
}

inline Matrix random_matrix(int64_t rows, int64_t columns, reference::Storage storage, double deviation,
                            std::mt19937_64& rng) {
  std::normal_distribution<double> normal(0.0, deviation);
  std::vector<double> values;
  for (int64_t i = 0; i < rows * columns; ++i) values.push_back(normal(rng));
  return Matrix(rows, columns, storage, values);
}

}  // namespace flce::test
