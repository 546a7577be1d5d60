// How many scalar joins (waits, barriers) of each core a core has heard of, by cross-core flags and soft barriers: a
// small vector clock over joins, which the order does not keep. It answers "has the producer heard of the n-th wait?"
// and so bounds how far a producer may run ahead in any schedule (spec/hb-rules.md R-20..R-26). Left out: polled words
// where they are used, callers must not draw conclusions.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "event/event.h"

namespace ascsan::check {

class CrossKnown {
 public:
  /// Per core: its joins up to this number are known.
  using Joins = std::vector<uint32_t>;
  using Shared = std::shared_ptr<const Joins>;

  void reset(size_t cores) { cores_.assign(cores, Core(cores)); }

  /// What a set issued by the event's core knows, itself included.
  Joins at_issue(const event::Event& event) const {
    const Core& core = cores_[event.core];
    auto after = std::upper_bound(core.history.begin(), core.history.end(), event.scalar_version,
                                  [](uint32_t version, const Entry& entry) { return version < entry.version; });
    Joins joins = *(after == core.history.begin() ? core.history.front() : *std::prev(after)).joins;
    joins[event.core] = std::max(joins[event.core], event.scalar_version);
    return joins;
  }
  /// The core has passed a join (its event is given) and learns `news`.
  void learn(const event::Event& event, const Joins& news) {
    Core& core = cores_[event.core];
    auto joins = std::make_shared<Joins>(*core.history.back().joins);
    raise(*joins, news);
    core.history.push_back({event.scalar_version + 1, std::move(joins)});
    while (core.history.size() > 1 && core.history[1].version <= event.oldest_version) core.history.pop_front();
  }

  // Soft barriers: arrivals of the newest rounds, by barrier object.
  void arrive(const event::Event& event) {
    auto& rounds = cores_[event.core].arrivals[event.id];
    if (rounds.size() >= 4) rounds.erase(rounds.begin());
    rounds[event.ordinal] = at_issue(event);
  }
  void pass(const event::Event& event) {
    Joins news(cores_.size(), 0);
    for (uint16_t m = 0; m < event.member_count; ++m) {
      const auto& arrivals = cores_[event.members[m]].arrivals;
      const auto rounds = arrivals.find(event.id);
      if (rounds == arrivals.end()) continue;
      const auto round = rounds->second.find(event.ordinal);
      if (round != rounds->second.end()) raise(news, round->second);
    }
    learn(event, news);
  }

  static void raise(Joins& into, const Joins& from) {
    for (size_t i = 0; i < into.size(); ++i) into[i] = std::max(into[i], from[i]);
  }

 private:
  struct Entry {
    uint32_t version;
    Shared joins;
  };
  struct Core {
    explicit Core(size_t cores) { history.push_back({0, std::make_shared<Joins>(cores, 0)}); }
    std::deque<Entry> history;  ///< by issue point; instructions still queued look back
    std::map<int16_t, std::map<uint32_t, Joins>> arrivals;
  };
  std::vector<Core> cores_;
};

/// Waits of one core on one id: how many of them had been passed at a join number.
class PassedWaits {
 public:
  void add(uint32_t join) {
    ++total_;
    joins_.push_back(join);
    if (joins_.size() > kKept) joins_.pop_front();  // then the answer is at least kKept too small, which says enough
  }
  uint32_t total() const { return total_; }
  uint32_t up_to(uint32_t join) const {
    const auto after = std::upper_bound(joins_.begin(), joins_.end(), join);
    return total_ - static_cast<uint32_t>(joins_.end() - after);
  }

 private:
  static constexpr size_t kKept = 64;
  std::deque<uint32_t> joins_;
  uint32_t total_ = 0;
};

}  // namespace ascsan::check
