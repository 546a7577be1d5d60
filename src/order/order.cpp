#include "order/order.h"

#include "order/fatal.h"

namespace ascsan::order {
namespace {
using event::Event;
using event::Kind;
using gate::Pipe;

size_t slot(Pipe pipe) {
  return static_cast<size_t>(pipe);
}
}  // namespace

void Order::on_event(const Event& event) {
  switch (event.kind) {
    case Kind::kLaunchBegin:
      return begin_launch(event);
    case Kind::kInstruction:
      return start_instruction(core_of(event), event);
    case Kind::kScalarAccess:
      return start_scalar(core_of(event), event);
    case Kind::kSetFlag:
      return set_flag(core_of(event), event);
    case Kind::kWaitFlag:
      return wait_flag(core_of(event), event);
    case Kind::kPipeBarrier: {
      // Indices in a gate are prefixes: everything up to the barrier is complete.
      Clock& gate = core_of(event).gate[slot(event.pipe)];
      gate[event.pipe] = std::max(gate[event.pipe], event.index);
      history_.add(event, {}, 0);
      return;
    }
    case Kind::kFullBarrier:
      return full_barrier(core_of(event), event);
    case Kind::kCrossSet: {
      Core& core = core_of(event);
      const uint32_t key = static_cast<uint32_t>(event.mode) << 16 | static_cast<uint16_t>(event.id);
      Clock clock;
      fire_clock(core, event, clock);
      core.sets[key].push_back({event.ordinal, to_dense(core, event.core, clock)});
      history_.add(event, {}, 0);
      return;
    }
    case Kind::kCrossRelease:
      return cross_release(event);
    case Kind::kCrossWait:
      return cross_wait(core_of(event), event);
    case Kind::kGroupArrive:
      return group_arrive(core_of(event), event);
    case Kind::kGroupPass:
      return group_pass(core_of(event), event);
    case Kind::kCacheStep: {
      Core& core = core_of(event);
      polled_.cache_step(event.core, event.spans[0].begin, event.mode,
                         snapshot(core, event.core, std::max(core.scalar_index, event.scalar_index), 0));
      return;
    }
    case Kind::kLaunchEnd:
    case Kind::kCoreBegin:
    case Kind::kCoreEnd:
    case Kind::kTensorDefine:
    case Kind::kTensorRelease:
    case Kind::kBufferDefine:
    case Kind::kQueueStep:
    case Kind::kExpect:
    case Kind::kViolation:
    case Kind::kUnchecked:
    case Kind::kStall:
      return;
  }
}

void Order::begin_launch(const Event& event) {
  counts_ = {static_cast<uint32_t>(event.value[0]), static_cast<uint32_t>(event.value[1])};
  cores_.resize(counts_.total());
  const auto nothing = std::make_shared<Dense>(counts_.total() * kDenseStride, 0);
  for (Core& core : cores_) {
    core = Core{};
    core.scalar.reset();
    core.remote.reset(nothing);
  }
  group_join_.valid = false;
  polled_.reset(counts_.total());
  polled_joins_ = 0;
  annotated_.clear();
  history_.reset(counts_.total());
}

Order::Core& Order::core_of(const Event& event) {
  if (event.core >= cores_.size())
    fatal("event '%s' of core %u in a launch of %zu cores", event::name_of(event.kind), unsigned{event.core},
          cores_.size());
  return cores_[event.core];
}

/// all the scalar unit knew when the instruction was issued.
void Order::issue_clock(const Core& core, const Event& event, Clock& clock) const {
  clock = core.scalar.at({event.scalar_version, event.scalar_index});
  clock[Pipe::kS] = std::max(clock[Pipe::kS], event.scalar_index);
}

/// earlier instructions of the pipe, earlier waits of the pipe, and the issue of the set.
void Order::fire_clock(const Core& core, const Event& event, Clock& clock) const {
  issue_clock(core, event, clock);
  join(clock, core.gate[slot(event.pipe)]);
  clock[event.pipe] = std::max(clock[event.pipe], event.index);
  if (event.pipe == Pipe::kS) clock.at[kStoreSlot] = clock[Pipe::kS];
}

void Order::start_instruction(Core& core, const Event& event) {
  // R-3 adds nothing: issue clocks of one pipe grow with its index, and the gate holds the waits passed so far. Keeping
  // issue clocks out of the gate keeps transfers that complete out of order apart.
  issue_clock(core, event, start_);
  join(start_, core.gate[slot(event.pipe)]);
  start_core_ = event.core;
  start_kind_ = event.kind;
  uint32_t& done = core.done[slot(event.pipe)];
  done = std::max(done, event.index);
}

void Order::start_scalar(Core& core, const Event& event) {
  start_ = core.scalar.current();
  start_[Pipe::kS] = event.index == 0 ? 0 : event.index - 1;
  start_.at[kStoreSlot] = start_[Pipe::kS];
  start_core_ = event.core;
  start_kind_ = event.kind;
  start_point_ = {core.version, event.index};
  core.scalar_index = std::max(core.scalar_index, event.index);
  fresh_load_ = false;
  if (event.access_count == 1 && event.accesses[0].space == gate::Space::kGm && event.accesses[0].span_count == 1)
    scalar_word(core, event);
  if (event.oldest_version != 0 || event.oldest_index != 0)
    core.remote.drop_before(core.scalar.drop_before({event.oldest_version, event.oldest_index}).at[kRemoteSlot]);
}

Published Order::snapshot(const Core& core, event::CoreId id, uint32_t scalars, uint32_t bytes) const {
  Published published;
  published.core = id;
  published.bytes = bytes;
  published.clock = core.scalar.current();
  published.clock[Pipe::kS] =
      std::max(published.clock[Pipe::kS], scalars);  // not its store slot: other stores may still be on their way
  published.remote = core.remote.shared(published.clock.at[kRemoteSlot]);
  return published;
}

/// R-30, for naturally aligned words of at most 8 bytes.
void Order::scalar_word(Core& core, const Event& event) {
  const event::Access& access = event.accesses[0];
  const uint64_t address = event.spans[access.first_span].begin, bytes = event.spans[access.first_span].end - address;
  const bool bypass = event.op == gate::Op::kLoadBypass || event.op == gate::Op::kStoreBypass, cached = event.mode == 1;
  if ((!bypass && !cached) || bytes == 0 || bytes > 8 || address % bytes != 0) return;
  if (event::writes(access.role)) {
    if (bypass)
      polled_.publish(address, snapshot(core, event.core, event.index, static_cast<uint32_t>(bytes)));
    else
      polled_.store_cached(event.core, address, static_cast<uint32_t>(bytes));
    return;
  }
  fresh_load_ = polled_.take_fresh(event.core, address, bypass);
  const Published* met = polled_.meet(event.core, address, static_cast<uint32_t>(bytes), bypass);
  if (met == nullptr) return;
  Clock clock = core.scalar.current();
  if (core.remote.at(clock.at[kRemoteSlot])[dense_index(met->core, Pipe::kS)] >= met->clock[Pipe::kS]) return;  // known
  polled_joins_ += annotated_.count(address) == 0;
  Dense news = *met->remote;
  uint32_t* theirs = &news[dense_index(met->core, Pipe::kS)];
  for (size_t i = 0; i < kDenseStride; ++i) theirs[i] = std::max(theirs[i], met->clock.at[slot_of_dense(i)]);
  learn(core, event.core, news, clock);
  join(start_, clock);
  core.scalar.set(start_point_, clock);
}

void Order::wait_for(Pipe pipe, uint32_t index, const Clock& start) {
  if (start_kind_ != Kind::kScalarAccess) fatal("automatic synchronisation asked for outside a scalar access");
  Core& core = cores_[start_core_];
  Clock learned = start;
  learned[pipe] = std::max(learned[pipe], index);
  // The stores that X saw complete are so for X's pipe; the scalar unit itself sees all its own stores anyway.
  Clock clock = core.scalar.current();
  join(clock, learned);
  join(start_, learned);
  if (clock != core.scalar.current()) core.scalar.set(start_point_, clock);
}

Order::FlagQueue& Order::flag(Core& core, Pipe src, Pipe dst, int16_t id) {
  const size_t pair = slot(src) * gate::kPipeCount + slot(dst);
  if (core.flags.empty())  // many cores of a launch use none
    core.flags.resize(static_cast<size_t>(gate::kPipeCount) * gate::kPipeCount * kFlagIds);
  if (id >= 0 && static_cast<size_t>(id) < kFlagIds) return core.flags[pair * kFlagIds + static_cast<size_t>(id)];
  return core.far_flags[static_cast<uint32_t>(pair) << 16 | static_cast<uint16_t>(id)];
}

void Order::set_flag(Core& core, const Event& event) {
  FlagQueue& queue = flag(core, event.pipe, event.other, event.id);
  // More outstanding sets than that only a broken kernel has; the machine reports it.
  if (queue.size() >= kMaxWaiting) queue.erase(queue.begin());
  Fired& fired = queue.emplace_back();
  fired.ordinal = event.ordinal;
  fire_clock(core, event, fired.clock);
  history_.add(event, {}, 0);
}

void Order::wait_flag(Core& core, const Event& event) {
  FlagQueue& queue = flag(core, event.other, event.pipe, event.id);
  Clock fired;  // the n-th wait joins the n-th set; a wait whose set is unknown joins nothing
  size_t passed = 0;
  while (passed < queue.size() && queue[passed].ordinal <= event.ordinal) {
    if (queue[passed].ordinal == event.ordinal) {
      fired = queue[passed].clock;
      if (event.id >= kFirstUnitFlag) break;  // several instructions may take parts of one tile
    }
    ++passed;
  }
  if (passed == queue.size())
    queue.clear();
  else
    queue.erase(queue.begin(), queue.begin() + static_cast<ptrdiff_t>(passed));
  if (event.pipe != Pipe::kS) {
    join(core.gate[slot(event.pipe)], fired);
    history_.add(event, {}, 0);
    return;
  }
  Clock clock = core.scalar.current();
  join(clock, fired);
  scalar_join(core, event, clock, 0);
}

void Order::full_barrier(Core& core, const Event& event) {
  // DataSyncBarrier of one memory class waits for the pipes that touch it. mode: 1 = DDR, 2 = UB, else
  // everything.
  const bool only_gm = event.value[0] == 1 && event.mode == 1;
  const bool only_ub = event.value[0] == 1 && event.mode == 2;
  Clock clock = core.scalar.current();
  for (int p = 1; p < gate::kPipeCount; ++p) {
    const auto pipe = static_cast<Pipe>(p);
    if (only_gm && pipe != Pipe::kMte2 && pipe != Pipe::kMte3 && pipe != Pipe::kFix) continue;
    if (only_ub && pipe != Pipe::kV && pipe != Pipe::kMte2 && pipe != Pipe::kMte3) continue;
    join(clock, core.gate[slot(pipe)]);
    clock[pipe] = std::max(clock[pipe], core.done[slot(pipe)]);
  }
  const uint32_t scalars = std::max(core.scalar_index, event.scalar_index);
  clock[Pipe::kS] = std::max(clock[Pipe::kS], scalars);
  clock.at[kStoreSlot] = clock[Pipe::kS];
  scalar_join(core, event, clock, 0);
}

Order::Dense Order::to_dense(const Core& core, event::CoreId id, const Clock& clock) const {
  Dense dense = core.remote.at(clock.at[kRemoteSlot]);
  uint32_t* own = &dense[dense_index(id, Pipe::kS)];
  for (size_t i = 0; i < kDenseStride; ++i) own[i] = std::max(own[i], clock.at[slot_of_dense(i)]);
  return dense;
}

/// Knowledge that comes from other cores, and what they knew of this one.
void Order::learn(Core& core, event::CoreId id, const Dense& news, Clock& clock) {
  Dense& remote = core.remote.grow();
  raise(remote, news);
  clock.at[kRemoteSlot] = core.remote.newest();
  const uint32_t* own = &remote[dense_index(id, Pipe::kS)];
  for (size_t i = 0; i < kDenseStride; ++i) {
    uint32_t& slot = clock.at[slot_of_dense(i)];
    slot = std::max(slot, own[i]);
  }
}

void Order::cross_release(const Event& event) {
  auto joined = std::make_shared<Dense>(static_cast<size_t>(counts_.total()) * kDenseStride, 0);
  const uint32_t key = static_cast<uint32_t>(event.mode) << 16 | static_cast<uint16_t>(event.id);
  for (uint16_t m = 0; m < event.member_count; ++m) {
    std::vector<CrossFired>& sets = cores_.at(event.members[m]).sets[key];
    // exactly the k-th set; an earlier one still here belongs to a release of its own that is yet to come.
    const auto found =
        std::find_if(sets.begin(), sets.end(), [&](const CrossFired& set) { return set.ordinal == event.ordinal; });
    if (found == sets.end()) continue;
    raise(*joined, found->dense);
    sets.erase(found);
  }
  const uint32_t serial = history_.add_release(event);
  for (uint16_t t = 0; t < event.target_count; ++t) {
    std::vector<Delivered>& waiting = cores_.at(event.targets[t]).deliveries[event.id];
    // A counter holds at most 15; what nobody waits for (framework ids of the other vector core) must not pile up.
    if (waiting.size() < kMaxWaiting) waiting.push_back({serial, event.ordinal, joined});
  }
}

void Order::cross_wait(Core& core, const Event& event) {
  std::vector<Delivered>& waiting = core.deliveries[event.id];
  Clock clock = core.scalar.current();
  uint32_t serial = 0;
  if (!waiting.empty()) {
    // waits 1..n-1 have joined theirs, so the n-th joins one more, the lowest of those delivered.
    const auto lowest = std::min_element(waiting.begin(), waiting.end(),
                                         [](const Delivered& a, const Delivered& b) { return a.ordinal < b.ordinal; });
    learn(core, event.core, *lowest->dense, clock);
    serial = lowest->serial;
    waiting.erase(lowest);
  }
  scalar_join(core, event, clock, serial);
}

void Order::group_arrive(Core& core, const Event& event) {
  // The full barrier before it is an event of its own (R-24..R-26).
  if (event.op == gate::Op::kAnnotateRelease) annotated_.insert(event.value[0]);
  Clock clock = core.scalar.current();
  clock[Pipe::kS] = std::max(core.scalar_index, event.scalar_index);
  std::vector<CrossFired>& rounds = core.arrivals[event.id];
  if (rounds.size() >= 4) rounds.erase(rounds.begin());  // nobody can be two rounds behind in these barriers
  rounds.push_back({event.ordinal, to_dense(core, event.core, clock)});
  history_.add(event, {}, 0);
}

void Order::group_pass(Core& core, const Event& event) {
  const std::vector<event::CoreId> members(event.members, event.members + event.member_count);
  GroupJoin& joined = group_join_;
  if (!joined.valid || joined.id != event.id || joined.ordinal != event.ordinal || joined.members != members) {
    joined = {event.id, event.ordinal, members, Dense(static_cast<size_t>(counts_.total()) * kDenseStride, 0), true};
    for (event::CoreId member : members) {
      bool found = false;
      for (const CrossFired& round : cores_.at(member).arrivals[event.id])
        if (round.ordinal == event.ordinal) raise(joined.dense, round.dense), found = true;
      joined.valid =
          joined.valid && found;  // a barrier passed too early (workspace not cleared) must not be remembered
    }
  }
  Clock clock = core.scalar.current();
  learn(core, event.core, joined.dense, clock);
  scalar_join(core, event, clock, 0);
}

void Order::scalar_join(Core& core, const Event& event, Clock clock, uint32_t group) {
  core.scalar_index = std::max(core.scalar_index, event.scalar_index);
  const IssuePoint after{++core.version, 0};
  core.scalar.set(after, clock);
  core.remote.drop_before(core.scalar.drop_before({event.oldest_version, event.oldest_index}).at[kRemoteSlot]);
  history_.add(event, after, group);
}

size_t Order::kept_clocks() const {
  size_t total = 0;
  for (const Core& core : cores_) {
    total += core.scalar.size() + core.remote.size();
    for (const FlagQueue& queue : core.flags) total += queue.size();
    for (const auto& [key, sets] : core.sets) total += sets.size();
    for (const auto& [key, waiting] : core.deliveries) total += waiting.size();
    for (const auto& [key, rounds] : core.arrivals) total += rounds.size();
  }
  return total;
}

}  // namespace ascsan::order
