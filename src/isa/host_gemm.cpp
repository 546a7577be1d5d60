#include "isa/host_gemm.h"

#include <dlfcn.h>

#include <oneapi/dnnl/dnnl.h>

#include <cstdio>
#include <cstdlib>

namespace ascsan::isa {
namespace {

/// OpenMP of the library oneDNN was built with, found at run time so that any compiler's own runtime stays out of it.
/// The thread count is a property of the calling thread.
struct OpenMp {
  int (*max_threads)() = nullptr;
  void (*set_threads)(int) = nullptr;
  OpenMp() {
    max_threads = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
    set_threads = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  }
};

class OneThread {
 public:
  OneThread() {
    if (omp().max_threads == nullptr || omp().set_threads == nullptr) return;
    before_ = omp().max_threads();
    if (before_ != 1) omp().set_threads(1);
  }
  ~OneThread() {
    if (before_ > 1) omp().set_threads(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  static const OpenMp& omp() {
    static const OpenMp found;
    return found;
  }
  int before_ = 1;
};

}  // namespace

void multiply_float(const float* a, const float* b, float* c, uint64_t m, uint64_t n, uint64_t k, uint64_t a_pitch,
                    uint64_t b_pitch, uint64_t c_pitch) {
  const OneThread guard;
  const auto dim = [](uint64_t value) { return static_cast<dnnl_dim_t>(value); };
  const dnnl_status_t status =
      dnnl_sgemm('N', 'T', dim(m), dim(n), dim(k), 1.0f, a, dim(a_pitch), b, dim(b_pitch), 0.0f, c, dim(c_pitch));
  if (status == dnnl_success) return;
  std::fprintf(stderr, "ascsan: oneDNN refused a %llu x %llu x %llu product (status %d)\n",
               static_cast<unsigned long long>(m), static_cast<unsigned long long>(n),
               static_cast<unsigned long long>(k), static_cast<int>(status));
  std::abort();
}

}  // namespace ascsan::isa
