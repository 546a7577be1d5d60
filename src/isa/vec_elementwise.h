// Shared by the values and the limits of the instructions that compute each lane by itself.
#pragma once

#include "isa/mask_vector.h"
#include "isa/simd/kernel.h"

namespace ascsan::isa {

/// The inner loop for the operation and its types; empty if they do not exist. Not for Copy and Duplicate.
simd::KernelPair lane_kernel(const gate::Request& request);

LaneShape lane_instruction_shape(const gate::Request& request);

/// legal_vector_lanes.cpp
void check_lane_instruction(const gate::Request& request, machine::Violations& violations);

}  // namespace ascsan::isa
