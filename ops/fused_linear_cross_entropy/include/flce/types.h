// Element types and strided views, the only data types of the public interface of the operator family.
// A view never owns memory. Strides count elements, may be 0 or negative for inputs, and are 64 bits wide.
// Stays C++17 and depends on nothing but the standard library.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace flce {

enum class DType : int32_t {
  kFloat32 = 0,
  kFloat16 = 1,
  kBFloat16 = 2,
  kFloat64 = 3,
  kInt32 = 4,
  kInt64 = 5,
  kUInt8 = 6,
  kBool = 7
};

/// Bytes of one element.
int64_t size_of(DType dtype);
/// "float32", "bfloat16", ...
const char* name_of(DType dtype);
inline bool is_float(DType dtype) {
  return static_cast<int32_t>(dtype) <= static_cast<int32_t>(DType::kFloat64);
}
inline bool is_index(DType dtype) {
  return dtype == DType::kInt32 || dtype == DType::kInt64;
}

/// [rows, cols]; element (i, j) is at data + (i * row_stride + j * col_stride) * size_of(dtype).
template <class Pointer>
struct BasicMatrix {
  Pointer data = nullptr;
  DType dtype = DType::kFloat32;
  int64_t rows = 0;
  int64_t cols = 0;
  int64_t row_stride = 0;
  int64_t col_stride = 1;

  BasicMatrix() = default;
  /// Row-major without gaps.
  BasicMatrix(Pointer d, DType t, int64_t r, int64_t c) : data(d), dtype(t), rows(r), cols(c), row_stride(c) {}
  BasicMatrix(Pointer d, DType t, int64_t r, int64_t c, int64_t rs, int64_t cs)
      : data(d), dtype(t), rows(r), cols(c), row_stride(rs), col_stride(cs) {}
  template <class Other>
  BasicMatrix(const BasicMatrix<Other>& o)
      : data(o.data), dtype(o.dtype), rows(o.rows), cols(o.cols), row_stride(o.row_stride), col_stride(o.col_stride) {}
};
using Matrix = BasicMatrix<const void*>;
using MutableMatrix = BasicMatrix<void*>;

template <class Pointer>
struct BasicVector {
  Pointer data = nullptr;
  DType dtype = DType::kFloat32;
  int64_t size = 0;
  int64_t stride = 1;

  BasicVector() = default;
  BasicVector(Pointer d, DType t, int64_t n, int64_t s = 1) : data(d), dtype(t), size(n), stride(s) {}
  template <class Other>
  BasicVector(const BasicVector<Other>& o) : data(o.data), dtype(o.dtype), size(o.size), stride(o.stride) {}
};
using Vector = BasicVector<const void*>;
using MutableVector = BasicVector<void*>;

/// Thrown for every argument that is not allowed. The text names the argument, what was given and what is allowed.
class ArgumentError : public std::invalid_argument {
 public:
  enum Code { kNullPointer = 161001, kInvalid = 161002 };  // the numbers of the device library (spec/operators 5)
  ArgumentError(std::string argument, const std::string& text, Code code = kInvalid)
      : std::invalid_argument(argument + ": " + text), argument_(std::move(argument)), code_(code) {}
  const std::string& argument() const { return argument_; }
  Code code() const { return code_; }

 private:
  std::string argument_;
  Code code_;
};

}  // namespace flce
