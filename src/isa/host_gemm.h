// Single-precision matrix product on the host by oneDNN, on the calling thread only: the same operands give the same
// bits in every run (design/architecture.md decision 1).
#pragma once

#include <cstdint>

namespace ascsan::isa {

/// c[i][j] = sum over k of a[i][k] * b[j][k]; pitches in elements.
void multiply_float(const float* a, const float* b, float* c, uint64_t m, uint64_t n, uint64_t k, uint64_t a_pitch,
                    uint64_t b_pitch, uint64_t c_pitch);

}  // namespace ascsan::isa
