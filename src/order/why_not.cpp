#include "order/why_not.h"

#include <tuple>

namespace ascsan::order {
namespace {
using event::Kind;

/// Strictly before in program order; the same pipe is decided by its positions, else by the finest known order.
bool issued_before(const Step& step, const Side& side) {
  if (step.issue != side.issue) return step.issue < side.issue;
  if (step.program != 0 && side.program != 0) return step.program < side.program;
  return step.pipe == side.pipe && step.index < side.index;
}

struct Candidate {
  Step step;
  IssuePoint at_first, at_second;  ///< where it stands in the programs of both sides
  uint64_t program = 0;            ///< sum of both program indices, to tell apart what one issue point holds
};

/// The later one wins; both sides count, so that the choice does not hang on which side came first in the run.
void consider(std::optional<Candidate>& best, const Candidate& candidate) {
  const auto rank = [](const Candidate& c) {
    return std::tuple{static_cast<uint64_t>(c.at_first.version) + c.at_second.version,
                      static_cast<uint64_t>(c.at_first.index) + c.at_second.index, c.program};
  };
  if (!best || rank(*best) < rank(candidate)) best = candidate;
}

void same_core_points(const History& history, const Side& first, const Side& second, std::optional<Candidate>& best) {
  const uint32_t version = std::min(first.issue.version, second.issue.version);
  const Ring<Step>& joins = history.joins(first.core);
  for (size_t i = 0; i < joins.size(); ++i) {
    if (joins.newest(i).issue.version > version) continue;
    const Step& join = joins.newest(i);
    consider(best, {join, join.issue, join.issue, uint64_t{join.program} * 2});
    break;
  }
  const Ring<Step>& waits = history.waits(first.core);
  const Ring<Step>& signals = history.signals(first.core);
  for (size_t i = 0; i < waits.size(); ++i) {
    const Step& wait = waits.newest(i);
    if (wait.kind == Kind::kPipeBarrier) {
      if (first.pipe == second.pipe && wait.pipe == first.pipe && wait.index < std::min(first.index, second.index))
        consider(best, {wait, wait.issue, wait.issue, uint64_t{wait.program} * 2});
      continue;
    }
    // A flag between the two pipes, set before the one and passed before the other.
    for (const auto& [from, to] : {std::pair{&first, &second}, std::pair{&second, &first}}) {
      if (wait.other != from->pipe || wait.pipe != to->pipe || wait.index >= to->index) continue;
      for (size_t s = 0; s < signals.size(); ++s) {
        const Step& set = signals.newest(s);
        if (set.kind != Kind::kSetFlag || set.pipe != wait.other || set.other != wait.pipe || set.id != wait.id ||
            set.ordinal != wait.ordinal)
          continue;
        if (set.index < from->index)
          consider(best, {wait, set.issue, wait.issue, uint64_t{set.program} + wait.program});
        break;
      }
    }
  }
}

/// The set or arrival of `core` that took part in a join of another core, if it was issued before `side`.
void own_signal_points(const History& history, const Side& side, const Side& other, bool side_is_first,
                       std::optional<Candidate>& best) {
  const Ring<Step>& joins = history.joins(other.core);
  for (size_t i = 0; i < joins.size(); ++i) {
    const Step& join = joins.newest(i);
    if (join.issue.version > other.issue.version) continue;
    if (join.kind != Kind::kCrossWait && join.kind != Kind::kGroupPass) continue;
    const Release* release = join.kind == Kind::kCrossWait ? history.release(join.group) : nullptr;
    const Ring<Step>& signals = history.signals(side.core);
    for (size_t s = 0; s < signals.size(); ++s) {
      const Step& signal = signals.newest(s);
      const bool cross =
          release != nullptr && signal.kind == Kind::kCrossSet && signal.mode == release->mode &&
          signal.id == release->id && signal.ordinal == release->ordinal &&
          std::find(release->members.begin(), release->members.end(), side.core) != release->members.end();
      const bool group = join.kind == Kind::kGroupPass && signal.kind == Kind::kGroupArrive && signal.id == join.id &&
                         signal.ordinal == join.ordinal;
      if (!cross && !group) continue;
      if (issued_before(signal, side))
        consider(best, side_is_first
                           ? Candidate{signal, signal.issue, join.issue, uint64_t{signal.program} + join.program}
                           : Candidate{signal, join.issue, signal.issue, uint64_t{signal.program} + join.program});
      break;
    }
  }
}

/// Hard SyncAll over both kinds of cores is several releases (spec/execution-model.md 5.2). Its number on this core, or
/// 0 if the join is not the last part of one: wait 13 on an AIV; wait 11, with wait 12 before it, on an AIC.
uint32_t sync_all_round(const Ring<Step>& joins, size_t i) {
  const Step& last = joins.newest(i);
  if (last.kind != Kind::kCrossWait || last.op != gate::Op::kSyncAll) return 0;
  if (last.id == 13) return last.ordinal;
  if (last.id != 11 || i + 1 >= joins.size()) return 0;
  const Step& gather = joins.newest(i + 1);
  return gather.kind == Kind::kCrossWait && gather.id == 12 && gather.site == last.site ? gather.ordinal : 0;
}

void cross_core_points(const History& history, const Side& first, const Side& second, std::optional<Candidate>& best) {
  const Ring<Step>& mine = history.joins(first.core);
  const Ring<Step>& theirs = history.joins(second.core);
  for (size_t i = 0; i < mine.size(); ++i) {
    const Step& a = mine.newest(i);
    if (a.issue.version > first.issue.version) continue;
    if (a.kind != Kind::kCrossWait && a.kind != Kind::kGroupPass) continue;
    if (best && static_cast<uint64_t>(a.issue.version) + second.issue.version <
                    static_cast<uint64_t>(best->at_first.version) + best->at_second.version)
      break;  // no older join can stand later
    for (size_t k = 0; k < theirs.size(); ++k) {
      const Step& b = theirs.newest(k);
      if (b.issue.version > second.issue.version || b.kind != a.kind) continue;
      const uint32_t round = sync_all_round(mine, i);
      const bool same = a.kind == Kind::kGroupPass ? a.id == b.id && a.ordinal == b.ordinal
                                                   : (a.group != 0 && a.group == b.group) ||
                                                         (round != 0 && round == sync_all_round(theirs, k));
      if (!same) continue;
      consider(best, {a, a.issue, b.issue, uint64_t{a.program} + b.program});
      break;
    }
  }
  own_signal_points(history, first, second, true, best);
  own_signal_points(history, second, first, false, best);
}

std::optional<Step> newest_join(const History& history, const Side& side, IssuePoint after) {
  const Ring<Step>& joins = history.joins(side.core);
  for (size_t i = 0; i < joins.size(); ++i) {
    const Step& join = joins.newest(i);
    if (join.issue.version > side.issue.version) continue;
    if (join.issue <= after) return {};
    return join;
  }
  return {};
}
}  // namespace

WhyNot why_not(const History& history, const Side& first, const Side& second) {
  std::optional<Candidate> best;
  if (first.core == second.core)
    same_core_points(history, first, second, best);
  else
    cross_core_points(history, first, second, best);
  WhyNot result;
  if (best) result.common = best->step;
  result.before_first = newest_join(history, first, best ? best->at_first : IssuePoint{});
  result.before_second = newest_join(history, second, best ? best->at_second : IssuePoint{});
  return result;
}

std::optional<Step> signal_after(const History& history, const Side& side, bool* known) {
  const Ring<Step>& signals = history.signals(side.core);
  std::optional<Step> first;
  bool reached = !signals.full();
  for (size_t i = 0; i < signals.size(); ++i) {
    const Step& signal = signals.newest(i);
    const bool carries = signal.kind == Kind::kGroupArrive ? signal.issue.version > side.issue.version
                                                           : signal.pipe == side.pipe && signal.index >= side.index;
    if (carries)
      first = signal;
    else if (signal.issue < side.issue)
      reached = true;
  }
  *known = reached;
  return reached ? first : std::nullopt;
}

std::string describe(const Step& step) {
  const auto flag = [&](const char* name, gate::Pipe from, gate::Pipe to) {
    return std::string(name) + " " + event::pipe_name(from) + " -> " + event::pipe_name(to) + " (id " +
           std::to_string(step.id) + ")";
  };
  switch (step.kind) {
    case Kind::kSetFlag:
      return flag("SetFlag", step.pipe, step.other);
    case Kind::kWaitFlag:
      return flag("WaitFlag", step.other, step.pipe);
    case Kind::kPipeBarrier:
      return std::string("PipeBarrier of ") + event::pipe_name(step.pipe);
    case Kind::kCrossSet:
      return "CrossCoreSetFlag (id " + std::to_string(step.id) + ")";
    default:
      break;
  }
  const std::string api = event::api_name(step.op);
  if (step.kind == Kind::kCrossWait && (api.empty() || step.op == gate::Op::kCrossCoreWaitFlag))
    return "CrossCoreWaitFlag (id " + std::to_string(step.id) + ")";
  if (step.kind == Kind::kFullBarrier && (api.empty() || step.op == gate::Op::kPipeBarrier))
    return "PipeBarrier of all pipes";
  return api.empty() ? event::name_of(step.kind) : api;
}

std::string missing_link(const event::CoreCounts& cores, const Side& from, const Side& to) {
  return cores.name(from.core) + " " + event::pipe_name(from.pipe) + " -> " + cores.name(to.core) + " " +
         event::pipe_name(to.pipe);
}

}  // namespace ascsan::order
