// The functions that exist once per instruction set: packing, the register tile of the matrix product and the row
// epilogues. Drivers choose a table at run time (dispatch.h) and never mention an instruction set themselves.
// The float64 table is the same text with T = double; tests take finite differences through it.
// Source of the formulae: operator specification sections 2 and 10.
#pragma once

#include <cstdint>

#include "flce/types.h"

namespace flce::cpu {

// Depth of one slice of a matrix product and width of one block of vocabulary columns. One number for both, so that a
// block of logit gradients is exactly one slice of the product with the weight; and one number for every instruction
// set, so that the order of additions does not depend on thread counts.
constexpr int64_t kSlice = 256;
// Depth of one slice of the product for weight_grad, over tokens: a gradient that streams to memory is read and written
// once a slice (2 % of a whole step at k 4096, against 256).
constexpr int64_t kTokenSlice = 512;

// One matrix operand as the product sees it: `free` runs over the rows or columns of the result, `depth` over the sum.
struct Operand {
  const void* data = nullptr;
  DType dtype = DType::kFloat32;
  int64_t free_stride = 0;
  int64_t depth_stride = 0;
  const int64_t* free_index = nullptr;   // optional gather of the free dimension
  const int64_t* depth_index = nullptr;  // optional gather of the depth dimension
};

// How raw products become logits: round -> + bias -> * scale -> softcap -> * inv_temperature.
template <class T>
struct Transform {
  DType round_to = DType::kFloat32;  // kFloat16 or kBFloat16 round, anything else leaves the accumulator alone
  const T* bias = nullptr;           // indexed by local column
  T scale = 1;
  T softcap = 0;  // 0: none
  T inv_temperature = 1;
  bool plain() const { return bias == nullptr && scale == 1 && softcap == 0 && inv_temperature == 1; }
};

// Running statistics of one row. Sums are double: they are touched once per tile and row.
struct RowStats {
  double max;       // -inf before the first column; NaN once a NaN was seen
  double sum;       // sum of exp(l - max)
  double weighted;  // sum of exp(l - max) * (l - max), for the entropy
  double linear;    // sum of class_weight * l, for label smoothing
};

// What one row of the gradient needs: d = p*cp - [target]*ct - cb*w - ch*p*(log p + entropy).
template <class T>
struct RowGrad {
  T max, inv_sum, lse, entropy;
  T cp, ct, cb, ch;
  int64_t target;  // local column or -1
  bool skip;       // the row does not count: zeros, whatever it holds
  bool poison;     // a NaN row (target outside the shard and no validation)
};

// The two operands of a product are packed differently.
enum class Side { kLeft, kRight };

template <class T>
struct KernelTable {
  const char* name;
  int mr, nr;          // register tile, width of a left and of a right panel
  int64_t depth_step;  // depths that lie together: 1, bfloat16 pairs 2, matrix tiles 32
  int64_t elem_size;   // bytes of one packed element
  int64_t packed_depth(int64_t depth) const { return (depth + depth_step - 1) / depth_step * depth_step; }

  // Packs `count` free elements from f0 and `depth` depths from p0 into panels, zero padded.
  // Room: round_up(count, mr or nr) * packed_depth(depth) elements; nothing beyond is written.
  void (*pack)(const Operand& src, int64_t f0, int64_t count, int64_t p0, int64_t depth, Side side, void* dst);
  // C[rows, cols] = addend + A * B over one slice of packed panels; `add` null: no addend; it may be c.
  void (*product)(const void* a, const void* b, int64_t rows, int64_t cols, int64_t depth, const T* add, int64_t ld_add,
                  T* c, int64_t ldc);
  // Applies the transform to a row of raw products; j0 = local column of its first element.
  void (*transform)(const Transform<T>& t, T* row, int64_t j0, int64_t cols);
  // Folds a row of logits into the statistics.
  void (*stats)(const T* row, int64_t cols, const T* class_weight, bool weighted, bool linear, RowStats* s);
  // Turns logits into gradients of the raw products, in place. `w` = class weights from column j0, or null for ones.
  void (*gradient)(const Transform<T>& t, T* row, int64_t cols, const T* w, const RowGrad<T>& g, int64_t j0,
                   DType round_to);
  // dst = exp(src - max) * inv_sum
  void (*softmax)(const T* src, T* dst, int64_t cols, T max, T inv_sum);
  // dst = (src - [target]) * grad: gradient from a stored softmax.
  void (*from_softmax)(T* row, int64_t cols, T grad, int64_t target, DType round_to);
  // Element conversion, contiguous on both sides; `accumulate` adds to what dst holds.
  void (*load_row)(const void* src, DType dtype, T* dst, int64_t count);
  void (*store_row)(const T* src, void* dst, DType dtype, int64_t count, bool accumulate);
};

}  // namespace flce::cpu
