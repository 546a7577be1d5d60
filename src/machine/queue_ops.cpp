// TPipe, TBufPool, TQue and TBuf: allocation, life cycle and the flags the calls imply (spec/execution-model.md 4.5,
// rule R-10). The flags are ordinary SetFlag/WaitFlag traffic, so checkers need not know queues.
#include "base/text.h"
#include "machine/machine.h"

namespace ascsan::machine {
namespace {
constexpr int kReservedMte1Ids = 3;  // TPipe on AIC takes M_MTE1 ids 0, 1, 2 and sets them
}  // namespace

uint64_t Machine::queue_op(Core& core, gate::Request& request) {
  switch (request.op) {
    case gate::Op::kPipeInit:
    case gate::Op::kPipeReset:
    case gate::Op::kPipeDestroy:
    case gate::Op::kPoolInit:
    case gate::Op::kPoolReset:
    case gate::Op::kStackBuffer:
      return pipe_op(core, request);
    case gate::Op::kEventAlloc:
    case gate::Op::kEventFetch:
    case gate::Op::kEventRelease:
      return event_op(core, request);
    case gate::Op::kQueueInit:
    case gate::Op::kBufferInit:
      return init_queue(core, request);
    default:
      break;
  }
  Queue* queue = find_queue(core, request);
  if (queue == nullptr) return 0;
  const int index = request.params.frame.id - 1;
  switch (request.op) {
    case gate::Op::kBufferGet: {
      const gate::FrameParams frame = request.params.frame;
      const Buffer& buffer = core.buffers.buffers[static_cast<size_t>(queue->buffers[0])];
      fill_operand(core, request.operand[0], queue->buffers[0]);
      if (frame.value[0] + frame.value[1] > buffer.bytes)
        report_violation(core, request.site, "extent",
                         "TBuf Get of " + base::count(frame.value[0], "byte") + " at offset " +
                             std::to_string(frame.value[1]) + " from a buffer of " + base::count(buffer.bytes, "byte"),
                         true);
      return 0;
    }
    case gate::Op::kQueueAlloc:
      alloc_tensor(core, index, request);
      return 0;
    case gate::Op::kQueueEnque:
      return enque_tensor(core, index, request);
    case gate::Op::kQueueDeque:
      deque_tensor(core, index, request);
      return 0;
    case gate::Op::kQueueFree:
      free_tensor(core, index, request);
      return 0;
    case gate::Op::kQueueFreeEvents:
      release_pending(core, 0, index, request.site);
      return 0;
    case gate::Op::kQueueQuery: {
      const auto depth = std::max<size_t>(1, queue->depth);
      if (request.params.frame.mode == 0) return queue->enqueued.size() < depth;
      if (request.params.frame.mode == 1) return !queue->enqueued.empty();
      if (request.params.frame.mode == 2) return queue->enqueued.size();
      for (int buffer : queue->buffers)
        if (core.buffers.buffers[static_cast<size_t>(buffer)].state == Buffer::State::kFree) return 1;
      return 0;
    }
    default:
      return 0;
  }
}

uint64_t Machine::pipe_op(Core& core, gate::Request& request) {
  BufferTable& table = core.buffers;
  const gate::FrameParams& frame = request.params.frame;
  const FlagKey reserved{gate::Pipe::kM, gate::Pipe::kMte1, 0};
  Pool* pool = frame.id > 0 && static_cast<size_t>(frame.id) <= table.pools.size()
                   ? &table.pools[static_cast<size_t>(frame.id - 1)]
                   : nullptr;
  switch (request.op) {
    case gate::Op::kPipeInit: {
      for (const Pool& other : table.pools)
        if (other.pipe && other.alive)
          report_violation(core, request.site, "pipe",
                           "a second TPipe is constructed while another is alive on " + core.name(), true);
      table.pools.push_back({});
      table.pipe_object = frame.value[0];
      table.first_live = table.buffers.size();
      // InitSocState: mask, atomic and load-data registers return to their reset values (spec 4.5).
      const bool saturate = core.registers.float_saturate, truncate = core.registers.cast_truncate;
      core.registers = {};
      core.registers.float_saturate = saturate;
      core.registers.cast_truncate = truncate;
      if (core.kind == gate::CoreKind::kAic)
        for (int id = 0; id < kReservedMte1Ids; ++id) {
          core.flags.take_id(reserved.src, reserved.dst, true);
          set_flag(core, {reserved.src, reserved.dst, id}, request.site);
        }
      return table.pools.size();
    }
    case gate::Op::kPipeReset:
    case gate::Op::kPipeDestroy:
      if (pool == nullptr || !pool->alive) return 0;
      release_pending(core, table.first_live, -1, request.site);
      queue_event(core, request.op, -1, static_cast<int>(table.first_live) - 1, request.site);
      table.first_live = table.buffers.size();
      core.flags.release_all_ids();
      pool->next.fill(0);
      if (request.op == gate::Op::kPipeReset) return 0;
      if (core.kind == gate::CoreKind::kAic)
        for (int id = 0; id < kReservedMte1Ids; ++id) wait_flag(core, {reserved.src, reserved.dst, id}, request.site);
      pool->alive = false;
      table.pipe_object = 0;
      full_barrier(core, request.site, request.op, 0);
      return 0;
    case gate::Op::kPoolInit: {
      if (pool == nullptr) return 0;
      Pool cut;
      cut.pipe = false;
      cut.space = space_of_position(frame.mode);
      const auto s = static_cast<size_t>(cut.space);
      const uint64_t bytes =
          (frame.value[1] + BufferTable::kAlignment - 1) / BufferTable::kAlignment * BufferTable::kAlignment;
      if (frame.value[0] > 0 && frame.value[0] <= table.pools.size()) {
        cut.begin = table.pools[frame.value[0] - 1].begin;
      } else {
        cut.begin = pool->next[s];
        pool->next[s] += bytes;
      }
      cut.end = cut.begin + bytes;
      cut.next[s] = cut.begin;
      const uint64_t limit = pool->pipe ? options_.chip->bytes[s] : pool->end;
      if (cut.end > limit) {
        report_violation(core, request.site, "capacity",
                         "InitBufPool of " + base::count(bytes, "byte") + " ends at " + std::to_string(cut.end) +
                             " of " + space_name(cut.space) + ", which ends at " + std::to_string(limit),
                         true);
        return 0;
      }
      table.pools.push_back(cut);
      return table.pools.size();
    }
    case gate::Op::kPoolReset:
      if (pool == nullptr || pool->pipe) return 0;
      for (size_t q = 0; q < table.queues.size(); ++q)
        for (int b : table.queues[q].buffers) {
          const Buffer& buffer = table.buffers[static_cast<size_t>(b)];
          if (buffer.space == pool->space && buffer.address >= pool->begin && buffer.address < pool->end)
            release_pending(core, 0, static_cast<int>(q), request.site);
        }
      pool->next[static_cast<size_t>(pool->space)] = pool->begin;
      return 0;
    default: {  // kStackBuffer: what no buffer was cut from
      const gate::Space space = space_of_position(frame.mode);
      const auto s = static_cast<size_t>(space);
      uint64_t used = 0;
      for (const Pool& other : table.pools)
        if (other.pipe && other.alive) used = std::max(used, other.next[s]);
      request.operand[0].space = space;
      request.operand[0].address = used;
      request.operand[0].bytes = options_.chip->bytes[s] - used;
      ensure_storage(core, space);
      return 0;
    }
  }
}

uint64_t Machine::event_op(Core& core, gate::Request& request) {
  const auto src = static_cast<gate::Pipe>(request.params.frame.src_pipe);
  const auto dst = static_cast<gate::Pipe>(request.params.frame.dst_pipe);
  const bool release = request.op == gate::Op::kEventRelease;
  const int id = release ? request.params.frame.id : core.flags.take_id(src, dst, request.op == gate::Op::kEventAlloc);
  const bool exists = id >= 0 && id < FlagTable::kIds;
  if (release && !exists) {
    report_violation(core, request.site, "event-id",
                     "ReleaseEventID of id " + std::to_string(id) + ", which is outside 0..7", true);
    return 0;
  }
  event::Event event = make_event(event::Kind::kQueueStep, core, src, sites_.intern(request.site));
  event.op = request.op;
  event.other = dst;
  event.id = static_cast<int16_t>(id);
  event.value[0] = exists && core.flags.is_taken(src, dst, id) ? 1 : 0;
  emit(event);
  if (release) core.flags.release_id(src, dst, id);
  return release || !exists ? 0 : static_cast<uint64_t>(id);
}

uint64_t Machine::init_queue(Core& core, gate::Request& request) {
  BufferTable& table = core.buffers;
  const gate::FrameParams frame = request.params.frame;
  if (frame.id <= 0 || static_cast<size_t>(frame.id) > table.pools.size()) {
    report_violation(core, request.site, "pipe", "InitBuffer on a TPipe or pool that is not initialised", true);
    return 0;
  }
  Pool& pool = table.pools[static_cast<size_t>(frame.id - 1)];
  Queue queue;
  queue.plain = request.op == gate::Op::kBufferInit;
  queue.source = frame.mode;
  queue.destination = queue.plain ? frame.mode : frame.flag;
  queue.depth = static_cast<uint32_t>(frame.value[2]);
  queue.pair = queue.plain ? EventPair{} : event_pair_of(queue.source, queue.destination);
  const uint64_t number = queue.plain ? 1 : frame.value[0];
  const uint64_t bytes =
      (frame.value[1] + BufferTable::kAlignment - 1) / BufferTable::kAlignment * BufferTable::kAlignment;
  // The memory the buffers are cut from is the on-chip end that is filled (ascendc/queue.h buffer_position).
  const gate::Space from = space_of_position(queue.source), to = space_of_position(queue.destination);
  queue.space = from == gate::Space::kGm                             ? to
                : to == gate::Space::kGm                             ? from
                : from == gate::Space::kL1 || to == gate::Space::kL1 ? to
                                                                     : from;
  const auto s = static_cast<size_t>(queue.space);
  const uint64_t limit = pool.pipe ? options_.chip->bytes[s] : pool.end;
  std::string why;
  if (!queue.pair.legal)
    why = "there is no queue between these positions on A2/A3";
  else if (number == 0 || number > BufferTable::kMaxBuffers)
    why = "the number of buffers is " + std::to_string(number) + "; allowed are 1..64";
  else if (table.buffers.size() - table.first_live + number > BufferTable::kMaxBuffers)
    why = "more than 64 buffers in one TPipe";
  else if (bytes > limit || pool.next[s] + number * bytes > limit)
    why = std::to_string(number) + " x " + base::count(bytes, "byte") + " at offset " + std::to_string(pool.next[s]) +
          " do not fit into " + space_name(queue.space) + " (" + base::count(limit, "byte") + ")";
  if (!why.empty()) {
    report_violation(core, request.site, "capacity", "InitBuffer: " + why, true);
    return 0;
  }
  ensure_storage(core, queue.space);
  const auto queue_index = static_cast<int>(table.queues.size());
  for (uint64_t i = 0; i < number; ++i) {
    Buffer buffer;
    buffer.address = pool.next[s];
    buffer.bytes = bytes;
    buffer.space = queue.space;
    buffer.queue = queue_index;
    pool.next[s] += bytes;
    queue.buffers.push_back(static_cast<int>(table.buffers.size()));
    table.buffers.push_back(buffer);
    if (sink_ != nullptr) {
      event::Event define = make_event(event::Kind::kBufferDefine, core, gate::Pipe::kS, sites_.intern(request.site));
      event::Access access;
      access.space = buffer.space;
      access.buffer = static_cast<uint32_t>(table.buffers.size());
      const event::Span span{buffer.address, buffer.address + buffer.bytes};
      define.accesses = &access;
      define.access_count = 1;
      define.spans = &span;
      define.id = static_cast<int16_t>(queue_index + 1);
      define.mode = queue.plain ? 1 : 0;
      define.value[0] = queue.depth;
      define.text = "";
      emit(define);
    }
  }
  table.queues.push_back(std::move(queue));
  return table.queues.size();
}

Queue* Machine::find_queue(Core& core, const gate::Request& request) {
  const int handle = request.params.frame.id;
  if (handle > 0 && static_cast<size_t>(handle) <= core.buffers.queues.size())
    return &core.buffers.queues[static_cast<size_t>(handle - 1)];
  report_violation(core, request.site, "queue",
                   std::string(table_[static_cast<size_t>(request.op)].api) + " on a queue or buffer before InitBuffer",
                   true);
  return nullptr;
}

void Machine::fill_operand(const Core& core, gate::Operand& operand, int buffer) const {
  const Buffer& from = core.buffers.buffers[static_cast<size_t>(buffer)];
  operand.space = from.space;
  operand.address = from.address;
  operand.bytes = from.bytes;
  operand.buffer = static_cast<uint32_t>(buffer + 1);
}

void Machine::queue_event(Core& core, gate::Op op, int queue, int buffer, const gate::Site& site) {
  if (sink_ == nullptr) return;
  event::Event event = make_event(event::Kind::kQueueStep, core, gate::Pipe::kS, sites_.intern(site));
  event.op = op;
  event.id = static_cast<int16_t>(queue + 1);
  event.value[0] = static_cast<uint64_t>(buffer + 1);
  emit(event);
}

int Machine::raise(Core& core, const EventPair& pair, const gate::Site& site) {
  if (pair.none) return -1;
  if (pair.barrier) {
    pipe_barrier(core, pair.src, site);
    return -1;
  }
  const int id = core.flags.take_id(pair.src, pair.dst, true);
  if (id < 0) {
    event::Event event = make_event(event::Kind::kQueueStep, core, pair.src, sites_.intern(site));
    event.op = gate::Op::kEventAlloc;
    event.other = pair.dst;
    event.id = -1;
    emit(event);
    return -1;
  }
  set_flag(core, {pair.src, pair.dst, id}, site);
  return id;
}

void Machine::await(Core& core, const EventPair& pair, int& id, const gate::Site& site) {
  if (id < 0) return;
  wait_flag(core, {pair.src, pair.dst, id}, site);
  core.flags.release_id(pair.src, pair.dst, id);
  id = -1;
}

void Machine::alloc_tensor(Core& core, int queue_index, gate::Request& request) {
  Queue& queue = core.buffers.queues[static_cast<size_t>(queue_index)];
  int chosen = -1;
  for (size_t i = 0; i < queue.buffers.size() && chosen < 0; ++i) {
    const size_t at = (queue.next + i) % queue.buffers.size();
    if (core.buffers.buffers[static_cast<size_t>(queue.buffers[at])].state == Buffer::State::kFree) {
      chosen = queue.buffers[at];
      queue.next = at + 1;
    }
  }
  if (chosen < 0) {  // the device waits for ever; the checker tells
    chosen = queue.buffers[queue.next % queue.buffers.size()];
    queue.next = queue.next % queue.buffers.size() + 1;
  }
  Buffer& buffer = core.buffers.buffers[static_cast<size_t>(chosen)];
  await(core, buffer.reverse, buffer.reverse_id, request.site);
  buffer.state = Buffer::State::kOccupied;
  queue_event(core, request.op, queue_index, chosen, request.site);
  fill_operand(core, request.operand[0], chosen);
}

uint64_t Machine::enque_tensor(Core& core, int queue_index, gate::Request& request) {
  Queue& queue = core.buffers.queues[static_cast<size_t>(queue_index)];
  const gate::FrameParams& frame = request.params.frame;
  const int index = core.buffers.find(request.operand[0].space, request.operand[0].address);
  if (index < 0) {
    queue_event(core, request.op, queue_index, -1, request.site);
    return 0;
  }
  Buffer& buffer = core.buffers.buffers[static_cast<size_t>(index)];
  buffer.forward = frame.flag != 0 ? event_pair_of(frame.mode, static_cast<uint8_t>(frame.value[0])) : queue.pair;
  if (buffer.forward.legal) buffer.forward_id = raise(core, buffer.forward, request.site);
  buffer.state = Buffer::State::kEnqueued;
  queue.enqueued.push_back(index);
  queue_event(core, request.op, queue_index, index, request.site);
  return 1;
}

void Machine::deque_tensor(Core& core, int queue_index, gate::Request& request) {
  Queue& queue = core.buffers.queues[static_cast<size_t>(queue_index)];
  if (queue.enqueued.empty()) {
    queue_event(core, request.op, queue_index, -1, request.site);
    fill_operand(core, request.operand[0], queue.buffers[0]);
    return;
  }
  const int index = queue.enqueued.front();
  queue.enqueued.erase(queue.enqueued.begin());
  Buffer& buffer = core.buffers.buffers[static_cast<size_t>(index)];
  await(core, buffer.forward, buffer.forward_id, request.site);
  buffer.state = Buffer::State::kDequeued;
  queue_event(core, request.op, queue_index, index, request.site);
  fill_operand(core, request.operand[0], index);
}

void Machine::free_tensor(Core& core, int queue_index, gate::Request& request) {
  const Queue& queue = core.buffers.queues[static_cast<size_t>(queue_index)];
  const int index = core.buffers.find(request.operand[0].space, request.operand[0].address);
  queue_event(core, request.op, queue_index, index, request.site);
  if (index < 0) return;
  Buffer& buffer = core.buffers.buffers[static_cast<size_t>(index)];
  if (buffer.state == Buffer::State::kFree || buffer.state == Buffer::State::kEnqueued) return;
  buffer.reverse = {queue.pair.dst, queue.pair.src, queue.pair.legal, queue.pair.none, queue.pair.barrier};
  buffer.reverse_id = raise(core, buffer.reverse, request.site);
  buffer.state = Buffer::State::kFree;
}

void Machine::release_pending(Core& core, size_t first_buffer, int queue, const gate::Site& site) {
  for (size_t i = first_buffer; i < core.buffers.buffers.size(); ++i) {
    Buffer& buffer = core.buffers.buffers[i];
    if (queue >= 0 && buffer.queue != queue) continue;
    await(core, buffer.reverse, buffer.reverse_id, site);
  }
}

}  // namespace ascsan::machine
