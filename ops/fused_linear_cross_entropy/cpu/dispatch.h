// Which kernel table runs. Chosen once from the CPU; FLCE_ISA in the environment or set_isa() narrows the
// choice, to a name of available_isas() (tests run every table the machine has).
#pragma once

#include <string>
#include <vector>

#include "kernel_table.h"

namespace flce::cpu {

const KernelTable<float>& baseline_table();
const KernelTable<float>& avx2_table();
const KernelTable<float>& avx512_table();
const KernelTable<float>& avx512_bf16_table();
const KernelTable<float>& amx_table();
const KernelTable<float>& avx512_emulated_table();
const KernelTable<float>& avx512_bf16_emulated_table();
const KernelTable<float>& amx_emulated_table();
const KernelTable<double>& double_table();

/// Table for products of operands with these types; `both_bf16` allows the bf16 pair form.
template <class T>
const KernelTable<T>& table_for(bool both_bf16);
template <>
const KernelTable<float>& table_for<float>(bool both_bf16);
template <>
const KernelTable<double>& table_for<double>(bool both_bf16);

}  // namespace flce::cpu
