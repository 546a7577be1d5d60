// See order_truth.h.
#include "truth/order_truth.h"

#include "event/names.h"

namespace ascsan::mutants {
using event::Kind;
using gate::Pipe;
using schedule::TinyLaunch;
using schedule::TinyOp;

void OrderTruth::on_event(const event::Event& event) {
  if (++nodes_ <= kMaxNodes) graph_.add(event);
  recorder_.on_event(event);
}

RacySide OrderTruth::side(uint32_t op, uint32_t segment) const {
  const TinyOp& of = launch_.ops[op];
  bool writes = false;
  for (const schedule::TinyTouch& touch : of.touches)
    writes = writes || (touch.segment == segment && event::writes(touch.role));
  return {sites_.at(of.site).line, event::pipe_name(of.pipe), writes ? "writer" : "reader", !launch_.is_aiv(of.core)};
}

/// R-13, for conflicting pairs: a scalar access of an AIV waits for what its core has queued on the same bytes.
void OrderTruth::automatic_edges() {
  for (const std::vector<uint32_t>& program : launch_.programs)
    for (size_t j = 0; j < program.size(); ++j) {
      const TinyOp& scalar = launch_.ops[program[j]];
      if (scalar.kind != Kind::kScalarAccess || !launch_.is_aiv(scalar.core)) continue;
      for (size_t i = 0; i < j; ++i) {
        const TinyOp& earlier = launch_.ops[program[i]];
        if (earlier.kind != Kind::kInstruction) continue;
        if (earlier.pipe != Pipe::kV && earlier.pipe != Pipe::kMte2 && earlier.pipe != Pipe::kMte3) continue;
        for (const schedule::TinyTouch& touch : earlier.touches)
          if (schedule::conflicts(launch_, program[i], program[j], touch.segment))
            graph_.auto_edge(earlier.core, earlier.pipe, earlier.index, scalar.index);
      }
    }
}

template <typename Racy>
void OrderTruth::collect(OrderAnswer& answer, Racy&& racy) const {
  std::vector<std::vector<uint32_t>> touching(launch_.segments.size());
  for (uint32_t i = 0; i < launch_.ops.size(); ++i)
    for (const schedule::TinyTouch& touch : launch_.ops[i].touches)
      if (touching[touch.segment].empty() || touching[touch.segment].back() != i) touching[touch.segment].push_back(i);
  for (uint32_t segment = 0; segment < touching.size(); ++segment)
    for (size_t i = 0; i < touching[segment].size(); ++i)
      for (size_t j = i + 1; j < touching[segment].size(); ++j) {
        const uint32_t x = touching[segment][i], y = touching[segment][j];  // ops of a core are in program order
        if (!schedule::conflicts(launch_, x, y, segment) || !racy(x, y)) continue;
        RacyPair pair{side(x, segment), side(y, segment), launch_.ops[x].core != launch_.ops[y].core,
                      event::space_name(launch_.segments[segment].space)};
        answer.pairs.insert(pair);
      }
}

OrderAnswer OrderTruth::answer() {
  OrderAnswer answer;
  launch_ = recorder_.take();
  if (!launch_.polled && launch_.ops.size() <= TinyLaunch::kMaxOps) {
    schedule::ExploreOptions options;
    options.auto_sync = auto_sync_;
    options.max_states = kMaxStates;
    const schedule::Explored explored = schedule::explore(launch_, options);
    answer.states = explored.states;
    if (explored.complete) {
      answer.proof = "exhaustive";
      answer.schedules = explored.schedules;
      answer.hangs = explored.hangs;
      collect(answer, [&](uint32_t x, uint32_t y) { return !explored.ordered(x, y) && !explored.ordered(y, x); });
      return answer;
    }
  }
  answer.proof = nodes_ <= kMaxNodes ? "graph" : "none";
  if (answer.proof == "none") return answer;
  if (auto_sync_) automatic_edges();
  graph_.close();
  collect(answer, [&](uint32_t x, uint32_t y) {
    const TinyOp &a = launch_.ops[x], &b = launch_.ops[y];
    if (auto_sync_ && a.core == b.core && a.pipe == Pipe::kV && b.pipe == Pipe::kV && launch_.is_aiv(a.core))
      return false;
    return !graph_.before(a.core, a.pipe, a.index, b.core, b.pipe, b.index) &&
           !graph_.before(b.core, b.pipe, b.index, a.core, a.pipe, a.index);
  });
  return answer;
}

}  // namespace ascsan::mutants
