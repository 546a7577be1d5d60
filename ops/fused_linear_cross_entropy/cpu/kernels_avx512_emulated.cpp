// The wide register tile, bf16 pairs and matrix tiles with AVX2 instructions. No CPU is faster with it; it exists so
// that their packing and their edges are tested where neither AVX-512 nor AMX is.
#include "dispatch.h"
#include "pair_kernels.h"
#include "tile_kernels.h"

namespace flce::cpu {

const KernelTable<float>& avx512_emulated_table() {
  static const KernelTable<float> table = wide_table<float, 16, 14, 2>("avx512-emulated");
  return table;
}
const KernelTable<float>& avx512_bf16_emulated_table() {
  static const KernelTable<float> table = pair_table<PortableDot<16>, 16, 14, 2>("avx512-emulated");
  return table;
}

const KernelTable<float>& amx_emulated_table() {
  static const KernelTable<float> table = tile_table<PortableTiles>("amx-emulated");
  return table;
}

}  // namespace flce::cpu
