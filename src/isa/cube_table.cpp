// Puts the rows of ops_copy.def and ops_cube.def together, and the register writes of the cube, which act at issue.
#include "isa/cube_table.h"

#include "isa/copy_ops.h"

namespace ascsan::isa {
namespace {

const char* api_of(gate::Op op) {
  switch (op) {
#define ASCSAN_OP(name, api) \
  case gate::Op::k##name:    \
    return api;
#include "ascendc/ops_copy.def"
#include "ascendc/ops_cube.def"
#undef ASCSAN_OP
    default:
      return "";
  }
}

/// Op::kSetCubeRegister has no pipe: the machine calls prepare with the registers of the core and is done.
void write_register(gate::Request& request, gate::Registers& sticky) {
  const gate::CubeRegisterParams& p = request.params.cube_register;
  gate::CubeRegisters& cube = sticky.cube;
  switch (static_cast<gate::CubeRegister>(p.which)) {
    case gate::CubeRegister::kNz2Nd:
      cube.nd_num = static_cast<uint32_t>(p.value[0]);
      cube.src_nd_stride = static_cast<uint32_t>(p.value[1]);
      cube.dst_nd_stride = static_cast<uint32_t>(p.value[2]);
      return;
    case gate::CubeRegister::kFeatureMapLeft:
      cube.map_left = p.map;
      return;
    case gate::CubeRegister::kFeatureMapRight:
      cube.map_right = p.map;
      return;
    case gate::CubeRegister::kLoadPadding:
      cube.load_padding = p.value[0];
      return;
    case gate::CubeRegister::kLoadRepeat:
      cube.repeat_stride = static_cast<uint32_t>(p.value[0]);
      cube.repeat_times = static_cast<uint32_t>(p.value[1]);
      cube.repeat_along_k = p.value[2] != 0;
      return;
    case gate::CubeRegister::kAtomicType:
      sticky.atomic_type = static_cast<gate::DataType>(p.value[0]);
      return;
  }
}

}  // namespace

void set_op(machine::OpTable& table, gate::Op op, gate::Pipe (*pipe)(const gate::Request&),
            void (*prepare)(gate::Request&, gate::Registers&),
            void (*check)(const gate::Request&, machine::Violations&),
            void (*footprint)(const gate::Request&, machine::Footprint&),
            void (*execute)(const gate::Request&, const machine::Memories&)) {
  machine::OpInfo& info = table[static_cast<size_t>(op)];
  info.api = api_of(op);
  info.pipe = pipe;
  info.prepare = prepare;
  info.check = check;
  info.footprint = footprint;
  info.execute = execute;
}

void add_copy_ops(machine::OpTable& table) {
  add_copy_blocks(table);
  add_copy_pad(table);
  add_copy_nd_nz(table);
}

void add_cube_ops(machine::OpTable& table) {
  add_load_data_2d(table);
  add_load_data_transpose(table);
  add_load_data_3d(table);
  add_fill(table);
  add_mmad(table);
  add_fixpipe(table);
  set_op(table, gate::Op::kSetCubeRegister, nullptr, write_register, nullptr, nullptr, nullptr);
}

}  // namespace ascsan::isa
