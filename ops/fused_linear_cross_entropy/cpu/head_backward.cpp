// Head: gradients, the loops around head_blocks.cpp. weight_grad and input_grad are summed in T (fp32) whatever their
// output type. Two loop orders: rows outside when weight_grad can be summed in place, columns outside when it cannot,
// so that the fp32 copy of weight_grad is one group wide and not [n, k].
#include <algorithm>
#include <cstring>
#include <limits>

#include "head.h"
#include "head_internal.h"
#include "head_pass.h"
#include "thread_pool.h"

namespace flce::cpu {

namespace {

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
// Blocks whose packed D is kept. Wide enough that the products with it lag behind the blocks without waiting.
template <class T>
int64_t Head<T>::group_blocks(int64_t rows) const {
  const int64_t budget = group_budget(m_, n_);
  int64_t blocks = std::max<int64_t>(16, 4 * threads_);
  while (blocks > 2 * threads_ && blocks * rows * kSlice * 4 > budget) blocks /= 2;
  return std::min(blocks, std::max<int64_t>(blocks_, 1));
}

template <class T>
typename Head<T>::Pass Head<T>::make_pass(const GradWish<T>& wish, int64_t rows, std::vector<Slot>& slots) const {
  Pass pass;
  pass.wish = &wish;
  const bool bf16 = in_.input.dtype == DType::kBFloat16 && in_.weight.dtype == DType::kBFloat16;
  pass.table = &table_for<T>(bf16 && wish.round_to == DType::kBFloat16);
  pass.step = rows;
  pass.group_blocks = group_blocks(rows);
  pass.slots = &slots;
  pass.slice = round_up(rows, pass.table->mr) * kSlice;
  pass.ring = Scratch(pass.group_blocks * pass.slice * pass.table->elem_size);
  if (wish.bias_grad) pass.bias.assign(n_, 0.0);
  return pass;
}

template <class T>
void Head<T>::flush(const T* src, int64_t ld, int64_t r0, int64_t rows, const MutableMatrix& dst, const int64_t* index,
                    bool accumulate) const {
  const KernelTable<T>& t = *forward_table_;
  const int64_t parts = std::min<int64_t>(rows, 4 * threads_);
  ThreadPool::shared().run(parts, threads_, [&](int64_t part, int) {
    for (int64_t r = rows * part / parts; r < rows * (part + 1) / parts; ++r) {
      store_strip(t, src + r * ld, dst, index ? index[r0 + r] : r0 + r, 0, dst.cols, accumulate);
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
  auto group = [&](const Superblock& sb, int64_t b0, int64_t b1) {
    Target<T> to{b0, b1, dx_at(sb.r0), ld_dx, b0 > 0 || (in_place_dx && wish.accumulate_input)};
    if (wish.weight_grad.data)
      to.dw = direct_dw ? static_cast<T*>(at(wish.weight_grad, b0 * kSlice, 0)) : dw_scratch.as<T>();
    to.ld_dw = direct_dw ? wish.weight_grad.row_stride : k_;
    to.add_dw = sb.r0 > 0 || (direct_dw && wish.accumulate_weight);
    run_blocks(pass, sb, to);
    if (async && b1 == blocks_) wish.start_rows(sb.r0, sb.r0 + sb.rows, dx_at(sb.r0));
  };
  if (rows_outside) {
    for (int64_t s = 0; s < supers; ++s) {
      const Superblock sb = superblock(s);
      group(sb, 0, blocks_);
      if (!async) finish_rows(sb.r0, sb.rows);
    }
  } else {
    for (int64_t g = 0; g < groups; ++g) {
      for (int64_t s = 0; s < supers; ++s) group(superblock(s), g * gb, std::min((g + 1) * gb, blocks_));
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
  const int64_t step = backward_rows();
  std::vector<Slot> slots = make_slots(step);
  Pass pass = make_pass(wish, step, slots);
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
  GradWish<T> wish = grads;
  std::vector<Slot> slots = make_slots(step);
  Pass pass = make_pass(wish, step, slots);
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
    Target<T> to{0, blocks_};
    if (wish.input_grad.data) to.dx = direct_dx ? static_cast<T*>(at(wish.input_grad, r0, 0)) : dx_scratch.as<T>();
    to.ld_dx = direct_dx ? wish.input_grad.row_stride : k_;
    to.add_dx = direct_dx && wish.accumulate_input;
    if (wish.weight_grad.data) to.dw = direct_dw ? static_cast<T*>(wish.weight_grad.data) : dw_scratch.as<T>();
    to.ld_dw = direct_dw ? wish.weight_grad.row_stride : k_;
    to.add_dw = r0 > 0 || (direct_dw && wish.accumulate_weight);
    run_blocks(pass, sb, to);
    if (to.dx && !direct_dx) flush(to.dx, k_, r0, sb.rows, wish.input_grad, in_.rows, wish.accumulate_input);
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
