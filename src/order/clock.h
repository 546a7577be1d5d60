// Clocks of the happens-before order, rule section 8 of the spec. A clock says what is complete as seen from one core:
//   slots 0..6  value n of pipe P = instructions 1..n of P of this core are complete; S counts scalar events
//   slot  7     version of this core's knowledge about other cores (RemoteClocks holds the versions)
//   slot  8     scalar stores 1..n have reached memory for whoever holds this clock (strict profile, see order.h)
// All knowledge about other cores enters a core through its scalar unit, so versions are totally ordered and a join is
// an element-wise maximum of all slots. Left out: clocks of two different cores are never joined with each other
// directly.
#pragma once

#include <algorithm>
#include <cstdint>

#include "event/event.h"

namespace ascsan::order {

inline constexpr size_t kRemoteSlot = 7, kStoreSlot = 8, kSlots = 9;

struct Clock {
  uint32_t at[kSlots] = {};
  uint32_t& operator[](gate::Pipe pipe) { return at[static_cast<size_t>(pipe)]; }
  uint32_t operator[](gate::Pipe pipe) const { return at[static_cast<size_t>(pipe)]; }
  friend bool operator==(const Clock&, const Clock&) = default;
};

inline void join(Clock& into, const Clock& from) {
  for (size_t i = 0; i < kSlots; ++i) into.at[i] = std::max(into.at[i], from.at[i]);
}

/// Where in the scalar program an instruction was issued: scalar joins passed, scalar events done.
struct IssuePoint {
  uint32_t version = 0, index = 0;
  friend auto operator<=>(const IssuePoint&, const IssuePoint&) = default;
};

/// Components of all cores, core-major: the seven pipes, then the stores of slot 8.
inline constexpr size_t kDenseStride = 8;
inline size_t dense_index(event::CoreId core, gate::Pipe pipe) {
  return static_cast<size_t>(core) * kDenseStride + static_cast<size_t>(pipe);
}
/// Slot of a clock that stands at place `i` of a core's part of a dense vector.
inline constexpr size_t slot_of_dense(size_t i) {
  return i < static_cast<size_t>(gate::kPipeCount) ? i : kStoreSlot;
}

}  // namespace ascsan::order
