// The parts of the copy and cube tables, one function a file; cube_table.cpp puts them together.
#pragma once

#include "machine/instruction.h"

namespace ascsan::isa {

/// prepare of operations that only capture the registers.
inline void keep_registers(gate::Request& request, gate::Registers& sticky) {
  request.registers = sticky;
}

/// Fills the row of `op`; the api name comes from the .def table.
void set_op(machine::OpTable& table, gate::Op op, gate::Pipe (*pipe)(const gate::Request&),
            void (*prepare)(gate::Request&, gate::Registers&),
            void (*check)(const gate::Request&, machine::Violations&),
            void (*footprint)(const gate::Request&, machine::Footprint&),
            void (*execute)(const gate::Request&, const machine::Memories&));

void add_copy_blocks(machine::OpTable& table);
void add_copy_pad(machine::OpTable& table);
void add_copy_nd_nz(machine::OpTable& table);
void add_load_data_2d(machine::OpTable& table);
void add_load_data_transpose(machine::OpTable& table);
void add_load_data_3d(machine::OpTable& table);
void add_fill(machine::OpTable& table);
void add_mmad(machine::OpTable& table);
void add_fixpipe(machine::OpTable& table);

}  // namespace ascsan::isa
