// Kernel table for AVX2 with FMA: register tile 6 x 16.
#include "dispatch.h"
#include "row_kernels.h"

namespace flce::cpu {

const KernelTable<float>& avx2_table() {
  static const KernelTable<float> table = wide_table<float, 8, 6, 2>("avx2");
  return table;
}

}  // namespace flce::cpu
