// The scalar unit: GetValue/SetValue, the data cache, bypass accesses, and the sticky registers
// (spec/execution-model.md 3.5, 6.1, 6.2). In profile auto an AIV's scalar access waits for queued instructions that
// touch the same bytes, which is what the device compiler's inserted flags do (rule R-13).
#include <cstdio>
#include <cstring>

#include "machine/machine.h"

namespace ascsan::machine {

void Machine::wait_for_conflicts(Core& core, const gate::Operand& operand, uint64_t bytes, bool store,
                                 const gate::Site& site) {
  if (!options_.auto_sync || core.kind != gate::CoreKind::kAiv) return;
  Wait wait;
  bool any = false;
  for (const gate::Pipe pipe : {gate::Pipe::kV, gate::Pipe::kMte2, gate::Pipe::kMte3}) {
    const PipeQueue& queue = core.pipes[static_cast<size_t>(pipe)];
    for (size_t i = 0; i < queue.size(); ++i) {
      const Entry& entry = *queue.at(i);
      if (entry.kind != Entry::Kind::kInstruction) continue;
      for (const event::Access& access : entry.footprint.accesses()) {
        if (access.space != operand.space || (!store && access.role == event::Role::kRead)) continue;
        for (uint32_t s = 0; s < access.span_count; ++s) {
          const event::Span& span = entry.footprint.spans()[access.first_span + s];
          if (span.begin < operand.address + bytes && operand.address < span.end) {
            wait.up_to[static_cast<size_t>(pipe)] = entry.index;
            any = true;
          }
        }
      }
    }
  }
  if (!any) return;
  wait.reason = Wait::Reason::kPipeUpTo;
  wait.op = store ? gate::Op::kStoreScalar : gate::Op::kLoadScalar;
  wait.site = sites_.intern(site);
  block(core, wait);
}

uint64_t Machine::scalar_access(Core& core, gate::Request& request) {
  const gate::Operand& operand = request.operand[0];
  if (request.op == gate::Op::kCacheCleanInvalid) {
    ++core.scalar_index;  // a scalar event of its own, so that a clock tells whether it has happened
    if (request.params.frame.mode == 1)
      clean_all_lines(core, request.site);
    else
      clean_line(core, ScalarCache::line_of(operand.address), true, request.site);
    yield(core);
    return 0;
  }
  const bool store = request.op == gate::Op::kStoreScalar || request.op == gate::Op::kStoreBypass;
  const bool bypass = request.op == gate::Op::kLoadBypass || request.op == gate::Op::kStoreBypass;
  const uint32_t bytes = std::max(1u, gate::bytes_of(operand.type));
  ensure_storage(core, operand.space);
  wait_for_conflicts(core, operand, bytes, store, request.site);
  Footprint footprint;
  footprint.open(operand, 0, store ? event::Role::kWrite : event::Role::kRead);
  footprint.add(operand.address, bytes);
  const char* api = table_[static_cast<size_t>(request.op)].api;
  if (!check_bounds(core, api, footprint, request.site)) return 0;
  if (!eager_ && scheduler_->stops_before(core.id, core.scalar_index + 1)) {
    core.pending_access = core.scalar_index + 1;
    yield(core);
    core.pending_access = 0;
  }
  ++core.scalar_index;
  if (hook_ != nullptr) hook_(hook_context_, core, gate::Pipe::kS, core.scalar_index);
  uint64_t value = request.params.frame.value[0];
  const bool cached = operand.space == gate::Space::kGm && !bypass;
  void* const at = core.memories.at(operand);
  if (store && interposer_ != nullptr && interposer_->mutes(core, gate::Pipe::kS, core.scalar_index, footprint)) {
  } else if (cached && store)
    cached_store(core, operand.address, bytes, value);
  else if (cached)
    value = cached_load(core, operand.address, bytes);
  else if (store)
    std::memcpy(at, &value, bytes);
  else
    value = 0, std::memcpy(&value, at, bytes);
  if (sink_ != nullptr) {
    event::Event event = make_event(event::Kind::kScalarAccess, core, gate::Pipe::kS, sites_.intern(request.site));
    event.op = request.op;
    event.index = core.scalar_index;
    event.mode = cached ? 1 : 0;
    set_oldest(core, event);
    event.accesses = footprint.accesses().data();
    event.access_count = 1;
    event.spans = footprint.spans().data();
    sink_->on_event(event);
  }
  if (operand.space == gate::Space::kGm) yield(core);
  return value;
}

uint64_t Machine::cached_load(Core& core, uint64_t address, uint32_t bytes) {
  uint64_t value = 0;
  auto* out = reinterpret_cast<std::byte*>(&value);
  for (uint32_t i = 0; i < bytes; ++i) {
    const uint64_t line = ScalarCache::line_of(address + i);
    ScalarCache::Line* cached = core.cache.find(line);
    if (cached == nullptr) {
      cached = &core.cache.add(line);
      // A line may start before or end after its allocation; red zones keep that readable on the host.
      std::memcpy(cached->data.data(), reinterpret_cast<const void*>(line), ScalarCache::kLineBytes);
      cache_event(core, line, 0, core.last_site);
    }
    out[i] = cached->data[address + i - line];
  }
  return value;
}

void Machine::cached_store(Core& core, uint64_t address, uint32_t bytes, uint64_t value) {
  cached_load(core, address, bytes);  // a store fetches its line first
  const auto* from = reinterpret_cast<const std::byte*>(&value);
  for (uint32_t i = 0; i < bytes; ++i) {
    const uint64_t line = ScalarCache::line_of(address + i);
    ScalarCache::Line* cached = core.cache.find(line);
    cached->data[address + i - line] = from[i];
    cached->dirty = true;
  }
}

void Machine::clean_line(Core& core, uint64_t line, bool drop, const gate::Site& site) {
  ScalarCache::Line* cached = core.cache.find(line);
  if (cached == nullptr) return;
  if (cached->dirty) {
    // The whole line goes back, so words of other cores in it are lost (spec 6.1). Only bytes of tensors are written.
    for (uint64_t i = 0; i < ScalarCache::kLineBytes; ++i)
      if (memory_.find(line + i) != nullptr) *reinterpret_cast<std::byte*>(line + i) = cached->data[i];
    cached->dirty = false;
    cache_event(core, line, 1, site);
  }
  if (drop) {
    cache_event(core, line, 2, site);
    core.cache.drop(line);
  }
}

void Machine::clean_all_lines(Core& core, const gate::Site& site) {
  while (!core.cache.lines().empty()) clean_line(core, core.cache.lines().begin()->first, true, site);
}

void Machine::cache_event(Core& core, uint64_t line, uint8_t mode, const gate::Site& site) {
  if (sink_ == nullptr) return;
  const event::Span span{line, line + ScalarCache::kLineBytes};
  event::Event event = make_event(event::Kind::kCacheStep, core, gate::Pipe::kS, sites_.intern(site));
  event.mode = mode;
  event.spans = &span;
  event.index = core.scalar_index;
  emit(event);
}

uint64_t Machine::registers(Core& core, gate::Request& request) {
  gate::Registers& sticky = core.registers;
  const gate::FrameParams& frame = request.params.frame;
  switch (request.op) {
    case gate::Op::kSetVectorMask:
      if (frame.flag != 0) {
        // Length form: total elements in counter mode, leading lanes in normal mode (spec/api-semantics.md 0).
        const uint64_t length = frame.value[0];
        sticky.mask_low = sticky.counter_mode ? length : length >= 64 ? ~0ull : (uint64_t{1} << length) - 1;
        sticky.mask_high = sticky.counter_mode || length <= 64 ? 0
                           : length >= 128                     ? ~0ull
                                                               : (uint64_t{1} << (length - 64)) - 1;
      } else {
        sticky.mask_low = frame.value[0];
        sticky.mask_high = frame.value[1];
      }
      return 0;
    case gate::Op::kSetMaskCount:
      sticky.counter_mode = true;
      return 0;
    case gate::Op::kSetMaskNorm:
      sticky.counter_mode = false;
      return 0;
    case gate::Op::kResetMask:
      sticky.mask_low = sticky.mask_high = ~0ull;
      return 0;
    case gate::Op::kSetAtomic:
      sticky.atomic = frame.mode;
      sticky.atomic_type = static_cast<gate::DataType>(frame.value[0]);
      return 0;
    case gate::Op::kSetPadValue:
      sticky.pad_value_set = true;
      sticky.pad_value = frame.value[0];
      return 0;
    case gate::Op::kSetDeqScale:
      sticky.deq_scale = frame.value[0];
      return 0;
    case gate::Op::kSetCtrl: {
      const auto first = static_cast<uint32_t>(frame.id), last = static_cast<uint32_t>(frame.value[1]);
      if (first > last || last > 63) {
        report_violation(
            core, request.site, "register",
            "SetCtrlSpr<" + std::to_string(first) + ", " + std::to_string(last) + ">: bits are 0..63, first <= last",
            true);
        return 0;
      }
      const uint64_t width = last - first + 1;
      const uint64_t mask = (width == 64 ? ~0ull : (uint64_t{1} << width) - 1) << first;
      core.control = (core.control & ~mask) | ((frame.value[0] << first) & mask);
      if (first <= 48 && last >= 48) sticky.float_saturate = ((core.control >> 48) & 1) == 0;
      if (first <= 59 && last >= 59) sticky.cast_truncate = ((core.control >> 59) & 1) != 0;
      return 0;
    }
    case gate::Op::kGetCtrl:
      return core.control;
    case gate::Op::kSetHf32:
      if (frame.mode == 0)
        sticky.hf32 = frame.value[0] != 0;
      else
        sticky.hf32_away = frame.value[0] != 0;
      return 0;
    case gate::Op::kSetQuantScalar:
      sticky.quant_scalar = frame.value[0];
      return 0;
    case gate::Op::kSetQuantAddress:
      sticky.quant_address = request.operand[0].address;
      return 0;
    case gate::Op::kReadResultRegister:
      return core.results.read(frame.mode);
    case gate::Op::kSetWorkspace:
      if (core.workspace == nullptr || frame.flag != 0) core.workspace = reinterpret_cast<void*>(frame.value[0]);
      return 0;
    case gate::Op::kPrint:
      std::fputs(reinterpret_cast<const char*>(frame.value[0]), stdout);
      return 0;
    case gate::Op::kDumpTensor:
      dump_tensor(core, request);
      return 0;
    case gate::Op::kBindGlobal:
    case gate::Op::kNop:
      return 0;
    default:
      report_unchecked(core, request.site,
                       std::string(table_[static_cast<size_t>(request.op)].api) + " has no meaning behind the gate",
                       "missing from the instruction table");
      return 0;
  }
}

uint64_t Machine::kernel_type(Core& core, uint8_t type) {
  if (type > static_cast<uint8_t>(KernelType::kMixAic12)) return 0;
  const auto wanted = static_cast<KernelType>(type);
  if (wanted == type_) return 0;
  if (touched_) {
    report_violation(core, core.last_site, "kernel-type",
                     std::string("the kernel declares type ") + shape_of(wanted).name +
                         " after it has begun to work as " + shape_of(type_).name +
                         "; KERNEL_TASK_TYPE_DEFAULT must come first",
                     true);
    return 0;
  }
  type_ = wanted;
  restart_ = true;
  abandon(LaunchOutcome::End::kDone, "");
}

uint64_t Machine::info(const Core& core, uint8_t what) const {
  const KernelShape& shape = shape_of(type_);
  switch (static_cast<gate::Info>(what)) {
    case gate::Info::kBlockIdx:
      return core.kind == gate::CoreKind::kAic ? core.block : core.number;
    case gate::Info::kBlockNum:
      return plan_.block_dim;
    case gate::Info::kSubBlockIdx:
      return core.sub_block;
    case gate::Info::kSubBlockNum:
      return core.kind == gate::CoreKind::kAiv && shape.aic_per_block != 0 ? shape.aiv_per_block : 1;
    case gate::Info::kTaskRatio:
      return core.kind == gate::CoreKind::kAiv && shape.aic_per_block != 0 ? shape.aiv_per_block : 1;
    case gate::Info::kCoreKind:
      return static_cast<uint64_t>(core.kind);
    case gate::Info::kSystemCycle:
      return progress_;  // no clock: a counter that only grows keeps runs equal
    case gate::Info::kTilingKey:
      return plan_.tiling_key;
    case gate::Info::kSysWorkspace:
      return core.workspace != nullptr ? reinterpret_cast<uint64_t>(core.workspace)
                                       : reinterpret_cast<uint64_t>(plan_.system_workspace);
    case gate::Info::kPipeObject:
      return core.buffers.pipe_object;
  }
  return 0;
}

}  // namespace ascsan::machine
