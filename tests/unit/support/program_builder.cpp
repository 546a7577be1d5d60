// Random legal programs: see program.h.
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
    if (shape_.polled && pipe == Pipe::kS && below(rng_, 2)) {
      const bool store = below(rng_, 2) != 0;
      const uint64_t word = 0x1000 + 8 * below(rng_, 2);
      op.op = store ? gate::Op::kStoreBypass : gate::Op::kLoadBypass;
      op.touches.push_back({gate::Space::kGm, store ? event::Role::kWrite : event::Role::kRead, word, word + 8});
      return;
    }
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
}  // namespace

void group_of(const Program& program, CoreId core, uint8_t mode, std::vector<CoreId>& members,
              std::vector<CoreId>& targets) {
  const auto block = [&](CoreId c) { return program.is_aiv(c) ? (c - program.aic) / std::max(1u, program.ratio) : c; };
  for (CoreId other = 0; other < program.aic + program.aiv; ++other) {
    const bool same_kind = program.is_aiv(other) == program.is_aiv(core), same_block = block(other) == block(core);
    if (mode == 0 && same_kind) members.push_back(other), targets.push_back(other);
    if (mode == 1 && same_kind && same_block) members.push_back(other), targets.push_back(other);
    if (mode == 2 && same_block) (same_kind ? members : targets).push_back(other);
  }
}

Program random_program(uint64_t seed, const ProgramShape& shape) {
  return Builder(seed, shape).build();
}

}  // namespace ascsan::test
