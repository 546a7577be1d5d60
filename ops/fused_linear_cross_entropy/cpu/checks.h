// Argument checks with one shape of message: argument, what was given, what is allowed (operator specification 5).
#pragma once

#include <initializer_list>
#include <sstream>
#include <string>

#include "flce/types.h"

namespace flce::cpu {

template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

template <class Given, class Allowed>
[[noreturn]] void refuse(const char* argument, const Given& given, const Allowed& allowed) {
  throw ArgumentError(argument, text("given ", given, ", allowed: ", allowed));
}

void check_dtype(const char* argument, DType given, std::initializer_list<DType> allowed);
/// Data must not be null unless the view is empty.
void check_data(const char* argument, const void* data, int64_t elements);
void check_input(const char* argument, const Matrix& m, int64_t rows, int64_t cols);
void check_input(const char* argument, const Vector& v, int64_t size);
/// Outputs must also not write one element twice.
void check_output(const char* argument, const MutableMatrix& m, int64_t rows, int64_t cols);
void check_output(const char* argument, const MutableVector& v, int64_t size);
/// input [m,k] and weight [n,k] of one floating type.
void check_head(const Matrix& input, const Matrix& weight);
void check_label_smoothing_is_zero(double label_smoothing);

/// Element i of an index or floating vector.
int64_t index_at(const Vector& v, int64_t i);
double float_at(const Vector& v, int64_t i);
void set_float(const MutableVector& v, int64_t i, double x);
void set_index(const MutableVector& v, int64_t i, int64_t x);

}  // namespace flce::cpu
