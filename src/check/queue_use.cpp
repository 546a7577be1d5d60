#include "check/queue_use.h"

#include <algorithm>

#include "base/text.h"

namespace ascsan::check {
namespace {
using event::Kind;
using gate::Op;
constexpr size_t kStepsKept = 64;  ///< more than an instruction queue holds

const char* role_of(Op op) {
  switch (op) {
    case Op::kQueueAlloc:
      return "allocated";
    case Op::kQueueEnque:
      return "enqueued";
    case Op::kQueueDeque:
      return "dequeued";
    case Op::kQueueFree:
      return "freed";
    default:
      return "queue";
  }
}
}  // namespace

void QueueChecker::on_event(const event::Event& event) {
  switch (event.kind) {
    case Kind::kLaunchBegin:
      findings_.on_event(event);
      cores_.assign(findings_.cores().total(), {});
      return;
    case Kind::kLaunchEnd:
      if (event.mode == 0)
        for (size_t core = 0; core < cores_.size(); ++core) leaks(static_cast<event::CoreId>(core), 0, 0);
      findings_.on_event(event);
      cores_.clear();
      return;
    case Kind::kBufferDefine:
      return define(event);
    case Kind::kQueueStep:
      return step(event);
    case Kind::kInstruction:
      return use(event);
    case Kind::kScalarAccess:
      if (event.access_count != 0 && event.accesses[0].buffer != 0) use(event);
      return;
    default:
      return;
  }
}

void QueueChecker::define(const event::Event& event) {
  if (event.core >= cores_.size() || event.accesses[0].buffer == 0) return;
  Core& core = cores_[event.core];
  Buffer& buffer = core.buffers[event.accesses[0].buffer];
  buffer = {};
  buffer.queue = event.id;
  buffer.plain = event.mode == 1;
  buffer.space = event.accesses[0].space;
  buffer.begin = event.spans[0].begin;
  buffer.end = event.spans[0].end;
  buffer.defined = event.site;
  buffer.steps.push_back({State::kFree, event.site, event.program_index, event.op});
  Queue& queue = core.queues[event.id];
  queue.depth = static_cast<uint32_t>(event.value[0]);
  queue.defined = event.site;
  queue.buffers.push_back(event.accesses[0].buffer);
}

std::string QueueChecker::queue_name(const Core& core, int queue) const {
  const auto known = core.queues.find(queue);
  if (known == core.queues.end()) return "queue " + std::to_string(queue);
  return "queue " + std::to_string(queue) + " (InitBuffer at " + findings_.where(known->second.defined) + ")";
}

Usage QueueChecker::misuse(Rule rule, const event::Event& event, const Buffer* buffer, const char* role) const {
  Usage usage;
  usage.rule = rule;
  usage.places = {place_of(role, event, event.op)};
  if (buffer == nullptr) return usage;
  const Step& before = buffer->now();
  if (before.op != Op::kNop && before.op != Op::kQueueInit)
    usage.places.push_back({role_of(before.op), before.site, event.core, gate::Pipe::kS, before.op, 0});
  const Core& core = cores_[event.core];
  const auto queue = core.queues.find(buffer->queue);
  if (queue != core.queues.end())
    usage.places.push_back({"queue", queue->second.defined, event.core, gate::Pipe::kS, Op::kQueueInit, 0});
  usage.space = event::space_name(buffer->space);
  usage.object = usage.space + " queue " + std::to_string(buffer->queue);
  usage.end = buffer->end - buffer->begin;
  return usage;
}

void QueueChecker::move(Buffer& buffer, State state, const event::Event& event) {
  buffer.steps.push_back({state, event.site, event.program_index, event.op});
  if (buffer.steps.size() > kStepsKept) buffer.steps.pop_front();
}

void QueueChecker::step(const event::Event& event) {
  if (event.core >= cores_.size()) return;
  Core& core = cores_[event.core];
  switch (event.op) {
    case Op::kQueueAlloc:
      return alloc(core, event);
    case Op::kQueueEnque:
      return enque(core, event);
    case Op::kQueueDeque:
      return deque(core, event);
    case Op::kQueueFree:
      return free(core, event);
    case Op::kPipeReset:
    case Op::kPipeDestroy: {
      leaks(event.core, static_cast<uint32_t>(event.value[0]), event.site);
      for (auto& [handle, buffer] : core.buffers)
        if (buffer.dropped == 0 && handle > event.value[0]) buffer.dropped = event.program_index;
      return;
    }
    default:
      return;
  }
}

void QueueChecker::alloc(Core& core, const event::Event& event) {
  const auto found = core.buffers.find(static_cast<uint32_t>(event.value[0]));
  if (found == core.buffers.end()) return;
  Buffer& buffer = found->second;
  if (buffer.now().state != State::kFree) {
    const Queue& queue = core.queues[event.id];
    Usage usage = misuse(Rule::kASC4205, event, &buffer, "call");
    usage.title = "AllocTensor finds no free buffer: all " + base::count(queue.buffers.size(), "buffer") +
                  " of the queue are in use";
    usage.detail = findings_.name(event.core) + " asks for a tensor at " + findings_.where(event.site) +
                   "; the oldest one still in use was " + role_of(buffer.now().op) + " at " +
                   findings_.where(buffer.now().site) +
                   ". The device waits for ever: FreeTensor is missing on some path, or the queue needs more buffers.";
    findings_.add(usage);
    if (buffer.now().state == State::kEnqueued && queue.enqueued > 0) --core.queues[event.id].enqueued;
  }
  move(buffer, State::kOccupied, event);
}

void QueueChecker::enque(Core& core, const event::Event& event) {
  const auto found = core.buffers.find(static_cast<uint32_t>(event.value[0]));
  if (found == core.buffers.end()) {
    Usage usage = misuse(Rule::kASC4209, event, nullptr, "EnQue");
    usage.title = "EnQue of a tensor that belongs to no buffer";
    usage.detail =
        findings_.name(event.core) + " enqueues a tensor that no InitBuffer has made; take one from AllocTensor.";
    findings_.add(usage);
    return;
  }
  Buffer& buffer = found->second;
  Queue& queue = core.queues[event.id];
  if (buffer.now().state == State::kFree || buffer.now().state == State::kEnqueued) {
    const bool free = buffer.now().state == State::kFree;
    Usage usage = misuse(Rule::kASC4209, event, &buffer, "EnQue");
    usage.title = std::string("EnQue of a tensor that is ") + (free ? "free" : "in a queue already");
    usage.detail = findings_.name(event.core) + " enqueues the tensor at " + findings_.where(event.site) +
                   ", but it was " + role_of(buffer.now().op) + " at " + findings_.where(buffer.now().site) +
                   ". A tensor goes AllocTensor, EnQue, DeQue, FreeTensor, each once per round.";
    findings_.add(usage);
  }
  if (queue.enqueued >= std::max(1u, queue.depth)) {
    Usage usage = misuse(Rule::kASC4206, event, &buffer, "EnQue");
    usage.title = "EnQue of " + base::count(queue.enqueued + 1, "tensor") + " into a queue of depth " +
                  std::to_string(queue.depth);
    usage.detail = findings_.name(event.core) +
                   " has not taken out the earlier ones by DeQue; the depth is the second " +
                   "template argument of TQue.";
    findings_.add(usage);
  }
  ++queue.enqueued;
  move(buffer, State::kEnqueued, event);
}

void QueueChecker::deque(Core& core, const event::Event& event) {
  if (event.value[0] == 0) {
    Usage usage = misuse(Rule::kASC4204, event, nullptr, "DeQue");
    usage.title = "DeQue on an empty queue";
    usage.detail = findings_.name(event.core) + " takes a tensor out of " + queue_name(core, event.id) + " at " +
                   findings_.where(event.site) +
                   ", but every tensor put in was taken out already. The device waits for ever: EnQue is missing.";
    const auto queue = core.queues.find(event.id);
    if (queue != core.queues.end()) {
      const Step* newest = nullptr;
      for (uint32_t handle : queue->second.buffers)
        for (const Step& past : core.buffers[handle].steps)
          if (past.op == Op::kQueueDeque && (newest == nullptr || past.program > newest->program)) newest = &past;
      if (newest != nullptr)
        usage.places.push_back({"earlier", newest->site, event.core, gate::Pipe::kS, newest->op, 0});
      usage.places.push_back({"queue", queue->second.defined, event.core, gate::Pipe::kS, Op::kQueueInit, 0});
    }
    findings_.add(usage);
    return;
  }
  const auto found = core.buffers.find(static_cast<uint32_t>(event.value[0]));
  if (found == core.buffers.end()) return;
  Queue& queue = core.queues[event.id];
  if (queue.enqueued > 0) --queue.enqueued;
  move(found->second, State::kDequeued, event);
}

void QueueChecker::free(Core& core, const event::Event& event) {
  const auto found = core.buffers.find(static_cast<uint32_t>(event.value[0]));
  if (found == core.buffers.end()) {
    Usage usage = misuse(Rule::kASC4203, event, nullptr, "call");
    usage.title = "FreeTensor of a tensor that belongs to no queue";
    usage.detail = findings_.name(event.core) + " frees a tensor that no AllocTensor or DeQue gave out.";
    findings_.add(usage);
    return;
  }
  Buffer& buffer = found->second;
  if (buffer.queue != event.id || buffer.plain) {
    Usage usage = misuse(Rule::kASC4203, event, &buffer, "call");
    usage.title = "FreeTensor gives a tensor to another queue than the one it came from";
    usage.detail =
        findings_.name(event.core) + " frees it to " + queue_name(core, event.id) + "; it was " +
        role_of(buffer.now().op) + " at " + findings_.where(buffer.now().site) + " and belongs to " +
        queue_name(core, buffer.queue) +
        ". The flag of the wrong queue is set, so the next AllocTensor of the right one does not wait for it.";
    const auto wrong = core.queues.find(event.id);
    if (wrong != core.queues.end())
      usage.places.push_back({"to queue", wrong->second.defined, event.core, gate::Pipe::kS, Op::kQueueInit, 0});
    findings_.add(usage);
  } else if (buffer.now().state == State::kFree) {
    Usage usage = misuse(Rule::kASC4202, event, &buffer, "call");
    usage.title = buffer.now().op == Op::kQueueFree ? "FreeTensor of a tensor that is free already"
                                                    : "FreeTensor of a tensor that was never allocated";
    usage.detail = findings_.name(event.core) + " frees the tensor at " + findings_.where(event.site) +
                   (buffer.now().op == Op::kQueueFree ? " and freed it before at " + findings_.where(buffer.now().site)
                                                      : std::string()) +
                   ". The extra free flag is never waited for, and the buffer may be given out twice.";
    findings_.add(usage);
  } else if (buffer.now().state == State::kEnqueued) {
    Usage usage = misuse(Rule::kASC4202, event, &buffer, "call");
    usage.title = "FreeTensor of a tensor that is still in the queue";
    usage.detail = findings_.name(event.core) + " enqueued it at " + findings_.where(buffer.now().site) +
                   " and frees it at " + findings_.where(event.site) + " without DeQue.";
    findings_.add(usage);
    return;  // the machine leaves it in the queue
  }
  move(buffer, State::kFree, event);
}

void QueueChecker::use(const event::Event& event) {
  if (event.core >= cores_.size()) return;
  Core& core = cores_[event.core];
  for (uint32_t i = 0; i < event.access_count; ++i) {
    const event::Access& access = event.accesses[i];
    if (access.buffer == 0 || access.span_count == 0) continue;
    const auto found = core.buffers.find(access.buffer);
    if (found == core.buffers.end() || found->second.plain) continue;
    const Buffer& buffer = found->second;
    if (buffer.dropped != 0 && event.program_index > buffer.dropped) continue;
    const Step* at = nullptr;  // the last step before the instruction was issued
    for (auto step = buffer.steps.rbegin(); step != buffer.steps.rend() && at == nullptr; ++step)
      if (step->program < event.program_index) at = &*step;
    if (at == nullptr || at->state != State::kFree || at->op != Op::kQueueFree) continue;
    Usage usage;
    usage.rule = Rule::kASC4207;
    usage.places = {place_of(event::writes(access.role) ? "writer" : "reader", event, event.op),
                    {"freed", at->site, event.core, gate::Pipe::kS, Op::kQueueFree, 0},
                    {"queue", buffer.defined, event.core, gate::Pipe::kS, Op::kQueueInit, 0}};
    usage.space = event::space_name(buffer.space);
    usage.object = usage.space + " queue " + std::to_string(buffer.queue);
    usage.end = buffer.end - buffer.begin;
    usage.title = std::string(event::api_name(event.op)) + (event::writes(access.role) ? " writes" : " reads") +
                  " a tensor after it was freed";
    usage.detail = findings_.name(event.core) + " frees the tensor at " + findings_.where(at->site) +
                   ", so the next AllocTensor may give the buffer out and its loads may overwrite it; " +
                   event::api_name(event.op) + " on " + event::pipe_name(event.pipe) + " at " +
                   findings_.where(event.site) + " comes later in the program. Free it after its last use.";
    findings_.add(usage);
  }
}

void QueueChecker::leaks(event::CoreId core_id, uint32_t first_buffer, event::SiteId end) {
  for (auto& [handle, buffer] : cores_[core_id].buffers) {
    if (handle <= first_buffer || buffer.plain || buffer.dropped != 0 || buffer.now().state == State::kFree) continue;
    const Step& last = buffer.now();
    Usage usage;
    usage.rule = Rule::kASC4208;
    usage.places = {{role_of(last.op), last.site, core_id, gate::Pipe::kS, last.op, 0},
                    {"queue", buffer.defined, core_id, gate::Pipe::kS, Op::kQueueInit, 0}};
    if (end != 0) usage.places.push_back({"ends", end, core_id, gate::Pipe::kS, Op::kPipeDestroy, 0});
    usage.space = event::space_name(buffer.space);
    usage.object = usage.space + " queue " + std::to_string(buffer.queue);
    usage.end = buffer.end - buffer.begin;
    usage.title = last.state == State::kEnqueued ? "a tensor is enqueued and never taken out by DeQue"
                                                 : "a tensor is allocated and never freed";
    usage.detail = findings_.name(core_id) + ": the tensor was " + role_of(last.op) + " at " +
                   findings_.where(last.site) +
                   (last.state == State::kEnqueued ? "; its flag stays set when the queue ends."
                                                   : "; the next round finds one buffer less.");
    findings_.add(usage);
  }
}

}  // namespace ascsan::check
