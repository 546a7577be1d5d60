#include "isa/vector_table.h"

#include "isa/vec_ops.h"

namespace ascsan::isa {

gate::Pipe vector_pipe(const gate::Request&) {
  return gate::Pipe::kV;
}

void add_vector_ops(machine::OpTable& table) {
#define ASCSAN_OP(name, text) table[static_cast<size_t>(gate::Op::k##name)].api = text;
#include "ascendc/ops_vector.def"
#undef ASCSAN_OP
  add_elementwise_ops(table);
  add_dequant_op(table);
  add_compare_ops(table);
  add_select_ops(table);
  add_reduce_ops(table);
  add_composite_ops(table);
  add_gather_ops(table);
  add_gather_mask_op(table);
  add_move_ops(table);
  add_transpose_ops(table);
  add_sort_ops(table);
#define ASCSAN_OP(name, text) table[static_cast<size_t>(gate::Op::k##name)].pipe = vector_pipe;
#include "ascendc/ops_vector.def"
#undef ASCSAN_OP
}

}  // namespace ascsan::isa
