// One cell per 32-byte block of every memory, by range (design/performance.md 4): an instruction updates runs of equal
// cells in one step. A block that is touched in part escapes to one cell per byte, and returns when its bytes agree
// again. Memory is taken page by page where something is touched: 8 bytes per block, a quarter of the bytes in use.
// Left out: what a cell means; the caller's transition decides (race.cpp).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
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
      Page& here = page(space, core, begin);
      const uint64_t page_begin = begin / kPageBytes * kPageBytes;
      const uint64_t stop = std::min(end, page_begin + kPageBytes);
      here.touch((begin - page_begin) / kBlock, (stop - page_begin + kBlock - 1) / kBlock);
      update_page(here.cells.data(), page_begin, begin, stop, transition);
      begin = stop;
    }
  }

  /// visit(space, core, cell, begin, end) for every run of equal touched cells, on-chip memories by core and space
  /// first, then GM by address.
  template <typename Visit>
  void walk(Visit&& visit) const;

  /// Forgets everything. Cells are dropped without telling States; the caller starts a new States as well.
  void clear();
  size_t bytes() const { return used_.size() * kPageBlocks * sizeof(Cell) + blocks_.size() * sizeof(ByteCells); }
  size_t escaped_blocks() const { return blocks_.size() - free_blocks_.size(); }

 private:
  struct Page {
    std::array<uint64_t, kPageBlocks> cells{};  ///< as words, so that runs are vector work
    uint64_t low = kPageBlocks, high = 0;       ///< cells outside [low, high) are zero

    void touch(uint64_t first, uint64_t last) {
      low = std::min(low, first);
      high = std::max(high, last);
    }
    void clear() {
      if (low < high) std::fill(cells.begin() + low, cells.begin() + high, 0);
      low = kPageBlocks;
      high = 0;
    }
  };
  using ByteCells = std::array<uint64_t, kBlock>;
  using PagePtr = std::unique_ptr<Page>;
  static constexpr uint64_t kRegionPages = 1024, kRegionBytes = kPageBytes * kRegionPages;
  using Region = std::array<PagePtr, kRegionPages>;

  static Cell to_cell(uint64_t word) { return std::bit_cast<Cell>(word); }
  static uint64_t to_word(Cell cell) { return std::bit_cast<uint64_t>(cell); }

  /// A page in use. GM: memory = kGm, number by address; else memory = core * kSpaceCount + space.
  struct Used {
    uint64_t memory, number;
    friend auto operator<=>(const Used&, const Used&) = default;
  };
  static constexpr uint64_t kGm = ~uint64_t{0};

  Page& page(gate::Space space, event::CoreId core, uint64_t address) {
    const uint64_t number = address / kPageBytes;
    if (space == gate::Space::kGm) {
      const Recent& recent = recent_[number % kRecent];
      return recent.number == number ? *recent.page : find_gm_page(address);
    }
    const size_t memory = core * size_t{gate::kSpaceCount} + static_cast<size_t>(space);
    if (memory < chips_.size() && number < chips_[memory].size() && chips_[memory][number])
      return *chips_[memory][number];
    return find_chip_page(space, core, address);
  }
  Page& find_gm_page(uint64_t address);
  Page& find_chip_page(gate::Space space, event::CoreId core, uint64_t address);
  Page& use(PagePtr& slot, Used place);
  PagePtr& slot(const Used& place);
  const Page& at(const Used& place) const { return *const_cast<Shadow*>(this)->slot(place); }
  void expand(uint64_t& word);
  void collapse(uint64_t& word);

  template <typename Transition>
  void update_page(uint64_t* cells, uint64_t page_begin, uint64_t begin, uint64_t end, Transition& transition) {
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
  void update_part(uint64_t& word, uint64_t base, uint64_t from, uint64_t to, Transition& transition) {
    if (!to_cell(word).is_bytes()) {
      // Nothing changes, nothing to split: repeated partial reads, rewrites by the same instruction.
      const Cell now = transition(to_cell(word), base + from, base + to);
      if (to_word(now) == word) return;
      expand(word);
    }
    update_cells<1>(blocks_[to_cell(word).block()].data() + from, to - from, base + from, transition);
    collapse(word);
  }

  template <uint64_t kCellBytes, typename Transition>
  void update_cells(uint64_t* words, uint64_t count, uint64_t base, Transition& transition) {
    for (uint64_t i = 0; i < count;) {
      const Cell old = to_cell(words[i]);
      if constexpr (kCellBytes == kBlock) {
        if (old.is_bytes()) {
          update_cells<1>(blocks_[old.block()].data(), kBlock, base + i * kBlock, transition);
          collapse(words[i]);
          ++i;
          continue;
        }
      }
      const uint64_t next = i + run_length(words + i, count - i);
      const Cell now = transition(old, base + i * kCellBytes, base + next * kCellBytes);
      if (now != old) {
        const auto cells_changed = static_cast<uint32_t>(next - i);
        states_.ref(now, cells_changed);
        states_.unref(old, cells_changed);
        fill_words(words + i, next - i, to_word(now));
      }
      i = next;
    }
  }

  /// Number of leading words equal to the first.
  static uint64_t run_length(const uint64_t* words, uint64_t count) {
    if (count >= kWide) return long_run_length(words, count);
    const Words first = {words[0], words[0]};
    uint64_t n = 0;
    for (; n + 16 <= count; n += 16) {
      const Words* at = reinterpret_cast<const Words*>(words + n);
      const Words differ = (((at[0] ^ first) | (at[1] ^ first)) | ((at[2] ^ first) | (at[3] ^ first))) |
                           (((at[4] ^ first) | (at[5] ^ first)) | ((at[6] ^ first) | (at[7] ^ first)));
      if ((differ[0] | differ[1]) != 0) break;
    }
    while (n < count && words[n] == words[0]) ++n;
    return n;
  }

  static void fill_words(uint64_t* words, uint64_t count, uint64_t word) {
    if (count >= kWide) return long_fill(words, count, word);
    const Words both = {word, word};
    uint64_t n = 0;
    for (; n + 8 <= count; n += 8) {
      Words* at = reinterpret_cast<Words*>(words + n);
      at[0] = both;
      at[1] = both;
      at[2] = both;
      at[3] = both;
    }
    for (; n < count; ++n) words[n] = word;
  }

  // Two words at a time; baseline x86-64 has vectors of 16 bytes. Long runs go to code for wider ones, where there are.
  typedef uint64_t Words __attribute__((vector_size(16), aligned(8), may_alias));
  static constexpr uint64_t kWide = 48;
  static uint64_t long_run_length(const uint64_t* words, uint64_t count);
  static void long_fill(uint64_t* words, uint64_t count, uint64_t word);

  States& states_;
  std::vector<std::vector<PagePtr>> chips_;                        ///< per core * kSpaceCount + space
  std::unordered_map<uint64_t, std::unique_ptr<Region>> regions_;  ///< GM, by address / kRegionBytes
  std::vector<PagePtr> spare_pages_;                               ///< all zero
  std::vector<Used> used_;                                         ///< in the order of first use
  std::vector<ByteCells> blocks_;
  std::vector<uint32_t> free_blocks_;
  struct Recent {
    uint64_t number = ~uint64_t{0};
    Page* page = nullptr;
  };
  static constexpr size_t kRecent = 64;
  std::array<Recent, kRecent> recent_;  ///< GM pages, by page number
};

template <typename Visit>
void Shadow::walk(Visit&& visit) const {
  const auto runs = [&](gate::Space space, event::CoreId core, const uint64_t* words, size_t count, uint64_t base,
                        uint64_t bytes) {
    for (size_t i = 0; i < count;) {
      const Cell cell = to_cell(words[i]);
      if (cell.is_bytes()) {
        const uint64_t* inner = blocks_[cell.block()].data();
        for (size_t k = 0; k < kBlock;) {
          const size_t next = k + run_length(inner + k, kBlock - k);
          if (inner[k] != 0) visit(space, core, to_cell(inner[k]), base + i * bytes + k, base + i * bytes + next);
          k = next;
        }
        ++i;
        continue;
      }
      const size_t next = i + run_length(words + i, count - i);
      if (words[i] != 0) visit(space, core, cell, base + i * bytes, base + next * bytes);
      i = next;
    }
  };
  std::vector<Used> order = used_;  // GM sorts last
  std::sort(order.begin(), order.end());
  for (const Used& place : order) {
    const Page& page = at(place);
    if (page.low >= page.high) continue;
    const bool gm = place.memory == kGm;
    runs(gm ? gate::Space::kGm : static_cast<gate::Space>(place.memory % gate::kSpaceCount),
         gm ? event::CoreId{0} : static_cast<event::CoreId>(place.memory / gate::kSpaceCount),
         page.cells.data() + page.low, page.high - page.low, place.number * kPageBytes + page.low * kBlock, kBlock);
  }
}

}  // namespace ascsan::check
