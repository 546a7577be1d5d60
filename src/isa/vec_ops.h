// Each family of vector instructions fills its rows of the instruction table; vector_table.cpp calls them all.
#pragma once

#include "machine/instruction.h"

namespace ascsan::isa {

void add_elementwise_ops(machine::OpTable& table);  ///< vec_elementwise.cpp: arithmetic, casts, Copy, Duplicate
void add_dequant_op(machine::OpTable& table);       ///< vec_dequant.cpp: CastDequant
void add_compare_ops(machine::OpTable& table);      ///< vec_compare.cpp: Compare family and CMPMASK
void add_select_ops(machine::OpTable& table);       ///< vec_select.cpp
void add_reduce_ops(machine::OpTable& table);       ///< vec_reduce.cpp: one instruction per call
void add_composite_ops(machine::OpTable& table);    ///< composite_vector.cpp: steps of ReduceSum / Max / Min
void add_gather_ops(machine::OpTable& table);       ///< vec_gather.cpp: Gather, Gatherb
void add_gather_mask_op(machine::OpTable& table);   ///< vec_gather_mask.cpp
void add_move_ops(machine::OpTable& table);         ///< vec_move.cpp: Brcb, SelectStage
void add_transpose_ops(machine::OpTable& table);    ///< vec_transpose.cpp
void add_sort_ops(machine::OpTable& table);         ///< vec_sort.cpp

/// Pipe of every vector instruction.
gate::Pipe vector_pipe(const gate::Request& request);

}  // namespace ascsan::isa
