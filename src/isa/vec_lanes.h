// Runs an inner loop over the lanes of an instruction: the contiguous case in one call, anything else repeat by repeat,
// where the enabled lanes are gathered, computed and scattered, so that within one repeat all reads come before all
// writes and repeats follow each other (spec/api-semantics.md 0; accumulation with dst == src1 and repeat stride 0).
// Left out: which loop (vec_elementwise.cpp), reductions.
#pragma once

#include "isa/footprint_vector.h"
#include "isa/simd/kernel.h"

namespace ascsan::isa {

/// Host view of one operand.
struct Lane {
  std::byte* base = nullptr;  ///< null: the operand does not exist
  Walk walk;
};

struct LaneRun {
  LaneShape shape;
  Lane dst, src0, src1;
  bool dst_is_read = false;  ///< the loop combines with what dst holds
};

/// The usual operands of a request: dst, src0, src1 as far as they exist.
LaneRun lane_run(const gate::Request& request, const machine::Memories& memories, const LaneShape& shape);

/// The loop can take all lanes in one call: every operand is contiguous and the destination cuts into no source.
bool runs_flat(const LaneRun& run);

void run_lanes(const LaneRun& run, simd::Kernel kernel, simd::KernelArgs args);

/// Copies the enabled lanes of one repeat to a dense buffer and back. 4-bit elements take one byte each in the buffer,
/// sign extended.
void gather_lanes(const Lane& lane, uint32_t repeat, LaneMask mask, void* out);
void scatter_lanes(const Lane& lane, uint32_t repeat, LaneMask mask, const void* in);

/// Buffer for one repeat: 128 lanes of at most 8 bytes.
struct RepeatBuffer {
  alignas(64) std::byte bytes[1024];
};

}  // namespace ascsan::isa
