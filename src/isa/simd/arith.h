// Inner loops of the element-wise instructions, by operation and element type (spec/api-semantics.md 2, fp.md 4).
#pragma once

#include "isa/simd/kernel.h"

namespace ascsan::isa::simd {

/// Loop for two sources / a scalar / one source of `src` type giving `dst`. Empty if the types are not supported.
KernelPair float_kernel(gate::Op op, gate::DataType src, gate::DataType dst);
/// Integer types; `saturate` = CTRL[48] cleared: sums and products clamp instead of wrapping.
KernelPair integer_kernel(gate::Op op, gate::DataType src, gate::DataType dst, bool saturate);
/// Products with accumulation and operations that change the type: Axpy, MulAddDst, FusedMulAdd, AddReluCast ...
KernelPair fused_kernel(gate::Op op, gate::DataType src, gate::DataType dst);
/// Conversions; the rounding mode is in the arguments.
KernelPair cast_kernel(gate::DataType src, gate::DataType dst);
/// Comparison of n lanes (a multiple of 8) into bits; scalar form with src1 = null.
KernelPair compare_kernel(gate::DataType src);
/// dst = bit ? src0 : src1 over n lanes, the bits at `KernelArgs::scalar` (a host pointer), from bit 0; src1 = null:
/// raw scalar in deq_scale.
KernelPair select_kernel(gate::DataType type);

}  // namespace ascsan::isa::simd
