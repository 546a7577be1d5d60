// The loss head without its logits: statistics, gradients by recomputation, and gradients made in the forward pass.
// One class serves the three operators and the composed module. It knows rows, columns and tiles; what a loss is, and
// what the coefficients of a row are, comes from its callers (operators.cpp, loss.cpp).
// Work is cut into superblocks of rows (whose input is packed once and shared) and blocks of kSlice vocabulary columns
// (whose weight rows are packed by the task that needs them). Every sum has an order that depends on shapes alone, so
// results are equal bit by bit for any number of threads.
#pragma once

#include <functional>
#include <vector>

#include "dispatch.h"
#include "flce/types.h"
#include "workspace.h"

namespace flce::cpu {

template <class T>
struct HeadInputs {
  Matrix input;                   // [m, k]
  Matrix weight;                  // [n, k]
  const int64_t* rows = nullptr;  // rows of `input` that take part, or null for all
  int64_t m = 0;                  // how many take part
  Transform<T> transform;
  int threads = 0;
};

template <class T>
struct StatsWish {
  bool weighted = false;  // sum of e * (l - max)
  bool linear = false;    // sum of class_weight * l
  const T* class_weight = nullptr;
  const int64_t* target = nullptr;  // local column of each row, -1: none here
  MutableMatrix logits;             // where the logits go, data null: nowhere
};

template <class T>
struct StatsOut {
  std::vector<RowStats> rows;
  std::vector<T> predicted;  // raw logit of the target; 0 where target is -1
};

template <class T>
struct GradWish {
  const RowGrad<T>* rows = nullptr;
  const T* class_weight = nullptr;
  DType round_to = DType::kFloat32;   // the type D is rounded to before the products
  Matrix softmax;                     // data given: probabilities come from here, not from a recomputation
  void* softmax_overwrite = nullptr;  // == softmax.data when D may replace the probabilities
  MutableMatrix input_grad, weight_grad;
  T* bias_grad = nullptr;  // [n], added to
  bool accumulate_input = false, accumulate_weight = false;
  /// Called when the rows [r0, r1) of input_grad are complete in `dx` (row pitch k), before they are stored.
  /// The rows are stored after finish_rows was called for the same range (or at once when both are empty).
  std::function<void(int64_t r0, int64_t r1, T* dx)> start_rows;
  std::function<void(int64_t r0, int64_t r1)> finish_rows;
};

// Vocabulary blocks [b0, b1) of one superblock, and where their gradients go.
template <class T>
struct Target {
  int64_t b0 = 0, b1 = 0;
  T* dx = nullptr;  // rows of the superblock
  int64_t ld_dx = 0;
  bool add_dx = false;
  T* dw = nullptr;  // row of the first column of b0
  int64_t ld_dw = 0;
  bool add_dw = false;
};

template <class T>
class Head {
 public:
  explicit Head(const HeadInputs<T>& in);

  StatsOut<T> statistics(const StatsWish<T>& wish) const;
  void gradients(const GradWish<T>& wish) const;
  /// Row chunks of `chunk_rows`: logits once, statistics, then gradients from the kept logits. `coefficients` turns the
  /// statistics of rows [r0, r1) into their RowGrad.
  void forward_backward(const StatsWish<T>& stats, const GradWish<T>& grads, int64_t chunk_rows,
                        const std::function<void(int64_t r0, int64_t r1, const RowStats* s, const T* predicted,
                                                 RowGrad<T>* out)>& coefficients) const;

 private:
  struct Slot {      // private memory of one thread
    Scratch tile;    // of logits, or of input_grad
    Scratch packed;  // one slice of the weight, or of D^T
  };
  struct Region {  // of input_grad within a superblock
    int64_t i0, rows, c0, cols;
  };
  struct Superblock;
  struct Pass;

  std::vector<Slot> make_slots(int64_t rows) const;
  Scratch pack_input(const KernelTable<T>& t, int64_t r0, int64_t rows, bool as_left) const;
  void raw_tile(const void* packed_x, int64_t rows_padded, int64_t row_from, int64_t rows, int64_t j0, int64_t cols,
                T* tile, int64_t ld, void* packed_w) const;
  void tile_statistics(const StatsWish<T>& wish, int64_t r0, int64_t rows, int64_t j0, int64_t cols, T* tile,
                       RowStats* stats, T* predicted) const;
  void superblock_statistics(const StatsWish<T>& wish, int64_t r0, int64_t rows, std::vector<Slot>& slots, T* chunk,
                             const Scratch& packed_x, RowStats* stats, T* predicted) const;
  Pass make_pass(const GradWish<T>& wish, int64_t rows, std::vector<Slot>& slots) const;
  void run_blocks(Pass& pass, const Superblock& sb, const Target<T>& to) const;
  void gradient_rows(Pass& pass, const Superblock& sb, int64_t b, T* tile, int64_t p0, int64_t p1) const;
  void block_gradient(Pass& pass, const Superblock& sb, const Target<T>& to, int64_t b, int slot) const;
  void blocks_input_grad(Pass& pass, const Target<T>& to, int64_t first, int64_t last, const Region& at,
                         int slot) const;
  void run_pass(Pass& pass) const;
  void flush(const T* src, int64_t ld, int64_t r0, int64_t rows, const MutableMatrix& dst, const int64_t* index,
             bool accumulate) const;
  int64_t forward_rows() const;
  int64_t backward_rows() const;
  int64_t group_blocks(int64_t rows) const;
  std::vector<Region> regions(const KernelTable<T>& t, int64_t rows) const;

  HeadInputs<T> in_;
  int64_t m_, n_, k_, blocks_;
  const KernelTable<T>* forward_table_;  // product of input and weight
  int threads_;
};

/// Folds `b` into `a` (both from disjoint columns of one row).
void merge(RowStats* a, const RowStats& b);
RowStats empty_stats();

/// Copies a strip of a strided row, converting.
template <class T>
void load_strip(const KernelTable<T>& t, const Matrix& src, int64_t row, int64_t j0, int64_t count, T* dst);
template <class T>
void store_strip(const KernelTable<T>& t, const T* src, const MutableMatrix& dst, int64_t row, int64_t j0,
                 int64_t count, bool accumulate);
/// All bits of one row to 0, which is 0 in every dtype.
void zero_row(const MutableMatrix& m, int64_t row);

}  // namespace flce::cpu
