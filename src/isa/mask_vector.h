// Which lanes of which repeats a vector instruction works on, and how a mask form is resolved against the sticky
// registers. Rules: spec/api-semantics.md 0. After prepare a request alone says everything: registers.mask_low /
// mask_high hold the effective mask, or the number of elements when registers.counter_mode is set. Left out: addresses
// (footprint_vector.h).
#pragma once

#include <bit>
#include <cstdint>

#include "machine/instruction.h"

namespace ascsan::isa {

inline constexpr uint32_t kBlockBytes = 32;
inline constexpr uint32_t kBlocksPerRepeat = 8;
inline constexpr uint32_t kRepeatBytes = 256;
inline constexpr uint64_t kUbBytes = 196608;  ///< spec/execution-model.md 1.2

/// One bit per lane of a repeat, at most 128.
struct LaneMask {
  uint64_t low = 0, high = 0;

  static constexpr LaneMask leading(uint64_t lanes) {
    return {lanes >= 64 ? ~uint64_t{0} : (uint64_t{1} << lanes) - 1, lanes <= 64 ? 0
                                                                     : lanes >= 128
                                                                         ? ~uint64_t{0}
                                                                         : (uint64_t{1} << (lanes - 64)) - 1};
  }
  constexpr bool test(uint32_t lane) const { return ((lane < 64 ? low >> lane : high >> (lane - 64)) & 1) != 0; }
  constexpr bool none() const { return (low | high) == 0; }
  constexpr uint32_t count() const { return static_cast<uint32_t>(std::popcount(low) + std::popcount(high)); }
  /// One past the highest enabled lane.
  constexpr uint32_t end() const {
    return high != 0 ? 128u - static_cast<uint32_t>(std::countl_zero(high))
                     : 64u - static_cast<uint32_t>(std::countl_zero(low));
  }
  /// True if the enabled lanes are 0 .. count() - 1.
  constexpr bool leading_only() const {
    return high == 0 ? (low & (low + 1)) == 0 : low == ~uint64_t{0} && (high & (high + 1)) == 0;
  }
  friend constexpr LaneMask operator&(LaneMask a, LaneMask b) { return {a.low & b.low, a.high & b.high}; }
  friend constexpr bool operator==(LaneMask, LaneMask) = default;
};

/// Calls f(first, count) for each maximal run of enabled lanes, ascending.
template <typename F>
void for_each_run(LaneMask mask, F&& f) {
  uint32_t first = 0, count = 0;  // the run not yet handed out; it may go on in the upper word
  for (uint32_t base = 0; base <= 64; base += 64) {
    uint64_t word = base == 0 ? mask.low : mask.high;
    while (word != 0) {
      const auto start = static_cast<uint32_t>(std::countr_zero(word));
      const auto run = static_cast<uint32_t>(std::countr_one(word >> start));
      if (count != 0 && first + count == base + start) {
        count += run;
      } else {
        if (count != 0) f(first, count);
        first = base + start;
        count = run;
      }
      word = start + run >= 64 ? 0 : word & (~uint64_t{0} << (start + run));
    }
  }
  if (count != 0) f(first, count);
}

/// Enabled lanes of all repeats. Every repeat but the last uses `mask`, the last uses `tail`.
struct LaneShape {
  uint32_t lanes = 0;    ///< lanes of one repeat (256 bytes of the widest type)
  uint32_t repeats = 0;  ///< repeats with at least one enabled lane
  LaneMask mask, tail;
  uint64_t total = 0;  ///< enabled lanes over all repeats
  const LaneMask& of(uint32_t repeat) const { return repeat + 1 == repeats ? tail : mask; }
  /// Enabled lanes are the first `total` of the repeats written one after another.
  bool leading_only() const {
    return repeats <= 1 ? tail.leading_only() : mask.count() == lanes && tail.leading_only();
  }
};

/// `lanes` = lanes per repeat, `repeat` = repeats to execute in Normal mode.
LaneShape lane_shape(const gate::Request& request, uint32_t lanes, uint32_t repeat);
/// As lane_shape, but in counter mode the register counts elements per repeat and `repeat` stays effective (Copy).
LaneShape lane_shape_per_repeat(const gate::Request& request, uint32_t lanes, uint32_t repeat);

/// Lanes per repeat for elements of `bits`.
constexpr uint32_t lanes_of(uint32_t bits) {
  return bits == 0 ? 0 : kRepeatBytes * 8 / bits;
}

/// Repeats an 8-bit field lets through.
inline uint32_t repeat8(const gate::Request& request) {
  return static_cast<uint32_t>(request.params.vector.repeat) & 0xFFu;
}

/// Captures the registers and resolves the mask form; `sticky` becomes what the call leaves behind.
void prepare_masked(gate::Request& request, gate::Registers& sticky);
/// For instructions without a mask.
void prepare_plain(gate::Request& request, gate::Registers& sticky);
/// Brcb and Gatherb reset the mask register; GatherMask leaves Normal mode (spec/execution-model.md 3.2).
void prepare_reset_mask(gate::Request& request, gate::Registers& sticky);
void prepare_gather_mask(gate::Request& request, gate::Registers& sticky);

/// Bits of the widest operand type.
uint32_t widest_bits(const gate::Request& request);

}  // namespace ascsan::isa
