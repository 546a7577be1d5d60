// Flags, barriers and cross-core synchronisation (spec/execution-model.md 4 and 5.1, 5.2). The machine counts; which
// accesses are ordered by it is found by the sinks from the events (rules R-4 .. .. R-23).
#include "machine/machine.h"

namespace ascsan::machine {
namespace {
using gate::Pipe;

/// SetFlag/WaitFlag pairs that compile to nothing on that kind of core (spec 4.3).
bool compiles_to_nothing(gate::CoreKind kind, Pipe src, Pipe dst) {
  const auto pair = [&](Pipe a, Pipe b) { return (src == a && dst == b) || (src == b && dst == a); };
  if (kind == gate::CoreKind::kAic)
    return pair(Pipe::kMte2, Pipe::kV) || pair(Pipe::kMte3, Pipe::kV) || pair(Pipe::kV, Pipe::kV) ||
           pair(Pipe::kS, Pipe::kV);
  return pair(Pipe::kMte2, Pipe::kMte1) || pair(Pipe::kMte1, Pipe::kM) || pair(Pipe::kM, Pipe::kFix);
}
bool exists_on(gate::CoreKind kind, Pipe pipe) {
  if (kind == gate::CoreKind::kAic) return pipe != Pipe::kV;
  return pipe != Pipe::kM && pipe != Pipe::kMte1 && pipe != Pipe::kFix;
}
}  // namespace

bool Machine::check_flag(Core& core, const FlagKey& key, const char* api, const gate::Site& site) {
  if (compiles_to_nothing(core.kind, key.src, key.dst)) return false;
  const std::string pair = std::string(pipe_name(key.src)) + "_" + pipe_name(key.dst);
  if (key.id < 0 || key.id >= FlagTable::kIds) {
    report_violation(core, site, "event-id",
                     std::string(api) + "<" + pair + ">: event id " + std::to_string(key.id) + " is outside 0..7",
                     true);
    return false;
  }
  if (!exists_on(core.kind, key.src) || !exists_on(core.kind, key.dst)) {
    report_violation(core, site, "wrong-core",
                     std::string(api) + "<" + pair + "> on " + core.name() + ", which does not have both pipes", true);
    return false;
  }
  return true;
}

void Machine::set_flag(Core& core, const FlagKey& key, const gate::Site& site) {
  if (!check_flag(core, key, "SetFlag", site)) return;
  if (key.src == key.dst) return pipe_barrier(core, key.src, site);  // V_V and FIX_FIX are barriers (rule R-8)
  if (key.src == Pipe::kS) {
    Entry now;
    now.site = sites_.intern(site);
    now.op = core.last_op;
    now.index = now.scalar_index = core.scalar_index;
    now.scalar_version = core.scalar_version;
    now.program_index = core.program_index;
    fire_flag(core, key, now);
  } else {
    Entry* entry = push(core, key.src, Entry::Kind::kSetFlag, site);
    entry->other = key.dst;
    entry->id = static_cast<int16_t>(key.id);
    refresh(core, key.src);
  }
  yield(core);
}

void Machine::wait_flag(Core& core, const FlagKey& key, const gate::Site& site) {
  if (!check_flag(core, key, "WaitFlag", site)) return;
  if (key.src == key.dst) return;
  if (key.dst == Pipe::kS) {
    Wait wait;
    wait.reason = Wait::Reason::kFlag;
    wait.flag = key;
    wait.op = gate::Op::kWaitFlag;
    wait.site = sites_.intern(site);
    block(core, wait);
    Entry now;
    now.site = wait.site;
    now.op = core.last_op;
    now.index = now.scalar_index = core.scalar_index;
    now.scalar_version = core.scalar_version;
    now.program_index = core.program_index;
    pass_flag(core, key, now);
    return;
  }
  Entry* entry = push(core, key.dst, Entry::Kind::kWaitFlag, site);
  entry->other = key.src;
  entry->id = static_cast<int16_t>(key.id);
  refresh(core, key.dst);
  yield(core);
}

void Machine::fire_flag(Core& core, const FlagKey& key, const Entry& at) {
  FlagTable::Flag& flag = core.flags.at(key);
  ++flag.fired;
  event::Event event = make_event(event::Kind::kSetFlag, core, key.src, at.site);
  event.op = at.op;
  event.other = key.dst;
  event.id = static_cast<int16_t>(key.id);
  event.ordinal = flag.fired;
  event.index = at.index;
  event.scalar_index = at.scalar_index;
  event.scalar_version = at.scalar_version;
  event.program_index = at.program_index;
  emit(event);
  refresh(core, key.dst);
}

void Machine::pass_flag(Core& core, const FlagKey& key, const Entry& at) {
  FlagTable::Flag& flag = core.flags.at(key);
  ++flag.passed;
  event::Event event = make_event(event::Kind::kWaitFlag, core, key.dst, at.site);
  event.op = at.op;
  event.other = key.src;
  event.id = static_cast<int16_t>(key.id);
  event.ordinal = flag.passed;
  event.index = at.index;
  event.scalar_index = at.scalar_index;
  event.scalar_version = at.scalar_version;
  event.program_index = at.program_index;
  if (key.dst == Pipe::kS)
    scalar_join(core, event);
  else
    emit(event);
}

void Machine::pipe_barrier(Core& core, Pipe pipe, const gate::Site& site) {
  if (pipe == Pipe::kS) {
    report_violation(core, site, "barrier", "PipeBarrier<PIPE_S> does not exist; use PIPE_ALL or a flag", true);
    return;
  }
  if (!exists_on(core.kind, pipe)) return;  // PipeBarrier<PIPE_V> on AIC is a no-op (spec 4.3)
  push(core, pipe, Entry::Kind::kBarrier, site);
  refresh(core, pipe);
  yield(core);
}

void Machine::set_oldest(const Core& core, event::Event& event) const {
  std::pair<uint32_t, uint32_t> oldest{core.scalar_version, core.scalar_index};
  for (const PipeQueue& pipe : core.pipes)
    if (!pipe.empty()) oldest = std::min(oldest, {pipe.front()->scalar_version, pipe.front()->scalar_index});
  event.oldest_version = oldest.first;
  event.oldest_index = oldest.second;
}

void Machine::scalar_join(Core& core, event::Event& event) {
  set_oldest(core, event);
  emit(event);
  ++core.scalar_version;
}

void Machine::full_barrier(Core& core, const gate::Site& site, gate::Op op, uint64_t flavour, uint8_t memory) {
  Wait wait;
  wait.reason = Wait::Reason::kAllPipes;
  wait.op = op;
  wait.site = sites_.intern(site);
  block(core, wait);
  event::Event event = make_event(event::Kind::kFullBarrier, core, Pipe::kS, wait.site);
  event.op = op;
  event.value[0] = flavour;
  event.mode = memory;  // of DataSyncBarrier: what it orders; it is waited for as if it were everything
  for (size_t p = 0; p < core.pipes.size(); ++p) event.index = std::max(event.index, core.pipes[p].issued);
  scalar_join(core, event);
}

void Machine::cross_set(Core& core, Pipe pipe, uint8_t mode, int id, const gate::Site& site) {
  const KernelShape& shape = shape_of(type_);
  if (!shape.cross_core_sync) {
    report_violation(core, site, "kernel-type",
                     std::string("CrossCoreSetFlag in a kernel of type ") + shape.name +
                         ": cross-core flags need a MIX type, the device hangs",
                     true);
    return;
  }
  if (mode > 2 || id < 0 || id > 15 || pipe == Pipe::kS || pipe == Pipe::kAll || !exists_on(core.kind, pipe)) {
    report_violation(core, site, "cross-core",
                     "CrossCoreSetFlag<" + std::to_string(mode) + ", " + pipe_name(pipe) + ">(" + std::to_string(id) +
                         ") on " + core.name() + ": mode is 0..2, id 0..15, the pipe one of this core other than S",
                     true);
    return;
  }
  if (mode == 0 && core.last_op == gate::Op::kCrossCoreSetFlag) check_waves(core, "CrossCoreSetFlag of mode 0", site);
  Entry* entry = push(core, pipe, Entry::Kind::kCrossSet, site);
  entry->mode = mode;
  entry->id = static_cast<int16_t>(id);
  ++core.queued_cross[static_cast<size_t>(id)][static_cast<size_t>(pipe)];
  refresh(core, pipe);
  yield(core);
}

void Machine::cross_wait(Core& core, int id, const gate::Site& site) {
  if (id < 0 || id > 15) {
    report_violation(core, site, "cross-core", "CrossCoreWaitFlag(" + std::to_string(id) + "): id is 0..15", true);
    return;
  }
  if (!shape_of(type_).cross_core_sync) {
    report_violation(core, site, "kernel-type",
                     std::string("CrossCoreWaitFlag in a kernel of type ") + shape_of(type_).name +
                         ": cross-core flags need a MIX type, the device hangs",
                     true);
    return;
  }
  Wait wait;
  wait.reason = Wait::Reason::kCross;
  wait.id = id;
  wait.op = gate::Op::kCrossCoreWaitFlag;
  wait.site = sites_.intern(site);
  block(core, wait);
  const auto slot = static_cast<size_t>(id);
  --core.counters[slot];
  event::Event event = make_event(event::Kind::kCrossWait, core, Pipe::kS, wait.site);
  event.id = static_cast<int16_t>(id);
  event.ordinal = ++core.waits_passed[slot];
  event.index = core.scalar_index;
  scalar_join(core, event);
}

void Machine::cross_group(const Core& core, uint8_t mode, std::vector<event::CoreId>& members,
                          std::vector<event::CoreId>& targets) const {
  members.clear();
  targets.clear();
  for (const auto& other : cores_) {
    const bool same_kind = other->kind == core.kind;
    const bool same_block = other->block == core.block;
    if (mode == 0 && same_kind) members.push_back(other->id), targets.push_back(other->id);
    // Mode 1 is for the AIVs of one AI Core; an AIC that uses it is alone in its group.
    if (mode == 1 && same_kind && same_block) members.push_back(other->id), targets.push_back(other->id);
    if (mode == 2 && same_block) (same_kind ? members : targets).push_back(other->id);
  }
}

void Machine::fire_cross(Core& core, Pipe pipe, const Entry& at) {
  const auto id = static_cast<size_t>(at.id);
  --core.queued_cross[id][static_cast<size_t>(pipe)];
  uint32_t& mine = core.cross_sets[at.mode][id];
  ++mine;
  event::Event set = make_event(event::Kind::kCrossSet, core, pipe, at.site);
  set.op = at.op;
  set.mode = at.mode;
  set.id = at.id;
  set.ordinal = mine;
  set.index = at.index;
  set.scalar_index = at.scalar_index;
  set.scalar_version = at.scalar_version;
  set.program_index = at.program_index;
  emit(set);
  cross_group(core, at.mode, member_scratch_, target_scratch_);
  // This set is the last of its round exactly if every member has set at least as often (rule R-21).
  for (event::CoreId member : member_scratch_)
    if (cores_[member]->cross_sets[at.mode][id] < mine) return;
  event::Event release = make_event(event::Kind::kCrossRelease, core, pipe, at.site);
  release.mode = at.mode;
  release.id = at.id;
  release.ordinal = mine;
  release.members = member_scratch_.data();
  release.member_count = static_cast<uint16_t>(member_scratch_.size());
  release.targets = target_scratch_.data();
  release.target_count = static_cast<uint16_t>(target_scratch_.size());
  emit(release);
  for (event::CoreId target : target_scratch_) {
    ++cores_[target]->counters[id];
    refresh_scalar(*cores_[target]);
  }
}

void Machine::check_waves(const Core& core, const char* api, const gate::Site& site) {
  const uint32_t limit = shape_of(type_).aic_per_block != 0 ? options_.chip->aic_cores : options_.chip->aiv_cores;
  if (plan_.block_dim <= limit) return;
  report_violation(core, site, "waves",
                   std::string(api) + " in a launch of " + std::to_string(plan_.block_dim) + " blocks on " +
                       std::to_string(limit) +
                       " physical cores: the blocks that do not fit start when others have ended, so this wait never "
                       "ends on the device. Launch at most " +
                       std::to_string(limit) + " blocks",
                   true);
}

void Machine::sync_all(Core& core, bool aiv_only, const gate::Site& site) {
  const KernelShape& shape = shape_of(type_);
  if (!shape.cross_core_sync || (!aiv_only && (shape.aic_per_block == 0 || shape.aiv_per_block == 0))) {
    report_violation(core, site, "kernel-type",
                     std::string("SyncAll<") + (aiv_only ? "true" : "false") + ">() in a kernel of type " + shape.name +
                         (aiv_only ? ": the hard form needs a MIX type, the device hangs"
                                   : ": both kinds of cores must take part, the device hangs"),
                     true);
    return;
  }
  check_waves(core, "SyncAll", site);
  // Expansion and ids of spec/execution-model.md 5.2.
  full_barrier(core, site, gate::Op::kSyncAll, 0);
  const bool aic = core.kind == gate::CoreKind::kAic;
  if (aiv_only) {
    const int id = aic ? 11 : 14;
    cross_set(core, aic ? Pipe::kFix : Pipe::kMte3, 0, id, site);
    cross_wait(core, id, site);
  } else if (aic) {
    cross_wait(core, 12, site);
    cross_set(core, Pipe::kFix, 0, 11, site);
    cross_wait(core, 11, site);
    cross_set(core, Pipe::kMte3, 2, 13, site);
  } else {
    cross_set(core, Pipe::kMte3, 2, 12, site);
    cross_wait(core, 13, site);
  }
}

}  // namespace ascsan::machine
