#include "order/scalar_clocks.h"

#include "order/fatal.h"

namespace ascsan::order {

const Clock& ScalarClocks::older(IssuePoint point) const {
  const auto first = entries_.begin() + static_cast<ptrdiff_t>(head_);
  const auto after = std::upper_bound(first, entries_.end(), point,
                                      [](const IssuePoint& key, const Entry& entry) { return key < entry.from; });
  if (after == first)
    fatal(
        "an instruction issued at scalar join %u, event %u asks for a clock dropped before join %u, event %u; "
        "oldest_version of a scalar join was too high",
        point.version, point.index, first->from.version, first->from.index);
  return std::prev(after)->clock;
}

void ScalarClocks::set(IssuePoint point, const Clock& clock) {
  if (entries_.back().from == point) {
    entries_.back().clock = clock;
    return;
  }
  if (point < entries_.back().from)
    fatal("scalar clocks must grow: join %u, event %u after join %u, event %u", point.version, point.index,
          entries_.back().from.version, entries_.back().from.index);
  entries_.push_back({point, clock});
}

const Clock& ScalarClocks::drop_before(IssuePoint oldest) {
  while (head_ + 1 < entries_.size() && entries_[head_ + 1].from <= oldest) ++head_;
  if (head_ >= 32 && head_ * 2 >= entries_.size()) {
    entries_.erase(entries_.begin(), entries_.begin() + static_cast<ptrdiff_t>(head_));
    head_ = 0;
  }
  return entries_[head_].clock;
}

void RemoteClocks::reset(const std::shared_ptr<Dense>& nothing) {
  versions_.assign(1, nothing);
  spare_.clear();
  head_ = 0;
  base_ = 0;
}

void RemoteClocks::missing(uint32_t version) const {
  fatal("remote clock %u asked for, versions %u..%u are kept", version, base_, newest());
}

RemoteClocks::Dense& RemoteClocks::grow() {
  if (spare_.empty()) {
    versions_.push_back(std::make_shared<Dense>(*versions_.back()));
  } else {
    *spare_.back() = *versions_.back();
    versions_.push_back(std::move(spare_.back()));
    spare_.pop_back();
  }
  return *versions_.back();
}

void RemoteClocks::drop_before(uint32_t version) {
  while (base_ < version && head_ + 1 < versions_.size()) {
    if (versions_[head_].use_count() == 1 && spare_.size() < 8) spare_.push_back(std::move(versions_[head_]));
    versions_[head_].reset();
    ++head_;
    ++base_;
  }
  if (head_ >= 32 && head_ * 2 >= versions_.size()) {
    versions_.erase(versions_.begin(), versions_.begin() + static_cast<ptrdiff_t>(head_));
    head_ = 0;
  }
}

void raise(RemoteClocks::Dense& into, const RemoteClocks::Dense& from) {
  uint32_t* to = into.data();
  const uint32_t* source = from.data();
  for (size_t i = 0, n = into.size(); i < n; ++i) to[i] = std::max(to[i], source[i]);
}

}  // namespace ascsan::order
