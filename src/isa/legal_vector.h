// Limits of vector instructions (spec/execution-model.md 7), checked at issue. The good path is a few comparisons;
// texts are built only when a limit is broken. Bytes outside a tensor or a memory are found by the machine from the
// footprint. Left out: queue states and undefined bytes (checkers), values.
#pragma once

#include "isa/footprint_vector.h"
#include "isa/violation.h"

namespace ascsan::isa {

/// What of an ordinary lane instruction may overlap.
enum class Overlap : uint8_t {
  kSame,        ///< dst equal to a source, or disjoint
  kAccumulate,  ///< and dst equal to src1 with repeat stride 0, for half, int32_t and float
  kNone         ///< nothing may overlap
};

/// All operands in UB and 32-byte aligned. False: an operand is elsewhere (reported, not executable).
bool check_operands(const gate::Request& request, Limits& limits);
/// One operand: in UB, and its address a multiple of `alignment`.
bool check_operand(const gate::Request& request, int index, uint32_t alignment, Limits& limits);

/// Repeat 0..255 (not in counter mode), destination block stride, stride fields, mask range. `lanes` per repeat.
void check_repeats(const gate::Request& request, uint32_t lanes, Limits& limits, bool has_dst_blocks = true);
/// 8-bit repeat alone.
void check_repeat8(const gate::Request& request, Limits& limits);
/// A stride that did not fit its field, as the header recorded it.
void check_stride_fields(const gate::Request& request, Limits& limits);
/// More elements than any on-chip memory holds: not executable.
bool check_amount(uint64_t elements, uint32_t bits, Limits& limits);

/// Destination (operand 0) against the sources 1.. of the request.
void check_overlap(const gate::Request& request, const LaneShape& shape, Overlap rule, Limits& limits);
/// Two plain byte ranges that may not meet.
void check_disjoint(const char* first, uint64_t a, uint64_t a_bytes, const char* second, uint64_t b, uint64_t b_bytes,
                    Limits& limits);

/// "int32_t, int32_t -> half" of the operands, for messages.
std::string types_text(const gate::Request& request);

}  // namespace ascsan::isa
