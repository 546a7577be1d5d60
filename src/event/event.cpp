#include "event/event.h"

#include <cstring>

namespace ascsan::event {
namespace {
constexpr size_t kCacheSlots = 4096;  // power of two; a miss costs a linear search over distinct sites

size_t slot_of(const gate::Site& site) {
  const auto file = reinterpret_cast<uintptr_t>(site.file);
  const auto function = reinterpret_cast<uintptr_t>(site.function);
  return ((file >> 3) ^ (function >> 2) ^ (site.line * 0x9E3779B1u)) & (kCacheSlots - 1);
}
}  // namespace

const char* name_of(Kind kind) {
  switch (kind) {
#define ASCSAN_EVENT(name, text) \
  case Kind::k##name:            \
    return text;
#include "event/kinds.def"
#undef ASCSAN_EVENT
  }
  return "";
}

SiteTable::SiteTable() : cache_(kCacheSlots) {
  sites_.push_back({"", "", 0});
}

SiteId SiteTable::intern(const gate::Site& site) {
  Slot& slot = cache_[slot_of(site)];
  if (slot.id != 0 && slot.line == site.line && slot.file == site.file && slot.function == site.function)
    return slot.id;
  const SiteId id = find_or_add(site);
  slot = {site.file, site.function, site.line, id};
  return id;
}

SiteId SiteTable::find_or_add(const gate::Site& site) {
  for (size_t i = 1; i < sites_.size(); ++i) {
    const gate::Site& known = sites_[i];
    if (known.line == site.line && std::strcmp(known.file, site.file) == 0 &&
        std::strcmp(known.function, site.function) == 0)
      return static_cast<SiteId>(i);
  }
  sites_.push_back(site);
  return static_cast<SiteId>(sites_.size() - 1);
}

}  // namespace ascsan::event
