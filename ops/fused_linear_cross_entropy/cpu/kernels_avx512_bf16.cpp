// Kernel table for AVX-512 with bf16 dot products: operands stay bfloat16 in the packed panels.
// The instruction treats subnormal inputs as zero and rounds each of its two additions to nearest even.
#include <immintrin.h>

#include "dispatch.h"
#include "pair_kernels.h"

namespace flce::cpu {
namespace {

struct NativeDot {
  static FLCE_INLINE VF<16> run(const VF<16>& acc, const VU<16>& a, const VU<16>& b) {
    return bits<VF<16>>(_mm512_dpbf16_ps(bits<__m512>(acc), bits<__m512bh>(a), bits<__m512bh>(b)));
  }
};

}  // namespace

const KernelTable<float>& avx512_bf16_table() {
  static const KernelTable<float> table = pair_table<NativeDot, 16, 14, 2>("avx512-bf16");
  return table;
}

}  // namespace flce::cpu
