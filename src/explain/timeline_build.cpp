// From recorded slices to report::Timeline: names, places, arrows between kept slices, counters. See timeline.h.
#include <algorithm>
#include <tuple>

#include "explain/timeline.h"

namespace ascsan::explain {
namespace {

using event::Kind;

/// Numbers texts and places by first use.
template <typename T>
class Numbering {
 public:
  explicit Numbering(std::vector<T>& list) : list_(list) { list_.emplace_back(); }
  template <typename Key>
  uint32_t at(const Key& key, const T& value) {
    const auto [entry, fresh] = numbers_.try_emplace(key, static_cast<uint32_t>(list_.size()));
    if (fresh) list_.push_back(value);
    return entry->second;
  }

 private:
  std::vector<T>& list_;
  std::map<std::string, uint32_t> numbers_;
};

std::string pair_text(const char* from, const char* to, int id) {
  return std::string(" ") + from + " -> " + to + " (id " + std::to_string(id) + ")";
}

std::string or_else(const std::string& text, const char* other) {
  return text.empty() ? other : text;
}

}  // namespace

std::string TimelineRecorder::name_of(const Slice& slice) const {
  const std::string api = event::api_name(slice.op);
  const char* const pipe = event::pipe_name(slice.pipe);
  const char* const other = event::pipe_name(slice.other);
  switch (slice.event) {
    case Kind::kSetFlag:
      return "SetFlag" + pair_text(pipe, other, slice.id);
    case Kind::kWaitFlag:
      return "WaitFlag" + pair_text(other, pipe, slice.id);
    case Kind::kPipeBarrier:
      return std::string("PipeBarrier ") + pipe;
    case Kind::kFullBarrier:
      return slice.op == gate::Op::kPipeBarrier ? "PIPE_ALL" : or_else(api, "PIPE_ALL");
    case Kind::kCrossSet:
      return "CrossCoreSetFlag mode " + std::to_string(slice.mode) + " (id " + std::to_string(slice.id) + ")";
    case Kind::kCrossWait:
      return "CrossCoreWaitFlag (id " + std::to_string(slice.id) + ")";
    case Kind::kGroupArrive:
      return or_else(api, "barrier") + ": arrives";
    case Kind::kGroupPass:
      return or_else(api, "barrier") + ": passes";
    case Kind::kStall:
      return or_else(api, "wait") + ": never passes";
    default:
      return or_else(api, "instruction");
  }
}

std::string TimelineRecorder::detail_of(const Slice& slice) const {
  std::string text;
  for (const Touch& touch : slice.touches) {
    const char* const verb = touch.role == event::Role::kRead     ? "reads "
                             : touch.role == event::Role::kUpdate ? "updates "
                             : touch.role == event::Role::kAtomic ? "atomically updates "
                                                                  : "writes ";
    text += (text.empty() ? "" : "; ") + std::string(verb);
    uint64_t base = 0;
    std::string owner = event::space_name(touch.space);
    bool placed = touch.space != gate::Space::kGm;  // host addresses of GM differ between runs
    if (!placed) {
      auto tensor = tensors_.upper_bound(touch.begin);
      if (tensor != tensors_.begin() && touch.begin < (--tensor)->second.end) {
        base = tensor->first;
        placed = true;
        if (!tensor->second.name.empty()) owner = tensor->second.name;
      }
    }
    text += owner;
    if (placed) text += " " + std::to_string(touch.begin - base) + ".." + std::to_string(touch.end - 1 - base);
    if (!placed || touch.bytes != touch.end - touch.begin) text += ", " + std::to_string(touch.bytes) + " bytes";
  }
  return text;
}

report::Timeline TimelineRecorder::build() const {
  report::Timeline timeline;
  timeline.launch = launch_;
  timeline.kernel = kernel_;
  timeline.steps = step_;
  Numbering<std::string> texts(timeline.texts);
  Numbering<report::Frame> places(timeline.places);

  std::vector<const Slice*> order;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> lanes;  // core, pipe
  uint64_t first_step = step_;
  for (const Core& core : cores_)
    for (const Slice& slice : core.kept) {
      order.push_back(&slice);
      lanes[{slice.serial & 0xffff, static_cast<uint32_t>(slice.pipe)}] = 0;
      first_step = std::min(first_step, slice.begin);
    }
  for (auto& [key, number] : lanes) {
    number = static_cast<uint32_t>(timeline.lanes.size());
    timeline.lanes.push_back({key.first, key.second, counts_.name(static_cast<event::CoreId>(key.first)),
                              event::pipe_name(static_cast<gate::Pipe>(key.second))});
  }
  timeline.dropped = slices_seen_ - order.size();
  std::sort(order.begin(), order.end(), [](const Slice* a, const Slice* b) {
    return std::tie(a->begin, a->end, a->serial) < std::tie(b->begin, b->end, b->serial);
  });

  std::map<uint64_t, uint32_t> numbers;  // by serial
  for (const Slice* slice : order) {
    numbers[slice->serial] = static_cast<uint32_t>(timeline.slices.size());
    const std::string name = name_of(*slice), detail = detail_of(*slice);
    const gate::Site& site = sites_.at(slice->site);
    timeline.slices.push_back(
        {lanes.at({slice->serial & 0xffff, static_cast<uint32_t>(slice->pipe)}), slice->kind, slice->begin, slice->end,
         slice->index, texts.at(name, name), detail.empty() ? 0 : texts.at(detail, detail),
         slice->site == 0 ? 0
                          : places.at(std::string(site.file) + "\n" + site.function + "\n" + std::to_string(site.line),
                                      {site.function, site.file, site.line})});
  }
  for (const Slice* slice : order)
    for (const Link& link : slice->links)
      if (const auto from = numbers.find(link.from); from != numbers.end())
        timeline.arrows.push_back({from->second, numbers.at(slice->serial), link.kind});
  std::sort(timeline.arrows.begin(), timeline.arrows.end(),
            [](const auto& a, const auto& b) { return std::tie(a.to, a.from) < std::tie(b.to, b.from); });
  build_counters(timeline, first_step);
  return timeline;
}

void TimelineRecorder::build_counters(report::Timeline& timeline, uint64_t first_step) const {
  for (uint32_t c = 0; c < cores_.size(); ++c) {
    std::map<CounterId, std::vector<report::CounterPoint>> counters;
    for (const Point& point : cores_[c].kept_points)
      if (point.step >= first_step) counters[point.counter].push_back({point.step, point.value});
    for (auto& [id, points] : counters) {
      std::string name;
      switch (id.first) {
        case Counted::kQueued:
          name = std::string("queued ") + event::pipe_name(static_cast<gate::Pipe>(id.second));
          break;
        case Counted::kTensors:
          name = "tensors in queue " + std::to_string(id.second);
          break;
        case Counted::kBytes:
          name = std::string("bytes in use, ") + event::space_name(static_cast<gate::Space>(id.second));
          break;
      }
      timeline.counters.push_back({c, counts_.name(static_cast<event::CoreId>(c)), name, std::move(points)});
    }
  }
}

}  // namespace ascsan::explain
