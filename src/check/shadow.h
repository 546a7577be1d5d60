// One cell per 32-byte block of every memory, by range (design/performance.md 4): an instruction updates runs of equal
// cells in one step. A block that is touched in part escapes to one cell per byte, and returns when its bytes agree
// again. Memory is taken page by page where something is touched: 8 bytes per block, a quarter of the bytes in use.
// Left out: what a cell means; the caller's transition decides (race.cpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <vector>

#include "check/states.h"

namespace ascsan::check {

class Shadow {
 public:
  static constexpr uint64_t kBlock = 32, kPageBlocks = 2048, kPageBytes = kBlock * kPageBlocks;

  explicit Shadow(States& states) : states_(states) {}

  /// Replaces each cell `old` of the bytes [begin, end) by transition(old, run_begin, run_end). GM: host addresses, any
  /// `core`. The transition must be stable: applied to its own result it returns that result.
  template <typename Transition>
  void update(gate::Space space, event::CoreId core, uint64_t begin, uint64_t end, Transition&& transition) {
    while (begin < end) {
      Cell* cells = page(space, core, begin);
      const uint64_t page_begin = begin / kPageBytes * kPageBytes;
      const uint64_t stop = std::min(end, page_begin + kPageBytes);
      update_page(cells, page_begin, begin, stop, transition);
      begin = stop;
    }
  }

  /// visit(space, core, cell, begin, end) for every run of equal touched cells, on-chip memories by core and space
  /// first, then GM by address.
  template <typename Visit>
  void walk(Visit&& visit) const;

  /// Forgets everything. Cells are dropped without telling States; the caller starts a new States as well.
  void clear();
  size_t bytes() const { return pages_in_use_ * kPageBlocks * sizeof(Cell) + blocks_.size() * sizeof(ByteCells); }
  size_t escaped_blocks() const { return blocks_.size() - free_blocks_.size(); }

 private:
  using Page = std::array<Cell, kPageBlocks>;
  using ByteCells = std::array<Cell, kBlock>;
  using PagePtr = std::unique_ptr<Page>;
  static constexpr uint64_t kRegionPages = 1024, kRegionBytes = kPageBytes * kRegionPages;
  using Region = std::array<PagePtr, kRegionPages>;

  Cell* page(gate::Space space, event::CoreId core, uint64_t address) {
    if (space == last_space_ && core == last_core_ && address / kPageBytes == last_page_number_) return last_page_;
    return find_page(space, core, address);
  }
  Cell* find_page(gate::Space space, event::CoreId core, uint64_t address);
  PagePtr& gm_slot(uint64_t address);
  Cell* use(PagePtr& slot);
  void expand(Cell& cell);
  void collapse(Cell& cell);

  template <typename Transition>
  void update_page(Cell* cells, uint64_t page_begin, uint64_t begin, uint64_t end, Transition& transition) {
    uint64_t block = (begin - page_begin) / kBlock;
    const uint64_t head = begin % kBlock;
    if (head != 0) {
      const uint64_t base = page_begin + block * kBlock;
      update_part(cells[block], base, head, std::min(kBlock, end - base), transition);
      ++block;
    }
    const uint64_t full_end = (end - page_begin) / kBlock;
    if (block < full_end)
      update_cells<kBlock>(cells + block, full_end - block, page_begin + block * kBlock, transition);
    const uint64_t tail = end % kBlock;
    if (tail != 0 && page_begin + full_end * kBlock >= begin)
      update_part(cells[full_end], page_begin + full_end * kBlock, 0, tail, transition);
  }

  /// Bytes [from, to) of one block.
  template <typename Transition>
  void update_part(Cell& cell, uint64_t base, uint64_t from, uint64_t to, Transition& transition) {
    if (!cell.is_bytes()) {
      // Nothing changes, nothing to split: repeated partial reads, rewrites by the same instruction.
      const Cell now = transition(cell, base + from, base + to);
      if (now == cell) return;
      expand(cell);
    }
    update_cells<1>(blocks_[cell.block()].data() + from, to - from, base + from, transition);
    collapse(cell);
  }

  template <uint64_t kCellBytes, typename Transition>
  void update_cells(Cell* cells, uint64_t count, uint64_t base, Transition& transition) {
    for (uint64_t i = 0; i < count;) {
      const Cell old = cells[i];
      if constexpr (kCellBytes == kBlock) {
        if (old.is_bytes()) {
          update_cells<1>(blocks_[old.block()].data(), kBlock, base + i * kBlock, transition);
          collapse(cells[i]);
          ++i;
          continue;
        }
      }
      const uint64_t next = i + run_length(cells + i, count - i);
      const Cell now = transition(old, base + i * kCellBytes, base + next * kCellBytes);
      if (now != old) {
        const auto cells_changed = static_cast<uint32_t>(next - i);
        states_.ref(now, cells_changed);
        states_.unref(old, cells_changed);
        std::fill(cells + i, cells + next, now);
      }
      i = next;
    }
  }

  static uint64_t run_length(const Cell* cells, uint64_t count) {
    uint64_t first;
    std::memcpy(&first, cells, sizeof first);
    uint64_t n = 1;
    // Eight at a time: the compiler turns the inner loop into vector compares.
    while (n + 8 <= count) {
      uint64_t words[8], differ = 0;
      std::memcpy(words, cells + n, sizeof words);
      for (uint64_t word : words) differ |= word ^ first;
      if (differ != 0) break;
      n += 8;
    }
    while (n < count && cells[n] == cells[0]) ++n;
    return n;
  }

  States& states_;
  std::vector<std::array<std::vector<PagePtr>, gate::kSpaceCount>> chips_;  ///< per core and space
  std::unordered_map<uint64_t, std::unique_ptr<Region>> regions_;           ///< GM, by address / kRegionBytes
  std::vector<PagePtr> spare_pages_;
  size_t pages_in_use_ = 0;
  std::vector<ByteCells> blocks_;
  std::vector<uint32_t> free_blocks_;
  gate::Space last_space_ = gate::Space::kNone;
  event::CoreId last_core_ = 0;
  uint64_t last_page_number_ = ~uint64_t{0};
  Cell* last_page_ = nullptr;
};

template <typename Visit>
void Shadow::walk(Visit&& visit) const {
  const auto runs = [&](gate::Space space, event::CoreId core, const Cell* cells, size_t count, uint64_t base,
                        uint64_t bytes) {
    for (size_t i = 0; i < count;) {
      const size_t next = i + run_length(cells + i, count - i);
      if (cells[i] != Cell{}) visit(space, core, cells[i], base + i * bytes, base + next * bytes);
      i = next;
    }
  };
  const auto whole = [&](gate::Space space, event::CoreId core, const Page& page, uint64_t base) {
    for (size_t i = 0; i < kPageBlocks;) {
      const Cell cell = page[i];
      if (cell.is_bytes()) {
        runs(space, core, blocks_[cell.block()].data(), kBlock, base + i * kBlock, 1);
        ++i;
        continue;
      }
      const size_t next = i + run_length(page.data() + i, kPageBlocks - i);
      if (cell != Cell{}) visit(space, core, cell, base + i * kBlock, base + next * kBlock);
      i = next;
    }
  };
  for (size_t core = 0; core < chips_.size(); ++core)
    for (size_t space = 0; space < chips_[core].size(); ++space)
      for (size_t p = 0; p < chips_[core][space].size(); ++p)
        if (chips_[core][space][p])
          whole(static_cast<gate::Space>(space), static_cast<event::CoreId>(core), *chips_[core][space][p],
                p * kPageBytes);
  std::vector<uint64_t> numbers;
  for (const auto& [number, region] : regions_) numbers.push_back(number);
  std::sort(numbers.begin(), numbers.end());
  for (uint64_t number : numbers) {
    const Region& region = *regions_.at(number);
    for (size_t p = 0; p < kRegionPages; ++p)
      if (region[p]) whole(gate::Space::kGm, 0, *region[p], number * kRegionBytes + p * kPageBytes);
  }
}

}  // namespace ascsan::check
