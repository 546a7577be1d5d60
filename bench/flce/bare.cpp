// See bare.h. In the packed form the weight is reordered for the first and the second product, outside the timing.
#include "bare.h"

#include <omp.h>

#include <dnnl.hpp>
#include <unordered_map>
#ifdef FLCE_BENCH_CBLAS
#include <cblas.h>
#ifdef OPENBLAS_VERSION
#define FLCE_BENCH_OPENBLAS_THREADS
#endif
#endif

namespace flce_bench {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;

class OneDnn : public Bare {
 public:
  OneDnn(const float* x, const float* w, int64_t m, int64_t k, int64_t n, float* logits, float* dx, float* dw,
         bool packed)
      : packed_(packed), engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
    products_.push_back(make(x, Tag::ab, w, Tag::ba, m, k, n, logits, packed));
    products_.push_back(make(logits, Tag::ab, w, Tag::ab, m, n, k, dx, packed));
    products_.push_back(make(logits, Tag::ba, x, Tag::ab, n, m, k, dw, false));
  }
  std::string name() const override { return packed_ ? "oneDNN packed" : "oneDNN plain"; }
  void forward() override { run(0); }
  void backward() override {
    run(1);
    run(2);
  }

 private:
  struct Product {
    dnnl::matmul op;
    std::unordered_map<int, memory> args;
  };
  Product make(const float* a, Tag a_tag, const float* b, Tag b_tag, int64_t m, int64_t k, int64_t n, float* c,
               bool packed) {
    const auto f32 = memory::data_type::f32;
    const memory::desc ad({m, k}, f32, a_tag), bd({k, n}, f32, b_tag), cd({m, n}, f32, Tag::ab);
    const memory::desc any({k, n}, f32, Tag::any);
    const dnnl::matmul::desc desc(ad, packed ? any : bd, cd);
    const dnnl::matmul::primitive_desc pd(desc, engine_);
    memory bm(bd, engine_, const_cast<float*>(b));
    if (pd.weights_desc() != bd) {
      memory reordered(pd.weights_desc(), engine_);
      dnnl::reorder(bm, reordered).execute(stream_, bm, reordered);
      stream_.wait();
      bm = reordered;
    }
    return {dnnl::matmul(pd),
            {{DNNL_ARG_SRC, memory(ad, engine_, const_cast<float*>(a))},
             {DNNL_ARG_WEIGHTS, bm},
             {DNNL_ARG_DST, memory(cd, engine_, c)}}};
  }
  void run(size_t i) {
    products_[i].op.execute(stream_, products_[i].args);
    stream_.wait();
  }

  bool packed_;
  dnnl::engine engine_;
  dnnl::stream stream_;
  std::vector<Product> products_;
};

#ifdef FLCE_BENCH_CBLAS
class Blas : public Bare {
 public:
  Blas(const float* x, const float* w, int64_t m, int64_t k, int64_t n, float* logits, float* dx, float* dw)
      : x_(x),
        w_(w),
        m_(static_cast<int>(m)),
        k_(static_cast<int>(k)),
        n_(static_cast<int>(n)),
        l_(logits),
        dx_(dx),
        dw_(dw) {}
  std::string name() const override { return "BLAS"; }
  void forward() override {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m_, n_, k_, 1, x_, k_, w_, k_, 0, l_, n_);
  }
  void backward() override {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m_, k_, n_, 1, l_, n_, w_, k_, 0, dx_, k_);
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n_, k_, m_, 1, l_, n_, x_, k_, 0, dw_, k_);
  }

 private:
  const float *x_, *w_;
  int m_, k_, n_;
  float *l_, *dx_, *dw_;
};
#endif

}  // namespace

std::unique_ptr<Bare> make_onednn(const float* x, const float* w, int64_t m, int64_t k, int64_t n, float* logits,
                                  float* dx, float* dw, bool packed) {
  return std::make_unique<OneDnn>(x, w, m, k, n, logits, dx, dw, packed);
}
std::unique_ptr<Bare> make_blas([[maybe_unused]] const float* x, [[maybe_unused]] const float* w,
                                [[maybe_unused]] int64_t m, [[maybe_unused]] int64_t k, [[maybe_unused]] int64_t n,
                                [[maybe_unused]] float* logits, [[maybe_unused]] float* dx,
                                [[maybe_unused]] float* dw) {
#ifdef FLCE_BENCH_CBLAS
  return std::make_unique<Blas>(x, w, m, k, n, logits, dx, dw);
#else
  return nullptr;
#endif
}
void set_library_threads(int threads) {
  omp_set_num_threads(threads);
#ifdef FLCE_BENCH_OPENBLAS_THREADS
  openblas_set_num_threads(threads);
#endif
}

}  // namespace flce_bench
