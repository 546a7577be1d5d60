// See checks.h.
#include "checks.h"

#include <cstdlib>

#include "dispatch.h"

namespace flce::cpu {

void check_dtype(const char* argument, DType given, std::initializer_list<DType> allowed) {
  std::string all;
  for (DType one : allowed) {
    if (one == given) return;
    all += (all.empty() ? "" : ", ") + std::string(name_of(one));
  }
  refuse(argument, text("dtype ", name_of(given)), "dtype " + all);
}

void check_data(const char* argument, const void* data, int64_t elements) {
  if (data == nullptr && elements > 0) {
    throw ArgumentError(argument, text("given a null pointer, allowed: ", elements, " elements of memory"),
                        ArgumentError::kNullPointer);
  }
}

namespace {

template <class M>
void check_shape(const char* argument, const M& m, int64_t rows, int64_t cols) {
  if (m.rows < 0 || m.cols < 0) refuse(argument, text("shape [", m.rows, ", ", m.cols, "]"), "sizes >= 0");
  if (m.rows != rows || m.cols != cols) {
    refuse(argument, text("shape [", m.rows, ", ", m.cols, "]"), text("shape [", rows, ", ", cols, "]"));
  }
  check_data(argument, m.data, rows * cols);
}
template <class V>
void check_size(const char* argument, const V& v, int64_t size) {
  if (v.size != size) refuse(argument, text("length ", v.size), text("length ", size));
  check_data(argument, v.data, size);
}

}  // namespace

void check_input(const char* argument, const Matrix& m, int64_t rows, int64_t cols) {
  check_shape(argument, m, rows, cols);
}
void check_input(const char* argument, const Vector& v, int64_t size) {
  check_size(argument, v, size);
}

void check_output(const char* argument, const MutableMatrix& m, int64_t rows, int64_t cols) {
  check_shape(argument, m, rows, cols);
  if (rows == 0 || cols == 0) return;
  const int64_t rs = std::llabs(m.row_stride), cs = std::llabs(m.col_stride);
  const bool rows_apart = rows <= 1 || rs >= (cols > 0 ? (cols - 1) * cs + 1 : 0);
  const bool cols_apart = cols <= 1 || cs >= (rows > 0 ? (rows - 1) * rs + 1 : 0);
  if ((cols > 1 && cs == 0) || (rows > 1 && rs == 0) || !(rows_apart || cols_apart)) {
    refuse(argument, text("strides (", m.row_stride, ", ", m.col_stride, ")"), "strides that keep elements apart");
  }
}
void check_output(const char* argument, const MutableVector& v, int64_t size) {
  check_size(argument, v, size);
  if (size > 1 && v.stride == 0) refuse(argument, "stride 0", "a stride that keeps elements apart");
}

void check_head(const Matrix& input, const Matrix& weight) {
  check_dtype("input", input.dtype, {DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64});
  if (weight.dtype != input.dtype) {
    refuse("weight", text("dtype ", name_of(weight.dtype)), text("dtype of input, ", name_of(input.dtype)));
  }
  check_input("input", input, input.rows, input.cols);
  if (weight.cols != input.cols) {
    refuse("weight", text("shape [", weight.rows, ", ", weight.cols, "]"), text("shape [n, ", input.cols, "]"));
  }
  check_input("weight", weight, weight.rows, weight.cols);
}

void check_label_smoothing_is_zero(double label_smoothing) {
  if (!(label_smoothing == 0)) {
    refuse("label_smoothing", label_smoothing,
           "0 in this operator; the composed loss (flce/loss.h) smooths over the global vocabulary");
  }
}

int64_t index_at(const Vector& v, int64_t i) {
  if (v.dtype == DType::kInt32) return static_cast<const int32_t*>(v.data)[i * v.stride];
  return static_cast<const int64_t*>(v.data)[i * v.stride];
}
void set_index(const MutableVector& v, int64_t i, int64_t x) {
  if (v.dtype == DType::kInt32) {
    static_cast<int32_t*>(v.data)[i * v.stride] = static_cast<int32_t>(x);
  } else {
    static_cast<int64_t*>(v.data)[i * v.stride] = x;
  }
}
double float_at(const Vector& v, int64_t i) {
  double x;
  double_table().load_row(static_cast<const char*>(v.data) + i * v.stride * size_of(v.dtype), v.dtype, &x, 1);
  return x;
}
void set_float(const MutableVector& v, int64_t i, double x) {
  double_table().store_row(&x, static_cast<char*>(v.data) + i * v.stride * size_of(v.dtype), v.dtype, 1, false);
}

}  // namespace flce::cpu
