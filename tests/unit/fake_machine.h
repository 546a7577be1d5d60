// A tiny machine behind the MachineView interface: cores run lists of operations, pipes are queues with flags. It
// checks that every step a scheduler takes is legal and records the order of executed instructions by label.
// Independent of src/machine, so the schedules are tested against the contract of scheduler.h and not against one user.
#pragma once

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "machine/scheduler.h"

namespace ascsan::test {

using gate::Pipe;
using machine::Actor;

struct Operation {
  enum class Kind { kIssue, kSet, kWait, kAll, kPoll } kind;
  Pipe pipe = Pipe::kV;   ///< kIssue: where; kSet: source; kWait: destination
  Pipe other = Pipe::kV;  ///< kSet: destination; kWait: source
  std::string label;      ///< kIssue: instruction; kPoll: waits, always ready, until this label has been executed
};
inline Operation issue(Pipe pipe, std::string label) {
  return {Operation::Kind::kIssue, pipe, pipe, std::move(label)};
}
inline Operation set(Pipe src, Pipe dst) {
  return {Operation::Kind::kSet, src, dst, {}};
}
inline Operation wait(Pipe src, Pipe dst) {
  return {Operation::Kind::kWait, dst, src, {}};
}
inline Operation all() {
  return {Operation::Kind::kAll, Pipe::kS, Pipe::kS, {}};
}
inline Operation poll(std::string label) {
  return {Operation::Kind::kPoll, Pipe::kS, Pipe::kS, std::move(label)};
}

struct CoreProgram {
  gate::CoreKind kind = gate::CoreKind::kAiv;
  std::vector<Operation> operations;
};

class FakeMachine : public machine::MachineView {
 public:
  explicit FakeMachine(std::vector<CoreProgram> programs) : programs_(std::move(programs)) { reset(); }

  struct Result {
    std::vector<std::string> order;  ///< labels as executed; "S<core>:<label>" when the scalar issues one
    std::vector<Actor> actors;       ///< every step
    bool finished = false;           ///< false: nothing ready although work is left (a stall)
    std::vector<std::string> executed() const {
      std::vector<std::string> labels;
      for (const std::string& label : order)
        if (label[0] != 'S') labels.push_back(label);
      return labels;
    }
  };

  /// Runs the programs from the start. Throws when a step is illegal or the limit is passed.
  Result run(machine::Scheduler& scheduler, uint32_t launch = 1, size_t limit = 2'000'000) {
    reset();
    scheduler.begin(*this, launch);
    while (!ready_.empty()) {
      if (result_.actors.size() >= limit) throw std::runtime_error("step limit");
      const machine::Step step = scheduler.next(*this);
      if (!ready_.test(step.actor)) throw std::runtime_error("the chosen actor is not ready");
      if (step.actor.pipe != Pipe::kS && step.slot >= window(step.actor))
        throw std::runtime_error("slot out of window");
      take(step);
      if (scheduler.completes_at_issue()) drain();
    }
    result_.finished = true;
    for (size_t core = 0; core < cores_.size(); ++core)
      for (int pipe = 0; pipe < gate::kPipeCount; ++pipe)
        if (has_work({static_cast<event::CoreId>(core), static_cast<Pipe>(pipe)})) result_.finished = false;
    return result_;
  }

  int core_count() const override { return static_cast<int>(programs_.size()); }
  gate::CoreKind kind(event::CoreId core) const override { return programs_[core].kind; }
  const machine::ReadySet& ready() const override { return ready_; }
  uint32_t window(Actor actor) const override {
    if (actor.pipe == Pipe::kV || actor.pipe == Pipe::kM || actor.pipe == Pipe::kS) return 1;
    const auto& queue = cores_[actor.core].queues[static_cast<size_t>(actor.pipe)];
    uint32_t length = 0;
    while (length < queue.size() && queue[length].kind == Operation::Kind::kIssue) ++length;
    return std::max(length, 1u);
  }
  bool has_work(Actor actor) const override {
    const State& core = cores_[actor.core];
    return actor.pipe == Pipe::kS ? core.next < programs_[actor.core].operations.size()
                                  : !core.queues[static_cast<size_t>(actor.pipe)].empty();
  }
  Actor blocker(Actor actor) const override {
    const State& core = cores_[actor.core];
    if (actor.pipe != Pipe::kS) {
      const Pipe source = core.queues[static_cast<size_t>(actor.pipe)].front().other;
      return {actor.core, has_work({actor.core, source}) ? source : Pipe::kS};
    }
    const Operation& operation = programs_[actor.core].operations[core.next];
    if (operation.kind == Operation::Kind::kWait && has_work({actor.core, operation.other}))
      return {actor.core, operation.other};
    if (operation.kind == Operation::Kind::kAll)
      for (int pipe = 1; pipe < gate::kPipeCount; ++pipe)
        if (has_work({actor.core, static_cast<Pipe>(pipe)})) return {actor.core, static_cast<Pipe>(pipe)};
    return actor;
  }

 private:
  struct State {
    size_t next = 0;
    std::vector<Operation> queues[gate::kPipeCount];
    std::map<std::pair<Pipe, Pipe>, bool> flags;
  };

  void reset() {
    cores_.assign(programs_.size(), {});
    result_ = {};
    ready_.resize(core_count());
    refresh();
  }
  bool scalar_ready(const State& core, const CoreProgram& program) const {
    if (core.next >= program.operations.size()) return false;
    const Operation& operation = program.operations[core.next];
    if (operation.kind == Operation::Kind::kWait && operation.pipe == Pipe::kS) {
      const auto flag = core.flags.find({operation.other, Pipe::kS});
      return flag != core.flags.end() && flag->second;
    }
    if (operation.kind == Operation::Kind::kAll)
      return std::all_of(std::begin(core.queues), std::end(core.queues),
                         [](const auto& queue) { return queue.empty(); });
    return true;
  }
  bool pipe_ready(const State& core, int pipe) const {
    const auto& queue = core.queues[pipe];
    if (queue.empty()) return false;
    if (queue.front().kind != Operation::Kind::kWait) return true;
    const auto flag = core.flags.find({queue.front().other, queue.front().pipe});
    return flag != core.flags.end() && flag->second;
  }
  void refresh() {
    for (size_t core = 0; core < cores_.size(); ++core) {
      const auto id = static_cast<event::CoreId>(core);
      ready_.set({id, Pipe::kS}, scalar_ready(cores_[core], programs_[core]));
      for (int pipe = 1; pipe < gate::kPipeCount; ++pipe)
        ready_.set({id, static_cast<Pipe>(pipe)}, pipe_ready(cores_[core], pipe));
    }
  }
  void take(const machine::Step& step) {
    result_.actors.push_back(step.actor);
    State& core = cores_[step.actor.core];
    if (step.actor.pipe == Pipe::kS)
      scalar_step(core, step.actor.core);
    else
      pipe_step(core, static_cast<size_t>(step.actor.pipe), step.slot);
    refresh();
  }
  void scalar_step(State& core, event::CoreId id) {
    const Operation& operation = programs_[id].operations[core.next];
    switch (operation.kind) {
      case Operation::Kind::kPoll:
        if (std::find(result_.order.begin(), result_.order.end(), operation.label) == result_.order.end()) return;
        break;
      case Operation::Kind::kIssue:
        result_.order.push_back("S" + std::to_string(id) + ":" + operation.label);
        [[fallthrough]];
      case Operation::Kind::kSet:
        core.queues[static_cast<size_t>(operation.pipe)].push_back(operation);
        break;
      case Operation::Kind::kWait:
        if (operation.pipe == Pipe::kS)
          core.flags[{operation.other, Pipe::kS}] = false;
        else
          core.queues[static_cast<size_t>(operation.pipe)].push_back(operation);
        break;
      case Operation::Kind::kAll:
        break;
    }
    ++core.next;
  }
  void pipe_step(State& core, size_t pipe, uint32_t slot) {
    const Operation operation = core.queues[pipe][slot];
    core.queues[pipe].erase(core.queues[pipe].begin() + slot);
    if (operation.kind == Operation::Kind::kIssue)
      result_.order.push_back(operation.label);
    else if (operation.kind == Operation::Kind::kSet)
      core.flags[{operation.pipe, operation.other}] = true;
    else
      core.flags[{operation.other, operation.pipe}] = false;
  }
  /// What a machine does for a schedule that completes at issue (here a turn is one operation of the scalar).
  void drain() {
    for (bool again = true; again;) {
      again = ready_.any([&](Actor actor) {
        if (actor.pipe == Pipe::kS) return false;
        take({actor, 0});
        return true;
      });
    }
  }

  std::vector<CoreProgram> programs_;
  std::vector<State> cores_;
  machine::ReadySet ready_;
  Result result_;
};

}  // namespace ascsan::test
