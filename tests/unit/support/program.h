// Random launches for tests of the order and of the race checker: a program per core, and a runner that plays it under
// a random schedule and hands the events to a sink, as the machine would. Any schedule of a program gives a valid
// linearisation of its happens-before. Programs never hang: a wait is added only when a set for it was added before.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "event/names.h"
#include "event/sink.h"

namespace ascsan::test {

struct Touch {
  gate::Space space = gate::Space::kUb;
  event::Role role = event::Role::kRead;
  uint64_t begin = 0, end = 0;
};

struct Op {
  enum class Kind : uint8_t {
    kData,
    kScalar,
    kSetFlag,
    kWaitFlag,
    kPipeBarrier,
    kFullBarrier,
    kDataSyncBarrier,
    kCrossSet,
    kCrossWait,
    kArrive,
    kPass
  };
  Kind kind = Kind::kData;
  gate::Pipe pipe = gate::Pipe::kS, other = gate::Pipe::kS;
  uint8_t mode = 0;
  int16_t id = 0;
  uint32_t ordinal = 0;  ///< kArrive, kPass: round
  uint32_t line = 0;     ///< its site
  gate::Op op = gate::Op::kNop;
  gate::DataType atomic_type = gate::DataType::kNone;  ///< with `mode` = atomic op, for kData with Role::kAtomic
  uint64_t value[2] = {0, 0};
  std::vector<Touch> touches;
  std::vector<event::CoreId> members;  ///< kPass
};

struct Program {
  uint32_t aic = 0, aiv = 0, ratio = 0;  ///< ratio: AIVs per AIC, 0 = no AIC
  std::vector<std::vector<Op>> cores;
  uint64_t seed = 0;

  bool is_aiv(event::CoreId core) const { return core >= aic; }
  std::string text() const;
  size_t size() const;
};

struct ProgramShape {
  uint32_t ops = 24;
  bool touches = false;  ///< data instructions and scalars touch memory
  bool one_pipe_per_set =
      false;  ///< cross-core sets of one key always on one pipe, so that releases do not hang on the schedule
  bool single_sets = false;  ///< at most one outstanding set per flag
  bool atomics = false;      ///< some stores to GM are atomic
  bool polled = false;       ///< some scalar accesses go past the cache to one of two words of GM (R-30)
  double sync_share = 0.55;
};

using Rng = std::mt19937_64;
inline uint32_t below(Rng& rng, uint32_t n) {
  return static_cast<uint32_t>(rng() % n);
}

Program random_program(uint64_t seed, const ProgramShape& shape);

/// Who must set, and whose counter is raised, for a cross-core flag of this core and mode (rule R-21). Appends.
void group_of(const Program& program, event::CoreId core, uint8_t mode, std::vector<event::CoreId>& members,
              std::vector<event::CoreId>& targets);

enum class Schedule : uint8_t { kRandom, kEager, kLazy };

/// Plays the program. False when it hangs (possible after shrinking only); events sent until then stand.
/// `auto_sync`: a scalar access of an AIV waits for queued instructions it conflicts with, as in profile auto.
bool run(const Program& program, uint64_t seed, Schedule schedule, event::SiteTable& sites, event::Sink& sink,
         bool auto_sync = false);

/// Removes operations as long as `fails` stays true. `fails` must be deterministic.
template <typename F>
Program shrink(Program program, F&& fails) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (size_t c = 0; c < program.cores.size(); ++c)
      for (size_t i = 0; i < program.cores[c].size(); ++i) {
        Program candidate = program;
        candidate.cores[c].erase(candidate.cores[c].begin() + static_cast<ptrdiff_t>(i));
        if (!fails(candidate)) continue;
        program = candidate;
        smaller = true;
        --i;
      }
  }
  return program;
}

}  // namespace ascsan::test
