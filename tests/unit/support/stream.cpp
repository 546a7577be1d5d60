#include "support/stream.h"

namespace ascsan::test {
using event::Event;
using event::Kind;

void Stream::launch(uint32_t aic_count, uint32_t aiv_count, uint32_t aiv_ratio, const char* kernel) {
  aic = aic_count;
  aiv = aiv_count;
  ratio = aiv_ratio;
  cores_.assign(aic + aiv, {});
  Event event;
  event.kind = Kind::kLaunchBegin;
  event.text = kernel;
  event.value[0] = aic;
  event.value[1] = aiv;
  event.mode = static_cast<uint8_t>(ratio);
  sink_.on_event(event);
}

void Stream::end() {
  Event event;
  event.kind = Kind::kLaunchEnd;
  sink_.on_event(event);
}

Event Stream::make(Kind kind, event::CoreId core, Pipe pipe, uint32_t line, const char* function, const char* file) {
  Core& state = cores_.at(core);
  Event event;
  event.kind = kind;
  event.core = core;
  event.pipe = pipe;
  event.site = line == 0 ? 0 : sites_.intern({file, function, line});
  event.index = pipe == Pipe::kS ? state.scalar_index : state.issued[static_cast<size_t>(pipe)];
  event.scalar_index = state.scalar_index;
  event.scalar_version = state.version;
  event.program_index = ++state.program;
  return event;
}

void Stream::join(Event& event) {
  Core& state = cores_.at(event.core);
  event.oldest_version = state.version;
  sink_.on_event(event);
  ++state.version;
}

void Stream::send_data(Event& event, const std::vector<Bytes>& bytes, gate::DataType type) {
  std::vector<event::Access> accesses;
  std::vector<event::Span> spans;
  for (const Bytes& run : bytes) {
    event::Access access;
    access.space = run.space;
    access.role = run.role;
    access.operand = static_cast<uint8_t>(accesses.size());
    access.type = type;
    access.first_span = static_cast<uint32_t>(spans.size());
    access.span_count = run.count;
    access.tensor_begin = run.begin;
    access.tensor_bytes = run.end - run.begin;
    accesses.push_back(access);
    for (uint32_t i = 0; i < run.count; ++i) spans.push_back({run.begin + i * run.stride, run.end + i * run.stride});
  }
  event.accesses = accesses.data();
  event.access_count = static_cast<uint32_t>(accesses.size());
  event.spans = spans.data();
  sink_.on_event(event);
}

void Stream::run(event::CoreId core, Pipe pipe, uint32_t line, const std::vector<Bytes>& bytes, const Extra& extra) {
  Event event = make(Kind::kInstruction, core, pipe, line, extra.function, extra.file);
  event.index = ++cores_[core].issued[static_cast<size_t>(pipe)];
  event.op = extra.op;
  event.mode = extra.atomic;
  event.atomic_type = extra.atomic_type;
  event.value[0] = extra.m;
  event.value[1] = extra.n;
  send_data(event, bytes, extra.type);
}

void Stream::atomic(event::CoreId core, Pipe pipe, uint32_t line, uint64_t begin, uint64_t end, uint8_t op,
                    gate::DataType type) {
  Extra extra;
  extra.atomic = op;
  extra.atomic_type = extra.type = type;
  run(core, pipe, line, {{Space::kGm, event::Role::kAtomic, begin, end, 0, 1}}, extra);
}

void Stream::scalar(event::CoreId core, uint32_t line, const Bytes& bytes) {
  Event event = make(Kind::kScalarAccess, core, Pipe::kS, line);
  event.index = event.scalar_index = ++cores_[core].scalar_index;
  event.op = event::writes(bytes.role) ? gate::Op::kStoreScalar : gate::Op::kLoadScalar;
  event.mode = bytes.space == Space::kGm ? 1 : 0;
  send_data(event, {bytes}, gate::DataType::kInt32);
}

void Stream::bypass(event::CoreId core, uint32_t line, const Bytes& bytes) {
  Event event = make(Kind::kScalarAccess, core, Pipe::kS, line);
  event.index = event.scalar_index = ++cores_[core].scalar_index;
  event.op = event::writes(bytes.role) ? gate::Op::kStoreBypass : gate::Op::kLoadBypass;
  send_data(event, {bytes}, gate::DataType::kInt32);
}

void Stream::cache(event::CoreId core, uint64_t address, uint8_t step) {
  const event::Span line{address / 64 * 64, address / 64 * 64 + 64};
  Event event = make(Kind::kCacheStep, core, Pipe::kS, 0);
  event.mode = step;
  event.spans = &line;
  sink_.on_event(event);
}

void Stream::set(event::CoreId core, Pipe src, Pipe dst, int id, uint32_t line) {
  Event event = make(Kind::kSetFlag, core, src, line);
  event.other = dst;
  event.id = static_cast<int16_t>(id);
  event.ordinal = ++cores_[core].flags[{src, dst, id}].first;
  sink_.on_event(event);
}

void Stream::wait(event::CoreId core, Pipe src, Pipe dst, int id, uint32_t line) {
  Event event = make(Kind::kWaitFlag, core, dst, line);
  event.other = src;
  event.id = static_cast<int16_t>(id);
  event.ordinal = ++cores_[core].flags[{src, dst, id}].second;
  if (dst == Pipe::kS)
    join(event);
  else
    sink_.on_event(event);
}

void Stream::barrier(event::CoreId core, Pipe pipe, uint32_t line) {
  sink_.on_event(make(Kind::kPipeBarrier, core, pipe, line));
}

void Stream::all(event::CoreId core, uint32_t line, gate::Op op) {
  Event event = make(Kind::kFullBarrier, core, Pipe::kS, line);
  event.op = op;
  join(event);
}

void Stream::data_sync(event::CoreId core, uint8_t memory) {
  Event event = make(Kind::kFullBarrier, core, Pipe::kS, 0);
  event.op = gate::Op::kDataSyncBarrier;
  event.value[0] = 1;
  event.mode = memory;
  join(event);
}

void Stream::cross_set(event::CoreId core, Pipe pipe, uint8_t mode, int id, uint32_t line, gate::Op op) {
  const uint32_t mine = ++cores_[core].sets[{mode, id}];
  Event event = make(Kind::kCrossSet, core, pipe, line);
  event.op = op;
  event.mode = mode;
  event.id = static_cast<int16_t>(id);
  event.ordinal = mine;
  sink_.on_event(event);
  std::vector<event::CoreId> members, targets;
  const auto is_aiv = [&](event::CoreId c) { return c >= aic; };
  const auto block = [&](event::CoreId c) { return is_aiv(c) && ratio != 0 ? (c - aic) / ratio : c; };
  for (event::CoreId other = 0; other < aic + aiv; ++other) {
    const bool same_kind = is_aiv(other) == is_aiv(core), same_block = ratio != 0 && block(other) == block(core);
    if (mode == 0 && same_kind) members.push_back(other), targets.push_back(other);
    if (mode == 1 && same_kind && same_block) members.push_back(other), targets.push_back(other);
    if (mode == 2 && same_block) (same_kind ? members : targets).push_back(other);
  }
  for (event::CoreId member : members)
    if (cores_[member].sets[{mode, id}] < mine) return;
  event.kind = Kind::kCrossRelease;
  event.members = members.data();
  event.member_count = static_cast<uint16_t>(members.size());
  event.targets = targets.data();
  event.target_count = static_cast<uint16_t>(targets.size());
  sink_.on_event(event);
}

void Stream::cross_wait(event::CoreId core, int id, uint32_t line, gate::Op op) {
  Event event = make(Kind::kCrossWait, core, Pipe::kS, line);
  event.op = op;
  event.id = static_cast<int16_t>(id);
  event.ordinal = ++cores_[core].waits[id];
  join(event);
}

void Stream::sync_all(uint32_t line) {
  for (event::CoreId core = static_cast<event::CoreId>(aic); core < aic + aiv; ++core) {
    all(core, line, gate::Op::kSyncAll);
    cross_set(core, Pipe::kMte3, 0, 14, line);
  }
  for (event::CoreId core = static_cast<event::CoreId>(aic); core < aic + aiv; ++core) cross_wait(core, 14, line);
}

void Stream::arrive(event::CoreId core, int id, uint32_t round, uint32_t line) {
  all(core, line, gate::Op::kSyncAllSoft);
  Event event = make(Kind::kGroupArrive, core, Pipe::kS, line);
  event.op = gate::Op::kSyncAllSoft;
  event.id = static_cast<int16_t>(id);
  event.ordinal = round;
  sink_.on_event(event);
}

void Stream::pass(event::CoreId core, int id, uint32_t round, const std::vector<event::CoreId>& members,
                  uint32_t line) {
  Event event = make(Kind::kGroupPass, core, Pipe::kS, line);
  event.op = gate::Op::kSyncAllSoft;
  event.id = static_cast<int16_t>(id);
  event.ordinal = round;
  event.members = members.data();
  event.member_count = static_cast<uint16_t>(members.size());
  join(event);
}

void Stream::tensor(const char* name, uint64_t begin, uint64_t end, bool framework) {
  const event::Span span{begin, end};
  Event event;
  event.kind = Kind::kTensorDefine;
  event.text = name;
  event.spans = &span;
  event.value[0] = framework ? 1 : 0;
  sink_.on_event(event);
}

void Stream::release(uint64_t begin, uint64_t end) {
  const event::Span span{begin, end};
  Event event;
  event.kind = Kind::kTensorRelease;
  event.spans = &span;
  sink_.on_event(event);
}

void Stream::buffer(event::CoreId core, const char* name, Space space, uint64_t begin, uint64_t end, int queue) {
  const event::Span span{begin, end};
  event::Access access;
  access.space = space;
  Event event = make(Kind::kBufferDefine, core, Pipe::kS, 0);
  event.accesses = &access;
  event.access_count = 1;
  event.spans = &span;
  event.id = static_cast<int16_t>(queue);
  event.text = name;
  sink_.on_event(event);
}

void Stream::violation(event::CoreId core, const char* rule, const char* text, uint32_t line, bool error) {
  Event event = make(Kind::kViolation, core, Pipe::kS, line);
  event.text = text;
  event.mode = error ? 1 : 0;
  event.value[0] = reinterpret_cast<uint64_t>(rule);
  sink_.on_event(event);
}

}  // namespace ascsan::test
