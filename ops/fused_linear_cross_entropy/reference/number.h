// The two 16-bit storage formats as exact numbers: widening to double, narrowing by round to nearest even.
// Formats and rounding: spec/fp.md 1 to 3 (Inf/NaN mode: overflow becomes infinity, subnormals are kept).
// Written from the definition (quantum of the binade, then nearest even) and shared with nothing, so that it can judge
// the conversions of the machine and of the kernels. Left out: the saturating mode and the other rounding modes.
#pragma once

#include <cstdint>

namespace flce::reference {

enum class Storage : uint8_t { kHalf, kBfloat16 };

const char* name_of(Storage storage);

/// Largest finite value of the format.
double largest(Storage storage);

/// Exact value of a bit pattern. NaN gives a quiet NaN.
double widen(uint16_t bits, Storage storage);

/// Value of the format nearest to `value`, ties to even; beyond the largest value plus half a step: infinity.
double round_to(double value, Storage storage);

/// Bit pattern of round_to(value). NaN gives the quiet NaN with the top fraction bit.
uint16_t narrow(double value, Storage storage);

}  // namespace flce::reference
