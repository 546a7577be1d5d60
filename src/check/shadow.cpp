#include "check/shadow.h"

#include "order/fatal.h"

namespace ascsan::check {

Cell* Shadow::use(PagePtr& slot) {
  if (!slot) {
    ++pages_in_use_;
    if (spare_pages_.empty()) {
      slot = std::make_unique<Page>();
    } else {
      slot = std::move(spare_pages_.back());
      spare_pages_.pop_back();
      slot->fill(Cell{});
    }
  }
  return slot->data();
}

Shadow::PagePtr& Shadow::gm_slot(uint64_t address) {
  std::unique_ptr<Region>& region = regions_[address / kRegionBytes];
  if (!region) region = std::make_unique<Region>();
  return (*region)[address / kPageBytes % kRegionPages];
}

Cell* Shadow::find_page(gate::Space space, event::CoreId core, uint64_t address) {
  Cell* cells;
  if (space == gate::Space::kGm) {
    cells = use(gm_slot(address));
  } else {
    constexpr uint64_t kLargestMemory = uint64_t{1}
                                        << 26;  // far beyond any on-chip memory: a wrong event, not a wrong kernel
    if (address >= kLargestMemory || static_cast<int>(space) >= gate::kSpaceCount)
      order::fatal("access at offset %llu of on-chip memory %d", static_cast<unsigned long long>(address),
                   static_cast<int>(space));
    if (core >= chips_.size()) chips_.resize(core + size_t{1});
    std::vector<PagePtr>& pages = chips_[core][static_cast<size_t>(space)];
    const uint64_t number = address / kPageBytes;
    if (number >= pages.size()) pages.resize(number + 1);
    cells = use(pages[number]);
  }
  last_space_ = space;
  last_core_ = core;
  last_page_number_ = address / kPageBytes;
  last_page_ = cells;
  return cells;
}

void Shadow::expand(Cell& cell) {
  uint32_t id;
  if (free_blocks_.empty()) {
    id = static_cast<uint32_t>(blocks_.size());
    blocks_.emplace_back();
  } else {
    id = free_blocks_.back();
    free_blocks_.pop_back();
  }
  blocks_[id].fill(cell);
  states_.ref(cell, kBlock - 1);
  cell = {Cell::kBytes | id, 0};
}

void Shadow::collapse(Cell& cell) {
  const uint32_t id = cell.block();
  const Cell first = blocks_[id][0];
  for (const Cell& other : blocks_[id])
    if (other != first) return;
  states_.unref(first, kBlock - 1);
  free_blocks_.push_back(id);
  cell = first;
}

void Shadow::clear() {
  constexpr size_t kSparePages = 4096;  // 64 MiB
  const auto put_back = [&](PagePtr& page) {
    if (page && spare_pages_.size() < kSparePages) spare_pages_.push_back(std::move(page));
    page.reset();
  };
  for (auto& core : chips_)
    for (auto& pages : core)
      for (PagePtr& page : pages) put_back(page);
  for (auto& [number, region] : regions_)
    for (PagePtr& page : *region) put_back(page);
  regions_.clear();
  pages_in_use_ = 0;
  blocks_.clear();
  free_blocks_.clear();
  last_space_ = gate::Space::kNone;
}

}  // namespace ascsan::check
