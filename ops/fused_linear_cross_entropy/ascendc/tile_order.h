// Which tile of the logits a block works on next: diagonals inside windows of 8 x 8 tiles, so that tiles in flight at
// the same time spread over rows and columns. Rule: spec/operators.md 6.5. Shared by host and kernel, so plain C++17.
#pragma once

#include <cstdint>

#include "ascendc/qualifiers.h"

namespace flce::ascendc {

struct TilePosition {
  uint32_t row, column;  ///< in tiles
};

/// Position of tile `index` in a grid of `rows` x `columns` tiles; a bijection of 0 .. rows * columns - 1.
__aicore__ inline TilePosition tile_position(uint64_t index, uint32_t rows, uint32_t columns) {
  constexpr uint32_t kWindow = 8, kPlainRows = 5;
  if (rows <= kPlainRows) return {static_cast<uint32_t>(index / columns), static_cast<uint32_t>(index % columns)};
  const uint64_t band_tiles = static_cast<uint64_t>(kWindow) * columns;
  const uint32_t band = static_cast<uint32_t>(index / band_tiles);
  const uint32_t height = rows - band * kWindow < kWindow ? rows - band * kWindow : kWindow;
  const uint32_t in_band = static_cast<uint32_t>(index - band * band_tiles);
  const uint32_t window = in_band / (height * kWindow);
  const uint32_t width = columns - window * kWindow < kWindow ? columns - window * kWindow : kWindow;
  const uint32_t local = in_band - window * height * kWindow;
  uint32_t a = height, b = width;  // greatest common divisor, for the least common multiple
  while (b != 0) {
    const uint32_t rest = a % b;
    a = b;
    b = rest;
  }
  const uint32_t cycle = height / a * width;
  return {band * kWindow + local % height, window * kWindow + (local + local / cycle) % width};
}

}  // namespace flce::ascendc
