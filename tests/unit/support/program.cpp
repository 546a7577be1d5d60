#include "support/program.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ascsan::test {
namespace {
using event::CoreId;
using gate::Pipe;
using Kind = Op::Kind;

class Builder {
 public:
  Builder(uint64_t seed, const ProgramShape& shape) : rng_(seed), shape_(shape) {
    program_.seed = seed;
    choose_cores();
    program_.cores.resize(program_.aic + program_.aiv);
    open_.resize(program_.cores.size(), 0);
  }

  Program build() {
    for (uint32_t i = 0; i < shape_.ops; ++i) {
      const auto core = static_cast<CoreId>(below(rng_, static_cast<uint32_t>(program_.cores.size())));
      if (rng_() % 1000 >= static_cast<uint64_t>(shape_.sync_share * 1000))
        add_data(core);
      else
        add_sync(core);
    }
    for (size_t core = 0; core < open_.size(); ++core)
      if (open_[core] != 0 && all_arrived()) add_pass(static_cast<CoreId>(core));
    return program_;
  }

 private:
  void choose_cores() {
    switch (below(rng_, 4)) {
      case 0:
        program_.aiv = 1 + below(rng_, 3);
        return;
      case 1:
        program_.aic = 1 + below(rng_, 2);
        return;
      case 2:
        program_.aic = program_.aiv = 1 + below(rng_, 2);
        program_.ratio = 1;
        return;
      default:
        program_.aic = 1 + below(rng_, 2);
        program_.aiv = 2 * program_.aic;
        program_.ratio = 2;
    }
  }

  Pipe pick_pipe(CoreId core, bool with_scalar) {
    static constexpr Pipe kAiv[] = {Pipe::kS, Pipe::kV, Pipe::kMte2, Pipe::kMte3};
    static constexpr Pipe kAic[] = {Pipe::kS, Pipe::kM, Pipe::kMte1, Pipe::kMte2, Pipe::kMte3, Pipe::kFix};
    const uint32_t skip = with_scalar ? 0 : 1;
    return program_.is_aiv(core) ? kAiv[skip + below(rng_, 4 - skip)] : kAic[skip + below(rng_, 6 - skip)];
  }

  Op& push(CoreId core, Kind kind, Pipe pipe) {
    Op op;
    op.kind = kind;
    op.pipe = pipe;
    op.line = ++line_;
    program_.cores[core].push_back(op);
    return program_.cores[core].back();
  }

  void add_data(CoreId core) {
    const Pipe pipe = pick_pipe(core, true);
    Op& op = push(core, pipe == Pipe::kS ? Kind::kScalar : Kind::kData, pipe);
    op.op = pipe == Pipe::kS ? gate::Op::kLoadScalar : gate::Op::kDataCopy;
    if (shape_.touches) add_touches(core, op);
  }

  void add_touches(CoreId core, Op& op) {
    const auto span = [&](gate::Space space, event::Role role) {
      // Blocks, parts of blocks and odd bytes of a tiny memory, so that conflicts and partial blocks are frequent.
      Touch touch{space, role, 0, 0};
      const uint32_t limit = 128;
      if (below(rng_, 3) == 0) {
        touch.begin = below(rng_, limit - 1);
        touch.end = touch.begin + 1 + below(rng_, static_cast<uint32_t>(std::min<uint64_t>(40, limit - touch.begin)));
      } else {
        touch.begin = 32 * below(rng_, limit / 32);
        touch.end = touch.begin + 32 * (1 + below(rng_, static_cast<uint32_t>((limit - touch.begin) / 32)));
      }
      op.touches.push_back(touch);
    };
    const gate::Space local = program_.is_aiv(core) ? gate::Space::kUb : gate::Space::kL1;
    const auto role = [&] { return below(rng_, 2) ? event::Role::kWrite : event::Role::kRead; };
    switch (op.pipe) {
      case Pipe::kS: {
        const event::Role mine = role();
        op.op = mine == event::Role::kWrite ? gate::Op::kStoreScalar : gate::Op::kLoadScalar;
        span(below(rng_, 2) ? local : gate::Space::kGm, mine);
        op.touches[0].end = std::min<uint64_t>(op.touches[0].end, op.touches[0].begin + 8);
        return;
      }
      case Pipe::kMte2:
        span(local, event::Role::kWrite), span(gate::Space::kGm, event::Role::kRead);
        return;
      case Pipe::kMte3:
      case Pipe::kFix:
        span(gate::Space::kGm, event::Role::kWrite), span(local, event::Role::kRead);
        if (shape_.atomics && below(rng_, 2)) {
          op.touches[0].role = event::Role::kAtomic;
          op.mode = static_cast<uint8_t>(1 + below(rng_, 6) / 5);
          op.atomic_type = gate::DataType::kFloat;
        }
        return;
      default:
        span(local, event::Role::kWrite), span(local, event::Role::kRead);
        return;
    }
  }

  void add_sync(CoreId core) {
    switch (below(rng_, 12)) {
      case 0:
      case 1:
      case 2:
        return add_flag_set(core);
      case 3:
      case 4:
      case 5:
        return add_flag_wait(core);
      case 6:
        push(core, Kind::kPipeBarrier, pick_pipe(core, false));
        return;
      case 7:
        if (below(rng_, 2)) {
          push(core, Kind::kFullBarrier, Pipe::kS);
        } else {
          push(core, Kind::kDataSyncBarrier, Pipe::kS).mode = static_cast<uint8_t>(below(rng_, 3));
        }
        return;
      case 8:
      case 9:
        return add_cross_set(core);
      case 10:
        return add_cross_wait(core);
      default:
        return add_group(core);
    }
  }

  void add_flag_set(CoreId core) {
    const Pipe src = pick_pipe(core, true), dst = pick_pipe(core, true);
    if (src == Pipe::kS && dst == Pipe::kS) return;
    const auto id = static_cast<int16_t>(below(rng_, 8) == 0 ? 300 : below(rng_, 2));
    uint32_t& outstanding = flags_[{core, src, dst, id}];
    if (shape_.single_sets && outstanding > 0) return;
    ++outstanding;
    Op& op = push(core, Kind::kSetFlag, src);
    op.other = dst;
    op.id = id;
  }

  void add_flag_wait(CoreId core) {
    std::vector<std::tuple<CoreId, Pipe, Pipe, int16_t>> open;
    for (const auto& [key, count] : flags_)
      if (std::get<0>(key) == core && count > 0) open.push_back(key);
    if (open.empty()) return;
    const auto& [c, src, dst, id] = open[below(rng_, static_cast<uint32_t>(open.size()))];
    --flags_[{c, src, dst, id}];
    Op& op = push(core, Kind::kWaitFlag, dst);
    op.other = src;
    op.id = id;
  }

  /// Whole group sets once, most of the time; now and then a single core runs ahead.
  void add_cross_set(CoreId core) {
    uint8_t mode = static_cast<uint8_t>(below(rng_, 3));
    if (program_.ratio == 0) mode = 0;
    if (mode == 1 && !program_.is_aiv(core)) mode = 0;
    const auto id = static_cast<int16_t>(mode * 2 + static_cast<int>(below(rng_, 2)));
    std::vector<CoreId> members, targets;
    group(core, mode, members, targets);
    if (below(rng_, 6) == 0) members = {core};
    for (CoreId member : members) {
      Pipe& fixed = set_pipe_[{member, mode, id}];
      if (fixed == Pipe::kS || !shape_.one_pipe_per_set) fixed = pick_pipe(member, false);
      Op& op = push(member, Kind::kCrossSet, fixed);
      op.mode = mode;
      op.id = id;
      count_set(member, mode, id);
    }
  }

  void count_set(CoreId core, uint8_t mode, int16_t id) {
    const uint32_t mine = ++sets_[{core, mode, id}];
    std::vector<CoreId> members, targets;
    group(core, mode, members, targets);
    for (CoreId member : members)
      if (sets_[{member, mode, id}] < mine) return;
    for (CoreId target : targets) ++counters_[{target, id}];
  }

 public:
  static void group_of(const Program& program, CoreId core, uint8_t mode, std::vector<CoreId>& members,
                       std::vector<CoreId>& targets) {
    const auto block = [&](CoreId c) {
      return program.is_aiv(c) ? (c - program.aic) / std::max(1u, program.ratio) : c;
    };
    for (CoreId other = 0; other < program.aic + program.aiv; ++other) {
      const bool same_kind = program.is_aiv(other) == program.is_aiv(core), same_block = block(other) == block(core);
      if (mode == 0 && same_kind) members.push_back(other), targets.push_back(other);
      if (mode == 1 && same_kind && same_block) members.push_back(other), targets.push_back(other);
      if (mode == 2 && same_block) (same_kind ? members : targets).push_back(other);
    }
  }

 private:
  void group(CoreId core, uint8_t mode, std::vector<CoreId>& members, std::vector<CoreId>& targets) const {
    group_of(program_, core, mode, members, targets);
  }

  void add_cross_wait(CoreId core) {
    for (auto& [key, count] : counters_) {
      if (key.first != core || count == 0 || below(rng_, 3) == 0) continue;
      --count;
      push(core, Kind::kCrossWait, Pipe::kS).id = key.second;
      return;
    }
  }

  /// Soft barrier among all AIVs, or a mailbox from one core to another.
  void add_group(CoreId core) {
    if (program_.cores.size() < 2) return;
    if (below(rng_, 2) == 0) {
      const auto to = static_cast<CoreId>(below(rng_, static_cast<uint32_t>(program_.cores.size())));
      const auto id = static_cast<int16_t>(100 + core * 10 + to);
      const uint32_t round = ++mail_[id];
      push(core, Kind::kFullBarrier, Pipe::kS);
      Op& arrive = push(core, Kind::kArrive, Pipe::kS);
      arrive.id = id;
      arrive.ordinal = round;
      Op& pass = push(to, Kind::kPass, Pipe::kS);
      pass.id = id;
      pass.ordinal = round;
      pass.members = {core};
      return;
    }
    if (!program_.is_aiv(core)) return;
    if (open_[core] != 0) {
      if (all_arrived()) add_pass(core);
      return;
    }
    for (CoreId c = static_cast<CoreId>(program_.aic); c < program_.cores.size(); ++c) {
      if (open_[c] != 0) return;  // the round before is not passed by all yet
    }
    ++round_;
    for (CoreId c = static_cast<CoreId>(program_.aic); c < program_.cores.size(); ++c) {
      push(c, Kind::kFullBarrier, Pipe::kS);
      Op& arrive = push(c, Kind::kArrive, Pipe::kS);
      arrive.id = 50;
      arrive.ordinal = open_[c] = round_;
    }
  }
  bool all_arrived() const { return true; }  // arrivals of a round are added together
  void add_pass(CoreId core) {
    Op& pass = push(core, Kind::kPass, Pipe::kS);
    pass.id = 50;
    pass.ordinal = open_[core];
    for (CoreId c = static_cast<CoreId>(program_.aic); c < program_.cores.size(); ++c) pass.members.push_back(c);
    open_[core] = 0;
  }

  Rng rng_;
  ProgramShape shape_;
  Program program_;
  uint32_t line_ = 0, round_ = 0;
  std::map<std::tuple<CoreId, Pipe, Pipe, int16_t>, uint32_t> flags_;
  std::map<std::tuple<CoreId, uint8_t, int16_t>, Pipe> set_pipe_;
  std::map<std::tuple<CoreId, uint8_t, int16_t>, uint32_t> sets_;
  std::map<std::pair<CoreId, int16_t>, uint32_t> counters_;
  std::map<int16_t, uint32_t> mail_;
  std::vector<uint32_t> open_;
};

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
    Builder::group_of(program_, c, op.mode, members, targets);
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

Program random_program(uint64_t seed, const ProgramShape& shape) {
  return Builder(seed, shape).build();
}

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
