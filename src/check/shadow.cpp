#include "check/shadow.h"

#include "order/fatal.h"

namespace ascsan::check {
namespace {
typedef uint64_t Quad __attribute__((vector_size(32), aligned(8), may_alias));

[[gnu::always_inline]] inline uint64_t run_length_by(const uint64_t* words, uint64_t count) {
  const Quad first = {words[0], words[0], words[0], words[0]};
  uint64_t n = 0;
  for (; n + 16 <= count; n += 16) {
    const Quad* at = reinterpret_cast<const Quad*>(words + n);
    const Quad differ = ((at[0] ^ first) | (at[1] ^ first)) | ((at[2] ^ first) | (at[3] ^ first));
    if ((differ[0] | differ[1] | differ[2] | differ[3]) != 0) break;
  }
  while (n < count && words[n] == words[0]) ++n;
  return n;
}

[[gnu::always_inline]] inline void fill_by(uint64_t* words, uint64_t count, uint64_t word) {
  const Quad all = {word, word, word, word};
  uint64_t n = 0;
  for (; n + 16 <= count; n += 16) {
    Quad* at = reinterpret_cast<Quad*>(words + n);
    at[0] = all;
    at[1] = all;
    at[2] = all;
    at[3] = all;
  }
  for (; n < count; ++n) words[n] = word;
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] uint64_t run_length_avx2(const uint64_t* words, uint64_t count) {
  return run_length_by(words, count);
}
[[gnu::target("avx2")]] void fill_avx2(uint64_t* words, uint64_t count, uint64_t word) {
  fill_by(words, count, word);
}
const bool kHasAvx2 = __builtin_cpu_supports("avx2");
#endif
}  // namespace

uint64_t Shadow::long_run_length(const uint64_t* words, uint64_t count) {
#if defined(__x86_64__)
  if (kHasAvx2) return run_length_avx2(words, count);
#endif
  return run_length_by(words, count);
}

void Shadow::long_fill(uint64_t* words, uint64_t count, uint64_t word) {
#if defined(__x86_64__)
  if (kHasAvx2) return fill_avx2(words, count, word);
#endif
  fill_by(words, count, word);
}

Shadow::Page& Shadow::use(PagePtr& slot, Used place) {
  if (!slot) {
    used_.push_back(place);
    if (spare_pages_.empty()) {
      slot = std::make_unique<Page>();
    } else {
      slot = std::move(spare_pages_.back());
      spare_pages_.pop_back();
    }
  }
  return *slot;
}

Shadow::PagePtr& Shadow::slot(const Used& place) {
  if (place.memory != kGm) return chips_[place.memory][place.number];
  return (*regions_.at(place.number / kRegionPages))[place.number % kRegionPages];
}

Shadow::Page& Shadow::find_gm_page(uint64_t address) {
  std::unique_ptr<Region>& region = regions_[address / kRegionBytes];
  if (!region) region = std::make_unique<Region>();
  const uint64_t number = address / kPageBytes;
  Page& found = use((*region)[number % kRegionPages], {kGm, number});
  recent_[number % kRecent] = {number, &found};
  return found;
}

Shadow::Page& Shadow::find_chip_page(gate::Space space, event::CoreId core, uint64_t address) {
  constexpr uint64_t kLargestMemory = uint64_t{1}
                                      << 26;  // far beyond any on-chip memory: a wrong event, not a wrong kernel
  if (address >= kLargestMemory || static_cast<int>(space) >= gate::kSpaceCount)
    order::fatal("access at offset %llu of on-chip memory %d", static_cast<unsigned long long>(address),
                 static_cast<int>(space));
  const size_t memory = core * size_t{gate::kSpaceCount} + static_cast<size_t>(space);
  if (memory >= chips_.size()) chips_.resize((core + size_t{1}) * gate::kSpaceCount);
  std::vector<PagePtr>& pages = chips_[memory];
  const uint64_t number = address / kPageBytes;
  if (number >= pages.size()) pages.resize(number + 1);
  return use(pages[number], {memory, number});
}

void Shadow::expand(uint64_t& word) {
  uint32_t id;
  if (free_blocks_.empty()) {
    id = static_cast<uint32_t>(blocks_.size());
    blocks_.emplace_back();
  } else {
    id = free_blocks_.back();
    free_blocks_.pop_back();
  }
  blocks_[id].fill(word);
  states_.ref(to_cell(word), kBlock - 1);
  word = to_word({Cell::kBytes | id, 0});
}

void Shadow::collapse(uint64_t& word) {
  const uint32_t id = to_cell(word).block();
  const uint64_t first = blocks_[id][0];
  if (run_length(blocks_[id].data(), kBlock) != kBlock) return;
  states_.unref(to_cell(first), kBlock - 1);
  free_blocks_.push_back(id);
  word = first;
}

void Shadow::clear() {
  constexpr size_t kSparePages = 4096;  // 64 MiB
  constexpr size_t kSpareRegions = 64;  // kept empty: most programs use the same addresses again
  for (const Used& place : used_) {
    PagePtr& page = slot(place);
    if (spare_pages_.size() < kSparePages) {
      page->clear();
      spare_pages_.push_back(std::move(page));
    }
    page.reset();
  }
  used_.clear();
  if (regions_.size() > kSpareRegions) regions_.clear();
  recent_.fill({});
  blocks_.clear();
  free_blocks_.clear();
}

}  // namespace ascsan::check
