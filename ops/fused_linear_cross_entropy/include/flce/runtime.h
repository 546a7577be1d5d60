// Process-wide switches: number of threads and instruction set. Results never depend on the thread count; they differ
// between instruction sets by the order of additions inside a product.
#pragma once

#include <string>
#include <vector>

namespace flce {

/// Threads a call uses at most when its options say 0; small calls use fewer, a number in the options is kept. Default:
/// FLCE_NUM_THREADS, else OMP_NUM_THREADS, else the CPUs this process may run on.
void set_threads(int threads);
int threads();

/// Instruction sets this CPU can run ("...-emulated": the forms of AVX-512 and AMX on AVX2, for tests).
std::vector<std::string> available_isas();
/// "" picks the fastest. Throws ArgumentError for a name the CPU does not have. Not to be called while operators run.
void set_isa(const std::string& isa);
std::string isa();

/// Scratch memory is kept between calls, up to this many bytes (default 64 MiB); 0 returns all of it to the system.
void set_scratch_limit(long long bytes);

}  // namespace flce
