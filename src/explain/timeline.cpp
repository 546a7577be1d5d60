// Recording of timelines: which slice an event makes, when it begins, what it is linked with, and which slices are
// kept. See timeline.h; the report form is made in timeline_build.cpp.
#include "explain/timeline.h"

#include <algorithm>

namespace ascsan::explain {
namespace {

using event::Kind;
using gate::Pipe;
using report::ArrowKind;
using report::SliceKind;

// Sets nobody waits for must not pile up; a counter holds at most 15, a flag one.
constexpr size_t kMaxWaiting = 64;
constexpr size_t kMaxJoins = 64;
constexpr size_t kPointsPerSlice = 4;

enum Table : int { kFlagTable, kCrossTable, kGroupTable };

bool works_in_order(Pipe pipe) {
  return pipe == Pipe::kS || pipe == Pipe::kV || pipe == Pipe::kM;
}

}  // namespace

void TimelineRecorder::begin_launch(const event::Event& event) {
  // A launch that starts again, because the kernel has declared its type, sends a second LaunchBegin.
  launch_ = launches_ended_ + 1;
  recording_ = recorded_ < limits_.launches;
  if (!wanted_.empty())
    recording_ = recording_ && std::any_of(wanted_.begin(), wanted_.end(),
                                           [&](const report::AccessKey& key) { return key.launch == launch_; });
  kernel_ = event.text != nullptr ? event.text : "";
  counts_ = {static_cast<uint32_t>(event.value[0]), static_cast<uint32_t>(event.value[1])};
  cores_.clear();
  if (recording_) cores_.resize(counts_.total());
  step_ = slices_seen_ = 0;
  sets_.clear();
  deliveries_.clear();
  delivered_.clear();
  joined_.clear();
}

void TimelineRecorder::end_launch() {
  ++launches_ended_;
  if (!recording_) return;
  recording_ = false;
  ++recorded_;
  if (wanted_.empty())
    for (Core& core : cores_) {
      core.kept.insert(core.kept.end(), core.recent.begin(), core.recent.end());
      core.kept_points.insert(core.kept_points.end(), core.recent_points.begin(), core.recent_points.end());
    }
  done_.push_back(build());
  cores_.clear();
}

std::vector<report::Timeline> TimelineRecorder::take() {
  std::vector<report::Timeline> result;
  result.swap(done_);
  return result;
}

void TimelineRecorder::on_issue(event::CoreId core, Pipe pipe, uint32_t index) {
  if (!recording_ || core >= cores_.size()) return;
  cores_[core].scalar_at = ++step_;
  if (pipe == Pipe::kS) return;  // its event comes at once
  Lane& lane = cores_[core].lanes[static_cast<size_t>(pipe)];
  lane.issued[index] = step_;
  count(cores_[core], {Counted::kQueued, static_cast<int>(pipe)}, ++lane.queued);
}

void TimelineRecorder::on_event(const event::Event& event) {
  switch (event.kind) {
    case Kind::kLaunchBegin:
      return begin_launch(event);
    case Kind::kLaunchEnd:
      return end_launch();
    case Kind::kTensorDefine:
    case Kind::kTensorRelease:
      return define(event);
    default:
      break;
  }
  if (!recording_ || event.core >= cores_.size()) return;
  switch (event.kind) {
    case Kind::kInstruction:
      return instruction(event);
    case Kind::kScalarAccess:
      return scalar_access(event);
    case Kind::kSetFlag:
      return set(event,
                 {kFlagTable, event.core, event.id, static_cast<int>(event.pipe), static_cast<int>(event.other)});
    case Kind::kCrossSet:
      return set(event, {kCrossTable, event.core, event.id, event.mode, 0});
    case Kind::kGroupArrive:
      return set(event, {kGroupTable, event.core, event.id, 0, 0});
    case Kind::kWaitFlag:
      return wait_flag(event);
    case Kind::kPipeBarrier:
      ++step_;
      add(event, SliceKind::kBarrier, step_ - 1);
      return;
    case Kind::kFullBarrier:
      scalar_join(event, SliceKind::kBarrier);
      return;
    case Kind::kCrossRelease:
      return cross_release(event);
    case Kind::kCrossWait:
      return cross_wait(event);
    case Kind::kGroupPass:
      return group_pass(event);
    case Kind::kStall:
      scalar_join(event, SliceKind::kStall);
      return;
    case Kind::kCoreBegin:
      cores_[event.core].scalar_at = ++step_;
      return;
    case Kind::kBufferDefine:
      cores_[event.core].buffers[event.accesses[0].buffer] = {event.accesses[0].space,
                                                              event.spans[0].end - event.spans[0].begin};
      return;
    case Kind::kQueueStep:
      return queue_step(event);
    case Kind::kCoreEnd:
    case Kind::kCacheStep:
    case Kind::kExpect:
    case Kind::kViolation:
    case Kind::kUnchecked:
    case Kind::kLaunchBegin:
    case Kind::kLaunchEnd:
    case Kind::kTensorDefine:
    case Kind::kTensorRelease:
      return;
  }
}

/// The slice ends in the current step. It is valid until the next one is added to its core.
TimelineRecorder::Slice& TimelineRecorder::add(const event::Event& event, SliceKind kind, uint64_t begin) {
  Core& core = cores_[event.core];
  Slice slice;
  slice.serial = ++slices_seen_ << 16 | event.core;
  slice.begin = std::min(begin, step_ - 1);
  slice.end = step_;
  slice.kind = kind;
  slice.event = event.kind;
  slice.pipe = event.pipe;
  slice.other = event.other;
  slice.op = event.op;
  slice.mode = event.mode;
  slice.id = event.id;
  slice.site = event.site;
  Lane& lane = core.lanes[static_cast<size_t>(event.pipe)];
  lane.free_at = step_;
  if (kind != SliceKind::kWork && kind != SliceKind::kScalar) lane.fence_at = step_;
  if (event.pipe == Pipe::kS) core.scalar_at = step_;
  if (core.follow > 0 && core.kept.size() < limits_.per_core) {
    --core.follow;
    core.kept.push_back(std::move(slice));
    return core.kept.back();
  }
  core.recent.push_back(std::move(slice));
  if (core.recent.size() > limits_.before) core.recent.pop_front();
  return core.recent.back();
}

/// A moment from which the event's instruction could be issued at the earliest, as far as joins tell.
uint64_t TimelineRecorder::earliest(const Core& core, const event::Event& event) const {
  const auto join = core.joins.find(event.scalar_version);
  return join == core.joins.end() ? 0 : join->second;
}

void TimelineRecorder::instruction(const event::Event& event) {
  Core& core = cores_[event.core];
  Lane& lane = core.lanes[static_cast<size_t>(event.pipe)];
  ++step_;
  const auto issued = lane.issued.find(event.index);
  const bool known = issued != lane.issued.end();
  uint64_t begin = std::max(works_in_order(event.pipe) || !known ? lane.free_at : lane.fence_at, earliest(core, event));
  if (known) {
    begin = std::max(begin, issued->second);
    lane.issued.erase(issued);
    count(core, {Counted::kQueued, static_cast<int>(event.pipe)}, --lane.queued);
  }
  Slice& slice = add(event, SliceKind::kWork, begin);
  slice.index = event.index;
  for (uint32_t i = 0; i < event.access_count; ++i) {
    const event::Access& access = event.accesses[i];
    Touch touch{access.space, access.role, ~uint64_t{0}, 0, 0};
    for (uint32_t s = 0; s < access.span_count; ++s) {
      const event::Span& span = event.spans[access.first_span + s];
      touch.begin = std::min(touch.begin, span.begin);
      touch.end = std::max(touch.end, span.end);
      touch.bytes += span.end - span.begin;
    }
    if (touch.begin < touch.end) slice.touches.push_back(touch);
  }
  keep_around(event);
}

void TimelineRecorder::scalar_access(const event::Event& event) {
  ++step_;
  Slice& slice = add(event, SliceKind::kScalar, step_ - 1);
  slice.index = event.index;
  if (event.access_count > 0 && event.accesses[0].span_count > 0) {
    const event::Span& span = event.spans[event.accesses[0].first_span];
    slice.touches.push_back(
        {event.accesses[0].space, event.accesses[0].role, span.begin, span.end, span.end - span.begin});
  }
  keep_around(event);
}

void TimelineRecorder::remember(Sets& sets, uint32_t ordinal, uint64_t serial) {
  sets[ordinal] = serial;
  if (sets.size() > kMaxWaiting) sets.erase(sets.begin());
}

/// What was set earlier than `ordinal` was waited for before.
void TimelineRecorder::link(Slice& slice, Sets& sets, uint32_t ordinal, ArrowKind kind) {
  const auto found = sets.find(ordinal);
  if (found != sets.end()) slice.links.push_back({found->second, kind});
  sets.erase(sets.begin(), sets.upper_bound(ordinal));
}

void TimelineRecorder::set(const event::Event& event, const Key& key) {
  ++step_;
  const Slice& slice = add(event, SliceKind::kSet, step_ - 1);
  remember(sets_[key], event.ordinal, slice.serial);
}

void TimelineRecorder::wait_flag(const event::Event& event) {
  const Key key = {kFlagTable, event.core, event.id, static_cast<int>(event.other), static_cast<int>(event.pipe)};
  if (event.pipe == Pipe::kS)
    return link(scalar_join(event, SliceKind::kWait), sets_[key], event.ordinal, ArrowKind::kFlag);
  const Core& core = cores_[event.core];
  ++step_;
  const uint64_t begin = std::max(core.lanes[static_cast<size_t>(event.pipe)].free_at, earliest(core, event));
  link(add(event, SliceKind::kWait, begin), sets_[key], event.ordinal, ArrowKind::kFlag);
}

TimelineRecorder::Slice& TimelineRecorder::scalar_join(const event::Event& event, SliceKind kind) {
  Core& core = cores_[event.core];
  ++step_;
  const uint64_t begin = std::max(core.lanes[static_cast<size_t>(Pipe::kS)].free_at, core.scalar_at);
  core.joins[event.scalar_version + 1] = step_;
  if (core.joins.size() > kMaxJoins) core.joins.erase(core.joins.begin());
  return add(event, kind, begin);
}

void TimelineRecorder::cross_release(const event::Event& event) {
  uint64_t last = 0;
  std::vector<uint64_t> serials;
  for (uint16_t m = 0; m < event.member_count; ++m) {
    Sets& sets = sets_[{kCrossTable, event.members[m], event.id, event.mode, 0}];
    const auto found = sets.find(event.ordinal);
    if (found == sets.end()) continue;
    serials.push_back(found->second);
    last = std::max(last, found->second);
    sets.erase(found);
  }
  if (Slice* hub = find(last))
    for (const uint64_t serial : serials)
      if (serial != last) hub->links.push_back({serial, ArrowKind::kCross});
  for (uint16_t t = 0; t < event.target_count && last != 0; ++t) {
    const Key key = {kCrossTable, event.targets[t], event.id, 0, 0};
    remember(deliveries_[key], ++delivered_[key], last);
  }
}

void TimelineRecorder::cross_wait(const event::Event& event) {
  Slice& slice = scalar_join(event, SliceKind::kWait);
  link(slice, deliveries_[{kCrossTable, event.core, event.id, 0, 0}], event.ordinal, ArrowKind::kCross);
}

void TimelineRecorder::group_pass(const event::Event& event) {
  Slice& slice = scalar_join(event, SliceKind::kWait);
  uint64_t last = 0;
  std::vector<uint64_t> serials;
  for (uint16_t m = 0; m < event.member_count; ++m) {
    const Sets& arrivals = sets_[{kGroupTable, event.members[m], event.id, 0, 0}];
    const auto found = arrivals.find(event.ordinal);
    if (found == arrivals.end()) continue;
    serials.push_back(found->second);
    last = std::max(last, found->second);
  }
  if (last == 0) return;
  slice.links.push_back({last, ArrowKind::kGroup});
  uint32_t& joined = joined_[event.id];
  if (joined == event.ordinal) return;  // another core has passed this round before
  joined = event.ordinal;
  if (Slice* hub = find(last))
    for (const uint64_t serial : serials)
      if (serial != last) hub->links.push_back({serial, ArrowKind::kGroup});
}

void TimelineRecorder::queue_step(const event::Event& event) {
  Core& core = cores_[event.core];
  uint64_t& tensors = core.tensors[event.id];
  const CounterId queue = {Counted::kTensors, event.id};
  if (event.op == gate::Op::kQueueEnque) return count(core, queue, ++tensors);
  if (event.op == gate::Op::kQueueDeque) return count(core, queue, tensors > 0 ? --tensors : 0);
  const bool alloc = event.op == gate::Op::kQueueAlloc;
  const auto buffer = core.buffers.find(static_cast<uint32_t>(event.value[0]));
  if ((!alloc && event.op != gate::Op::kQueueFree) || buffer == core.buffers.end()) return;
  const auto& [space, bytes] = buffer->second;
  uint64_t& in_use = core.in_use[space];
  in_use = alloc ? in_use + bytes : in_use - std::min(in_use, bytes);
  count(core, {Counted::kBytes, static_cast<int>(space)}, in_use);
}

void TimelineRecorder::define(const event::Event& event) {
  const event::Span span = event.spans[0];
  if (event.kind == Kind::kTensorRelease)
    tensors_.erase(span.begin);
  else
    tensors_[span.begin] = {span.end, event.text != nullptr ? event.text : ""};
}

void TimelineRecorder::count(Core& core, CounterId counter, uint64_t value) {
  const size_t limit = kPointsPerSlice * limits_.per_core;
  if (core.follow > 0 && core.kept_points.size() < limit) return core.kept_points.push_back({counter, step_, value});
  core.recent_points.push_back({counter, step_, value});
  if (core.recent_points.size() > kPointsPerSlice * limits_.before) core.recent_points.pop_front();
}

/// Keeps the surroundings of the slice just added when a finding names it; itself in any case.
void TimelineRecorder::keep_around(const event::Event& event) {
  const report::AccessKey key{launch_, event.core, static_cast<uint32_t>(event.pipe), event.index};
  if (wanted_.empty() || !std::binary_search(wanted_.begin(), wanted_.end(), key)) return;
  for (uint32_t c = 0; c < cores_.size(); ++c) {
    Core& core = cores_[c];
    size_t room = limits_.per_core - std::min(limits_.per_core, core.kept.size());
    if (c == event.core) room = std::max<size_t>(room, 1);
    const size_t taken = std::min(room, core.recent.size());
    core.kept.insert(core.kept.end(), core.recent.end() - static_cast<ptrdiff_t>(taken), core.recent.end());
    core.recent.clear();
    if (core.kept_points.size() + core.recent_points.size() <= kPointsPerSlice * limits_.per_core)
      core.kept_points.insert(core.kept_points.end(), core.recent_points.begin(), core.recent_points.end());
    core.recent_points.clear();
    core.follow = limits_.after;
  }
}

TimelineRecorder::Slice* TimelineRecorder::find(uint64_t serial) {
  if (serial == 0) return nullptr;
  Core& core = cores_[serial & 0xffff];
  const auto before = [](const Slice& slice, uint64_t wanted) { return slice.serial < wanted; };
  if (const auto at = std::lower_bound(core.recent.begin(), core.recent.end(), serial, before);
      at != core.recent.end() && at->serial == serial)
    return &*at;
  const auto at = std::lower_bound(core.kept.begin(), core.kept.end(), serial, before);
  return at != core.kept.end() && at->serial == serial ? &*at : nullptr;
}

}  // namespace ascsan::explain
