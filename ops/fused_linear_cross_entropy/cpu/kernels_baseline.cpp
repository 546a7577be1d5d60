// Kernel table for any x86-64 (SSE2), and the float64 table, which shares every line with it except the exponential.
#include "dispatch.h"
#include "row_kernels.h"

namespace flce::cpu {

const KernelTable<float>& baseline_table() {
  static const KernelTable<float> table = wide_table<float, 4, 3, 4>("baseline");
  return table;
}
const KernelTable<double>& double_table() {
  static const KernelTable<double> table = wide_table<double, 2, 3, 4>("float64");
  return table;
}

}  // namespace flce::cpu
