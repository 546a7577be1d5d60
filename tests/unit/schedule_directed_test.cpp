// The directed schedule on the real machine: a held instruction completes after the one it waits for, everything else
// keeps its order, and a hold that synchronisation forbids is given up without a hang.
// links: ascsan_machine ascsan_schedule
#include "schedule/directed.h"

#include <random>

#include "machine_fixture.h"

extern "C" uint64_t ascsan_gate(ascsan::gate::Request* request) {
  ascsan::machine::Machine* machine = ascsan::machine::Machine::current();
  return machine != nullptr ? machine->perform(*request) : 0;
}

namespace ascsan::test {
namespace {
using namespace AscendC;
using machine::Actor;
using machine::KernelType;
using schedule::Hold;

class Directed : public MachineTest {
 protected:
  struct Trace {
    std::vector<event::Event> events;
    machine::LaunchOutcome outcome;
    uint32_t kept = 0;
    /// Place of an instruction among the events, -1 when it did not happen.
    long at(Actor actor, uint32_t index) const {
      for (size_t i = 0; i < events.size(); ++i)
        if (events[i].core == actor.core && events[i].pipe == actor.pipe && events[i].index == index &&
            (events[i].kind == event::Kind::kInstruction || events[i].kind == event::Kind::kScalarAccess))
          return static_cast<long>(i);
      return -1;
    }
  };
  Trace directed(uint32_t blocks, std::function<void()> kernel, const std::string& base, std::vector<Hold> holds) {
    machine::MachineOptions options;
    options.chip = machine::find_chip("910B1");
    options.max_steps = 1000000;
    machine::Machine machine(table(), memory, sites, options);
    machine::LaunchPlan plan;
    plan.kernel = "kernel";
    plan.type = KernelType::kAivOnly;
    plan.block_dim = blocks;
    plan.number = 1;
    plan.closure = &kernel;
    plan.entry = [](void* closure) { (*static_cast<std::function<void()>*>(closure))(); };
    schedule::Directed scheduler(schedule::make_scheduler(base, 1, 3, nullptr), std::move(holds));
    recorder = {};
    Trace trace;
    trace.outcome = machine.launch(plan, scheduler, &recorder);
    trace.kept = scheduler.kept();
    for (const auto& line : recorder.lines) trace.events.push_back(line.event);
    return trace;
  }
};

/// Every core copies GM -> UB -> GM `tiles` times on MTE2 and MTE3, ordered by flags of its own core.
std::function<void()> copies(float* x, float* y, uint32_t tiles) {
  return [=] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, tiles * 32);
    GlobalTensor<float> gx, gy;
    gx.SetGlobalBuffer(x, 4096);
    gy.SetGlobalBuffer(y, 4096);
    LocalTensor<float> local = buffer.Get<float>();
    for (uint32_t i = 0; i < tiles; ++i) copy(local[i * 8], gx[i * 8], 32);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    for (uint32_t i = 0; i < tiles; ++i) copy(gy[(GetBlockIdx() * tiles + i) * 8], local[i * 8], 32);
  };
}

TEST_F(Directed, AHeldInstructionWaitsForOneOfAnotherCore) {
  auto* x = allocate<float>(4096, "x");
  auto* y = allocate<float>(4096, "y");
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    std::mt19937_64 random(seed);
    const auto tiles = static_cast<uint32_t>(1 + random() % 11);
    const uint32_t cores = 3;
    const auto held_core = static_cast<event::CoreId>(random() % cores);
    const auto until_core = static_cast<event::CoreId>((held_core + 1 + random() % (cores - 1)) % cores);
    const gate::Pipe held_pipe = random() % 2 != 0 ? gate::Pipe::kMte2 : gate::Pipe::kMte3;
    const gate::Pipe until_pipe = random() % 2 != 0 ? gate::Pipe::kMte2 : gate::Pipe::kMte3;
    const Hold hold{{{held_core, held_pipe}, static_cast<uint32_t>(1 + random() % tiles)},
                    {{until_core, until_pipe}, static_cast<uint32_t>(1 + random() % tiles)}};
    for (const char* base : {"in_order", "deferred", "random"}) {
      const Trace trace = directed(cores, copies(x, y, tiles), base, {hold});
      ASSERT_EQ(trace.outcome.end, End::kDone) << base << ", seed " << seed;
      const long held = trace.at(hold.held.actor, hold.held.index),
                 until = trace.at(hold.until.actor, hold.until.index);
      ASSERT_GE(until, 0) << base << ", seed " << seed;
      ASSERT_GT(held, until) << base << ", seed " << seed;
      // Nothing is lost, and every load of a core stays before its stores.
      ASSERT_EQ(recorder.count(event::Kind::kInstruction), 2 * cores * tiles) << base << ", seed " << seed;
      for (event::CoreId core = 0; core < cores; ++core)
        for (uint32_t i = 1; i <= tiles; ++i)
          for (uint32_t j = 1; j <= tiles; ++j)
            ASSERT_LT(trace.at({core, gate::Pipe::kMte2}, i), trace.at({core, gate::Pipe::kMte3}, j))
                << base << ", seed " << seed;
    }
  }
}

TEST_F(Directed, AHoldThatAFlagForbidsIsGivenUp) {
  auto* x = allocate<float>(4096, "x");
  auto* y = allocate<float>(4096, "y");
  const Hold hold{{{1, gate::Pipe::kMte2}, 2}, {{1, gate::Pipe::kMte3}, 1}};
  for (const char* base : {"in_order", "deferred"}) {
    const Trace trace = directed(2, copies(x, y, 5), base, {hold});
    EXPECT_EQ(trace.outcome.end, End::kDone) << base;
    EXPECT_EQ(trace.kept, 0u) << base;
    EXPECT_LT(trace.at(hold.held.actor, 2), trace.at(hold.until.actor, 1)) << base;
  }
}

TEST_F(Directed, ATransferPassesAHeldOneOfItsPipe) {
  auto* x = allocate<float>(4096, "x");
  auto* y = allocate<float>(4096, "y");
  for (const auto& [held, until] : std::vector<std::pair<uint32_t, uint32_t>>{{1, 2}, {1, 4}, {2, 3}, {3, 7}}) {
    const Trace trace =
        directed(1, copies(x, y, 7), "in_order", {{{{0, gate::Pipe::kMte2}, held}, {{0, gate::Pipe::kMte2}, until}}});
    EXPECT_EQ(trace.outcome.end, End::kDone);
    EXPECT_EQ(trace.kept, 1u) << held << " after " << until;
    EXPECT_GT(trace.at({0, gate::Pipe::kMte2}, held), trace.at({0, gate::Pipe::kMte2}, until));
  }
}

TEST_F(Directed, AScalarAccessWaits) {
  auto* x = allocate<float>(4096, "x");
  auto* y = allocate<float>(4096, "y");
  const auto kernel = [=] {
    GlobalTensor<float> gx, gy;
    gx.SetGlobalBuffer(x, 4096);
    gy.SetGlobalBuffer(y, 4096);
    for (uint32_t i = 0; i < 5; ++i) gy.SetValue(GetBlockIdx() * 64 + i, gx.GetValue(i));
  };
  for (uint32_t held = 1; held <= 10; ++held)
    for (uint32_t until = 1; until <= 10; ++until) {
      const Trace trace =
          directed(2, kernel, "in_order", {{{{0, gate::Pipe::kS}, held}, {{1, gate::Pipe::kS}, until}}});
      ASSERT_EQ(trace.outcome.end, End::kDone);
      ASSERT_GE(trace.at({1, gate::Pipe::kS}, until), 0);
      ASSERT_GT(trace.at({0, gate::Pipe::kS}, held), trace.at({1, gate::Pipe::kS}, until))
          << held << " after " << until;
    }
}

TEST_F(Directed, WithoutHoldsItIsItsBase) {
  auto* x = allocate<float>(4096, "x");
  auto* y = allocate<float>(4096, "y");
  const Trace trace = directed(2, copies(x, y, 6), "deferred", {});
  run(KernelType::kAivOnly, 2, copies(x, y, 6), "deferred");
  ASSERT_EQ(trace.events.size(), recorder.lines.size());
  for (size_t i = 0; i < trace.events.size(); ++i) {
    EXPECT_EQ(trace.events[i].kind, recorder.lines[i].event.kind) << i;
    EXPECT_EQ(trace.events[i].core, recorder.lines[i].event.core) << i;
    EXPECT_EQ(trace.events[i].index, recorder.lines[i].event.index) << i;
  }
}

}  // namespace
}  // namespace ascsan::test
