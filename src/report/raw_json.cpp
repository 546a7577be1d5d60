// A RunResult between two processes: every field, none lost. See as_json.h and raw_json_io.h.
#include "report/as_json.h"
#include "report/raw_json_io.h"
#include "report/raw_json_witness.h"
#include "report/stacks.h"

namespace ascsan::report {

constexpr const char* kSliceWords[kSliceKindCount] = {"work", "scalar", "wait", "set", "barrier", "stall"};
constexpr const char* kArrowWords[kArrowKindCount] = {"flag", "cross", "group"};
static const char* name_of(SliceKind kind) {
  return kSliceWords[static_cast<size_t>(kind)];
}
static const char* name_of(ArrowKind kind) {
  return kArrowWords[static_cast<size_t>(kind)];
}
template <typename E, size_t n>
static bool find(const char* const (&words)[n], const std::string& word, E& kind) {
  for (size_t i = 0; i < n; ++i)
    if (word == words[i]) return kind = static_cast<E>(i), true;
  return false;
}
static bool parse_word(const std::string& word, SliceKind& kind) {
  return find(kSliceWords, word, kind);
}
static bool parse_word(const std::string& word, ArrowKind& kind) {
  return find(kArrowWords, word, kind);
}

namespace raw {

template <typename V>
void fields(V& v, Frame& x) {
  v.field("function", x.function);
  v.field("file", x.file);
  v.field("line", x.line);
}
template <typename V>
void fields(V& v, AccessInfo& x) {
  v.field("role", x.role);
  v.field("core", x.core);
  v.field("pipe", x.pipe);
  v.field("operation", x.operation);
  v.field("file", x.file);
  v.field("function", x.function);
  v.field("line", x.line);
  v.field("stack", x.stack);
  v.field("bytes", x.bytes);
  v.field("core_id", x.core_id);
  v.field("pipe_id", x.pipe_id);
  v.field("index", x.index);
}
template <typename V>
void fields(V& v, Finding::CommonPoint& x) {
  v.field("what", x.what);
  v.field("file", x.file);
  v.field("line", x.line);
}
template <typename V>
void fields(V& v, Finding::Suppressed& x) {
  v.field("reason", x.reason);
  v.field("owner", x.owner);
  v.field("expires", x.expires);
}
template <typename V>
void fields(V& v, Finding& x) {
  v.field("id", x.id);
  v.field("rule", x.rule);
  v.field("severity", x.severity);
  v.field("confidence", x.confidence);
  v.field("title", x.title);
  v.field("detail", x.detail);
  v.field("kernel", x.kernel);
  v.field("launch", x.launch);
  v.field("merged", x.merged);
  v.field("space", x.space);
  v.field("tensor", x.tensor);
  v.field("bytes", x.bytes);
  v.field("elements", x.elements);
  v.field("accesses", x.accesses);
  v.field("last_common", x.last_common);
  v.field("missing", x.missing);
  v.field("notes", x.notes);
  v.field("suppressed", x.suppressed);
  v.field("baseline", x.baseline);
  v.field("witness", x.witness);
  v.field("impact", x.impact);
  v.field("fix", x.fix);
}
template <typename V>
void fields(V& v, FixedFinding& x) {
  v.field("id", x.id);
  v.field("rule", x.rule);
  v.field("title", x.title);
  v.field("kernel", x.kernel);
}
template <typename V>
void fields(V& v, Launch& x) {
  v.field("kernel", x.kernel);
  v.field("chip", x.chip);
  v.field("profile", x.profile);
  v.field("schedule", x.schedule);
  v.field("block_dim", x.block_dim);
  v.field("seed", x.seed);
  v.field("instructions", x.instructions);
  v.field("bytes_checked", x.bytes_checked);
  v.field("aic", x.aic);
  v.field("aiv", x.aiv);
}
template <typename V>
void fields(V& v, Unchecked& x) {
  v.field("what", x.what);
  v.field("why", x.why);
}
template <typename V>
void fields(V& v, OptionValue& x) {
  v.field("name", x.name);
  v.field("value", x.value);
  v.field("origin", x.origin);
}
template <typename V>
void fields(V& v, Timing& x) {
  v.field("total_seconds", x.total_seconds);
  v.field("launch_seconds", x.launch_seconds);
}
template <typename V>
void fields(V& v, TimelineLane& x) {
  v.field("core", x.core);
  v.field("pipe", x.pipe);
  v.field("core_name", x.core_name);
  v.field("pipe_name", x.pipe_name);
}
template <typename V>
void fields(V& v, TimelineSlice& x) {
  v.field("lane", x.lane);
  v.field("kind", x.kind);
  v.field("begin", x.begin);
  v.field("end", x.end);
  v.field("index", x.index);
  v.field("name", x.name);
  v.field("detail", x.detail);
  v.field("place", x.place);
}
template <typename V>
void fields(V& v, TimelineArrow& x) {
  v.field("from", x.from);
  v.field("to", x.to);
  v.field("kind", x.kind);
}
template <typename V>
void fields(V& v, CounterPoint& x) {
  v.field("step", x.step);
  v.field("value", x.value);
}
template <typename V>
void fields(V& v, TimelineCounter& x) {
  v.field("core", x.core);
  v.field("core_name", x.core_name);
  v.field("name", x.name);
  v.field("points", x.points);
}
template <typename V>
void fields(V& v, Timeline& x) {
  v.field("launch", x.launch);
  v.field("kernel", x.kernel);
  v.field("steps", x.steps);
  v.field("dropped", x.dropped);
  v.field("lanes", x.lanes);
  v.field("slices", x.slices);
  v.field("arrows", x.arrows);
  v.field("counters", x.counters);
  v.field("texts", x.texts);
  v.field("places", x.places);
}
template <typename V>
void fields(V& v, RunResult& x) {
  v.field("options", x.options);
  v.field("launches", x.launches);
  v.field("unchecked", x.unchecked);
  v.field("findings", x.findings);
  v.field("fixed", x.fixed);
  v.field("suppression_notes", x.suppression_notes);
  v.field("timelines", x.timelines);
  v.field("timing", x.timing);
  v.field("program_status", x.program_status);
  v.field("crash", x.crash);
}
template <typename V>
void fields(V& v, AccessStack& x) {
  v.field("launch", x.key.launch);
  v.field("core", x.key.core);
  v.field("pipe", x.key.pipe);
  v.field("index", x.key.index);
  v.field("frames", x.frames);
}

/// The document behind a run or a list of stacks, so that both end in the same error handling.
struct StackList {
  std::vector<AccessStack> stacks;
};
template <typename V>
void fields(V& v, StackList& x) {
  v.field("stacks", x.stacks);
}

struct TimelineList {
  std::vector<Timeline> timelines;
};
template <typename V>
void fields(V& v, TimelineList& x) {
  v.field("timelines", x.timelines);
}

}  // namespace raw

using raw::read;
using raw::StackList;
using raw::TimelineList;
using raw::write;

std::string to_raw_json(const RunResult& run) {
  return write(run);
}
bool from_raw_json(std::string_view text, RunResult& run, std::string* error) {
  return read(text, run, error);
}

std::string stacks_to_json(const std::vector<AccessStack>& stacks) {
  return write(StackList{stacks});
}
bool stacks_from_json(std::string_view text, std::vector<AccessStack>& stacks, std::string* error) {
  StackList list;
  const bool good = read(text, list, error);
  stacks = std::move(list.stacks);
  return good;
}

std::string timelines_to_json(const std::vector<Timeline>& timelines) {
  return write(TimelineList{timelines});
}
bool timelines_from_json(std::string_view text, std::vector<Timeline>& timelines, std::string* error) {
  TimelineList list;
  const bool good = read(text, list, error);
  timelines = std::move(list.timelines);
  return good;
}

}  // namespace ascsan::report
