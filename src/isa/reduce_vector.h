// Shared by the reductions per repeat and the steps of the composite ones: a repeat as floats, sums and extremes over
// it. Rules: spec/api-semantics.md 4. Half and float only.
#pragma once

#include "isa/legal_vector.h"
#include "isa/vec_lanes.h"

namespace ascsan::isa {

bool reducible(gate::DataType type);

/// Lanes of one repeat at their positions; absent lanes hold -0, the neutral element of sums.
class RepeatValues {
 public:
  void load(const Lane& lane, uint32_t repeat, LaneMask mask, uint32_t lanes);
  /// Tree sum of `width` lanes from `first` on, as raw bits of the element type.
  uint32_t sum(uint32_t first, uint32_t width, bool saturate) const;
  /// Lane of the first extreme among the enabled lanes of [first, first + width); at least one must be enabled.
  uint32_t extreme(uint32_t first, uint32_t width, bool largest) const;
  /// Raw bits of one lane; NaN becomes the canonical one and, in saturating mode, 0.
  uint32_t bits(uint32_t lane, bool saturate) const;

 private:
  RepeatBuffer raw_;
  const std::byte* values_ = nullptr;  ///< raw_, or the memory itself when the whole repeat is there as it is needed
  LaneMask mask_;
  bool half_ = false;
};

/// a + b in the element type, rounded once.
uint32_t add_elements(gate::DataType type, uint32_t a, uint32_t b, bool saturate);
/// Tree over any number of raw elements; the count is padded to a power of two by absent values.
uint32_t tree_over(gate::DataType type, const std::byte* values, uint64_t count, bool saturate);

inline void store_element(std::byte* at, uint32_t bits, uint32_t bytes) {
  std::memcpy(at, &bits, bytes);
}
inline uint32_t load_element(const std::byte* at, uint32_t bytes) {
  uint32_t bits = 0;
  std::memcpy(&bits, at, bytes);
  return bits;
}

/// Walk of the source with the 16-bit strides of reductions.
Walk reduce_source(const gate::Request& request, int index, uint32_t lanes);

}  // namespace ascsan::isa
