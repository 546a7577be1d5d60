// A machine with one instruction, DataCopy between any two memories, driven through the real API headers. Enough to
// test pipes, flags, queues and cross-core synchronisation without the instruction set.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>

#include "event/sink.h"
#include "kernel_operator.h"
#include "machine/machine.h"
#include "schedule/make.h"

namespace ascsan::test {

inline gate::Pipe copy_pipe(const gate::Request& request) {
  if (request.operand[1].space == gate::Space::kGm) return gate::Pipe::kMte2;
  if (request.operand[0].space == gate::Space::kGm) return gate::Pipe::kMte3;
  return gate::Pipe::kV;
}
inline void copy_footprint(const gate::Request& request, machine::Footprint& footprint) {
  footprint.open(request.operand[0], 0, event::Role::kWrite);
  footprint.add(request.operand[0].address, request.params.frame.value[0]);
  footprint.open(request.operand[1], 1, event::Role::kRead);
  footprint.add(request.operand[1].address, request.params.frame.value[0]);
}
inline void copy_execute(const gate::Request& request, const machine::Memories& memories) {
  std::memcpy(memories.at(request.operand[0]), memories.at(request.operand[1]), request.params.frame.value[0]);
}

/// Copies `bytes` from src to dst; both are AscendC tensors.
template <typename Dst, typename Src>
void copy(const Dst& dst, const Src& src, uint32_t bytes, gate::Site site = ASCSAN_HERE) {
  gate::Request request;
  request.op = gate::Op::kDataCopy;
  request.operand_count = 2;
  request.operand[0] = dst.operand();
  request.operand[1] = src.operand();
  request.params.frame.value[0] = bytes;
  request.site = site;
  ascsan_gate(&request);
}

struct Recorder : event::Sink {
  struct Line {
    event::Event event;
    std::string text;
  };
  std::vector<Line> lines;
  void on_event(const event::Event& event) override {
    lines.push_back({event, event.text != nullptr ? event.text : ""});
  }
  size_t count(event::Kind kind) const {
    size_t total = 0;
    for (const Line& line : lines) total += line.event.kind == kind ? 1 : 0;
    return total;
  }
  std::string text_of(event::Kind kind) const {
    for (const Line& line : lines)
      if (line.event.kind == kind) return line.text;
    return "";
  }
};

class MachineTest : public ::testing::Test {
 protected:
  static const machine::OpTable& table() {
    static const machine::OpTable table = [] {
      machine::OpTable filled{};
      size_t row = 0;
#define ASCSAN_OP(name, text) filled[row++].api = text;
#include "ascendc/ops_copy.def"
#include "ascendc/ops_cube.def"
#include "ascendc/ops_frame.def"
#include "ascendc/ops_vector.def"
#undef ASCSAN_OP
      machine::OpInfo& copy = filled[static_cast<size_t>(gate::Op::kDataCopy)];
      copy.pipe = copy_pipe;
      copy.footprint = copy_footprint;
      copy.execute = copy_execute;
      return filled;
    }();
    return table;
  }

  /// Runs `kernel` on every core. Launches of one test share memory and sites.
  machine::LaunchOutcome run(machine::KernelType type, uint32_t blocks, std::function<void()> kernel,
                             const std::string& schedule = "in_order", uint64_t seed = 1) {
    machine::MachineOptions options;
    options.chip = machine::find_chip("910B1");
    options.max_steps = 1000000;
    machine::Machine machine(table(), memory, sites, options);
    machine::LaunchPlan plan;
    plan.kernel = "kernel";
    plan.type = type;
    plan.block_dim = blocks;
    plan.number = 1;
    plan.closure = &kernel;
    plan.entry = [](void* closure) { (*static_cast<std::function<void()>*>(closure))(); };
    auto scheduler = schedule::make_scheduler(schedule, seed, 3, nullptr);
    recorder = {};
    return machine.launch(plan, *scheduler, &recorder);
  }

  template <typename T>
  T* allocate(uint64_t elements, const char* name) {
    void* memory_of = memory.allocate(elements * sizeof(T), 0);
    memory.find(reinterpret_cast<uint64_t>(memory_of))->name = name;
    return static_cast<T*>(memory_of);
  }

  machine::GlobalMemory memory;
  event::SiteTable sites;
  Recorder recorder;
};

using End = machine::LaunchOutcome::End;

/// Schedules under which a correct kernel must give the same values.
inline std::vector<std::pair<std::string, uint64_t>> all_schedules() {
  std::vector<std::pair<std::string, uint64_t>> list = {{"in_order", 1}, {"deferred", 1}};
  for (uint64_t seed = 1; seed <= 10; ++seed) list.push_back({"random", seed}), list.push_back({"pct", seed});
  return list;
}

}  // namespace ascsan::test
