// Adds the meaning of the vector instructions to the instruction table.
#pragma once

#include "machine/instruction.h"

namespace ascsan::isa {

/// Rows of ops_vector.def.
void add_vector_ops(machine::OpTable& table);

}  // namespace ascsan::isa
