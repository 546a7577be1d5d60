// What happened on the cores around the findings of a launch, as plain data for the HTML and trace reports. The machine
// has no clock: time is the number of the step, counted over issues and events of the launch, equal in equal runs.
// Filled by explain/timeline.h; bounded, so older or unrelated slices may be missing. Left out: how it is drawn.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ascsan::report {

/// A place in the source; in call stacks one level.
struct Frame {
  std::string function, file;
  uint32_t line = 0;
};

enum class SliceKind : uint8_t {
  kWork,     ///< an instruction, from the moment it may start to its completion
  kScalar,   ///< a scalar access
  kWait,     ///< from the moment only the wait is left to do until it passes
  kSet,      ///< a flag or cross-core flag fires, a core arrives at a barrier
  kBarrier,  ///< PipeBarrier, PIPE_ALL
  kStall     ///< a wait that never passes
};
inline constexpr int kSliceKindCount = 6;

enum class ArrowKind : uint8_t {
  kFlag,   ///< SetFlag -> WaitFlag within a core
  kCross,  ///< CrossCoreSetFlag -> CrossCoreWaitFlag
  kGroup   ///< arrival -> passing of a soft barrier
};
inline constexpr int kArrowKindCount = 3;

/// One pipe of one core.
struct TimelineLane {
  uint32_t core = 0, pipe = 0;
  std::string core_name, pipe_name;  ///< "AIV 3", "MTE2"; "S" is the scalar unit
};

struct TimelineSlice {
  uint32_t lane = 0;  ///< into Timeline::lanes
  SliceKind kind{};
  uint64_t begin = 0, end = 0;  ///< steps, begin < end; slices of one lane overlap only where copies do
  uint32_t index = 0;           ///< kWork, kScalar: position in the pipe, from 1; else 0
  uint32_t name = 0;            ///< into Timeline::texts
  uint32_t detail = 0;          ///< into Timeline::texts, what it touches; text 0 is empty
  uint32_t place = 0;           ///< into Timeline::places; place 0 is unknown
};

/// Indices into Timeline::slices. Where many set and many wait, all sets lead to the last one, and that one to all
/// waits.
struct TimelineArrow {
  uint32_t from = 0, to = 0;
  ArrowKind kind{};
};

struct CounterPoint {
  uint64_t step = 0, value = 0;
};
struct TimelineCounter {
  uint32_t core = 0;
  std::string core_name;
  std::string name;  ///< "queued MTE2", "tensors in queue 1", "UB in use"
  std::vector<CounterPoint> points;
};

struct Timeline {
  uint32_t launch = 0;
  std::string kernel;
  uint64_t steps = 0;                 ///< of the whole launch
  uint64_t dropped = 0;               ///< slices that did not fit or were too far from any finding
  std::vector<TimelineLane> lanes;    ///< by core, then pipe; only those with slices
  std::vector<TimelineSlice> slices;  ///< by begin, end, lane
  std::vector<TimelineArrow> arrows;  ///< by to, from
  std::vector<TimelineCounter> counters;
  std::vector<std::string> texts;
  std::vector<Frame> places;
};

/// Between the process that runs the kernel and the one that reports; private form (raw_json.cpp), without loss.
std::string timelines_to_json(const std::vector<Timeline>& timelines);
/// False, with a text in *error, when `text` is not what timelines_to_json writes.
bool timelines_from_json(std::string_view text, std::vector<Timeline>& timelines, std::string* error);

}  // namespace ascsan::report
