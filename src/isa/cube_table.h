// Adds the meaning of data movement and of cube instructions to the instruction table.
#pragma once

#include "machine/instruction.h"

namespace ascsan::isa {

/// Rows of ops_copy.def.
void add_copy_ops(machine::OpTable& table);
/// Rows of ops_cube.def.
void add_cube_ops(machine::OpTable& table);

}  // namespace ascsan::isa
