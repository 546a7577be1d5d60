// The bare matrix products of a loss head with the libraries of this machine, the yardstick of every bar:
//   logits [m,n] = x [m,k] * w [n,k]^T,  dX [m,k] = d [m,n] * w,  dW [n,k] = d^T * x.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace flce_bench {

class Bare {
 public:
  virtual ~Bare() = default;
  virtual std::string name() const = 0;
  virtual void forward() = 0;   // the first product
  virtual void backward() = 0;  // the other two
};

/// All fp32, or (`bf16`) all bfloat16 but dw, which is fp32. The logits serve as their own gradient d: the time of a
/// product does not depend on its numbers.
struct Products {
  const void *x, *w;
  void *logits, *dx, *dw;
  int64_t m, k, n;
  bool bf16;
};
/// oneDNN, weight reordered once into the layout the library likes best ("packed") or as it is ("plain").
std::unique_ptr<Bare> make_onednn(const Products& p, bool packed);
/// cblas_sgemm, or null for bfloat16 and when no CBLAS was found at build time.
std::unique_ptr<Bare> make_blas(const Products& p);
void set_library_threads(int threads);

}  // namespace flce_bench
