// What the gradient pass of Head carries from block to block; shared by head_backward.cpp (loops) and head_blocks.cpp
// (tasks). Leaves out: who owns the outputs, see GradWish.
#pragma once

#include <vector>

#include "head.h"

namespace flce::cpu {

// Rows that go through all blocks together.
template <class T>
struct Head<T>::Superblock {
  int64_t r0 = 0, rows = 0;
  Scratch left;        // input as left operand of the logits (absent when logits are kept)
  Scratch right;       // input as right operand of weight_grad
  T* chunk = nullptr;  // kept logits, block after block
};

template <class T>
struct Head<T>::Pass {
  const GradWish<T>* wish;
  const KernelTable<T>* table;  // products with D
  std::vector<Slot>* slots;
  Scratch ring;              // D of the last group_blocks blocks as left operand, `slice` elements each
  std::vector<double> bias;  // column sums
  int64_t step, group_blocks, slice;
};

}  // namespace flce::cpu
