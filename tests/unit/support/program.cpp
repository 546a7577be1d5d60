#include "support/program.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ascsan::test {
namespace {
using event::CoreId;
using gate::Pipe;
using Kind = Op::Kind;

class Player {
 public:
  Player(const Program& program, uint64_t seed, Schedule schedule, event::SiteTable& sites, event::Sink& sink,
         bool auto_sync)
      : program_(program),
        rng_(seed),
        schedule_(schedule),
        auto_sync_(auto_sync),
        sites_(sites),
        sink_(sink),
        cores_(program.cores.size()) {}

  bool play() {
    event::Event begin;
    begin.kind = event::Kind::kLaunchBegin;
    begin.text = "generated";
    begin.value[0] = program_.aic;
    begin.value[1] = program_.aiv;
    begin.mode = static_cast<uint8_t>(program_.ratio);
    sink_.on_event(begin);
    std::vector<std::pair<CoreId, Pipe>> ready;
    for (;;) {
      ready.clear();
      bool work = false;
      for (CoreId c = 0; c < cores_.size(); ++c) {
        if (cores_[c].pc < program_.cores[c].size()) {
          work = true;
          if (scalar_ready(c)) ready.push_back({c, Pipe::kS});
        }
        for (int p = 1; p < gate::kPipeCount; ++p) {
          if (cores_[c].queue[p].empty()) continue;
          work = true;
          if (head_ready(c, static_cast<Pipe>(p))) ready.push_back({c, static_cast<Pipe>(p)});
        }
      }
      if (!work || ready.empty()) break;
      const auto [core, pipe] = choose(ready);
      if (pipe == Pipe::kS)
        scalar_step(core);
      else
        pipe_step(core, pipe);
    }
    event::Event end;
    end.kind = event::Kind::kLaunchEnd;
    sink_.on_event(end);
    for (CoreId c = 0; c < cores_.size(); ++c) {
      if (cores_[c].pc < program_.cores[c].size()) return false;
      for (const auto& queue : cores_[c].queue)
        if (!queue.empty()) return false;
    }
    return true;
  }

 private:
  struct Queued {
    const Op* op;
    uint32_t index, version, scalar_index, program;
  };
  struct Core {
    size_t pc = 0;
    std::vector<Queued> queue[gate::kPipeCount];
    uint32_t issued[gate::kPipeCount] = {}, scalar_index = 0, version = 0;
    std::map<std::tuple<Pipe, Pipe, int16_t>, std::pair<uint32_t, uint32_t>> flags;  // fired, passed
    std::map<std::pair<uint8_t, int16_t>, uint32_t> sets;
    std::map<int16_t, uint32_t> counters, waits;
    std::map<std::pair<int16_t, uint32_t>, bool> arrived;
  };

  std::pair<CoreId, Pipe> choose(const std::vector<std::pair<CoreId, Pipe>>& ready) {
    if (schedule_ != Schedule::kRandom && rng_() % 16 != 0) {
      std::vector<std::pair<CoreId, Pipe>> wanted;
      for (const auto& actor : ready)
        if ((actor.second == Pipe::kS) == (schedule_ == Schedule::kLazy)) wanted.push_back(actor);
      if (!wanted.empty()) return wanted[below(rng_, static_cast<uint32_t>(wanted.size()))];
    }
    return ready[below(rng_, static_cast<uint32_t>(ready.size()))];
  }

  static bool waits_for(const Op& op, Pipe pipe) {
    if (op.kind == Kind::kFullBarrier || op.mode == 0) return true;
    if (op.mode == 1) return pipe == Pipe::kMte2 || pipe == Pipe::kMte3 || pipe == Pipe::kFix;
    return pipe == Pipe::kV || pipe == Pipe::kMte2 || pipe == Pipe::kMte3;
  }

  bool scalar_ready(CoreId c) {
    Core& core = cores_[c];
    const Op& op = program_.cores[c][core.pc];
    switch (op.kind) {
      case Kind::kWaitFlag:
        if (op.pipe != Pipe::kS) return true;
        return core.flags[{op.other, op.pipe, op.id}].first > core.flags[{op.other, op.pipe, op.id}].second;
      case Kind::kFullBarrier:
      case Kind::kDataSyncBarrier:
        for (int p = 1; p < gate::kPipeCount; ++p)
          if (waits_for(op, static_cast<Pipe>(p)) && !core.queue[p].empty()) return false;
        return true;
      case Kind::kScalar:
        return !auto_sync_ || !program_.is_aiv(c) || !conflict_queued(c, op);
      case Kind::kCrossWait:
        return core.counters[op.id] > 0;
      case Kind::kPass:
        for (CoreId member : op.members)
          if (!cores_[member].arrived[{op.id, op.ordinal}]) return false;
        return true;
      default:
        return true;
    }
  }

  /// The compiler's flag comes after the newest conflicting instruction of a pipe and covers all before it, also where
  /// transfers complete out of order.
  bool conflict_queued(CoreId c, const Op& scalar) {
    Core& core = cores_[c];
    uint32_t index[gate::kPipeCount] = {}, newest[gate::kPipeCount] = {};
    for (size_t i = 0; i < core.pc; ++i) {
      const Op& op = program_.cores[c][i];
      if (op.kind != Kind::kData) continue;
      const auto pipe = static_cast<size_t>(op.pipe);
      ++index[pipe];
      for (const Touch& mine : scalar.touches)
        for (const Touch& theirs : op.touches)
          if (mine.space == theirs.space && mine.begin < theirs.end && theirs.begin < mine.end &&
              (event::writes(mine.role) || event::writes(theirs.role)))
            newest[pipe] = index[pipe];
    }
    for (size_t pipe = 0; pipe < gate::kPipeCount; ++pipe)
      for (const Queued& entry : core.queue[pipe])
        if (entry.op->kind == Kind::kData && entry.index <= newest[pipe]) return true;
    return false;
  }

  bool head_ready(CoreId c, Pipe pipe) {
    const Op& op = *cores_[c].queue[static_cast<size_t>(pipe)].front().op;
    if (op.kind != Kind::kWaitFlag) return true;
    const auto& [fired, passed] = cores_[c].flags[{op.other, op.pipe, op.id}];
    return fired > passed;
  }

  event::Event make(event::Kind kind, CoreId core, const Queued& at) {
    event::Event event;
    event.kind = kind;
    event.core = core;
    event.pipe = at.op->pipe;
    event.other = at.op->other;
    event.mode = at.op->mode;
    event.id = at.op->id;
    event.op = at.op->op;
    event.atomic_type = at.op->atomic_type;
    event.value[0] = at.op->value[0];
    event.value[1] = at.op->value[1];
    event.site = sites_.intern({"generated.cpp", program_.is_aiv(core) ? "vector_core" : "cube_core", at.op->line});
    event.index = at.index;
    event.scalar_index = at.scalar_index;
    event.scalar_version = at.version;
    event.program_index = at.program;
    return event;
  }

  void send_data(event::Event event, const Op& op) {
    std::vector<event::Access> accesses;
    std::vector<event::Span> spans;
    for (const Touch& touch : op.touches) {
      event::Access access;
      access.space = touch.space;
      access.role = touch.role;
      access.operand = static_cast<uint8_t>(accesses.size());
      access.type = gate::DataType::kInt8;
      access.first_span = static_cast<uint32_t>(spans.size());
      access.span_count = 1;
      access.tensor_begin = touch.begin;
      access.tensor_bytes = touch.end - touch.begin;
      accesses.push_back(access);
      spans.push_back({touch.begin, touch.end});
    }
    event.accesses = accesses.data();
    event.access_count = static_cast<uint32_t>(accesses.size());
    event.spans = spans.data();
    sink_.on_event(event);
  }

  std::pair<uint32_t, uint32_t> oldest(const Core& core) const {
    std::pair<uint32_t, uint32_t> point{core.version, core.scalar_index};
    for (const auto& queue : core.queue)
      for (const Queued& entry : queue) point = std::min(point, {entry.version, entry.scalar_index});
    return point;
  }

  void join(Core& core, event::Event event) {
    event.oldest_version = oldest(core).first;
    sink_.on_event(event);
    ++core.version;
  }

  void scalar_step(CoreId c) {
    Core& core = cores_[c];
    const Op& op = program_.cores[c][core.pc++];
    Queued now{&op, 0, core.version, core.scalar_index, static_cast<uint32_t>(core.pc)};
    if (op.kind == Kind::kData) {
      now.index = ++core.issued[static_cast<size_t>(op.pipe)];
      core.queue[static_cast<size_t>(op.pipe)].push_back(now);
      return;
    }
    const bool queued = op.pipe != Pipe::kS && (op.kind == Kind::kSetFlag || op.kind == Kind::kWaitFlag ||
                                                op.kind == Kind::kPipeBarrier || op.kind == Kind::kCrossSet);
    if (queued) {
      now.index = core.issued[static_cast<size_t>(op.pipe)];
      core.queue[static_cast<size_t>(op.pipe)].push_back(now);
      return;
    }
    now.index = core.scalar_index;
    switch (op.kind) {
      case Kind::kScalar: {
        now.index = now.scalar_index = ++core.scalar_index;
        event::Event event = make(event::Kind::kScalarAccess, c, now);
        std::tie(event.oldest_version, event.oldest_index) = oldest(core);
        return send_data(event, op);
      }
      case Kind::kSetFlag:
        return fire_flag(c, now);
      case Kind::kWaitFlag:
        return pass_flag(c, now);
      case Kind::kFullBarrier:
        return join(core, make(event::Kind::kFullBarrier, c, now));
      case Kind::kDataSyncBarrier: {
        event::Event event = make(event::Kind::kFullBarrier, c, now);
        event.value[0] = 1;
        return join(core, event);
      }
      case Kind::kCrossWait: {
        --core.counters[op.id];
        event::Event event = make(event::Kind::kCrossWait, c, now);
        event.ordinal = ++core.waits[op.id];
        return join(core, event);
      }
      case Kind::kArrive: {
        core.arrived[{op.id, op.ordinal}] = true;
        event::Event event = make(event::Kind::kGroupArrive, c, now);
        event.ordinal = op.ordinal;
        sink_.on_event(event);
        return;
      }
      default: {
        event::Event event = make(event::Kind::kGroupPass, c, now);
        event.ordinal = op.ordinal;
        event.members = op.members.data();
        event.member_count = static_cast<uint16_t>(op.members.size());
        return join(core, event);
      }
    }
  }

  void fire_flag(CoreId c, const Queued& at) {
    event::Event event = make(event::Kind::kSetFlag, c, at);
    event.ordinal = ++cores_[c].flags[{at.op->pipe, at.op->other, at.op->id}].first;
    sink_.on_event(event);
  }
  void pass_flag(CoreId c, const Queued& at) {
    event::Event event = make(event::Kind::kWaitFlag, c, at);
    event.ordinal = ++cores_[c].flags[{at.op->other, at.op->pipe, at.op->id}].second;
    if (at.op->pipe == Pipe::kS)
      join(cores_[c], event);
    else
      sink_.on_event(event);
  }

  void pipe_step(CoreId c, Pipe pipe) {
    auto& queue = cores_[c].queue[static_cast<size_t>(pipe)];
    size_t slot = 0;
    // Transfers may finish out of order up to the next flag or barrier.
    if (pipe != Pipe::kV && pipe != Pipe::kM) {
      size_t window = 0;
      while (window < queue.size() && queue[window].op->kind == Kind::kData) ++window;
      if (window > 1) slot = below(rng_, static_cast<uint32_t>(window));
    }
    const Queued at = queue[slot];
    queue.erase(queue.begin() + static_cast<ptrdiff_t>(slot));
    switch (at.op->kind) {
      case Kind::kData:
        return send_data(make(event::Kind::kInstruction, c, at), *at.op);
      case Kind::kSetFlag:
        return fire_flag(c, at);
      case Kind::kWaitFlag:
        return pass_flag(c, at);
      case Kind::kPipeBarrier:
        sink_.on_event(make(event::Kind::kPipeBarrier, c, at));
        return;
      default:
        return fire_cross(c, at);
    }
  }

  void fire_cross(CoreId c, const Queued& at) {
    const Op& op = *at.op;
    const uint32_t mine = ++cores_[c].sets[{op.mode, op.id}];
    event::Event set = make(event::Kind::kCrossSet, c, at);
    set.ordinal = mine;
    sink_.on_event(set);
    std::vector<CoreId> members, targets;
    group_of(program_, c, op.mode, members, targets);
    for (CoreId member : members)
      if (cores_[member].sets[{op.mode, op.id}] < mine) return;
    event::Event release = make(event::Kind::kCrossRelease, c, at);
    release.ordinal = mine;
    release.members = members.data();
    release.member_count = static_cast<uint16_t>(members.size());
    release.targets = targets.data();
    release.target_count = static_cast<uint16_t>(targets.size());
    sink_.on_event(release);
    for (CoreId target : targets) ++cores_[target].counters[op.id];
  }

  const Program& program_;
  Rng rng_;
  Schedule schedule_;
  bool auto_sync_;
  event::SiteTable& sites_;
  event::Sink& sink_;
  std::vector<Core> cores_;
};

const char* name_of(Kind kind) {
  static constexpr const char* kNames[] = {"data",     "scalar",          "SetFlag",  "WaitFlag",  "PipeBarrier",
                                           "PIPE_ALL", "DataSyncBarrier", "CrossSet", "CrossWait", "Arrive",
                                           "Pass"};
  return kNames[static_cast<size_t>(kind)];
}
}  // namespace

bool run(const Program& program, uint64_t seed, Schedule schedule, event::SiteTable& sites, event::Sink& sink,
         bool auto_sync) {
  return Player(program, seed, schedule, sites, sink, auto_sync).play();
}

size_t Program::size() const {
  size_t total = 0;
  for (const auto& core : cores) total += core.size();
  return total;
}

std::string Program::text() const {
  std::string text;
  const event::CoreCounts counts{aic, aiv};
  for (CoreId c = 0; c < cores.size(); ++c) {
    text += counts.name(c) + ":\n";
    for (const Op& op : cores[c]) {
      text += "  line " + std::to_string(op.line) + "  " + test::name_of(op.kind) + " " + event::pipe_name(op.pipe);
      if (op.kind == Kind::kSetFlag) text += std::string(" -> ") + event::pipe_name(op.other);
      if (op.kind == Kind::kWaitFlag) text += std::string(" <- ") + event::pipe_name(op.other);
      if (op.kind != Kind::kData && op.kind != Kind::kScalar)
        text += " id " + std::to_string(op.id) + " mode " + std::to_string(op.mode) + " round " +
                std::to_string(op.ordinal);
      for (const Touch& touch : op.touches)
        text += std::string(event::writes(touch.role) ? "  writes " : "  reads ") + event::space_name(touch.space) +
                "[" + std::to_string(touch.begin) + ".." + std::to_string(touch.end) + ")";
      text += "\n";
    }
  }
  return text;
}

}  // namespace ascsan::test
