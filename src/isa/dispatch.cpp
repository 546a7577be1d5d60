// The gate itself: what the API headers call. Finds the machine of the running launch and hands the request over.
// Outside a launch there is no core to act for, which is said once and otherwise ignored (a global TPipe being
// destroyed, say).
#include <cstdio>

#include "isa/cube_table.h"
#include "isa/op_table.h"
#include "isa/vector_table.h"
#include "machine/machine.h"

namespace ascsan::isa {

const machine::OpTable& op_table() {
  static const machine::OpTable table = [] {
    machine::OpTable filled{};
#define ASCSAN_OP(name, text) filled[static_cast<size_t>(gate::Op::k##name)].api = text;
#include "ascendc/ops_copy.def"
#include "ascendc/ops_cube.def"
#include "ascendc/ops_frame.def"
#include "ascendc/ops_vector.def"
#undef ASCSAN_OP
    add_vector_ops(filled);
    add_copy_ops(filled);
    add_cube_ops(filled);
    return filled;
  }();
  return table;
}

}  // namespace ascsan::isa

extern "C" uint64_t ascsan_gate(ascsan::gate::Request* request) {
  if (ascsan::machine::Machine* machine = ascsan::machine::Machine::current()) return machine->perform(*request);
  static bool said = false;
  if (!said && request->op != ascsan::gate::Op::kPipeDestroy) {
    said = true;
    std::fprintf(stderr, "ascsan: %s was called at %s:%u outside a kernel launch; it has no effect there\n",
                 ascsan::isa::op_table()[static_cast<size_t>(request->op)].api, request->site.file, request->site.line);
  }
  return 0;
}
