// Vector versions of the hot loops of the cube, compiled for AVX2 / F16C and chosen at run time. Each says false where
// the machine lacks them; the caller then runs its plain loop, which gives the same bits.
#pragma once

#include "isa/cube_operand.h"

namespace ascsan::isa {

bool unpack_float_simd(const CubeOperand& operand, float* dst, uint64_t pitch);

/// c[i][j] = sum over k of a[i][k] * b[j][k], wrapping; pitches in elements, k a multiple of 64.
void multiply_int16(const int16_t* a, const int16_t* b, uint32_t* c, uint64_t m, uint64_t n, uint64_t k, uint64_t pitch,
                    uint64_t c_pitch);

/// Nearest even, infinities and NaN kept (the same bits as float16.h).
void narrow_half(const float* src, uint16_t* dst, uint64_t count);
void narrow_bfloat16(const float* src, uint16_t* dst, uint64_t count);

}  // namespace ascsan::isa
