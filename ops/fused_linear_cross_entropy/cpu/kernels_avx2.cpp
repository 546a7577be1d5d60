// Kernel table for AVX2 with FMA: register tile 6 x 16. The second table multiplies bf16 pairs with ordinary
// instructions; no CPU is faster with it, it exists so that the pair packing is tested where no bf16 unit is.
#include "dispatch.h"
#include "pair_kernels.h"
#include "row_kernels.h"

namespace flce::cpu {

const KernelTable<float>& avx2_table() {
  static const KernelTable<float> table = wide_table<float, 8, 6, 2>("avx2");
  return table;
}
const KernelTable<float>& avx2_pairs_table() {
  static const KernelTable<float> table = [] {
    KernelTable<float> t = wide_table<float, 8, 6, 2>("avx2-pairs");
    t.bf16_pairs = true;
    t.elem_size = 2;
    t.pack = pack_pairs;
    t.product = product<PairTile<PortableDot<8>, 8, 6, 2>, float, 8, 6, 2>;
    return t;
  }();
  return table;
}

}  // namespace flce::cpu
