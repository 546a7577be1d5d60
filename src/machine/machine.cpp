// Launch and loop: builds the cores of a launch, asks the scheduler for steps, lets scalar programs block and continue.
#include "machine/machine.h"

#include "base/text.h"

namespace ascsan::machine {
namespace {
thread_local Machine* g_current = nullptr;
/// Operations a core does in one turn under a schedule that completes at issue: few enough that cores advance together.
constexpr uint32_t kEagerTurn = 8;
constexpr uint32_t kMaxCores = 1024;  ///< of one launch; each takes a stack and its on-chip memories
struct CoreStart {
  Machine* machine;
  Core* core;
};
}  // namespace

Machine* Machine::current() {
  return g_current;
}

Machine::Machine(const OpTable& table, GlobalMemory& memory, event::SiteTable& sites, const MachineOptions& options)
    : table_(table),
      memory_(memory),
      sites_(sites),
      options_(options),
      stacks_(options.stack_bytes),
      storage_pool_(gate::kSpaceCount) {}

Machine::~Machine() = default;

void Machine::build_cores() {
  for (auto& core : cores_)
    for (int space = 0; space < gate::kSpaceCount; ++space)
      if (core->storage[static_cast<size_t>(space)])
        storage_pool_[static_cast<size_t>(space)].push_back(std::move(core->storage[static_cast<size_t>(space)]));
  for (auto& core : cores_)
    for (PipeQueue& pipe : core->pipes)
      while (!pipe.empty()) entries_.give_back(pipe.pop(0));
  cores_.clear();
  groups_.clear();
  const KernelShape& shape = shape_of(type_);
  const auto add = [&](gate::CoreKind kind, uint32_t block, uint32_t sub, uint32_t number) {
    auto core = std::make_unique<Core>();
    core->id = static_cast<event::CoreId>(cores_.size());
    core->kind = kind;
    core->number = number;
    core->block = block;
    core->sub_block = sub;
    core->registers.float_saturate = options_.float_saturate;
    core->memories.results = &core->results;
    cores_.push_back(std::move(core));
  };
  for (uint32_t block = 0; block < plan_.block_dim * shape.aic_per_block; ++block)
    add(gate::CoreKind::kAic, block, 0, block);
  for (uint32_t number = 0; number < plan_.block_dim * shape.aiv_per_block; ++number)
    add(gate::CoreKind::kAiv, number / shape.aiv_per_block, number % shape.aiv_per_block, number);
  ready_.resize(core_count());
  ready_pipes_ = 0;
  touched_ = false;
}

LaunchOutcome Machine::launch(const LaunchPlan& plan, Scheduler& scheduler, event::Sink* sink) {
  plan_ = plan;
  sink_ = sink;
  type_ = plan.type;
  outcome_ = {};
  eager_ = scheduler.completes_at_issue();
  tries_out_ = sink != nullptr && sink->wants_execution();
  scheduler_ = &scheduler;
  Machine* const outer = g_current;
  g_current = this;
  do {
    restart_ = abandoned_ = false;
    const KernelShape& shape = shape_of(type_);
    // Blocks beyond the physical cores run beside the others: on the device they come later, but nothing orders them
    //
    const uint32_t limit = kMaxCores / (shape.aic_per_block + shape.aiv_per_block);
    if (plan.block_dim == 0 || plan.block_dim > limit) {
      outcome_.end = LaunchOutcome::End::kRefused;
      outcome_.text = "block_dim of kernel " + plan.kernel + " is " + std::to_string(plan.block_dim) + "; a " +
                      shape.name + " launch takes 1.." + std::to_string(limit) + " blocks (" +
                      std::to_string(kMaxCores) + " cores at once are modelled)";
      break;
    }
    build_cores();
    event::Event begin;
    begin.kind = event::Kind::kLaunchBegin;
    begin.text = plan_.kernel.c_str();
    begin.value[0] = static_cast<uint64_t>(plan_.block_dim) * shape.aic_per_block;
    begin.value[1] = static_cast<uint64_t>(plan_.block_dim) * shape.aiv_per_block;
    begin.mode = static_cast<uint8_t>(shape.aiv_per_block);
    // A restart happens before any event of a core, so a second LaunchBegin simply replaces the first.
    emit(begin);
    memory_.each([&](const Tensor& tensor) {
      const event::Span extent{tensor.begin, tensor.end};
      const std::string name = GlobalMemory::describe(tensor);
      event::Event define;
      define.kind = event::Kind::kTensorDefine;
      define.text = name.c_str();
      define.spans = &extent;
      define.value[0] = tensor.framework ? 1 : 0;
      emit(define);
    });
    std::vector<CoreStart> starts(cores_.size());
    for (size_t i = 0; i < cores_.size(); ++i) {
      starts[i] = {this, cores_[i].get()};
      cores_[i]->fiber = std::make_unique<Fiber>(stacks_, &Machine::core_main, &starts[i]);
      refresh_scalar(*cores_[i]);
    }
    scheduler.begin(*this, plan_.number);
    run_loop(scheduler);
    for (auto& core : cores_) core->fiber.reset();
  } while (restart_);
  if (outcome_.end != LaunchOutcome::End::kRefused) {
    for (auto& core : cores_) clean_all_lines(*core, core->last_site);
    event::Event end;
    end.kind = event::Kind::kLaunchEnd;
    end.mode = static_cast<uint8_t>(outcome_.end);
    emit(end);
  }
  outcome_.type = type_;
  g_current = outer;
  running_ = nullptr;
  return outcome_;
}

void Machine::run_loop(Scheduler& scheduler) {
  while (!abandoned_) {
    if (ready_.empty()) {
      bool finished = true;
      for (const auto& core : cores_) {
        finished = finished && core->done;
        for (const PipeQueue& pipe : core->pipes) finished = finished && pipe.empty();
      }
      if (finished) return;
      break;
    }
    if (options_.max_steps != 0 && outcome_.steps >= options_.max_steps) {
      outcome_.end = LaunchOutcome::End::kStepLimit;
      outcome_.text = "the launch was given up after " + std::to_string(outcome_.steps) + " steps (option max_steps)";
      return;
    }
    ++outcome_.steps;
    step(scheduler.next(*this));
  }
  if (abandoned_) return;
  outcome_.end = LaunchOutcome::End::kStalled;
  outcome_.text = describe_stall();
  report_stall();
}

void Machine::step(const Step& step) {
  Core& core = *cores_[step.actor.core];
  if (step.actor.pipe == gate::Pipe::kS)
    resume(core);
  else
    execute(core, step.actor.pipe, step.slot);
}

void Machine::resume(Core& core) {
  running_ = &core;
  if (!core.started) {
    core.started = true;
    emit(make_event(event::Kind::kCoreBegin, core, gate::Pipe::kS, 0));
  }
  eager_left_ = kEagerTurn;
  core.fiber->resume();
  running_ = nullptr;
  if ((core.fiber->finished() || core.stopped) && !core.done) {
    core.done = true;
    emit(make_event(event::Kind::kCoreEnd, core, gate::Pipe::kS, 0));
    if (interposer_ != nullptr) refresh_groups();
  }
  refresh_scalar(core);
}

void Machine::core_main(void* start) {
  const auto* self = static_cast<CoreStart*>(start);
  self->machine->plan_.entry(self->machine->plan_.closure);
}

void Machine::refresh(Core& core, gate::Pipe pipe) {
  if (pipe == gate::Pipe::kS) return refresh_scalar(core);
  const PipeQueue& queue = core.pipes[static_cast<size_t>(pipe)];
  bool on = !queue.empty();
  if (on && queue.front()->kind == Entry::Kind::kWaitFlag)
    on = core.flags.at({queue.front()->other, pipe, queue.front()->id}).is_set();
  if (on && queue.front()->unit_flag != 0) on = unit_ready(core, pipe, *queue.front());
  const Actor actor{core.id, pipe};
  const bool was = ready_.test(actor);
  if (on == was) return;
  ready_.set(actor, on);
  ready_pipes_ += on ? 1u : ~0u;
}

void Machine::refresh_scalar(Core& core) {
  ready_.set({core.id, gate::Pipe::kS}, !core.done && wait_satisfied(core));
}

bool Machine::wait_satisfied(const Core& core) const {
  const Wait& wait = core.wait;
  switch (wait.reason) {
    case Wait::Reason::kNone:
      return true;
    case Wait::Reason::kFlag:
      return const_cast<Core&>(core).flags.at(wait.flag).is_set();
    case Wait::Reason::kAllPipes:
      for (const PipeQueue& pipe : core.pipes)
        if (!pipe.empty()) return false;
      return true;
    case Wait::Reason::kPipeUpTo:
      for (size_t p = 0; p < core.pipes.size(); ++p) {
        const PipeQueue& pipe = core.pipes[p];
        for (size_t i = 0; i < pipe.size() && wait.up_to[p] != 0; ++i)
          if (pipe.at(i)->kind == Entry::Kind::kInstruction && pipe.at(i)->index <= wait.up_to[p]) return false;
      }
      return true;
    case Wait::Reason::kQueueSpace:
      return core.pipes[static_cast<size_t>(wait.id)].size() < options_.queue_depth;
    case Wait::Reason::kCross:
      return core.counters[static_cast<size_t>(wait.id)] > 0;
    case Wait::Reason::kGroup:
      return wait.passes(wait.context, nullptr);
  }
  return true;
}

void Machine::block(Core& core, const Wait& wait) {
  core.wait = wait;
  if (eager_) run_ready_pipes();
  while (!wait_satisfied(core)) {
    refresh_scalar(core);
    core.fiber->suspend();
    running_ = &core;
  }
  core.wait = {};
}

void Machine::yield(Core& core) {
  if (eager_) {
    run_ready_pipes();
    if (--eager_left_ != 0) return;
  }
  refresh_scalar(core);
  core.fiber->suspend();
  running_ = &core;
}

void Machine::run_ready_pipes() {
  while (ready_pipes_ != 0) {
    Actor actor;
    ready_.any([&](Actor candidate) {
      actor = candidate;
      return candidate.pipe != gate::Pipe::kS;
    });
    execute(*cores_[actor.core], actor.pipe, 0);
  }
}

void Machine::abandon(LaunchOutcome::End end, std::string text) {
  outcome_.end = end;
  outcome_.text = std::move(text);
  abandoned_ = true;
  Core& core = *running_;
  for (;;) core.fiber->suspend();  // never resumed: the loop has ended
}

uint32_t Machine::window(Actor actor) const {
  if (options_.mte_in_order) return 1;
  switch (actor.pipe) {
    case gate::Pipe::kMte1:
    case gate::Pipe::kMte2:
    case gate::Pipe::kMte3:
    case gate::Pipe::kFix:
      return cores_[actor.core]->pipes[static_cast<size_t>(actor.pipe)].window();
    default:
      return 1;
  }
}

bool Machine::has_work(Actor actor) const {
  const Core& core = *cores_[actor.core];
  return actor.pipe == gate::Pipe::kS ? !core.done : !core.pipes[static_cast<size_t>(actor.pipe)].empty();
}

Actor Machine::blocker(Actor actor) const {
  const Core& core = *cores_[actor.core];
  if (actor.pipe != gate::Pipe::kS) {
    const PipeQueue& queue = core.pipes[static_cast<size_t>(actor.pipe)];
    if (!queue.empty() && queue.front()->unit_flag != 0 && !ready_.test(actor)) {
      const gate::Pipe other = actor.pipe == gate::Pipe::kM ? gate::Pipe::kFix : gate::Pipe::kM;
      return {core.id, core.pipes[static_cast<size_t>(other)].empty() ? gate::Pipe::kS : other};
    }
    if (queue.empty() || queue.front()->kind != Entry::Kind::kWaitFlag) return actor;
    const gate::Pipe source = queue.front()->other;
    const bool pending = source != gate::Pipe::kS && !core.pipes[static_cast<size_t>(source)].empty();
    return {core.id, pending ? source : gate::Pipe::kS};
  }
  const Wait& wait = core.wait;
  // All pipes are waited for, so any busy one will do. Consumers before producers: a late schedule then shows the flag
  // that is missing between them.
  const auto first_busy_pipe = [&](const Core& of) {
    Actor busy{of.id, gate::Pipe::kS};
    for (const gate::Pipe pipe :
         {gate::Pipe::kMte3, gate::Pipe::kFix, gate::Pipe::kV, gate::Pipe::kM, gate::Pipe::kMte1, gate::Pipe::kMte2}) {
      if (of.pipes[static_cast<size_t>(pipe)].empty()) continue;
      if (ready_.test({of.id, pipe})) return Actor{of.id, pipe};
      if (busy.pipe == gate::Pipe::kS) busy.pipe = pipe;
    }
    return busy;
  };
  switch (wait.reason) {
    case Wait::Reason::kNone:
      return actor;
    case Wait::Reason::kFlag:
      if (!core.pipes[static_cast<size_t>(wait.flag.src)].empty()) return {core.id, wait.flag.src};
      return actor;
    case Wait::Reason::kAllPipes:
      return first_busy_pipe(core);
    case Wait::Reason::kPipeUpTo:
      for (size_t p = 1; p < core.pipes.size(); ++p)
        if (wait.up_to[p] != 0 && !core.pipes[p].empty() && core.pipes[p].front()->index <= wait.up_to[p])
          return {core.id, static_cast<gate::Pipe>(p)};
      return first_busy_pipe(core);
    case Wait::Reason::kQueueSpace:
      return {core.id, static_cast<gate::Pipe>(wait.id)};
    case Wait::Reason::kCross:
      // Some core whose set with this id is queued; else some core that may still issue one.
      for (const auto& other : cores_)
        for (size_t p = 1; p < other->pipes.size(); ++p)
          if (other->queued_cross[static_cast<size_t>(wait.id)][p] != 0) return {other->id, static_cast<gate::Pipe>(p)};
      for (const auto& other : cores_)
        if (other->id != core.id && !other->done && other->wait.reason != Wait::Reason::kCross)
          return {other->id, gate::Pipe::kS};
      for (const auto& other : cores_)
        if (other->id != core.id && !other->done && other->wait.id != wait.id) return {other->id, gate::Pipe::kS};
      return actor;
    case Wait::Reason::kGroup: {
      event::CoreId peer = core.id;
      wait.passes(wait.context, &peer);
      return {peer, gate::Pipe::kS};
    }
  }
  return actor;
}

event::Event Machine::make_event(event::Kind kind, const Core& core, gate::Pipe pipe, event::SiteId site) const {
  event::Event event;
  event.kind = kind;
  event.core = core.id;
  event.pipe = pipe;
  event.site = site;
  event.scalar_index = core.scalar_index;
  event.scalar_version = core.scalar_version;
  event.program_index = core.program_index;
  return event;
}

std::string place(const gate::Site& site) {
  return base::place(site.file, site.line);
}

}  // namespace ascsan::machine
