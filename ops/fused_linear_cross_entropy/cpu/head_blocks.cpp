// Head: from logits to gradients, block after block of kSlice columns.
// A block task turns its tile of logits (recomputed, kept, or a stored softmax) into D, multiplies D^T with the input
// for its own rows of weight_grad, and leaves D packed in a ring. Input-gradient tasks multiply the packed D of a few
// blocks with their columns of the weight. Both kinds stand in one list, the second two groups behind the first, so
// that no thread waits for another between groups; counters hold the order where it matters. A task waits only for
// tasks before it in the list, and the pool starts tasks in that order, so there is no deadlock.
// Each element of a gradient has one task at a time and sums blocks in ascending order: equal bits for any threads.
#include <algorithm>
#include <atomic>
#include <limits>
#include <thread>

#include "head.h"
#include "head_internal.h"
#include "head_pass.h"
#include "thread_pool.h"

namespace flce::cpu {
namespace {

struct Task {
  int64_t group, index;
  bool block;  // a block, else a part of input_grad
};

// Blocks go in groups, of which the ring holds kGroups; products with D lag kLag groups behind.
constexpr int64_t kGroups = 4, kLag = 2;

class Progress {
 public:
  Progress(int64_t groups, int64_t parts) : blocks_(groups), parts_(groups), turn_(parts) {}
  void wait_blocks(int64_t group, int64_t count) const { wait(blocks_[group], count); }
  void wait_parts(int64_t group) const { wait(parts_[group], static_cast<int64_t>(turn_.size())); }
  void wait_turn(int64_t part, int64_t group) const { wait(turn_[part], group); }
  void block_done(int64_t group) { blocks_[group].fetch_add(1, std::memory_order_release); }
  void part_done(int64_t group, int64_t part) {
    turn_[part].fetch_add(1, std::memory_order_release);
    parts_[group].fetch_add(1, std::memory_order_release);
  }
  void fail() { failed_.store(true, std::memory_order_release); }
  bool failed() const { return failed_.load(std::memory_order_acquire); }

 private:
  using Counter = std::atomic<int64_t>;
  // Waits are rare and short; after a failure nothing more is computed.
  void wait(const Counter& c, int64_t value) const {
    for (int spins = 0; c.load(std::memory_order_acquire) < value && !failed(); ++spins) {
      if (spins > 1000) std::this_thread::yield();
    }
  }
  std::vector<Counter> blocks_, parts_, turn_;
  std::atomic<bool> failed_{false};
};

// Blocks count from 0 here. A block of group g needs the room of group g - (groups in the ring), whose products come
// earlier in the list because the lag is shorter than the ring.
std::vector<Task> task_list(int64_t blocks, int64_t per_group, int64_t parts, int64_t lag) {
  std::vector<Task> list;
  const int64_t groups = (blocks + per_group - 1) / per_group;
  for (int64_t g = 0; g < groups + lag; ++g) {
    for (int64_t b = g * per_group; b < std::min((g + 1) * per_group, blocks); ++b) list.push_back({g, b, true});
    for (int64_t p = 0; p < parts && g >= lag; ++p) list.push_back({g - lag, p, false});
  }
  return list;
}

}  // namespace

// Rows [p0, p1) of the tile: from logits (or a stored softmax) to D.
template <class T>
void Head<T>::gradient_rows(Pass& pass, const Superblock& sb, int64_t b, T* tile, int64_t p0, int64_t p1) const {
  const GradWish<T>& wish = *pass.wish;
  const KernelTable<T>& t = *pass.table;
  const int64_t j0 = b * kSlice, cols = std::min(kSlice, n_ - j0);
  for (int64_t r = p0; r < p1; ++r) {
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
}

// Some rows after the other, so that D is packed while it is in cache.
template <class T>
void Head<T>::block_gradient(Pass& pass, const Superblock& sb, const Target<T>& to, int64_t b, int slot) const {
  const GradWish<T>& wish = *pass.wish;
  const KernelTable<T>& t = *pass.table;
  const int64_t j0 = b * kSlice, cols = std::min(kSlice, n_ - j0), rows = sb.rows;
  T* tile = (*pass.slots)[slot].tile.template as<T>();
  if (sb.chunk) {
    tile = sb.chunk + b * rows * kSlice;
  } else if (!wish.softmax.data) {
    raw_tile(sb.left.as(), round_up(rows, forward_table_->mr), 0, rows, j0, cols, tile, kSlice,
             (*pass.slots)[slot].packed.as());
  }
  Operand across, along;  // D and D^T
  across.data = along.data = tile;
  across.dtype = along.dtype = own_dtype<T>();
  across.free_stride = along.depth_stride = kSlice;
  across.depth_stride = along.free_stride = 1;
  const int64_t slice = (b - to.b0) % pass.group_blocks * pass.slice;
  int64_t packed = 0;  // rows, whole panels
  for (int64_t p = 0; p < rows; p += kSlice) {
    const int64_t depth = std::min(kSlice, rows - p);
    gradient_rows(pass, sb, b, tile, p, p + depth);
    if (wish.input_grad.data) {
      const int64_t end = p + depth == rows ? rows : (p + depth) / t.mr * t.mr;
      const int64_t offset = slice + packed * t.packed_depth(cols);
      t.pack(across, packed, end - packed, 0, cols, Side::kLeft, pass.ring.template as<char>(offset * t.elem_size));
      packed = end;
    }
    const int64_t p0 = p / kTokenSlice * kTokenSlice, end = p + depth;
    if (wish.weight_grad.data && k_ > 0 && (end == rows || end == p0 + kTokenSlice)) {
      void* left = (*pass.slots)[slot].packed.as();  // the weight in it has been multiplied
      t.pack(along, 0, cols, p0, end - p0, Side::kLeft, left);
      T* dw = to.dw + (b - to.b0) * kSlice * to.ld_dw;
      t.product(left, sb.right.template as<char>(p0 * round_up(k_, t.nr) * t.elem_size), cols, k_, end - p0,
                to.add_dw || p0 > 0 ? dw : nullptr, to.ld_dw, dw, to.ld_dw);
    }
  }
}

// The share of blocks [first, last) in a region of input_grad. In between the sum stands in the thread's own tile: rows
// of input_grad lie a power of two apart more often than not, and then meet in few sets of the caches (4 % of these
// products at k 4096).
template <class T>
void Head<T>::blocks_input_grad(Pass& pass, const Target<T>& to, int64_t first, int64_t last, const Region& at,
                                int slot) const {
  const KernelTable<T>& t = *pass.table;
  T* const dx = to.dx + at.i0 * to.ld_dx + at.c0;
  T* const tile = (*pass.slots)[slot].tile.template as<T>();
  void* const packed = (*pass.slots)[slot].packed.as();
  Operand w;
  w.data = in_.weight.data;
  w.dtype = in_.weight.dtype;
  w.free_stride = in_.weight.col_stride;
  w.depth_stride = in_.weight.row_stride;
  for (int64_t b = first; b < last; ++b) {
    const int64_t depth = std::min(kSlice, n_ - b * kSlice);
    t.pack(w, at.c0, at.cols, b * kSlice, depth, Side::kRight, packed);
    const int64_t offset = (b - to.b0) % pass.group_blocks * pass.slice + at.i0 * t.packed_depth(depth);
    const bool open = b == first, close = b + 1 == last;
    const T* add = !open ? tile : to.add_dx || b > to.b0 ? dx : nullptr;
    t.product(pass.ring.template as<char>(offset * t.elem_size), packed, at.rows, at.cols, depth, add,
              open ? to.ld_dx : kSlice, close ? dx : tile, close ? to.ld_dx : kSlice);
  }
}

// Columns of input_grad are shared out; few columns are cut along the rows too, at the price of packing weight twice.
template <class T>
std::vector<typename Head<T>::Region> Head<T>::regions(const KernelTable<T>& t, int64_t rows) const {
  const int64_t step = std::min<int64_t>(kSlice, round_up(std::max<int64_t>(k_ / (4 * threads_), 1), t.nr));
  const int64_t column_parts = (k_ + step - 1) / step;
  const int64_t row_parts = std::max<int64_t>(1, std::min<int64_t>(2 * threads_ / column_parts, rows / (8 * t.mr)));
  const int64_t row_step = round_up((rows + row_parts - 1) / row_parts, t.mr);
  std::vector<Region> all;
  for (int64_t i0 = 0; i0 < rows; i0 += row_step) {
    for (int64_t c0 = 0; c0 < k_; c0 += step) {
      all.push_back({i0, std::min(row_step, rows - i0), c0, std::min(step, k_ - c0)});
    }
  }
  return all;
}

template <class T>
void Head<T>::run_blocks(Pass& pass, const Superblock& sb, const Target<T>& to) const {
  std::vector<Region> parts;
  if (pass.wish->input_grad.data && k_ > 0) parts = regions(*pass.table, sb.rows);
  const int64_t blocks = to.b1 - to.b0, per_group = std::max<int64_t>(pass.group_blocks / kGroups, 1);
  const int64_t in_ring = pass.group_blocks / per_group, lag = std::min(kLag, in_ring - 1);
  const int64_t count = static_cast<int64_t>(parts.size());
  const std::vector<Task> list = task_list(blocks, per_group, count, lag);
  Progress progress((blocks + per_group - 1) / per_group, count);
  const auto run = [&](const Task& task, int slot) {
    if (task.block) {
      if (task.group >= in_ring) progress.wait_parts(task.group - in_ring);
      if (progress.failed()) return;
      block_gradient(pass, sb, to, to.b0 + task.index, slot);
      return progress.block_done(task.group);
    }
    const int64_t first = task.group * per_group, last = std::min(first + per_group, blocks);
    progress.wait_blocks(task.group, last - first);
    progress.wait_turn(task.index, task.group);
    if (progress.failed()) return;
    blocks_input_grad(pass, to, to.b0 + first, to.b0 + last, parts[task.index], slot);
    progress.part_done(task.group, task.index);
  };
  ThreadPool::shared().run(static_cast<int64_t>(list.size()), threads_, [&](int64_t i, int slot) {
    try {
      run(list[i], slot);
    } catch (...) {
      progress.fail();
      throw;
    }
  });
}

#define FLCE_INSTANTIATE(T) template void Head<T>::run_blocks(Pass&, const Superblock&, const Target<T>&) const;
FLCE_INSTANTIATE(float)
FLCE_INSTANTIATE(double)
#undef FLCE_INSTANTIATE

}  // namespace flce::cpu
