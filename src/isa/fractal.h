// Transposes inside fractals of 512 bytes (spec/execution-model.md 1.3): plain loops, and one vector version of the
// common 16-bit case that gives the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ascsan::isa {

/// dst[c][r] = src[r][c] for a dense 16 x 16 block of 16-bit elements; dst and src may not overlap.
void transpose_16x16_b16(std::byte* dst, const std::byte* src);

/// One element of `T` at a byte address; memory has no declared type.
template <typename T>
T load_element(const std::byte* at) {
  T value;
  __builtin_memcpy(&value, at, sizeof(T));
  return value;
}
template <typename T>
void store_element(std::byte* at, T value) {
  __builtin_memcpy(at, &value, sizeof(T));
}

}  // namespace ascsan::isa
