// From DLPack arrays to flce views. An array of 16-bit unsigned integers means bfloat16: that is how numpy hands over
// the bfloat16 of ml_dtypes, and the operators have no other use for the type.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <optional>
#include <string>

#include "flce/types.h"

namespace flce_python {

namespace nb = nanobind;
using In = nb::ndarray<nb::ro, nb::device::cpu>;
using Out = nb::ndarray<nb::device::cpu>;

inline flce::DType dtype_of(const char* name, nb::dlpack::dtype d) {
  using Code = nb::dlpack::dtype_code;
  const auto code = static_cast<Code>(d.code);
  if (d.lanes == 1) {
    if (code == Code::Float && d.bits == 32) return flce::DType::kFloat32;
    if (code == Code::Float && d.bits == 64) return flce::DType::kFloat64;
    if (code == Code::Float && d.bits == 16) return flce::DType::kFloat16;
    if (code == Code::Bfloat && d.bits == 16) return flce::DType::kBFloat16;
    if (code == Code::UInt && d.bits == 16) return flce::DType::kBFloat16;
    if (code == Code::Int && d.bits == 32) return flce::DType::kInt32;
    if (code == Code::Int && d.bits == 64) return flce::DType::kInt64;
    if (code == Code::UInt && d.bits == 8) return flce::DType::kUInt8;
    if (code == Code::Bool && d.bits == 8) return flce::DType::kBool;
  }
  throw flce::ArgumentError(name, "given an element type of code " + std::to_string(d.code) + " and " +
                                      std::to_string(d.bits) +
                                      " bits, allowed: float16, bfloat16, float32, float64, int32, int64, uint8, bool");
}

template <class View, class Array>
View matrix(const char* name, const Array& a) {
  if (a.ndim() != 2) throw flce::ArgumentError(name, "given " + std::to_string(a.ndim()) + " dimensions, allowed: 2");
  const auto rows = static_cast<int64_t>(a.shape(0)), cols = static_cast<int64_t>(a.shape(1));
  return View(a.data(), dtype_of(name, a.dtype()), rows, cols, a.stride(0), a.stride(1));
}
template <class View, class Array>
View vector(const char* name, const Array& a) {
  if (a.ndim() != 1) throw flce::ArgumentError(name, "given " + std::to_string(a.ndim()) + " dimensions, allowed: 1");
  return View(a.data(), dtype_of(name, a.dtype()), static_cast<int64_t>(a.shape(0)), a.stride(0));
}
inline flce::Matrix in_matrix(const char* name, const In& a) {
  return matrix<flce::Matrix>(name, a);
}
inline flce::Vector in_vector(const char* name, const In& a) {
  return vector<flce::Vector>(name, a);
}
inline flce::MutableMatrix out_matrix(const char* name, const Out& a) {
  return matrix<flce::MutableMatrix>(name, a);
}
inline flce::MutableVector out_vector(const char* name, const Out& a) {
  return vector<flce::MutableVector>(name, a);
}

inline flce::Matrix in_matrix(const char* name, const std::optional<In>& a) {
  return a ? in_matrix(name, *a) : flce::Matrix();
}
inline flce::Vector in_vector(const char* name, const std::optional<In>& a) {
  return a ? in_vector(name, *a) : flce::Vector();
}
inline flce::MutableMatrix out_matrix(const char* name, const std::optional<Out>& a) {
  return a ? out_matrix(name, *a) : flce::MutableMatrix();
}
inline flce::MutableVector out_vector(const char* name, const std::optional<Out>& a) {
  return a ? out_vector(name, *a) : flce::MutableVector();
}

/// A word of an option; anything else is refused with the list of words.
template <class E>
E choice(const char* name, const std::string& given, std::initializer_list<std::pair<const char*, E>> allowed) {
  std::string all;
  for (const auto& [word, value] : allowed) {
    if (given == word) return value;
    all += (all.empty() ? "\"" : ", \"") + std::string(word) + "\"";
  }
  throw flce::ArgumentError(name, "given \"" + given + "\", allowed: " + all);
}

}  // namespace flce_python
