#include "schedule/exhaustive.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <unordered_map>

namespace ascsan::schedule {
namespace {
using event::Kind;
using event::Role;
using gate::Pipe;

constexpr OpSet bit(uint32_t op) {
  return OpSet{1} << op;
}
bool all_in(OpSet part, OpSet whole) {
  return (part & ~whole) == 0;
}

uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = (a ^ 0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd + b;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53;
  return x ^ (x >> 29);
}

/// E-3: one Mmad after another on the same large tile needs no barrier.
bool large_tile(const Segment& segment, const TinyOp& a, const TinyTouch& t, const TinyOp& b, const TinyTouch& u) {
  return a.core == b.core && a.pipe == Pipe::kM && b.pipe == Pipe::kM && segment.space == gate::Space::kL0c &&
         t.tensor_begin == u.tensor_begin && a.value[0] == b.value[0] && a.value[1] == b.value[1] &&
         (a.value[0] / 16) * (a.value[1] / 16) >= 10;
}

/// `done` of a set, wait or barrier: fired or passed. Scalar steps are issued, started and done at once.
struct State {
  OpSet issued = 0, started = 0, done = 0;
  std::vector<uint64_t> memory;  ///< per segment, then per core what its scalar has loaded; empty without outcomes
  bool operator==(const State&) const = default;
};
struct Hash {
  size_t operator()(const State& state) const {
    uint64_t hash = 0;
    for (const OpSet set : {state.issued, state.started, state.done})
      hash = mix(mix(hash, static_cast<uint64_t>(set)), static_cast<uint64_t>(set >> 64));
    for (const uint64_t value : state.memory) hash = mix(hash, value);
    return hash;
  }
};

class Search {
 public:
  Search(const TinyLaunch& launch, const ExploreOptions& options) : launch_(launch), options_(options) {
    needs_issue_.resize(size());
    needs_start_.resize(size());
    needs_started_.resize(size());
    needs_done_.resize(size());
    for (uint32_t i = 0; i < size(); ++i) {
      if (launch.ops[i].access()) accesses_ |= bit(i);
      plan(i);
    }
    all_ = size() == TinyLaunch::kMaxOps ? ~OpSet{0} : bit(static_cast<uint32_t>(size())) - 1;
    result_.early.assign(size(), 0);
  }

  Explored run() {
    State first;
    if (options_.outcomes) {
      for (size_t i = 0; i < launch_.segments.size() + launch_.programs.size(); ++i) first.memory.push_back(mix(1, i));
    }
    if (options_.reduce) settle(first);
    result_.schedules = visit(first);
    result_.states = known_.size();
    result_.complete = known_.size() < options_.max_states;
    result_.outcomes = endings_.size();
    return result_;
  }

 private:
  size_t size() const { return launch_.ops.size(); }
  const TinyOp& op(uint32_t i) const { return launch_.ops[i]; }
  bool in_pipe(const TinyOp& o) const {
    return o.pipe != Pipe::kS &&
           (o.kind == Kind::kInstruction || o.kind == Kind::kSetFlag || o.kind == Kind::kWaitFlag ||
            o.kind == Kind::kPipeBarrier || o.kind == Kind::kCrossSet);
  }

  bool covered(const TinyOp& barrier, Pipe pipe) const {
    if (barrier.value[0] != 1) return true;
    if (barrier.mode == 1) return pipe == Pipe::kMte2 || pipe == Pipe::kMte3 || pipe == Pipe::kFix;
    if (barrier.mode == 2) return pipe == Pipe::kV || pipe == Pipe::kMte2 || pipe == Pipe::kMte3;
    return true;
  }
  bool conflict(const TinyOp& a, const TinyOp& b) const {
    for (const TinyTouch& x : a.touches)
      for (const TinyTouch& y : b.touches)
        if (x.segment == y.segment && (event::writes(x.role) || event::writes(y.role))) return true;
    return false;
  }

  bool accumulates(const TinyOp& me, const TinyOp& earlier) const {
    for (const TinyTouch& x : me.touches)
      for (const TinyTouch& y : earlier.touches)
        if (x.segment == y.segment && large_tile(launch_.segments[x.segment], me, x, earlier, y)) return true;
    return false;
  }

  /// Which other steps must come before those of op i, apart from counters and groups (asked in can_issue).
  void plan(uint32_t i) {
    const TinyOp& me = op(i);
    uint32_t newest[gate::kPipeCount] = {};
    bool waits[gate::kPipeCount] = {};
    for (const uint32_t e : launch_.programs[me.core]) {
      if (e == i) break;
      const TinyOp& earlier = op(e);
      if (me.kind == Kind::kFullBarrier && covered(me, earlier.pipe) &&
          (earlier.kind == Kind::kInstruction || (earlier.kind == Kind::kWaitFlag && earlier.pipe != Pipe::kS)))
        needs_issue_[i] |= bit(e);
      if (me.kind == Kind::kScalarAccess && options_.auto_sync && launch_.is_aiv(me.core) &&
          earlier.kind == Kind::kInstruction && conflict(me, earlier)) {
        newest[static_cast<size_t>(earlier.pipe)] = e;
        waits[static_cast<size_t>(earlier.pipe)] = true;
      }
      if (!in_pipe(me) || earlier.pipe != me.pipe || !in_pipe(earlier)) continue;
      plan_in_pipe(i, e);
    }
    for (const uint32_t e : launch_.programs[me.core])
      if (op(e).kind == Kind::kInstruction && waits[static_cast<size_t>(op(e).pipe)] &&
          e <= newest[static_cast<size_t>(op(e).pipe)])
        needs_issue_[i] |= bit(e);
    if (me.kind == Kind::kWaitFlag) {
      for (uint32_t s = 0; s < size(); ++s)
        if (op(s).kind == Kind::kSetFlag && op(s).core == me.core && op(s).pipe == me.other && op(s).other == me.pipe &&
            op(s).id == me.id && op(s).ordinal == me.ordinal)
          return void((me.pipe == Pipe::kS ? needs_issue_ : needs_start_)[i] |= bit(s));
      never_ |= bit(i);
    }
  }
  void plan_in_pipe(uint32_t i, uint32_t e) {
    const TinyOp &me = op(i), &earlier = op(e);
    const bool gate = earlier.kind == Kind::kWaitFlag || earlier.kind == Kind::kPipeBarrier;
    switch (me.kind) {
      case Kind::kInstruction:
        if (gate) needs_start_[i] |= bit(e);
        if (earlier.kind == Kind::kInstruction) needs_started_[i] |= bit(e);
        if (earlier.kind == Kind::kInstruction && me.pipe == Pipe::kV && options_.auto_sync &&
            launch_.is_aiv(me.core) && conflict(me, earlier))
          needs_start_[i] |= bit(e);
        // E-3 is an exemption and no order; but the values in the tile are those of program order.
        if (options_.outcomes && earlier.kind == Kind::kInstruction && accumulates(me, earlier))
          needs_done_[i] |= bit(e);
        return;
      case Kind::kWaitFlag:
        if (gate) needs_start_[i] |= bit(e);
        if (earlier.kind == Kind::kInstruction) needs_started_[i] |= bit(e);
        return;
      case Kind::kPipeBarrier:
        if (gate || earlier.kind == Kind::kInstruction) needs_start_[i] |= bit(e);
        return;
      default:  // SetFlag, CrossCoreSetFlag
        if (earlier.kind == Kind::kInstruction || earlier.kind == Kind::kWaitFlag) needs_start_[i] |= bit(e);
    }
  }

  uint32_t block(event::CoreId core) const {
    return launch_.is_aiv(core) && launch_.ratio != 0 ? (core - launch_.aic) / launch_.ratio : core;
  }
  /// rounds of (mode, id) whose release reaches `target` and whose members' sets are all in `done`.
  uint32_t releases(event::CoreId target, int16_t id, OpSet done) const {
    uint32_t total = 0;
    for (uint8_t mode = 0; mode < 3; ++mode)
      for (const bool aiv : {false, true}) {
        const bool kind = launch_.is_aiv(target) == aiv;
        if (mode == 2 ? kind : !kind) continue;
        uint32_t rounds = std::numeric_limits<uint32_t>::max();
        for (event::CoreId core = 0; core < launch_.programs.size(); ++core) {
          if (launch_.is_aiv(core) != aiv || (mode != 0 && block(core) != block(target))) continue;
          uint32_t mine = 0;
          for (const uint32_t s : launch_.programs[core])
            mine += op(s).kind == Kind::kCrossSet && op(s).mode == mode && op(s).id == id && (done & bit(s)) != 0;
          rounds = std::min(rounds, mine);
        }
        if (rounds != std::numeric_limits<uint32_t>::max()) total += rounds;
      }
    return total;
  }
  bool arrived(const TinyOp& pass, OpSet done) const {  // R-24 .. R-26
    for (const event::CoreId member : pass.members) {
      bool found = false;
      for (const uint32_t a : launch_.programs[member])
        found = found || (op(a).kind == Kind::kGroupArrive && op(a).id == pass.id && op(a).ordinal == pass.ordinal &&
                          (done & bit(a)) != 0);
      if (!found) return false;
    }
    return true;
  }

  bool can_issue(const State& s, uint32_t i) const {
    if (never_ & bit(i) && op(i).pipe == Pipe::kS) return false;
    if (!all_in(needs_issue_[i], s.done)) return false;
    if (op(i).kind == Kind::kCrossWait) return releases(op(i).core, op(i).id, s.done) >= op(i).ordinal;
    if (op(i).kind == Kind::kGroupPass) return arrived(op(i), s.done);
    return true;
  }
  bool can_start(const State& s, uint32_t i) const {
    return (never_ & bit(i)) == 0 && all_in(needs_start_[i], s.done) && all_in(needs_started_[i], s.started);
  }

  /// The next step of op i that is no access being done. False: none.
  bool advance(State& s, uint32_t i) const {
    const TinyOp& me = op(i);
    if ((s.issued & bit(i)) == 0) {
      if (me.kind == Kind::kScalarAccess || !next_in_program(s, i) || !can_issue(s, i)) return false;
      s.issued |= bit(i);
      if (!in_pipe(me)) s.started |= bit(i), s.done |= bit(i);
      return true;
    }
    if ((s.started & bit(i)) != 0 || !in_pipe(me) || !can_start(s, i)) return false;
    s.started |= bit(i);
    if (me.kind != Kind::kInstruction) s.done |= bit(i);
    return true;
  }
  bool next_in_program(const State& s, uint32_t i) const {
    const std::vector<uint32_t>& program = launch_.programs[op(i).core];
    return i == program.front() || (s.issued & bit(i - 1)) != 0;  // ops of a core are consecutive
  }
  /// An access is done: the choice.
  bool complete(State& s, uint32_t i) const {
    const TinyOp& me = op(i);
    if (me.kind == Kind::kScalarAccess) {
      if ((s.issued & bit(i)) != 0 || !next_in_program(s, i) || !can_issue(s, i)) return false;
      s.issued |= bit(i), s.started |= bit(i);
    } else if (me.kind != Kind::kInstruction || (s.started & bit(i)) == 0 || (s.done & bit(i)) != 0 ||
               !all_in(needs_done_[i], s.done)) {
      return false;
    }
    s.done |= bit(i);
    if (options_.outcomes) move_values(s, i);
    return true;
  }
  void move_values(State& s, uint32_t i) const {
    const TinyOp& me = op(i);
    uint64_t value = mix(7, i);
    uint64_t& loaded = s.memory[launch_.segments.size() + me.core];
    if (me.pipe == Pipe::kS) value = mix(value, loaded);
    for (const TinyTouch& touch : me.touches)
      if (event::reads(touch.role) && touch.role != Role::kAtomic) value = mix(value, s.memory[touch.segment]);
    if (me.pipe == Pipe::kS && (me.touches.empty() || !event::writes(me.touches[0].role))) loaded = value;
    for (const TinyTouch& touch : me.touches) {
      uint64_t& cell = s.memory[touch.segment];
      const uint64_t now = mix(value, touch.segment);
      if (touch.role == Role::kAtomic)
        cell = me.mode == 1 ? cell + now : std::max(cell, now);
      else if (event::writes(touch.role))
        cell = now;
    }
  }

  void settle(State& s) const {
    for (bool moved = true; moved;) {
      moved = false;
      for (uint32_t i = 0; i < size(); ++i)
        while (advance(s, i)) moved = true;
    }
  }

  /// Number of ways from here to the end.
  uint64_t visit(const State& s) {
    const auto found = known_.find(s);
    if (found != known_.end()) return found->second;
    if (known_.size() >= options_.max_states) return 0;
    known_.emplace(s, 0);
    for (uint32_t y = 0; y < size(); ++y)
      if ((s.started & bit(y)) != 0) result_.early[y] |= accesses_ & ~s.done;
    uint64_t ways = 0;
    bool moved = false;
    const auto go = [&](State& next) {
      moved = true;
      if (options_.reduce) settle(next);
      const uint64_t more = visit(next);
      ways = more > std::numeric_limits<uint64_t>::max() - ways ? std::numeric_limits<uint64_t>::max() : ways + more;
    };
    for (uint32_t i = 0; i < size(); ++i) {
      State next = s;
      if (complete(next, i)) go(next);
      if (options_.reduce) continue;
      next = s;
      if (advance(next, i)) go(next);
    }
    if (!moved) {
      ways = 1;
      result_.hangs = result_.hangs || s.done != all_;
      if (options_.outcomes) endings_.insert(ending(s));
    }
    known_[s] = ways;
    return ways;
  }
  std::vector<uint64_t> ending(const State& s) const {
    std::vector<uint64_t> global;
    for (size_t i = 0; i < launch_.segments.size(); ++i)
      if (launch_.segments[i].space == gate::Space::kGm) global.push_back(s.memory[i]);
    return global;
  }

  const TinyLaunch& launch_;
  const ExploreOptions& options_;
  std::vector<OpSet> needs_issue_, needs_start_, needs_started_, needs_done_;
  OpSet accesses_ = 0, never_ = 0, all_ = 0;
  Explored result_;
  std::unordered_map<State, uint64_t, Hash> known_;  // never iterated
  std::set<std::vector<uint64_t>> endings_;
};
}  // namespace

Explored explore(const TinyLaunch& launch, const ExploreOptions& options) {
  if (launch.ops.size() > TinyLaunch::kMaxOps) {
    Explored none;
    none.early.assign(launch.ops.size(), 0);
    return none;
  }
  return Search(launch, options).run();
}

bool conflicts(const TinyLaunch& launch, uint32_t x, uint32_t y, uint32_t segment) {
  const TinyOp &a = launch.ops[x], &b = launch.ops[y];
  for (const TinyTouch& t : a.touches)
    for (const TinyTouch& u : b.touches) {
      if (t.segment != segment || u.segment != segment || !(event::writes(t.role) || event::writes(u.role))) continue;
      const bool same_atomic = t.role == Role::kAtomic && u.role == Role::kAtomic && a.mode == b.mode &&
                               a.atomic_type == b.atomic_type;  // E-1
      if (!same_atomic && !large_tile(launch.segments[segment], a, t, b, u)) return true;
    }
  return false;
}

bool races(const TinyLaunch& launch, const Explored& explored, uint32_t x, uint32_t y, uint32_t segment) {
  if (x == y || explored.ordered(x, y) || explored.ordered(y, x)) return false;
  return conflicts(launch, x, y, segment);
}

}  // namespace ascsan::schedule
