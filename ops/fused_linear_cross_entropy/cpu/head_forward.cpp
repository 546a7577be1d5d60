// Head: packing the input, one tile of logits, statistics.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "head.h"
#include "head_internal.h"
#include "thread_pool.h"

namespace flce::cpu {

RowStats empty_stats() {
  return {-std::numeric_limits<double>::infinity(), 0, 0, 0};
}

void merge(RowStats* a, const RowStats& b) {
  if (std::isnan(a->max) || std::isnan(b.max)) {
    a->max = a->sum = a->weighted = a->linear = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  a->linear += b.linear;
  const double top = std::max(a->max, b.max);
  auto part = [top](const RowStats& s, double* sum, double* weighted) {
    if (s.sum == 0) return;  // nothing finite: exp(-inf - -inf) must not be formed
    const double shift = s.max - top, scale = std::exp(shift);
    *sum += s.sum * scale;
    *weighted += scale == 0 ? 0 : scale * (s.weighted + s.sum * shift);
  };
  double sum = 0, weighted = 0;
  part(*a, &sum, &weighted);
  part(b, &sum, &weighted);
  a->max = top;
  a->sum = sum;
  a->weighted = weighted;
}

template <class T>
void load_strip(const KernelTable<T>& t, const Matrix& src, int64_t row, int64_t j0, int64_t count, T* dst) {
  const int64_t bytes = size_of(src.dtype);
  const char* base = static_cast<const char*>(src.data) + (row * src.row_stride + j0 * src.col_stride) * bytes;
  if (src.col_stride == 1) return t.load_row(base, src.dtype, dst, count);
  for (int64_t j = 0; j < count; ++j) t.load_row(base + j * src.col_stride * bytes, src.dtype, dst + j, 1);
}

template <class T>
void store_strip(const KernelTable<T>& t, const T* src, const MutableMatrix& dst, int64_t row, int64_t j0,
                 int64_t count, bool accumulate) {
  const int64_t bytes = size_of(dst.dtype);
  char* base = static_cast<char*>(dst.data) + (row * dst.row_stride + j0 * dst.col_stride) * bytes;
  if (dst.col_stride == 1) return t.store_row(src, base, dst.dtype, count, accumulate);
  for (int64_t j = 0; j < count; ++j) {
    t.store_row(src + j, base + j * dst.col_stride * bytes, dst.dtype, 1, accumulate);
  }
}

void zero_row(const MutableMatrix& m, int64_t row) {
  const int64_t bytes = size_of(m.dtype);
  if (m.col_stride == 1) {
    std::memset(at(m, row, 0), 0, m.cols * bytes);
  } else {
    for (int64_t j = 0; j < m.cols; ++j) std::memset(at(m, row, j), 0, bytes);
  }
}

template <class T>
Head<T>::Head(const HeadInputs<T>& in)
    : in_(in), m_(in.m), n_(in.weight.rows), k_(in.weight.cols), blocks_((n_ + kSlice - 1) / kSlice) {
  const bool both_bf16 = in.input.dtype == DType::kBFloat16 && in.weight.dtype == DType::kBFloat16;
  forward_table_ = &table_for<T>(both_bf16);
  threads_ = ThreadPool::shared().slots(
      in.threads, 2.0 * static_cast<double>(m_) * static_cast<double>(n_) * static_cast<double>(k_));
}

// Rows whose packed input is shared.
template <class T>
int64_t Head<T>::forward_rows() const {
  const int64_t budget = panel_budget(m_, n_);
  int64_t rows = 512;
  while (rows > 128 && rows * (k_ * forward_table_->elem_size + kStrips * int64_t{sizeof(RowStats)}) > budget)
    rows /= 2;
  return std::min(rows, std::max<int64_t>(m_, 1));
}

template <class T>
std::vector<typename Head<T>::Slot> Head<T>::make_slots(int64_t rows) const {
  std::vector<Slot> slots(threads_);
  for (Slot& s : slots) {
    s.tile = Scratch(rows * kSlice * sizeof(T));
    s.packed = Scratch((kSlice + 64) * std::clamp(rows, kSlice, kTokenSlice) * sizeof(T));
  }
  return slots;
}

// The input rows [r0, r0 + rows) as panels: left operand (free = rows, depth = hidden) or right operand
// (free = hidden, depth = rows), slice after slice.
template <class T>
Scratch Head<T>::pack_input(const KernelTable<T>& t, int64_t r0, int64_t rows, bool as_left) const {
  const int width = as_left ? t.mr : t.nr;
  const int64_t free = as_left ? rows : k_, depth = as_left ? k_ : rows;
  const int64_t padded = round_up(free, width);
  Scratch out(padded * t.packed_depth(depth) * t.elem_size + 256);
  Operand op;
  op.dtype = in_.input.dtype;
  const int64_t* index = in_.rows ? in_.rows + r0 : nullptr;
  op.data = in_.rows ? in_.input.data : at(in_.input, r0, 0);
  (as_left ? op.free_stride : op.depth_stride) = in_.input.row_stride;
  (as_left ? op.depth_stride : op.free_stride) = in_.input.col_stride;
  (as_left ? op.free_index : op.depth_index) = index;
  const int64_t slice = as_left ? kSlice : kTokenSlice, slices = (depth + slice - 1) / slice;
  const int64_t step = round_up(std::max<int64_t>(free / (4 * threads_), 1), width);
  const int64_t parts = (free + step - 1) / step;
  ThreadPool::shared().run(slices * parts, threads_, [&](int64_t task, int) {
    const int64_t p0 = task / parts * slice, d = std::min(slice, depth - p0);
    const int64_t f0 = task % parts * step, f = std::min(step, free - f0);
    const int64_t offset = p0 * padded + f0 * t.packed_depth(d);
    t.pack(op, f0, f, p0, d, as_left ? Side::kLeft : Side::kRight, out.as<char>() + offset * t.elem_size);
  });
  return out;
}

template <class T>
void Head<T>::raw_tile(const void* packed_x, int64_t rows_padded, int64_t row_from, int64_t rows, int64_t j0,
                       int64_t cols, T* tile, int64_t ld, void* packed_w) const {
  const KernelTable<T>& t = *forward_table_;
  if (k_ == 0) {
    for (int64_t r = 0; r < rows; ++r) std::fill(tile + r * ld, tile + r * ld + cols, T(0));
    return;
  }
  Operand w;
  w.data = in_.weight.data;
  w.dtype = in_.weight.dtype;
  w.free_stride = in_.weight.row_stride;
  w.depth_stride = in_.weight.col_stride;
  for (int64_t p = 0; p < k_; p += kSlice) {
    const int64_t d = std::min(kSlice, k_ - p);
    t.pack(w, j0, cols, p, d, Side::kRight, packed_w);
    const int64_t offset = p * rows_padded + row_from * t.packed_depth(d);
    t.product(static_cast<const char*>(packed_x) + offset * t.elem_size, packed_w, rows, cols, d,
              p > 0 ? tile : nullptr, ld, tile, ld);
  }
}

template <class T>
void Head<T>::tile_statistics(const StatsWish<T>& wish, int64_t r0, int64_t rows, int64_t j0, int64_t cols, T* tile,
                              RowStats* stats, T* predicted) const {
  const KernelTable<T>& t = *forward_table_;
  for (int64_t r = 0; r < rows; ++r) {
    T* row = tile + r * kSlice;
    t.transform(in_.transform, row, j0, cols);
    t.stats(row, cols, wish.class_weight ? wish.class_weight + j0 : nullptr, wish.weighted, wish.linear, stats + r);
    const int64_t target = wish.target ? wish.target[r0 + r] : -1;
    if (target >= j0 && target < j0 + cols) predicted[r] = row[target - j0];
    if (wish.logits.data) store_strip(t, row, wish.logits, r0 + r, j0, cols, false);
  }
}

// Strips of blocks, a number that depends on n only, each with its own partial statistics; merged in order.
// `chunk`, if given, keeps the logits: block after block, each [rows, kSlice].
template <class T>
void Head<T>::superblock_statistics(const StatsWish<T>& wish, int64_t r0, int64_t rows, std::vector<Slot>& slots,
                                    T* chunk, const Scratch& packed_x, RowStats* stats, T* predicted) const {
  const int64_t strips = std::min<int64_t>(blocks_, kStrips);
  const int64_t mr = forward_table_->mr;
  // Few columns: also cut the rows, at panel borders. Rows are independent, so this changes no result. The last strips
  // are cut as well, at the price of packing their weight again, so that no thread waits long for another at the end.
  const int64_t few = (4 * threads_ + strips - 1) / std::max<int64_t>(strips, 1);
  const int64_t fine = threads_ > 1 ? std::min<int64_t>(strips, threads_) : 0;
  const auto rows_of_part = [&](int64_t parts) {
    return round_up(std::max<int64_t>((rows + parts - 1) / parts, 1), mr);
  };
  const int64_t coarse_rows = rows_of_part(few), fine_rows = rows_of_part(std::max<int64_t>(few, 2));
  const int64_t coarse_parts = (rows + coarse_rows - 1) / coarse_rows, fine_parts = (rows + fine_rows - 1) / fine_rows;
  const int64_t coarse_tasks = (strips - fine) * coarse_parts;
  std::vector<RowStats> partial(strips * rows, empty_stats());
  ThreadPool::shared().run(coarse_tasks + fine * fine_parts, threads_, [&](int64_t task, int slot) {
    const bool coarse = task < coarse_tasks;
    const int64_t parts = coarse ? coarse_parts : fine_parts, part_rows = coarse ? coarse_rows : fine_rows;
    const int64_t i = coarse ? task : task - coarse_tasks, strip = (coarse ? 0 : strips - fine) + i / parts;
    const int64_t from = i % parts * part_rows, count = std::min(part_rows, rows - from);
    const int64_t b0 = blocks_ * strip / strips, b1 = blocks_ * (strip + 1) / strips;
    for (int64_t b = b0; b < b1; ++b) {
      const int64_t j0 = b * kSlice, cols = std::min(kSlice, n_ - j0);
      T* tile = chunk ? chunk + (b * rows + from) * kSlice : slots[slot].tile.template as<T>();
      raw_tile(packed_x.as(), round_up(rows, mr), from, count, j0, cols, tile, kSlice, slots[slot].packed.as());
      tile_statistics(wish, r0 + from, count, j0, cols, tile, partial.data() + strip * rows + from, predicted + from);
    }
  });
  for (int64_t r = 0; r < rows; ++r) {
    stats[r] = empty_stats();
    for (int64_t s = 0; s < strips; ++s) merge(&stats[r], partial[s * rows + r]);
  }
}

template <class T>
StatsOut<T> Head<T>::statistics(const StatsWish<T>& wish) const {
  StatsOut<T> out;
  out.rows.assign(m_, empty_stats());
  out.predicted.assign(m_, T(0));
  if (m_ == 0 || n_ == 0) return out;
  const int64_t step = forward_rows();
  std::vector<Slot> slots = make_slots(step);
  for (int64_t r0 = 0; r0 < m_; r0 += step) {
    const int64_t rows = std::min(step, m_ - r0);
    const Scratch x = pack_input(*forward_table_, r0, rows, true);
    superblock_statistics(wish, r0, rows, slots, nullptr, x, out.rows.data() + r0, out.predicted.data() + r0);
  }
  return out;
}

#define FLCE_INSTANTIATE(T)                                                                                            \
  template void load_strip<T>(const KernelTable<T>&, const Matrix&, int64_t, int64_t, int64_t, T*);                    \
  template void store_strip<T>(const KernelTable<T>&, const T*, const MutableMatrix&, int64_t, int64_t, int64_t,       \
                               bool);                                                                                  \
  template Head<T>::Head(const HeadInputs<T>&);                                                                        \
  template StatsOut<T> Head<T>::statistics(const StatsWish<T>&) const;                                                 \
  template std::vector<typename Head<T>::Slot> Head<T>::make_slots(int64_t) const;                                     \
  template Scratch Head<T>::pack_input(const KernelTable<T>&, int64_t, int64_t, bool) const;                           \
  template void Head<T>::raw_tile(const void*, int64_t, int64_t, int64_t, int64_t, int64_t, T*, int64_t, void*) const; \
  template void Head<T>::superblock_statistics(const StatsWish<T>&, int64_t, int64_t, std::vector<Slot>&, T*,          \
                                               const Scratch&, RowStats*, T*) const;
FLCE_INSTANTIATE(float)
FLCE_INSTANTIATE(double)
#undef FLCE_INSTANTIATE

}  // namespace flce::cpu
