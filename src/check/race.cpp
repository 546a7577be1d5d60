#include "check/race.h"

namespace ascsan::check {
namespace {
using event::Kind;
using gate::Pipe;

/// Barriers of the framework touch their workspace themselves.
bool framework_op(gate::Op op) {
  switch (op) {
    case gate::Op::kSyncAll:
    case gate::Op::kSyncAllSoft:
    case gate::Op::kIbSet:
    case gate::Op::kIbWait:
    case gate::Op::kInitDetermine:
    case gate::Op::kWaitPreBlock:
    case gate::Op::kNotifyNextBlock:
      return true;
    default:
      return false;
  }
}
bool transfer_pipe(Pipe pipe) {
  return pipe == Pipe::kMte1 || pipe == Pipe::kMte2 || pipe == Pipe::kMte3 || pipe == Pipe::kFix;
}
}  // namespace

void RaceChecker::on_event(const event::Event& event) {
  switch (event.kind) {
    case Kind::kLaunchBegin:
      return begin_launch(event);
    case Kind::kLaunchEnd:
      return end_launch();
    case Kind::kInstruction:
    case Kind::kScalarAccess:
      return check(event);
    case Kind::kExpect:
      return findings_.expect(event);
    case Kind::kCrossSet:
      last_cross_set_[event.core][static_cast<size_t>(event.pipe)] = event.index;
      return;
    case Kind::kTensorRelease:
      // Whoever gets these bytes next has nothing to do with those who had them.
      if (in_launch_) {
        shadow_.update(gate::Space::kGm, 0, event.spans[0].begin, event.spans[0].end,
                       [&](Cell old, uint64_t begin, uint64_t end) {
                         commit_all(old, begin, end);
                         return Cell{};
                       });
        fold_finished();
      }
      objects_.on_event(event);
      return;
    case Kind::kTensorDefine:
    case Kind::kBufferDefine:
      objects_.on_event(event);
      return;
    default:
      return;
  }
}

void RaceChecker::begin_launch(const event::Event& event) {
  if (in_launch_) {
    // A launch that begins again before any access (the kernel chose its type late) is one launch.
    const bool restarted = states_.accesses.in_use() == 0;
    end_launch();
    if (restarted) --launches_ended_;
  }
  in_launch_ = true;
  last_cross_set_.assign(order_.cores().total(), {});
  findings_.begin_launch(launches_ended_ + 1, event.text != nullptr ? event.text : "");
}

/// Everything of a launch is before everything of the next: what still stands is reported, the rest forgotten.
void RaceChecker::end_launch() {
  if (!in_launch_) return;
  in_launch_ = false;
  if (states_.pairs_in_use() != 0) {
    shadow_.walk(
        [&](gate::Space, event::CoreId, Cell cell, uint64_t begin, uint64_t end) { commit_all(cell, begin, end); });
    states_.each_committed(
        [&](const Pair& pair) { findings_.add(pair, states_.accesses[pair.first], states_.accesses[pair.second]); });
  }
  shadow_.clear();
  States fresh;
  fresh.on_commit = std::move(states_.on_commit);
  states_ = std::move(fresh);
  objects_.end_launch();
  ++launches_ended_;
}

void RaceChecker::commit_all(Cell cell, uint64_t begin, uint64_t end) {
  if (!cell.is_crowd()) return;
  for (const PairRef& pair : states_.crowd(cell).pairs) states_.commit(pair.id, begin, end);
}

void RaceChecker::check(const event::Event& event) {
  begin_event(event);
  // Writes first: a read of the same instruction must not take the place of older reads that the write races with.
  for (uint32_t i = 0; i < event.access_count; ++i)
    if (event::writes(event.accesses[i].role)) check_access(event, event.accesses[i]);
  for (uint32_t i = 0; i < event.access_count; ++i)
    if (!event::writes(event.accesses[i].role)) check_access(event, event.accesses[i]);
  kept_.clear();
  if (!event_pairs_.empty() || !states_.finished().empty()) finish_event();
}

void RaceChecker::before_execution(const event::Event& event, event::Execution&) {
  kept_.clear();
  kept_bytes_.clear();
  for (uint32_t i = 0; i < event.access_count; ++i) {
    const event::Access& access = event.accesses[i];
    if (access.role != event::Role::kWrite || access.space != gate::Space::kGm) continue;
    for (uint32_t n = 0; n < access.span_count; ++n) {
      const event::Span& span = event.spans[access.first_span + n];
      bool foreign = false;
      visit_writers(span.begin, span.end,
                    [&](const Access& x, uint64_t, uint64_t) { foreign = foreign || x.core != event.core; });
      if (!foreign) continue;
      kept_.push_back({span.begin, span.end, kept_bytes_.size()});
      const auto* now = reinterpret_cast<const uint8_t*>(span.begin);
      kept_bytes_.insert(kept_bytes_.end(), now, now + (span.end - span.begin));
    }
  }
}

bool RaceChecker::in_place(const event::Event& event, const event::Access& write) const {
  constexpr uint32_t kLooked = 8;  // in-place operations repeat one pattern
  for (uint32_t i = 0; i < event.access_count; ++i) {
    const event::Access& read = event.accesses[i];
    if (read.role != event::Role::kRead || read.space != write.space) continue;
    for (uint32_t w = 0; w < std::min(write.span_count, kLooked); ++w)
      for (uint32_t r = 0; r < std::min(read.span_count, kLooked); ++r) {
        const event::Span &to = event.spans[write.first_span + w], &from = event.spans[read.first_span + r];
        if (to.begin < from.end && from.begin < to.end) return true;
      }
  }
  return false;
}

/// What all accesses of the event share.
void RaceChecker::begin_event(const event::Event& event) {
  known_ = order_.dense_of(event.core, order_.start_clock());
  Access& common = common_;
  common.start = order_.start_clock();
  common.refs = 1;
  common.index = event.index;
  common.program = event.program_index;
  common.issue = {event.scalar_version, event.scalar_index};
  common.site = event.site;
  common.core = event.core;
  common.op = event.op;
  common.pipe = event.pipe;
  common.atomic = event.mode;
  common.atomic_type = event.atomic_type;
  common.aiv = order_.cores().is_aiv(event.core);
  common.framework = framework_op(event.op);
  common.fresh = event.kind == Kind::kScalarAccess && order_.fresh_load();
  common.m = static_cast<uint32_t>(event.value[0]);
  common.n = static_cast<uint32_t>(event.value[1]);
  same_pipe_settled_ = (options_.profile == Profile::kAuto && common.aiv && common.pipe == Pipe::kV) ||
                       (options_.mte_in_order && transfer_pipe(common.pipe));
}

void RaceChecker::begin_access(const event::Event& event, const event::Access& access) {
  me_ = states_.accesses.take();
  Access& record = states_.accesses[me_];
  mine_ = &record;
  record = common_;
  record.role = access.role;
  record.space = access.space;
  record.type = access.type;
  record.buffer = access.buffer;
  record.tensor_begin = access.tensor_begin;
  const event::Span* span = event.spans + access.first_span;
  record.begin = span->begin;
  record.end = span->end;
  for (uint32_t i = 1; i < access.span_count; ++i) {
    record.begin = std::min(record.begin, span[i].begin);
    record.end = std::max(record.end, span[i].end);
  }
  if (access.role != event::Role::kRead && event.access_count > 1) {
    // An in-place operation on bytes that are not there yet reads them too early; that says more than the write does.
    record.reads_too = access.role == event::Role::kWrite && in_place(event, access);
    if (event.pipe == Pipe::kMte2)
      for (uint32_t i = 0; i < event.access_count; ++i)
        if (event.accesses[i].space == gate::Space::kGm && event.accesses[i].span_count != 0)
          record.source = event.spans[event.accesses[i].first_span].begin;
  }
  if (objects_.any_framework()) record.framework_range = objects_.framework_owned(access.space, record.begin);
  simple_write_ = access.role != event::Role::kAtomic && !record.framework_range;
  memo_valid_ = false;
}

inline Cell RaceChecker::transition(Cell old, uint64_t begin, uint64_t end) {
  if (memo_valid_ && old == memo_old_) return memo_now_;
  if (!old.simple()) return contested(old, begin, end);
  const AccessTable& accesses = states_.accesses;
  const Access* writer = old.a != 0 ? &accesses[old.a] : nullptr;
  const Access* reader = old.b != 0 ? &accesses[old.b] : nullptr;
  Cell now;
  if (mine_->role == event::Role::kRead) {
    if (writer != nullptr && writer->same_instruction(*mine_)) return old;
    if (writer != nullptr && !settled(*writer)) return contested(old, begin, end);
    if (reader != nullptr && mine_->framework_range) return contested(old, begin, end);
    now = {old.a, me_};
    if (reader != nullptr) {
      if (reader->core == mine_->core && reader->pipe == mine_->pipe) {
        if (reader->index > mine_->index) now.b = old.b;  // completed out of order
      } else if (!before(*reader)) {
        return contested(old, begin, end);
      }
    }
  } else {
    if (!simple_write_ || (writer != nullptr && !settled(*writer)) || (reader != nullptr && !settled(*reader)))
      return contested(old, begin, end);
    now = {me_, 0};
  }
  memo_old_ = old;
  memo_now_ = now;
  memo_valid_ = true;
  return now;
}

void RaceChecker::check_access(const event::Event& event, const event::Access& access) {
  if (access.span_count == 0 || access.space == gate::Space::kNone) return;
  begin_access(event, access);
  const event::Span* span = event.spans + access.first_span;
  for (const event::Span* end = span + access.span_count; span != end; ++span) {
    if (span->begin >= span->end) continue;
    bytes_checked_ += span->end - span->begin;
    shadow_.update(access.space, event.core, span->begin, span->end,
                   [this](Cell old, uint64_t from, uint64_t to) { return transition(old, from, to); });
  }
  states_.accesses.unref(me_, 1);
}

void RaceChecker::finish_event() {
  for (const PairRef& pair : event_pairs_) states_.unref_pair(pair.id);
  event_pairs_.clear();
  fold_finished();
}

void RaceChecker::fold_finished() {
  // Ending a pair may free crowds, never other pairs' accesses: each pair holds its own.
  std::vector<PairId> finished;
  finished.swap(states_.finished());
  for (PairId id : finished) {
    const Pair& pair = states_.pair(id);
    findings_.add(pair, states_.accesses[pair.first], states_.accesses[pair.second]);
    states_.forget(id);
  }
}

std::vector<report::Finding> RaceChecker::take_findings() {
  end_launch();
  return findings_.take();
}

}  // namespace ascsan::check
