// Kernel table for AVX-512 (F, BW, DQ, VL): register tile 14 x 32.
#include "dispatch.h"
#include "row_kernels.h"

namespace flce::cpu {

const KernelTable<float>& avx512_table() {
  static const KernelTable<float> table = wide_table<float, 16, 14, 2>("avx512");
  return table;
}

}  // namespace flce::cpu
