// Records what the cores of a launch do around its findings, as report::Timeline. A sink for the second, identical run,
// where the accesses of the findings are known: around each of them the newest slices of every core are kept, and some
// that follow. Without such keys the newest slices of the first launches are kept. Memory is bounded by the limits, not
// by the length of the launch. Time is the number of the step: issues (when told) and events count one each. An
// instruction may start once it is issued and, on pipes that work in order (S, V, M), the one before it is complete; on
// MTE and FIX once the last flag, wait or barrier of the pipe is passed, so copies may overlap
// (spec/execution-model.md 3.3, 3.4). Left out: how long anything takes, which the model does not know.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "event/names.h"
#include "event/sink.h"
#include "report/stacks.h"
#include "report/timeline.h"

namespace ascsan::explain {

struct TimelineLimits {
  size_t before = 192;     ///< slices per core kept before an access of a finding
  size_t after = 64;       ///< and behind it
  size_t per_core = 1536;  ///< slices per core of one launch
  size_t launches = 8;     ///< launches recorded
};

class TimelineRecorder : public event::Sink {
 public:
  explicit TimelineRecorder(const event::SiteTable& sites, TimelineLimits limits = {})
      : sites_(sites), limits_(limits) {}

  /// Accesses to keep the surroundings of; sorted. Launches without any are not recorded. Call before the first launch.
  void want(std::vector<report::AccessKey> keys) { wanted_ = std::move(keys); }

  /// An instruction or scalar access is issued; the machine's issue hook. Not needed, but slices begin more exactly.
  void on_issue(event::CoreId core, gate::Pipe pipe, uint32_t index);
  void on_event(const event::Event& event) override;

  /// Timelines of the launches so far, each once.
  std::vector<report::Timeline> take();

 private:
  struct Touch {
    gate::Space space = gate::Space::kNone;
    event::Role role = event::Role::kRead;
    uint64_t begin = 0, end = 0, bytes = 0;
  };
  struct Link {
    uint64_t from = 0;  ///< serial of a slice
    report::ArrowKind kind{};
  };
  struct Slice {
    uint64_t serial = 0;  ///< a number that grows, times 65536, plus the core
    uint64_t begin = 0, end = 0;
    report::SliceKind kind{};
    event::Kind event{};
    gate::Pipe pipe = gate::Pipe::kS, other = gate::Pipe::kS;
    gate::Op op = gate::Op::kNop;
    uint8_t mode = 0;
    int16_t id = 0;
    event::SiteId site = 0;
    uint32_t index = 0;
    std::vector<Touch> touches;
    std::vector<Link> links;
  };
  enum class Counted : uint8_t { kQueued, kTensors, kBytes };
  using CounterId = std::pair<Counted, int>;  ///< number: pipe, queue handle, memory
  struct Point {
    CounterId counter;
    uint64_t step = 0, value = 0;
  };
  struct Lane {
    uint64_t free_at = 0, fence_at = 0;   ///< end of the last slice; of the last flag, wait or barrier
    uint64_t queued = 0;                  ///< issued and not complete
    std::map<uint32_t, uint64_t> issued;  ///< step by index, of those not complete
  };
  struct Core {
    std::deque<Slice> recent;
    std::vector<Slice> kept;
    std::deque<Point> recent_points;
    std::vector<Point> kept_points;
    size_t follow = 0;                   ///< slices still kept behind an access
    uint64_t scalar_at = 0;              ///< last step in which the scalar program did anything
    std::map<uint32_t, uint64_t> joins;  ///< step by the scalar version that begins there, the newest ones
    std::vector<Lane> lanes = std::vector<Lane>(gate::kPipeCount);
    std::map<int, uint64_t> tensors;                               ///< EnQue minus DeQue by queue handle
    std::map<uint32_t, std::pair<gate::Space, uint64_t>> buffers;  ///< memory and bytes by buffer handle
    std::map<gate::Space, uint64_t> in_use;
  };
  /// Serial of a slice by ordinal, of what may still be waited for.
  using Sets = std::map<uint32_t, uint64_t>;
  /// Flags: core, id, pipe, other. Cross-core sets and deliveries: core, id, mode. Arrivals: core, barrier object.
  using Key = std::array<int, 5>;

  void begin_launch(const event::Event& event);
  void end_launch();
  Slice& add(const event::Event& event, report::SliceKind kind, uint64_t begin);
  void link(Slice& slice, Sets& sets, uint32_t ordinal, report::ArrowKind kind);
  void remember(Sets& sets, uint32_t ordinal, uint64_t serial);
  void instruction(const event::Event& event);
  void scalar_access(const event::Event& event);
  void set(const event::Event& event, const Key& key);
  void wait_flag(const event::Event& event);
  Slice& scalar_join(const event::Event& event, report::SliceKind kind);
  void cross_release(const event::Event& event);
  void cross_wait(const event::Event& event);
  void group_pass(const event::Event& event);
  void queue_step(const event::Event& event);
  void define(const event::Event& event);
  void count(Core& core, CounterId counter, uint64_t value);
  void keep_around(const event::Event& event);
  Slice* find(uint64_t serial);
  uint64_t earliest(const Core& core, const event::Event& event) const;

  // timeline_build.cpp
  report::Timeline build() const;
  void build_counters(report::Timeline& timeline, uint64_t first_step) const;
  std::string name_of(const Slice& slice) const;
  std::string detail_of(const Slice& slice) const;

  const event::SiteTable& sites_;
  const TimelineLimits limits_;
  std::vector<report::AccessKey> wanted_;
  std::vector<report::Timeline> done_;
  bool recording_ = false;
  uint32_t launch_ = 0, recorded_ = 0, launches_ended_ = 0;
  std::string kernel_;
  event::CoreCounts counts_;
  std::vector<Core> cores_;
  uint64_t step_ = 0, slices_seen_ = 0;
  std::map<Key, Sets> sets_;
  std::map<Key, Sets> deliveries_;     ///< by target core and id: the set that completed the n-th release
  std::map<Key, uint32_t> delivered_;  ///< releases so far
  std::map<int, uint32_t> joined_;     ///< barrier object: newest round whose arrivals are linked
  struct Tensor {
    uint64_t end = 0;
    std::string name;
  };
  std::map<uint64_t, Tensor> tensors_;  ///< global memory by first address
};

}  // namespace ascsan::explain
