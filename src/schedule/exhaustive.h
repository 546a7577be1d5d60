// All legal schedules of a tiny launch, as an oracle for the order: two accesses race exactly if one schedule lets the
// first start before the second is done, and another one the other way round. Written from spec/hb-rules.md 1-3 and
// execution-model.md 3.3 as a machine of steps (issue, start, done, fire, pass), without clocks and without a graph.
//
// The search is over states, not over paths: a launch of n accesses has at most 2^n of them. Partial-order reduction:
// whatever is no access only enables other steps and is matched by position (the n-th wait takes the n-th set), so it
// is taken as soon as it can; left to choose is which access is done next. `reduce = false` takes every step on its
// own; tests compare the two. Left out: polled words, whose order hangs on values, and single-bit flags (R-7
// matches in order of issue). Unit flags are flags matched as in the recorded run: which turn of its bits an
// instruction starts after is the same in every schedule, as M and FIX start in order. As with a flag, bits turn once
// all earlier instructions of the pipe are done.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "event/event.h"

namespace ascsan::schedule {

/// Bytes that every access of the launch touches wholly or not at all.
struct Segment {
  gate::Space space = gate::Space::kNone;
  event::CoreId core = 0;  ///< 0 for GM
  uint64_t begin = 0, end = 0;
};

struct TinyTouch {
  uint32_t segment = 0;
  event::Role role = event::Role::kRead;
  uint64_t tensor_begin = 0;
};

/// One operation in the program of its core.
struct TinyOp {
  event::Kind kind{};
  event::CoreId core = 0;
  gate::Pipe pipe = gate::Pipe::kS, other = gate::Pipe::kS;
  gate::Op op{};
  uint8_t mode = 0;
  int16_t id = 0;
  uint32_t ordinal = 0;  ///< flags and cross-core: counted in program order; unit flags: of the event; groups: round
  uint32_t index = 0;    ///< as in the event
  event::SiteId site = 0;
  gate::DataType atomic_type = gate::DataType::kNone;
  uint64_t value[2] = {0, 0};
  std::vector<TinyTouch> touches;
  std::vector<event::CoreId> members;

  bool access() const { return kind == event::Kind::kInstruction || kind == event::Kind::kScalarAccess; }
};

struct TinyLaunch {
  static constexpr size_t kMaxOps = 128;
  uint32_t aic = 0, aiv = 0, ratio = 0;
  std::vector<TinyOp> ops;                      ///< core by core, in program order
  std::vector<std::vector<uint32_t>> programs;  ///< per core: its ops
  std::vector<Segment> segments;
  bool polled = false;  ///< scalar loads past the cache by more than one core: outside the oracle

  bool is_aiv(event::CoreId core) const { return core >= aic; }
  size_t accesses() const;
};

/// Builds the launch from the events of one run, whatever its schedule.
class TinyRecorder {
 public:
  void on_event(const event::Event& event);
  TinyLaunch take();

 private:
  struct Row {
    TinyOp op;
    uint32_t program = 0, version = 0;
    bool join = false;
    std::vector<event::Access> accesses;
    std::vector<event::Span> spans;
  };
  void cut_segments();
  void number_ordinals();
  TinyLaunch launch_;
  std::vector<Row> rows_;
};

using OpSet = unsigned __int128;

struct ExploreOptions {
  bool auto_sync = true;          ///< rule R-13
  bool reduce = true;             ///< only accesses are choices
  bool outcomes = false;          ///< count different contents of global memory at the end (with reduce)
  uint64_t max_states = 2000000;  ///< then the answer is not complete
};

struct Explored {
  bool complete = false, hangs = false;
  uint64_t states = 0;
  uint64_t schedules = 0;  ///< orders in which the accesses can be done; saturates
  uint64_t outcomes = 0;
  std::vector<OpSet> early;  ///< early[y] holds x: some schedule starts y while x is not done

  bool ordered(uint32_t x, uint32_t y) const { return ((early[y] >> x) & 1) == 0; }
};

Explored explore(const TinyLaunch& launch, const ExploreOptions& options);

/// The two touch bytes of `segment`, one of them writes, and no exemption of spec/hb-rules.md 4 holds.
bool conflicts(const TinyLaunch& launch, uint32_t x, uint32_t y, uint32_t segment);
/// They conflict and are ordered neither way.
bool races(const TinyLaunch& launch, const Explored& explored, uint32_t x, uint32_t y, uint32_t segment);

}  // namespace ascsan::schedule
