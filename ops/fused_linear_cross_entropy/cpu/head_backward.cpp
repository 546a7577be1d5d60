// Head: gradients. One block task turns a tile of logits (recomputed, kept, or a stored softmax) into D, multiplies
// D^T with the input for its own rows of weight_grad, and leaves D packed for the product with the weight, which runs
// once per group of blocks. weight_grad and input_grad are summed in T (fp32) whatever their output type.
// Two loop orders: rows outside when weight_grad can be summed in place, columns outside when it cannot, so that the
// fp32 copy of weight_grad is one group wide and not [n, k].
#include <algorithm>
#include <cstring>
#include <limits>

#include "head.h"
#include "head_internal.h"
#include "thread_pool.h"

namespace flce::cpu {

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
  Scratch group;                // D as left operand, one slice per block
  std::vector<Scratch> left_d;  // per slot: D^T as left operand
  std::vector<double> bias;     // column sums
  int64_t step, group_blocks;
  // Arguments of the group at work.
  int64_t b0 = 0;
  T* dw = nullptr;
  int64_t ld_dw = 0;
  bool add_dw = false;
};

namespace {

template <class T>
constexpr DType own_dtype() {
  return sizeof(T) == 4 ? DType::kFloat32 : DType::kFloat64;
}

// A matrix whose rows can be summed in place.
template <class T>
bool direct(const MutableMatrix& m) {
  return m.dtype == own_dtype<T>() && m.col_stride == 1;
}

}  // namespace

template <class T>
int64_t Head<T>::backward_rows() const {
  const int64_t budget = panel_budget(m_, n_);
  int64_t rows = 512;
  while (rows > 256 && rows * 2 * k_ * forward_table_->elem_size > budget) rows /= 2;
  return std::min(rows, std::max<int64_t>(m_, 1));
}
// Wide enough to keep the threads busy and to pass over input_grad rarely.
template <class T>
int64_t Head<T>::group_blocks(int64_t rows) const {
  const int64_t budget = group_budget(m_, n_);
  int64_t blocks = std::max<int64_t>(16, 4 * threads_);
  while (blocks > 2 * threads_ && blocks * rows * kSlice * 4 > budget) blocks /= 2;
  return std::min(blocks, std::max<int64_t>(blocks_, 1));
}

template <class T>
void Head<T>::flush(const T* src, int64_t ld, int64_t r0, int64_t rows, const MutableMatrix& dst, const int64_t* index,
                    bool accumulate) const {
  const KernelTable<T>& t = *forward_table_;
  const int64_t parts = std::min<int64_t>(rows, 4 * threads_);
  ThreadPool::shared().run(parts, in_.threads, [&](int64_t part, int) {
    for (int64_t r = rows * part / parts; r < rows * (part + 1) / parts; ++r) {
      store_strip(t, src + r * ld, dst, index ? index[r0 + r] : r0 + r, 0, dst.cols, accumulate);
    }
  });
}

template <class T>
void Head<T>::block_gradient(Pass& pass, const Superblock& sb, int64_t b, T* tile, int slot) const {
  const GradWish<T>& wish = *pass.wish;
  const KernelTable<T>& t = *pass.table;
  const int64_t j0 = b * kSlice, cols = std::min(kSlice, n_ - j0), rows = sb.rows;
  for (int64_t r = 0; r < rows; ++r) {
    const RowGrad<T>& g = wish.rows[sb.r0 + r];
    T* row = tile + r * kSlice;
    if (wish.softmax.data) {
      load_strip(t, wish.softmax, sb.r0 + r, j0, cols, row);
      if (g.poison) std::fill(row, row + cols, std::numeric_limits<T>::quiet_NaN());
      t.from_softmax(row, cols, g.cp, g.target - j0, wish.round_to);
      if (wish.softmax_overwrite) {
        MutableMatrix over(wish.softmax_overwrite, wish.softmax.dtype, n_, n_, wish.softmax.row_stride,
                           wish.softmax.col_stride);
        store_strip(t, row, over, sb.r0 + r, j0, cols, false);
      }
    } else {
      if (sb.chunk == nullptr && !g.skip) t.transform(in_.transform, row, j0, cols);
      const T* w = wish.class_weight ? wish.class_weight + j0 : nullptr;
      t.gradient(in_.transform, row, cols, w, g, j0, wish.round_to);
    }
    if (wish.bias_grad) {
      for (int64_t j = 0; j < cols; ++j) pass.bias[j0 + j] += row[j];
    }
  }
  Operand d;
  d.data = tile;
  d.dtype = own_dtype<T>();
  if (wish.input_grad.data) {
    d.free_stride = kSlice;
    d.depth_stride = 1;
    const int64_t slice = (b - pass.b0) * round_up(rows, t.mr) * kSlice;
    t.pack(d, 0, rows, 0, cols, t.mr, pass.group.template as<char>(slice * t.elem_size));
  }
  if (wish.weight_grad.data && k_ > 0) {
    d.free_stride = 1;
    d.depth_stride = kSlice;
    T* c = pass.dw + (j0 - pass.b0 * kSlice) * pass.ld_dw;
    for (int64_t p = 0; p < rows; p += kSlice) {
      const int64_t depth = std::min(kSlice, rows - p);
      t.pack(d, 0, cols, p, depth, t.mr, pass.left_d[slot].as());
      t.product(pass.left_d[slot].as(), sb.right.template as<char>(p * round_up(k_, t.nr) * t.elem_size), cols, k_,
                depth, c, pass.ld_dw, pass.add_dw || p > 0);
    }
  }
}

// Blocks [b0, b1) for one superblock: D, weight_grad rows of the group at `dw`, input_grad rows at `dx`.
template <class T>
void Head<T>::run_group(Pass& pass, const Superblock& sb, int64_t b0, int64_t b1, T* dx, int64_t ld_dx, bool add_dx,
                        T* dw, int64_t ld_dw, bool add_dw) const {
  const KernelTable<T>& t = *pass.table;
  std::vector<Slot>& slots = *pass.slots;
  pass.b0 = b0;
  pass.dw = dw;
  pass.ld_dw = ld_dw;
  pass.add_dw = add_dw;
  ThreadPool::shared().run(b1 - b0, in_.threads, [&](int64_t task, int slot) {
    const int64_t b = b0 + task, j0 = b * kSlice, cols = std::min(kSlice, n_ - j0);
    T* tile = slots[slot].tile.template as<T>();
    if (sb.chunk) {
      tile = sb.chunk + b * sb.rows * kSlice;
    } else if (!pass.wish->softmax.data) {
      raw_tile(sb.left.as(), round_up(sb.rows, forward_table_->mr), 0, sb.rows, j0, cols, tile, kSlice,
               slots[slot].packed.as());
    }
    block_gradient(pass, sb, b, tile, slot);
  });
  if (!pass.wish->input_grad.data || k_ == 0) return;
  const int64_t step = std::min<int64_t>(kSlice, round_up(std::max<int64_t>(k_ / (4 * threads_), 1), t.nr));
  const int64_t column_parts = (k_ + step - 1) / step;
  const int64_t row_parts = std::max<int64_t>(1, std::min<int64_t>(2 * threads_ / column_parts, sb.rows / (8 * t.mr)));
  const int64_t row_step = round_up((sb.rows + row_parts - 1) / row_parts, t.mr);
  Operand w;
  w.data = in_.weight.data;
  w.dtype = in_.weight.dtype;
  w.free_stride = in_.weight.col_stride;
  w.depth_stride = in_.weight.row_stride;
  ThreadPool::shared().run(column_parts * row_parts, in_.threads, [&](int64_t task, int slot) {
    const int64_t c0 = task % column_parts * step, cols = std::min(step, k_ - c0);
    const int64_t i0 = task / column_parts * row_step, rows = std::min(row_step, sb.rows - i0);
    if (rows <= 0) return;
    for (int64_t b = b0; b < b1; ++b) {
      const int64_t depth = std::min(kSlice, n_ - b * kSlice);
      t.pack(w, c0, cols, b * kSlice, depth, t.nr, slots[slot].packed.as());
      const int64_t offset = (b - b0) * round_up(sb.rows, t.mr) * kSlice + i0 * t.packed_depth(depth);
      t.product(pass.group.template as<char>(offset * t.elem_size), slots[slot].packed.as(), rows, cols, depth,
                dx + i0 * ld_dx + c0, ld_dx, add_dx || b > b0);
    }
  });
}

template <class T>
void Head<T>::run_pass(Pass& pass) const {
  const GradWish<T>& wish = *pass.wish;
  const bool direct_dw = direct<T>(wish.weight_grad), direct_dx = direct<T>(wish.input_grad) && !in_.rows;
  const bool rows_outside = direct_dw || !wish.weight_grad.data;
  const int64_t gb = pass.group_blocks, groups = (blocks_ + gb - 1) / gb, supers = (m_ + pass.step - 1) / pass.step;
  const bool async = static_cast<bool>(wish.start_rows);
  Scratch dw_scratch, dx_scratch;
  if (wish.weight_grad.data && !direct_dw) dw_scratch = Scratch(gb * kSlice * k_ * sizeof(T));
  // Rows outside: one superblock of input_grad (all of it when a communicator still works on earlier rows).
  const bool in_place_dx = direct_dx && !(async && (wish.accumulate_input || wish.input_grad.row_stride != k_));
  const bool whole_dx = !rows_outside || async;
  if (wish.input_grad.data && !in_place_dx) {
    dx_scratch = Scratch((whole_dx ? m_ : std::min(pass.step, m_)) * k_ * sizeof(T));
  }
  auto dx_at = [&](int64_t r0) {
    if (!wish.input_grad.data) return static_cast<T*>(nullptr);
    if (in_place_dx) return static_cast<T*>(at(wish.input_grad, r0, 0));
    return dx_scratch.as<T>() + (whole_dx ? r0 * k_ : 0);
  };
  const int64_t ld_dx = in_place_dx ? wish.input_grad.row_stride : k_;
  auto superblock = [&](int64_t s) {
    Superblock sb;
    sb.r0 = s * pass.step;
    sb.rows = std::min(pass.step, m_ - sb.r0);
    if (!wish.softmax.data) sb.left = pack_input(*forward_table_, sb.r0, sb.rows, true);
    if (wish.weight_grad.data) sb.right = pack_input(*pass.table, sb.r0, sb.rows, false);
    return sb;
  };
  auto finish_rows = [&](int64_t r0, int64_t rows) {
    if (async) wish.finish_rows(r0, r0 + rows);
    if (!wish.input_grad.data || in_place_dx) return;
    flush(dx_at(r0), k_, r0, rows, wish.input_grad, in_.rows, wish.accumulate_input);
  };
  auto group = [&](const Superblock& sb, int64_t g) {
    const int64_t b0 = g * gb, b1 = std::min(b0 + gb, blocks_);
    T* dw = nullptr;
    if (wish.weight_grad.data)
      dw = direct_dw ? static_cast<T*>(at(wish.weight_grad, b0 * kSlice, 0)) : dw_scratch.as<T>();
    run_group(pass, sb, b0, b1, dx_at(sb.r0), ld_dx, g > 0 || (in_place_dx && wish.accumulate_input), dw,
              direct_dw ? wish.weight_grad.row_stride : k_, sb.r0 > 0 || (direct_dw && wish.accumulate_weight));
    if (async && g + 1 == groups) wish.start_rows(sb.r0, sb.r0 + sb.rows, dx_at(sb.r0));
  };
  if (rows_outside) {
    for (int64_t s = 0; s < supers; ++s) {
      const Superblock sb = superblock(s);
      for (int64_t g = 0; g < groups; ++g) group(sb, g);
      if (!async) finish_rows(sb.r0, sb.rows);
    }
  } else {
    for (int64_t g = 0; g < groups; ++g) {
      for (int64_t s = 0; s < supers; ++s) group(superblock(s), g);
      const int64_t j0 = g * gb * kSlice, count = std::min(gb * kSlice, n_ - j0);
      flush(dw_scratch.as<T>(), k_, j0, count, wish.weight_grad, nullptr, wish.accumulate_weight);
    }
  }
  if (async || !rows_outside) {
    for (int64_t s = 0; s < supers; ++s) finish_rows(s * pass.step, std::min(pass.step, m_ - s * pass.step));
  }
}

template <class T>
void Head<T>::gradients(const GradWish<T>& wish) const {
  if (m_ == 0 || n_ == 0) return;
  Pass pass;
  pass.wish = &wish;
  const bool bf16 = in_.input.dtype == DType::kBFloat16 && in_.weight.dtype == DType::kBFloat16;
  pass.table = &table_for<T>(bf16 && wish.round_to == DType::kBFloat16);
  pass.step = backward_rows();
  pass.group_blocks = group_blocks(pass.step);
  std::vector<Slot> slots = make_slots(pass.step);
  pass.slots = &slots;
  pass.group = Scratch(pass.group_blocks * round_up(pass.step, pass.table->mr) * kSlice * pass.table->elem_size);
  for (int i = 0; i < threads_; ++i) {
    pass.left_d.emplace_back(round_up(kSlice, pass.table->mr) * kSlice * pass.table->elem_size);
  }
  if (wish.bias_grad) pass.bias.assign(n_, 0.0);
  run_pass(pass);
  if (wish.bias_grad) {
    for (int64_t j = 0; j < n_; ++j) wish.bias_grad[j] += static_cast<T>(pass.bias[j]);
  }
}

template <class T>
void Head<T>::forward_backward(
    const StatsWish<T>& stats, const GradWish<T>& grads, int64_t chunk_rows,
    const std::function<void(int64_t, int64_t, const RowStats*, const T*, RowGrad<T>*)>& coefficients) const {
  if (m_ == 0 || n_ == 0) return;
  const int64_t step = std::min(chunk_rows, m_);
  Pass pass;
  GradWish<T> wish = grads;
  pass.wish = &wish;
  const bool bf16 = in_.input.dtype == DType::kBFloat16 && in_.weight.dtype == DType::kBFloat16;
  pass.table = &table_for<T>(bf16 && wish.round_to == DType::kBFloat16);
  pass.step = step;
  pass.group_blocks = group_blocks(step);
  std::vector<Slot> slots = make_slots(1);
  pass.slots = &slots;
  pass.group = Scratch(pass.group_blocks * round_up(step, pass.table->mr) * kSlice * pass.table->elem_size);
  for (int i = 0; i < threads_; ++i) {
    pass.left_d.emplace_back(round_up(kSlice, pass.table->mr) * kSlice * pass.table->elem_size);
  }
  if (wish.bias_grad) pass.bias.assign(n_, 0.0);
  Scratch chunk(blocks_ * step * kSlice * sizeof(T));
  const bool direct_dw = direct<T>(wish.weight_grad), direct_dx = direct<T>(wish.input_grad) && !in_.rows;
  Scratch dw_scratch, dx_scratch;
  if (wish.weight_grad.data && !direct_dw) dw_scratch = Scratch(n_ * k_ * sizeof(T));
  if (wish.input_grad.data && !direct_dx) dx_scratch = Scratch(step * k_ * sizeof(T));
  std::vector<RowStats> row_stats(step);
  std::vector<T> predicted(m_, T(0));
  std::vector<RowGrad<T>> row_grads(m_);
  wish.rows = row_grads.data();
  for (int64_t r0 = 0; r0 < m_; r0 += step) {
    Superblock sb;
    sb.r0 = r0;
    sb.rows = std::min(step, m_ - r0);
    sb.left = pack_input(*forward_table_, r0, sb.rows, true);
    sb.chunk = chunk.as<T>();
    superblock_statistics(stats, r0, sb.rows, slots, sb.chunk, sb.left, row_stats.data(), predicted.data() + r0);
    sb.left = Scratch();
    coefficients(r0, r0 + sb.rows, row_stats.data(), predicted.data() + r0, row_grads.data() + r0);
    if (wish.weight_grad.data) sb.right = pack_input(*pass.table, r0, sb.rows, false);
    T* dx = nullptr;
    if (wish.input_grad.data) dx = direct_dx ? static_cast<T*>(at(wish.input_grad, r0, 0)) : dx_scratch.as<T>();
    const int64_t ld_dw = direct_dw ? wish.weight_grad.row_stride : k_;
    for (int64_t b0 = 0; b0 < blocks_; b0 += pass.group_blocks) {
      T* dw = nullptr;
      if (wish.weight_grad.data) {
        dw = (direct_dw ? static_cast<T*>(wish.weight_grad.data) : dw_scratch.as<T>()) + b0 * kSlice * ld_dw;
      }
      run_group(pass, sb, b0, std::min(b0 + pass.group_blocks, blocks_), dx,
                direct_dx ? wish.input_grad.row_stride : k_, b0 > 0 || (direct_dx && wish.accumulate_input), dw, ld_dw,
                r0 > 0 || (direct_dw && wish.accumulate_weight));
    }
    if (dx && !direct_dx) flush(dx, k_, r0, sb.rows, wish.input_grad, in_.rows, wish.accumulate_input);
  }
  if (wish.weight_grad.data && !direct_dw) {
    flush(dw_scratch.as<T>(), k_, 0, n_, wish.weight_grad, nullptr, wish.accumulate_weight);
  }
  if (wish.bias_grad) {
    for (int64_t j = 0; j < n_; ++j) wish.bias_grad[j] += static_cast<T>(pass.bias[j]);
  }
}

#define FLCE_INSTANTIATE(T)                                   \
  template void Head<T>::gradients(const GradWish<T>&) const; \
  template void Head<T>::forward_backward(                    \
      const StatsWish<T>&, const GradWish<T>&, int64_t, /* */ \
      const std::function<void(int64_t, int64_t, const RowStats*, const T*, RowGrad<T>*)>&) const;
FLCE_INSTANTIATE(float)
FLCE_INSTANTIATE(double)
#undef FLCE_INSTANTIATE

}  // namespace flce::cpu
