#include "check/judge.h"

#include <tuple>
#include <utility>

namespace ascsan::check {
namespace {
using gate::Pipe;
using gate::Space;
using report::Severity;

bool atomic(const Access& access) {
  return access.role == event::Role::kAtomic;
}
bool same_atomic(const Access& a, const Access& b) {
  return atomic(a) && atomic(b) && a.atomic == b.atomic && a.atomic_type == b.atomic_type;
}

Judgement found(Rule rule) {
  Judgement judgement;
  judgement.race = true;
  judgement.rule = rule;
  judgement.severity = info_of(rule).severity;
  return judgement;
}

/// E-3: consecutive Mmad on the same tile work without a barrier when the tile has at least ten 16x16 fractals.
bool same_large_tile(const Access& a, const Access& b) {
  return a.tensor_begin == b.tensor_begin && a.m == b.m && a.n == b.n && (a.m / 16) * (a.n / 16) >= 10;
}

Judgement judge_same_pipe(const RaceOptions& options, const Access& earlier, const Access& later, bool crossed) {
  Judgement judgement = found(Rule::kASC1301);
  const Pipe pipe = later.pipe;
  if (pipe == Pipe::kS) return {};
  if (pipe == Pipe::kV) return judgement;
  if (pipe == Pipe::kM) {
    if (later.space == Space::kL0c && same_large_tile(earlier, later)) return {};
    judgement.note =
        "consecutive Mmad need PipeBarrier<PIPE_M> unless they go to the same tile and (m/16)*(n/16) >= 10";
    return judgement;
  }
  if (options.mte_in_order) return {};
  const bool write_after_write = earlier.writes() && later.writes();
  if (later.space == Space::kFb && !later.writes()) {
    judgement.severity = Severity::kWarning;  // 6.3: shipping kernels rely on the start order here
    judgement.note = "parameters loaded to FB are used without PipeBarrier<PIPE_FIX> in between";
  }
  if (write_after_write && later.index - earlier.index > options.error_distance) {
    judgement.severity = Severity::kWarning;
    judgement.note = "the two are far apart in the queue; whether both can be in flight depends on its depth";
  }
  const bool reload = pipe == Pipe::kMte2 && write_after_write && earlier.source != 0 &&
                      earlier.source == later.source && earlier.begin == later.begin && earlier.end == later.end;
  if (reload) {
    judgement.severity = Severity::kInfo;
    judgement.note = "the same bytes are loaded again to the same place, which is harmless";
  } else if (crossed) {
    judgement.severity = Severity::kInfo;
    judgement.note = "a CrossCoreSetFlag of this pipe stands between them; it is not documented as a barrier";
  }
  return judgement;
}

Judgement judge_same_core(const RaceOptions& options, const Access& earlier, const Access& later, bool crossed) {
  if (same_atomic(earlier, later)) return {};  // E-1
  if (atomic(earlier) && atomic(later)) return found(Rule::kASC1501);
  if (earlier.pipe == later.pipe) return judge_same_pipe(options, earlier, later, crossed);
  if (earlier.pipe == Pipe::kS || later.pipe == Pipe::kS) return found(Rule::kASC1401);
  if (later.space == Space::kGm) return found(Rule::kASC1402);
  if (earlier.writes() && later.reads()) return found(Rule::kASC1201);
  return found(later.writes() && !earlier.writes() ? Rule::kASC1202 : Rule::kASC1203);
}
}  // namespace

bool program_before(const Access& y, const Access& x) {
  if (y.pipe == x.pipe) return y.index < x.index;
  if (y.program != 0 && x.program != 0) return y.program < x.program;
  // A scalar access has its own number as issue point, what was issued before it a smaller one.
  return y.issue < x.issue;
}

bool covers(const Access& by, const Access& x) {
  if (x.framework_range && by.framework != x.framework) return false;
  if (by.role == event::Role::kAtomic) return same_atomic(by, x);
  return by.writes() || !x.writes();
}

Judgement judge(const RaceOptions& options, const Access& first, const Access& second, bool crossed) {
  if (first.same_instruction(second)) return {};
  if (first.framework_range && first.framework == second.framework) return {};  // E-8
  if (first.core == second.core) {
    if (ordered_by_compiler(options, first, second)) return {};
    const bool swapped = program_before(second, first);
    Judgement judgement =
        swapped ? judge_same_core(options, second, first, crossed) : judge_same_core(options, first, second, crossed);
    judgement.swapped = swapped;
    return judgement;
  }
  if (same_atomic(first, second)) return {};  // E-1
  if (atomic(first) && atomic(second)) return found(Rule::kASC1501);
  Judgement judgement = found(first.writes() && second.writes() ? Rule::kASC1102 : Rule::kASC1101);
  judgement.swapped = judgement.rule == Rule::kASC1101 && second.writes();
  return judgement;
}

}  // namespace ascsan::check
