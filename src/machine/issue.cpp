// Instructions: what happens when one is issued (registers captured, limits and bounds checked, queued) and when it
// executes (bytes move, the event goes out). Rules: spec/execution-model.md 3.3 and 7.
#include "base/text.h"
#include "machine/machine.h"
#include "machine/tryout.h"

namespace ascsan::machine {
namespace {
/// Pipes that a core kind does not have; an API of the other kind compiles to nothing there (spec 2.1).
bool foreign(gate::CoreKind kind, gate::Pipe pipe) {
  if (kind == gate::CoreKind::kAic) return pipe == gate::Pipe::kV;
  return pipe == gate::Pipe::kM || pipe == gate::Pipe::kMte1 || pipe == gate::Pipe::kFix;
}
}  // namespace

uint64_t Machine::perform(gate::Request& request) {
  if (running_ == nullptr || abandoned_) return 0;
  Core& core = *running_;
  if (interposer_ != nullptr && request.op != gate::Op::kGetInfo && !interpose(core, request)) return 0;
  ++progress_;
  ++core.program_index;
  core.last_site = request.site;
  core.last_op = request.op;
  const OpInfo& info = table_[static_cast<size_t>(request.op)];
  const gate::FrameParams& frame = request.params.frame;
  const FlagKey flag{static_cast<gate::Pipe>(frame.src_pipe), static_cast<gate::Pipe>(frame.dst_pipe), frame.id};
  if (request.op == gate::Op::kKernelType) return kernel_type(core, frame.mode);
  if (request.op == gate::Op::kGetInfo) return this->info(core, frame.mode);
  touched_ = true;
  if (info.pipe != nullptr) return issue(core, request, info);
  if (info.prepare != nullptr) {  // a register write of the isa: no instruction
    info.prepare(request, core.registers);
    return 0;
  }
  switch (request.op) {
    case gate::Op::kSetFlag:
      set_flag(core, flag, request.site);
      return 0;
    case gate::Op::kWaitFlag:
      wait_flag(core, flag, request.site);
      return 0;
    case gate::Op::kPipeBarrier:
      if (flag.src == gate::Pipe::kAll)
        full_barrier(core, request.site, request.op, 0);
      else
        pipe_barrier(core, flag.src, request.site);
      return 0;
    case gate::Op::kDataSyncBarrier:
      full_barrier(core, request.site, request.op, 1, frame.mode);
      return 0;
    case gate::Op::kCrossCoreSetFlag:
      cross_set(core, flag.src, frame.mode, frame.id, request.site);
      return 0;
    case gate::Op::kCrossCoreWaitFlag:
      cross_wait(core, frame.id, request.site);
      return 0;
    case gate::Op::kSyncAll:
      sync_all(core, frame.flag != 0, request.site);
      return 0;
    case gate::Op::kSyncAllSoft:
    case gate::Op::kIbSet:
    case gate::Op::kIbWait:
    case gate::Op::kInitDetermine:
    case gate::Op::kWaitPreBlock:
    case gate::Op::kNotifyNextBlock:
      return soft_sync(core, request);
    case gate::Op::kAnnotateRelease:
    case gate::Op::kAnnotateAcquire:
    case gate::Op::kAnnotateExpect:
      annotate(core, request);
      return 0;
    case gate::Op::kLoadScalar:
    case gate::Op::kStoreScalar:
    case gate::Op::kLoadBypass:
    case gate::Op::kStoreBypass:
    case gate::Op::kCacheCleanInvalid:
      return scalar_access(core, request);
    case gate::Op::kTrap: {
      const auto* text = reinterpret_cast<const char*>(frame.value[0]);
      abandon(LaunchOutcome::End::kTrapped,
              core.name() + " stopped at " + place(request.site) + ": " + (text != nullptr ? text : "Trap()"));
    }
    case gate::Op::kUnsupported:
      report_unchecked(core, request.site, reinterpret_cast<const char*>(frame.value[0]), "not modelled on A2/A3");
      return 0;
    case gate::Op::kPipeInit:
    case gate::Op::kPipeReset:
    case gate::Op::kPipeDestroy:
    case gate::Op::kQueueInit:
    case gate::Op::kBufferInit:
    case gate::Op::kBufferGet:
    case gate::Op::kQueueAlloc:
    case gate::Op::kQueueEnque:
    case gate::Op::kQueueDeque:
    case gate::Op::kQueueFree:
    case gate::Op::kQueueQuery:
    case gate::Op::kEventAlloc:
    case gate::Op::kEventFetch:
    case gate::Op::kEventRelease:
      return queue_op(core, request);
    default:
      return registers(core, request);
  }
}

Entry* Machine::push(Core& core, gate::Pipe pipe, Entry::Kind kind, const gate::Site& site) {
  PipeQueue& queue = core.pipes[static_cast<size_t>(pipe)];
  const event::SiteId where = sites_.intern(site);
  if (queue.size() >= options_.queue_depth) {
    Wait wait;
    wait.reason = Wait::Reason::kQueueSpace;
    wait.id = static_cast<int>(pipe);
    wait.site = where;
    block(core, wait);
  }
  Entry* entry = entries_.take();
  entry->kind = kind;
  entry->site = where;
  entry->op = core.last_op;
  entry->unit_flag = 0;
  entry->index = queue.issued;
  entry->scalar_index = core.scalar_index;
  entry->scalar_version = core.scalar_version;
  entry->program_index = core.program_index;
  queue.push(entry);
  return entry;
}

uint64_t Machine::issue(Core& core, gate::Request& request, const OpInfo& info) {
  const gate::Pipe pipe = info.pipe(request);
  if (foreign(core.kind, pipe)) return 0;
  if (info.prepare != nullptr) {
    info.prepare(request, core.registers);
  } else {
    request.registers = core.registers;
  }
  for (int i = 0; i < request.operand_count; ++i) ensure_storage(core, request.operand[i].space);
  Entry* entry = push(core, pipe, Entry::Kind::kInstruction, request.site);
  entry->index = ++core.pipes[static_cast<size_t>(pipe)].issued;
  entry->info = &info;
  entry->executable = true;
  entry->request = request;
  entry->footprint.clear();
  entry->unit_flag = unit_flag_of(request);
  if (info.check != nullptr) {
    Violations violations;
    info.check(request, violations);
    for (const Violation& violation : violations) {
      report_violation(core, request.site, violation.rule.c_str(), std::string(info.api) + ": " + violation.text,
                       violation.error);
      entry->executable = entry->executable && violation.executable;
    }
  }
  if (entry->executable) {
    info.footprint(entry->request, entry->footprint);
    entry->executable = check_bounds(core, info.api, entry->footprint, request.site);
    check_framework(core, info.api, entry->footprint, request);
  }
  if (hook_ != nullptr) hook_(hook_context_, core, pipe, entry->index);
  refresh(core, pipe);
  yield(core);
  return 0;
}

void Machine::ensure_storage(Core& core, gate::Space space) {
  const auto s = static_cast<size_t>(space);
  if (space == gate::Space::kGm || space == gate::Space::kNone || core.storage[s]) return;
  const uint64_t bytes = options_.chip->bytes[s];
  if (storage_pool_[s].empty()) {
    core.storage[s] = std::make_unique_for_overwrite<std::byte[]>(bytes);
  } else {
    core.storage[s] = std::move(storage_pool_[s].back());
    storage_pool_[s].pop_back();
  }
  // Fresh on-chip memory holds arbitrary bytes; 0x7FC1 is a NaN as half, bfloat16 and float, so a forgotten
  // initialisation shows in the numbers (spec/execution-model.md 1.2).
  auto* words = reinterpret_cast<uint16_t*>(core.storage[s].get());
  std::fill_n(words, bytes / 2, local_fill_);
  core.memories.base[s] = core.storage[s].get();
}

void Machine::report_violation(const Core& core, const gate::Site& site, const char* rule, const std::string& text,
                               bool error) {
  event::Event event = make_event(event::Kind::kViolation, core, gate::Pipe::kS, sites_.intern(site));
  event.text = text.c_str();
  event.mode = error ? 1 : 0;
  event.value[0] = reinterpret_cast<uint64_t>(rule);
  emit(event);
}

void Machine::report_unchecked(const Core& core, const gate::Site& site, const std::string& what, const char* why) {
  event::Event event = make_event(event::Kind::kUnchecked, core, gate::Pipe::kS, sites_.intern(site));
  event.text = what.c_str();
  event.value[0] = reinterpret_cast<uint64_t>(why);
  emit(event);
}

void Machine::execute(Core& core, gate::Pipe pipe, uint32_t slot) {
  PipeQueue& queue = core.pipes[static_cast<size_t>(pipe)];
  Entry* entry = queue.pop(slot);
  switch (entry->kind) {
    case Entry::Kind::kInstruction:
      execute_instruction(core, pipe, *entry);
      break;
    case Entry::Kind::kSetFlag:
      fire_flag(core, {pipe, entry->other, entry->id}, *entry);
      break;
    case Entry::Kind::kWaitFlag:
      pass_flag(core, {entry->other, pipe, entry->id}, *entry);
      break;
    case Entry::Kind::kBarrier: {
      event::Event event = make_event(event::Kind::kPipeBarrier, core, pipe, entry->site);
      event.op = entry->op;
      event.index = entry->index;
      event.scalar_index = entry->scalar_index;
      event.scalar_version = entry->scalar_version;
      event.program_index = entry->program_index;
      emit(event);
      break;
    }
    case Entry::Kind::kCrossSet:
      fire_cross(core, pipe, *entry);
      break;
  }
  entries_.give_back(entry);
  refresh(core, pipe);
  if (core.wait.reason != Wait::Reason::kNone) refresh_scalar(core);
}

event::Event Machine::instruction_event(const Core& core, gate::Pipe pipe, const Entry& entry) const {
  const gate::Request& request = entry.request;
  event::Event event = make_event(event::Kind::kInstruction, core, pipe, entry.site);
  event.op = request.op;
  event.index = entry.index;
  event.scalar_index = entry.scalar_index;
  event.scalar_version = entry.scalar_version;
  event.program_index = entry.program_index;
  event.mode = request.registers.atomic;
  event.atomic_type = request.registers.atomic_type;
  if (request.op == gate::Op::kMmad) event.value[0] = request.params.mmad.m, event.value[1] = request.params.mmad.n;
  if (entry.executable) {
    event.accesses = entry.footprint.accesses().data();
    event.access_count = static_cast<uint32_t>(entry.footprint.accesses().size());
    event.spans = entry.footprint.spans().data();
  }
  return event;
}

void Machine::execute_instruction(Core& core, gate::Pipe pipe, Entry& entry) {
  ++outcome_.instructions;
  const gate::Request& request = entry.request;
  Tryout tryout(core, entry);
  if (entry.executable && entry.info->exact_footprint != nullptr) {
    // Addresses or amounts that lie in memory are known now: the bytes really touched replace the largest set of issue.
    entry.footprint.clear();
    entry.info->exact_footprint(request, core.memories, entry.footprint);
    const bool arbitrary = tries_out_ && sink_->has_arbitrary_addresses(instruction_event(core, pipe, entry), tryout);
    entry.executable = !arbitrary && check_bounds(core, entry.info->api, entry.footprint, request.site);
  }
  const bool muted = interposer_ != nullptr && interposer_->mutes(core, pipe, entry.index, entry.footprint);
  const bool runs = entry.executable && !muted;
  if (sink_ == nullptr) {
    if (runs) entry.info->execute(request, core.memories);
    if (entry.unit_flag == 3) turn_unit_flags(core, pipe, entry);
    return;
  }
  if (entry.unit_flag != 0) pass_unit_flags(core, pipe, entry);
  const event::Event event = instruction_event(core, pipe, entry);
  if (runs && tries_out_) sink_->before_execution(event, tryout);
  if (runs) entry.info->execute(request, core.memories);
  sink_->on_event(event);
  if (entry.unit_flag == 3) turn_unit_flags(core, pipe, entry);
}

}  // namespace ascsan::machine
