// Findings in timelines. See marks.h.
#include "report/marks.h"

#include <algorithm>

namespace ascsan::report {
namespace {

bool at_place(const Timeline& timeline, const TimelineSlice& slice, const std::string& file, uint32_t line) {
  const Frame& place = timeline.places[slice.place];
  return line != 0 && place.line == line && place.file == file;
}

}  // namespace

const Timeline* timeline_of(const RunResult& run, const Finding& finding) {
  for (const Timeline& timeline : run.timelines)
    if (timeline.launch == finding.launch && !timeline.slices.empty()) return &timeline;
  return nullptr;
}

std::optional<uint32_t> slice_of(const Timeline& timeline, const AccessInfo& access) {
  std::optional<uint32_t> result;
  for (uint32_t i = 0; i < timeline.slices.size(); ++i) {
    const TimelineSlice& slice = timeline.slices[i];
    const TimelineLane& lane = timeline.lanes[slice.lane];
    if (lane.core != access.core_id) continue;
    const bool data = slice.kind == SliceKind::kWork || slice.kind == SliceKind::kScalar;
    if (access.index != 0) {
      if (data && lane.pipe == access.pipe_id && slice.index == access.index) return i;
    } else if (at_place(timeline, slice, access.file, access.line)) {
      result = i;
    }
  }
  return result;
}

std::vector<uint32_t> common_slices(const Timeline& timeline, const Finding& finding) {
  std::vector<uint32_t> result;
  if (!finding.last_common) return result;
  for (const AccessInfo& access : finding.accesses) {
    const std::optional<uint32_t> mark = slice_of(timeline, access);
    std::optional<uint32_t> newest;
    for (uint32_t i = 0; i < timeline.slices.size(); ++i) {
      const TimelineSlice& slice = timeline.slices[i];
      if (timeline.lanes[slice.lane].core != access.core_id || (mark && slice.end > timeline.slices[*mark].end))
        continue;
      if (!at_place(timeline, slice, finding.last_common->file, finding.last_common->line)) continue;
      if (!newest || slice.end >= timeline.slices[*newest].end) newest = i;
    }
    if (newest && std::find(result.begin(), result.end(), *newest) == result.end()) result.push_back(*newest);
  }
  return result;
}

}  // namespace ascsan::report
