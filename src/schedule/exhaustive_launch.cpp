// From events to a tiny launch: program order restored, footprints cut into segments, ordinals counted. See
// exhaustive.h.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "machine/unit_flag.h"
#include "schedule/exhaustive.h"

namespace ascsan::schedule {
namespace {
using event::Kind;
using gate::Pipe;

bool kept(Kind kind) {
  switch (kind) {
    case Kind::kInstruction:
    case Kind::kScalarAccess:
    case Kind::kSetFlag:
    case Kind::kWaitFlag:
    case Kind::kPipeBarrier:
    case Kind::kFullBarrier:
    case Kind::kCrossSet:
    case Kind::kCrossWait:
    case Kind::kGroupArrive:
    case Kind::kGroupPass:
      return true;
    default:
      return false;
  }
}

/// slots of the framework's own barriers are no data.
bool of_framework(gate::Op op) {
  return op == gate::Op::kSyncAll || op == gate::Op::kSyncAllSoft || op == gate::Op::kIbSet ||
         op == gate::Op::kIbWait || op == gate::Op::kInitDetermine || op == gate::Op::kWaitPreBlock ||
         op == gate::Op::kNotifyNextBlock;
}

using Memory = std::pair<gate::Space, event::CoreId>;
Memory memory_of(gate::Space space, event::CoreId core) {
  return {space, space == gate::Space::kGm ? event::CoreId{0} : core};
}
}  // namespace

size_t TinyLaunch::accesses() const {
  return static_cast<size_t>(std::count_if(ops.begin(), ops.end(), [](const TinyOp& op) { return op.access(); }));
}

void TinyRecorder::on_event(const event::Event& event) {
  if (event.kind == Kind::kLaunchBegin) {
    launch_ = {};
    rows_.clear();
    launch_.aic = static_cast<uint32_t>(event.value[0]);
    launch_.aiv = static_cast<uint32_t>(event.value[1]);
    launch_.ratio = event.mode;
    return;
  }
  if (!kept(event.kind)) return;
  Row row;
  TinyOp& op = row.op;
  op.kind = event.kind, op.core = event.core, op.pipe = event.pipe, op.other = event.other, op.op = event.op;
  op.mode = event.mode, op.id = event.id, op.ordinal = event.ordinal, op.index = event.index, op.site = event.site;
  op.atomic_type = event.atomic_type;
  op.value[0] = event.value[0], op.value[1] = event.value[1];
  op.members.assign(event.members, event.members + event.member_count);
  row.program = event.program_index;
  row.version = event.scalar_version;
  row.join = event.kind == Kind::kFullBarrier || event.kind == Kind::kCrossWait || event.kind == Kind::kGroupPass ||
             (event.kind == Kind::kWaitFlag && event.pipe == Pipe::kS);
  if (!of_framework(event.op))
    for (uint32_t a = 0; a < event.access_count; ++a) {
      event::Access access = event.accesses[a];
      const event::Span* first = event.spans + access.first_span;
      access.first_span = static_cast<uint32_t>(row.spans.size());
      row.spans.insert(row.spans.end(), first, first + access.span_count);
      row.accesses.push_back(access);
    }
  rows_.push_back(std::move(row));
}

/// Boundaries of all footprints of a memory cut it into segments; each touch becomes the segments inside it.
void TinyRecorder::cut_segments() {
  std::map<Memory, std::set<uint64_t>> cuts;
  for (const Row& row : rows_)
    for (const event::Access& access : row.accesses)
      for (uint32_t s = 0; s < access.span_count; ++s) {
        const event::Span& span = row.spans[access.first_span + s];
        cuts[memory_of(access.space, row.op.core)].insert({span.begin, span.end});
      }
  std::map<std::pair<Memory, uint64_t>, uint32_t> by_begin;
  for (const auto& [memory, bounds] : cuts)
    for (auto at = bounds.begin(); std::next(at) != bounds.end(); ++at) {
      by_begin[{memory, *at}] = static_cast<uint32_t>(launch_.segments.size());
      launch_.segments.push_back({memory.first, memory.second, *at, *std::next(at)});
    }
  for (Row& row : rows_)
    for (const event::Access& access : row.accesses)
      for (uint32_t s = 0; s < access.span_count; ++s) {
        const event::Span& span = row.spans[access.first_span + s];
        if (span.begin == span.end) continue;
        uint32_t segment = by_begin.at({memory_of(access.space, row.op.core), span.begin});
        for (; segment < launch_.segments.size() && launch_.segments[segment].end <= span.end &&
               launch_.segments[segment].begin >= span.begin &&
               memory_of(launch_.segments[segment].space, launch_.segments[segment].core) ==
                   memory_of(access.space, row.op.core);
             ++segment)
          row.op.touches.push_back({segment, access.role, access.tensor_begin});
      }
}

void TinyRecorder::number_ordinals() {
  std::map<std::tuple<Kind, event::CoreId, Pipe, Pipe, uint8_t, int16_t>, uint32_t> counts;
  for (TinyOp& op : launch_.ops) {
    const bool flag = op.kind == Kind::kSetFlag || op.kind == Kind::kWaitFlag;
    // a bit turned once lets several instructions start, so the n-th wait is not for the n-th turn.
    const bool unit_flag = flag && op.id >= machine::UnitFlags::kFirstId;
    if (flag && !unit_flag) op.ordinal = ++counts[{op.kind, op.core, op.pipe, op.other, 0, op.id}];
    if (op.kind == Kind::kCrossSet) op.ordinal = ++counts[{op.kind, op.core, Pipe::kS, Pipe::kS, op.mode, op.id}];
    if (op.kind == Kind::kCrossWait) op.ordinal = ++counts[{op.kind, op.core, Pipe::kS, Pipe::kS, 0, op.id}];
  }
}

TinyLaunch TinyRecorder::take() {
  // What one call issues in several steps shares its place in the program; the joins it passes tell them apart.
  std::stable_sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) {
    return std::tie(a.op.core, a.program, a.version, a.join) < std::tie(b.op.core, b.program, b.version, b.join);
  });
  cut_segments();
  launch_.programs.resize(launch_.aic + launch_.aiv);
  event::CoreId loader = 0;
  bool loads = false;
  for (Row& row : rows_) {
    if (row.op.op == gate::Op::kLoadBypass) {
      launch_.polled = launch_.polled || (loads && loader != row.op.core) || launch_.aic + launch_.aiv > 1;
      loads = true;
      loader = row.op.core;
    }
    launch_.programs[row.op.core].push_back(static_cast<uint32_t>(launch_.ops.size()));
    launch_.ops.push_back(std::move(row.op));
  }
  number_ordinals();
  return std::move(launch_);
}

}  // namespace ascsan::schedule
