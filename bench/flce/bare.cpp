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
using Type = memory::data_type;

class OneDnn : public Bare {
 public:
  OneDnn(const Products& p, bool packed) : packed_(packed), engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
    const Type in = p.bf16 ? Type::bf16 : Type::f32;
    products_.push_back(make(p.x, Tag::ab, p.w, Tag::ba, p.m, p.k, p.n, p.logits, in, in, packed));
    products_.push_back(make(p.logits, Tag::ab, p.w, Tag::ab, p.m, p.n, p.k, p.dx, in, in, packed));
    products_.push_back(make(p.logits, Tag::ba, p.x, Tag::ab, p.n, p.m, p.k, p.dw, in, Type::f32, false));
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
  Product make(const void* a, Tag a_tag, const void* b, Tag b_tag, int64_t m, int64_t k, int64_t n, void* c, Type in,
               Type out, bool packed) {
    const memory::desc ad({m, k}, in, a_tag), bd({k, n}, in, b_tag), cd({m, n}, out, Tag::ab);
    const memory::desc any({k, n}, in, Tag::any);
    const dnnl::matmul::desc desc(ad, packed ? any : bd, cd);
    const dnnl::matmul::primitive_desc pd(desc, engine_);
    memory bm(bd, engine_, const_cast<void*>(b));
    if (pd.weights_desc() != bd) {
      memory reordered(pd.weights_desc(), engine_);
      dnnl::reorder(bm, reordered).execute(stream_, bm, reordered);
      stream_.wait();
      bm = reordered;
    }
    return {dnnl::matmul(pd),
            {{DNNL_ARG_SRC, memory(ad, engine_, const_cast<void*>(a))},
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
  explicit Blas(const Products& p)
      : x_(static_cast<const float*>(p.x)),
        w_(static_cast<const float*>(p.w)),
        m_(static_cast<int>(p.m)),
        k_(static_cast<int>(p.k)),
        n_(static_cast<int>(p.n)),
        l_(static_cast<float*>(p.logits)),
        dx_(static_cast<float*>(p.dx)),
        dw_(static_cast<float*>(p.dw)) {}
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

std::unique_ptr<Bare> make_onednn(const Products& p, bool packed) {
  return std::make_unique<OneDnn>(p, packed);
}
std::unique_ptr<Bare> make_blas([[maybe_unused]] const Products& p) {
#ifdef FLCE_BENCH_CBLAS
  if (!p.bf16) return std::make_unique<Blas>(p);
#endif
  return nullptr;
}
void set_library_threads(int threads) {
  omp_set_num_threads(threads);
#ifdef FLCE_BENCH_OPENBLAS_THREADS
  openblas_set_num_threads(threads);
#endif
}

}  // namespace flce_bench
