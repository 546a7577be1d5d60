// Chrome trace events. See as_trace.h. Process 0 holds the launches and two threads per finding, so that the sides of a
// finding and the link between them can be seen even where a side overlaps other copies of its pipe.
#include "report/as_trace.h"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "report/actors.h"
#include "report/escape.h"
#include "report/marks.h"
#include "report/verdict.h"
#include "report/version.h"

namespace ascsan::report {
namespace {

using Json = nlohmann::json;

constexpr const char* kCategories[kSliceKindCount] = {"work", "scalar", "wait", "set", "barrier", "stall"};
constexpr const char* kFlows[kArrowKindCount] = {"flag", "cross-core", "barrier"};
constexpr uint64_t kGapSteps = 20;  // between launches

class TraceWriter {
 public:
  explicit TraceWriter(const RunResult& run) : run_(run) {}

  std::string write() {
    name_process(0, std::string(kToolName) + " findings", -1);
    name_thread(0, 0, "launches", 0);
    for (const Timeline& timeline : run_.timelines) {
      add_timeline(timeline);
      offset_ += timeline.steps + kGapSteps;
    }
    std::stable_sort(events_.begin(), events_.end(),
                     [](const Json& a, const Json& b) { return a["ts"].get<uint64_t>() < b["ts"].get<uint64_t>(); });
    Json all = Json::array();
    for (Json& event : names_) all.push_back(std::move(event));
    for (Json& event : events_) all.push_back(std::move(event));
    // One event a line: small enough, and differences between two traces can be read.
    std::string text = "{\"displayTimeUnit\": \"ms\",\n\"otherData\": ";
    text += dump({{"tool", kToolName}, {"version", kToolVersion}, {"ticks_per_step", kTicksPerStep}});
    text += ",\n\"traceEvents\": [";
    for (size_t i = 0; i < all.size(); ++i) text += (i == 0 ? "\n" : ",\n") + dump(all[i]);
    return text + "\n]}\n";
  }

 private:
  static std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

  void name_process(uint64_t pid, const std::string& name, int64_t sort) {
    if (!named_.insert({pid, ~uint64_t{0}}).second) return;
    names_.push_back({{"ph", "M"}, {"pid", pid}, {"name", "process_name"}, {"args", {{"name", clean_utf8(name)}}}});
    names_.push_back({{"ph", "M"}, {"pid", pid}, {"name", "process_sort_index"}, {"args", {{"sort_index", sort}}}});
  }
  void name_thread(uint64_t pid, uint64_t tid, const std::string& name, uint64_t sort) {
    if (!named_.insert({pid, tid}).second) return;
    names_.push_back(
        {{"ph", "M"}, {"pid", pid}, {"tid", tid}, {"name", "thread_name"}, {"args", {{"name", clean_utf8(name)}}}});
    names_.push_back(
        {{"ph", "M"}, {"pid", pid}, {"tid", tid}, {"name", "thread_sort_index"}, {"args", {{"sort_index", sort}}}});
  }

  uint64_t ts(uint64_t step) const { return (offset_ + step) * kTicksPerStep; }
  static uint64_t pid_of(uint32_t core) { return uint64_t{core} + 1; }

  Json event(const char* phase, uint64_t pid, uint64_t tid, const std::string& name, const char* category,
             uint64_t at) {
    return {{"ph", phase}, {"pid", pid}, {"tid", tid}, {"name", clean_utf8(name)}, {"cat", category}, {"ts", at}};
  }

  void add_slice(uint64_t pid, uint64_t tid, const std::string& name, const char* category, uint64_t begin,
                 uint64_t end, const Json& args) {
    Json slice = event("X", pid, tid, name, category, ts(begin));
    slice["dur"] = (end - begin) * kTicksPerStep;
    slice["args"] = args;
    events_.push_back(slice);
  }

  void add_async(uint64_t pid, uint64_t tid, const std::string& name, const char* category, uint64_t begin,
                 uint64_t end, const Json& args) {
    Json slice = event("b", pid, tid, name, category, ts(begin));
    slice["id"] = ++async_ids_;
    slice["args"] = args;
    events_.push_back(slice);
    Json close = event("e", pid, tid, name, category, ts(end));
    close["id"] = async_ids_;
    events_.push_back(close);
  }

  /// From the last half step of one slice to the last half step of another; both must be thread slices. The importer
  /// binds a flow to the slice around its time.
  void add_flow(uint64_t pid, uint64_t tid, uint64_t at, uint64_t to_pid, uint64_t to_tid, uint64_t to_at,
                const std::string& name, const char* category) {
    Json start = event("s", pid, tid, name, category, at);
    start["id"] = ++flow_ids_;
    events_.push_back(start);
    Json finish = event("f", to_pid, to_tid, name, category, to_at);
    finish["id"] = flow_ids_;
    finish["bp"] = "e";
    events_.push_back(finish);
  }

  Json args_of(const Timeline& timeline, const TimelineSlice& slice) const {
    Json args = {{"steps", {slice.begin, slice.end}}};
    const Frame& place = timeline.places[slice.place];
    if (!place.file.empty()) args["place"] = clean_utf8(base::place(place.file, place.line));
    if (!place.function.empty()) args["function"] = clean_utf8(place.function);
    if (slice.index != 0) args["entry"] = slice.index;
    if (slice.detail != 0) args["touches"] = clean_utf8(timeline.texts[slice.detail]);
    return args;
  }

  /// Slices that get a place on their thread: all but those that overlap one before them there. Sides of findings
  /// first.
  std::vector<bool> choose_thread_slices(const Timeline& timeline, const std::set<uint32_t>& first) const {
    std::vector<bool> chosen(timeline.slices.size());
    std::vector<std::set<std::pair<uint64_t, uint64_t>>> taken(timeline.lanes.size());  // end, begin
    const auto choose = [&](uint32_t i) {
      const TimelineSlice& slice = timeline.slices[i];
      auto& lane = taken[slice.lane];
      const auto next = lane.upper_bound({slice.begin, ~uint64_t{0}});  // the first one that ends behind our begin
      if (chosen[i] || (next != lane.end() && next->second < slice.end)) return;
      lane.insert({slice.end, slice.begin});
      chosen[i] = true;
    };
    for (uint32_t i = 0; i < timeline.slices.size(); ++i)  // flows need the ends of their arrows
      if (timeline.slices[i].kind != SliceKind::kWork) choose(i);
    for (const uint32_t i : first) choose(i);
    for (uint32_t i = 0; i < timeline.slices.size(); ++i) choose(i);
    return chosen;
  }

  void add_timeline(const Timeline& timeline) {
    add_slice(0, 0, "launch " + std::to_string(timeline.launch) + " " + timeline.kernel, "launch", 0,
              std::max<uint64_t>(timeline.steps, 1),
              {{"kernel", clean_utf8(timeline.kernel)}, {"slices_left_out", timeline.dropped}});
    for (const TimelineLane& lane : timeline.lanes) {
      name_process(pid_of(lane.core), lane.core_name, lane.core);
      name_thread(pid_of(lane.core), lane.pipe, lane.pipe_name == "S" ? "S (scalar unit)" : lane.pipe_name, lane.pipe);
    }
    std::set<uint32_t> sides;
    for (const Finding& finding : run_.findings)
      if (timeline_of(run_, finding) == &timeline)
        for (const AccessInfo& access : finding.accesses)
          if (const auto slice = slice_of(timeline, access)) sides.insert(*slice);
    const std::vector<bool> on_thread = choose_thread_slices(timeline, sides);
    for (uint32_t i = 0; i < timeline.slices.size(); ++i) {
      const TimelineSlice& slice = timeline.slices[i];
      const TimelineLane& lane = timeline.lanes[slice.lane];
      const auto add = on_thread[i] ? &TraceWriter::add_slice : &TraceWriter::add_async;
      (this->*add)(pid_of(lane.core), lane.pipe, timeline.texts[slice.name],
                   kCategories[static_cast<size_t>(slice.kind)], slice.begin, slice.end, args_of(timeline, slice));
    }
    for (const TimelineArrow& arrow : timeline.arrows) {
      const TimelineSlice &from = timeline.slices[arrow.from], &to = timeline.slices[arrow.to];
      const TimelineLane &source = timeline.lanes[from.lane], &target = timeline.lanes[to.lane];
      if (!on_thread[arrow.from] || !on_thread[arrow.to]) continue;  // only when a timeline is not ours
      add_flow(pid_of(source.core), source.pipe, inside(from), pid_of(target.core), target.pipe, inside(to),
               timeline.texts[from.name], kFlows[static_cast<size_t>(arrow.kind)]);
    }
    for (const TimelineCounter& counter : timeline.counters)
      for (const CounterPoint& point : counter.points) {
        Json sample = event("C", pid_of(counter.core), 0, counter.name, "counter", ts(point.step));
        sample["args"] = {{"value", point.value}};
        events_.push_back(sample);
      }
    for (const Finding& finding : run_.findings)
      if (timeline_of(run_, finding) == &timeline) add_finding(timeline, finding);
  }

  /// A moment inside the last step of the slice.
  uint64_t inside(const TimelineSlice& slice) const { return ts(slice.end) - kTicksPerStep / 2; }

  void add_finding(const Timeline& timeline, const Finding& finding) {
    std::vector<std::pair<uint64_t, uint64_t>> places(finding.accesses.size());  // thread, moment; 0 = not shown
    for (size_t i = 0; i < finding.accesses.size(); ++i) {
      const AccessInfo& access = finding.accesses[i];
      const auto mark = slice_of(timeline, access);
      if (!mark) continue;
      const TimelineSlice& slice = timeline.slices[*mark];
      const uint64_t tid = ++finding_threads_;
      name_thread(0, tid, finding.id + " " + access.role, tid);
      add_slice(0, tid, access.role + ": " + actor_action(access, ", "), "finding", slice.begin, slice.end,
                {{"title", clean_utf8(finding.title)},
                 {"range", clean_utf8(range_text(access, finding))},
                 {"place", clean_utf8(base::place(access.file, access.line))},
                 {"confidence", name_of(finding.confidence)}});
      places[i] = {tid, inside(slice)};
    }
    const auto ends = missing_ends(finding);
    if (!ends || places[ends->first].first == 0 || places[ends->second].first == 0) return;
    // A flow runs forward in time only; the absent link may lead to a side that was there first.
    auto from = places[ends->first], to = places[ends->second];
    if (to.second < from.second) std::swap(from, to);
    add_flow(0, from.first, from.second, 0, to.first, to.second, "absent link: " + finding.missing, "absent link");
  }

  const RunResult& run_;
  std::vector<Json> names_, events_;
  std::set<std::pair<uint64_t, uint64_t>> named_;
  uint64_t offset_ = 0, async_ids_ = 0, flow_ids_ = 0, finding_threads_ = 0;
};

}  // namespace

std::string to_trace(const RunResult& run) {
  return TraceWriter(run).write();
}

}  // namespace ascsan::report
