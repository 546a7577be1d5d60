// Layout of the temporary tensor of ReduceMax / ReduceMin with index (spec/api-semantics.md 4), shared with tests.
#pragma once

#include <cstdint>
#include <vector>

namespace ascsan::isa {

/// One level of results: `elements` values (pairs of value and index) from element `offset` of the temporary tensor.
struct TmpLevel {
  uint64_t offset, elements;
};

/// Level 0 holds one pair per repeat; each further level one pair per 256 bytes of the level before, until one pair is
/// left. Levels start at multiples of 32 bytes.
std::vector<TmpLevel> tmp_levels(uint64_t repeats, uint32_t element_bytes);

}  // namespace ascsan::isa
