// Sums by a binary tree of neighbours, and positions of extremes: the inner part of the reductions.
// Rules: spec/api-semantics.md 4, fp.md 4. Absent lanes of a sum are given as -0, which changes no partner.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ascsan::isa::simd {

/// Tree sum of `width` floats (a power of two, at most 128); NaN results are canonical.
float tree_sum(const float* values, uint32_t width);
/// The same on half values, rounding (and clamping in saturating mode) at every node. Returns half bits.
uint16_t tree_sum_half(const uint16_t* values, uint32_t width, bool saturate);

/// Position of the first NaN, else of the first largest (or smallest) of n >= 1 values.
uint32_t first_extreme(const float* values, uint32_t n, bool largest);

/// n half values to float.
void widen(float* dst, const uint16_t* src, size_t n);

}  // namespace ascsan::isa::simd
