// What every kernel of the mutation corpus needs on the host: named tensors in global memory, seeded data that is exact
// in every type, and a comparison with a plain reference. A program of the corpus is one kernel and a main() that ends
// with 0, or with kWrong when an element differs from the reference. Fresh global memory holds poison, as it does on
// the device, so that what nobody has written can be told from a zero.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <vector>

#include "ascsan/run.h"
#include "kernel_operator.h"
#include "tikicpulib.h"

namespace corpus {

constexpr int kWrong = 9;  ///< exit status: the result is not that of the reference

template <typename T>
class Tensor {
 public:
  Tensor(const char* name, uint32_t count) : name_(name), count_(count) {
    if (!poisoned()) std::exit(2);
    data_ = static_cast<T*>(AscendC::GmAlloc(count * sizeof(T)));
    ascsan::name_tensor(data_, name);
  }
  ~Tensor() { AscendC::GmFree(data_); }
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;

  uint8_t* gm() { return reinterpret_cast<uint8_t*>(data_); }
  uint32_t size() const { return count_; }
  T& operator[](uint32_t i) { return data_[i]; }
  double at(uint32_t i) const { return static_cast<double>(static_cast<float>(data_[i])); }
  const char* name() const { return name_; }

  /// Small whole numbers from -8 to 8 without 0: sums and products of them are exact in every type used here.
  Tensor& seeded(uint32_t seed) {
    for (uint32_t i = 0; i < count_; ++i) {
      uint32_t x = (i + 1) * 2654435761u ^ seed * 40503u;
      x = (x ^ (x >> 15)) * 2246822519u;
      const int32_t value = 1 + static_cast<int32_t>((x >> 13) % 8);
      data_[i] = static_cast<T>(static_cast<float>((x >> 29) % 2 == 0 ? value : -value));
    }
    return *this;
  }
  Tensor& filled(T value) {
    for (uint32_t i = 0; i < count_; ++i) data_[i] = value;
    return *this;
  }

 private:
  static bool poisoned() {
    static const bool done =
        ascsan::set_option("gm_fill", "poison") && ascsan::set_option("max_steps", "1000000");  // a poll may never end
    return done;
  }
  const char* name_;
  uint32_t count_;
  T* data_;
};

/// kWrong when an element is further from `expected(i)` than `tolerance` allows (relative above 1), else 0.
template <typename T, typename F>
int compare(const Tensor<T>& tensor, F expected, double tolerance = 0) {
  for (uint32_t i = 0; i < tensor.size(); ++i) {
    const double want = expected(i), got = tensor.at(i);
    if (std::fabs(got - want) <= tolerance * std::fmax(1.0, std::fabs(want))) continue;
    std::fprintf(stderr, "%s[%u] is %.9g, the reference says %.9g\n", tensor.name(), i, got, want);
    return kWrong;
  }
  return 0;
}

}  // namespace corpus
