// Host side of running a kernel on the CPU: GmAlloc, GmFree, SetKernelMode, ICPU_SET_TILING_KEY, ICPU_RUN_KF.
// Rules: spec/launch-styles.md A. The kernel may be a function, a function pointer, a lambda or a template instance
// with commas (`ICPU_RUN_KF(op<a, b>, 8, x, y)`). Left out: default arguments and overload sets, which have no address.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ascendc/kernel_macros.h"
#include "ascendc/qualifiers.h"
#include "ascendc/types.h"
#include "ascsan/launch_text.h"

/// Cores a launch starts. MIX_MODE is the default: blockDim AICs and twice as many AIVs, narrowed by the kernel's own
/// KERNEL_TASK_TYPE.
enum class KernelMode { MIX_MODE = 0, AIC_MODE = 1, AIV_MODE = 2, MIX_AIC_1_1 = 3, MIX_AIV_1_0 = 4, MIX_AIC_1_0 = 5 };

namespace AscendC {

using ::KernelMode;

/// GM memory of `bytes` bytes for kernel arguments, zero filled; must be returned with GmFree.
inline void* GmAlloc(size_t bytes) {
  return ascsan_gm_alloc(bytes);
}
inline void GmFree(void* address) {
  ascsan_gm_free(address);
}
inline void SetKernelMode(KernelMode mode) {
  ascsan_set_kernel_mode(static_cast<int>(mode));
}

}  // namespace AscendC

#define ICPU_SET_TILING_KEY(key) ::ascsan_set_tiling_key(static_cast<uint64_t>(key))
#define ICPU_RUN_KF(...) ::ascsan::launch_detail::run(#__VA_ARGS__, __VA_ARGS__)
