// Small helpers shared by Head and its callers.
#pragma once

#include <cstdint>

#include "flce/types.h"

namespace flce::cpu {

constexpr int64_t kStrips = 32;  // partial statistics per row and superblock

// Bytes a pass may spend on packed rows of the input and on one group of D. Many rows pack the weight less often, wide
// groups let threads wait less often; the bar is 2 % of the fp32 logits for all scratch together. Logits that are small
// anyway (below 256 MiB) leave 10 MiB for each: 512 rows of 4096.
constexpr int64_t kSmallLogits = int64_t{256} << 20, kSmallBudget = int64_t{10} << 20;
inline int64_t panel_budget(int64_t m, int64_t n) {
  const int64_t logits = m * n * 4;
  return logits < kSmallLogits ? kSmallBudget : logits / 100;
}
inline int64_t group_budget(int64_t m, int64_t n) {
  const int64_t logits = m * n * 4;
  return logits < kSmallLogits ? kSmallBudget : logits / 200;
}

template <class T>
constexpr DType own_dtype() {
  return sizeof(T) == 4 ? DType::kFloat32 : DType::kFloat64;
}

inline int64_t round_up(int64_t x, int64_t to) {
  return (x + to - 1) / to * to;
}

template <class Pointer>
Pointer at(const BasicMatrix<Pointer>& m, int64_t i, int64_t j) {
  using Byte = std::conditional_t<std::is_same_v<Pointer, void*>, char*, const char*>;
  return static_cast<Byte>(m.data) + (i * m.row_stride + j * m.col_stride) * size_of(m.dtype);
}

}  // namespace flce::cpu
