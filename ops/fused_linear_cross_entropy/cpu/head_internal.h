// Small helpers shared by the two halves of Head.
#pragma once

#include <cstdint>

#include "flce/types.h"

namespace flce::cpu {

constexpr int64_t kStrips = 32;  // partial statistics per row and superblock

inline int64_t round_up(int64_t x, int64_t to) {
  return (x + to - 1) / to * to;
}

template <class Pointer>
Pointer at(const BasicMatrix<Pointer>& m, int64_t i, int64_t j) {
  using Byte = std::conditional_t<std::is_same_v<Pointer, void*>, char*, const char*>;
  return static_cast<Byte>(m.data) + (i * m.row_stride + j * m.col_stride) * size_of(m.dtype);
}

}  // namespace flce::cpu
