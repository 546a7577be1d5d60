// The table of all operations, filled once from the instruction families.
#pragma once

#include "machine/instruction.h"

namespace ascsan::isa {

const machine::OpTable& op_table();

}  // namespace ascsan::isa
