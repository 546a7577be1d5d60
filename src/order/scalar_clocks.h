// The clock of one core's scalar unit over time. Instructions run long after they were issued, so the clock at an issue
// point must be found later (rule R-2). One entry per change; entries no queued instruction can ask for are dropped.
#pragma once

#include <memory>
#include <vector>

#include "order/clock.h"

namespace ascsan::order {

class ScalarClocks {
 public:
  void reset() {
    entries_.assign(1, {});
    head_ = 0;
  }
  const Clock& current() const { return entries_.back().clock; }
  /// Clock that instructions issued at `point` inherit; slot S is that of the entry, not of the point.
  const Clock& at(IssuePoint point) const {
    return entries_.back().from <= point ? entries_.back().clock : older(point);
  }
  /// The clock from `point` on. `point` must not be before the newest entry; equal points replace it.
  void set(IssuePoint point, const Clock& clock);
  /// No one will ask for a point before `oldest` any more. Returns the first clock still needed.
  const Clock& drop_before(IssuePoint oldest);
  size_t size() const { return entries_.size() - head_; }

 private:
  const Clock& older(IssuePoint point) const;
  struct Entry {
    IssuePoint from;
    Clock clock;
  };
  std::vector<Entry> entries_{Entry{}};
  size_t head_ = 0;
};

/// What one core knows of the others, by version: dense vectors (clock.h). Version 0 knows nothing.
class RemoteClocks {
 public:
  using Dense = std::vector<uint32_t>;
  /// `nothing`: zeros for every core, shared by all cores of a launch.
  void reset(const std::shared_ptr<Dense>& nothing);
  const Dense& at(uint32_t version) const { return *shared(version); }
  /// For those who keep a version longer than this core needs it.
  const std::shared_ptr<Dense>& shared(uint32_t version) const {
    if (version < base_ || version > newest()) missing(version);
    return versions_[head_ + version - base_];
  }
  uint32_t newest() const { return base_ + static_cast<uint32_t>(versions_.size() - head_) - 1; }
  /// A new newest version, a copy of the one before, for the caller to raise.
  Dense& grow();
  void drop_before(uint32_t version);
  size_t size() const { return versions_.size() - head_; }

 private:
  [[noreturn, gnu::cold]] void missing(uint32_t version) const;
  std::vector<std::shared_ptr<Dense>> versions_, spare_;
  size_t head_ = 0;
  uint32_t base_ = 0;
};

void raise(RemoteClocks::Dense& into, const RemoteClocks::Dense& from);

}  // namespace ascsan::order
