#include "check/shadow.h"

#include "order/fatal.h"

namespace ascsan::check {

uint64_t* Shadow::use(PagePtr& slot) {
  if (!slot) {
    ++pages_in_use_;
    if (spare_pages_.empty()) {
      slot = std::make_unique<Page>();
    } else {
      slot = std::move(spare_pages_.back());
      spare_pages_.pop_back();
      slot->fill(0);
    }
  }
  return slot->data();
}

uint64_t* Shadow::find_gm_page(uint64_t address) {
  std::unique_ptr<Region>& region = regions_[address / kRegionBytes];
  if (!region) region = std::make_unique<Region>();
  const uint64_t number = address / kPageBytes;
  uint64_t* cells = use((*region)[number % kRegionPages]);
  recent_[number % kRecent] = {number, cells};
  return cells;
}

uint64_t* Shadow::find_chip_page(gate::Space space, event::CoreId core, uint64_t address) {
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
  return use(pages[number]);
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
  const auto put_back = [&](PagePtr& page) {
    if (page && spare_pages_.size() < kSparePages) spare_pages_.push_back(std::move(page));
    page.reset();
  };
  for (auto& pages : chips_)
    for (PagePtr& page : pages) put_back(page);
  for (auto& [number, region] : regions_)
    for (PagePtr& page : *region) put_back(page);
  regions_.clear();
  recent_.fill({});
  pages_in_use_ = 0;
  blocks_.clear();
  free_blocks_.clear();
}

}  // namespace ascsan::check
