// One defect, one answer: pipelines as kernels write them, each with one synchronisation taken away, under many
// schedules. The ids of the findings must be the same in all of them (design/rigor.md C), whole pipelines must be
// silent.
#include <gtest/gtest.h>

#include <set>

#include "check/race.h"
#include "support/program.h"

namespace ascsan::test {
namespace {
using check::RaceChecker;
using event::CoreId;
using gate::Pipe;
using gate::Space;
using Kind = Op::Kind;

/// Writes programs whose synchronisations are numbered, so that a test can leave one out.
class Writer {
 public:
  Writer(uint32_t aic, uint32_t aiv, uint32_t ratio, int without) : without_(without) {
    program.aic = aic;
    program.aiv = aiv;
    program.ratio = ratio;
    program.cores.resize(aic + aiv);
  }
  void data(CoreId core, Pipe pipe, uint32_t line, std::vector<Touch> touches) {
    Op& op = push(core, Kind::kData, pipe, line);
    op.op = gate::Op::kDataCopy;
    op.touches = std::move(touches);
  }
  /// SetFlag and WaitFlag, together synchronisation number `number`.
  void set(CoreId core, int number, Pipe src, Pipe dst, int id) {
    if (!left_out(number)) flag(core, Kind::kSetFlag, src, dst, id, 100 + static_cast<uint32_t>(number));
  }
  void wait(CoreId core, int number, Pipe src, Pipe dst, int id) {
    if (!left_out(number)) flag(core, Kind::kWaitFlag, dst, src, id, 200 + static_cast<uint32_t>(number));
  }
  void barrier(CoreId core, int number, Pipe pipe) {
    if (!left_out(number)) push(core, Kind::kPipeBarrier, pipe, 300 + static_cast<uint32_t>(number));
  }
  void cross_set(CoreId core, int number, Pipe pipe, uint8_t mode, int id) {
    if (left_out(number)) return;
    Op& op = push(core, Kind::kCrossSet, pipe, 400 + static_cast<uint32_t>(number));
    op.mode = mode;
    op.id = static_cast<int16_t>(id);
  }
  void cross_wait(CoreId core, int number, int id) {
    if (!left_out(number))
      push(core, Kind::kCrossWait, Pipe::kS, 500 + static_cast<uint32_t>(number)).id = static_cast<int16_t>(id);
  }
  void sync_all(int number) {
    if (left_out(number)) return;
    for (CoreId core = static_cast<CoreId>(program.aic); core < program.cores.size(); ++core) {
      push(core, Kind::kFullBarrier, Pipe::kS, 600 + static_cast<uint32_t>(number));
      cross_set(core, number, Pipe::kMte3, 0, 14);
      cross_wait(core, number, 14);
    }
  }
  int count() const { return highest_; }
  Program program;

 private:
  bool left_out(int number) {
    highest_ = std::max(highest_, number);
    return number == without_;
  }
  Op& push(CoreId core, Kind kind, Pipe pipe, uint32_t line) {
    Op op;
    op.kind = kind;
    op.pipe = pipe;
    op.line = line;
    program.cores[core].push_back(op);
    return program.cores[core].back();
  }
  void flag(CoreId core, Kind kind, Pipe pipe, Pipe other, int id, uint32_t line) {
    Op& op = push(core, kind, pipe, line);
    op.other = other;
    op.id = static_cast<int16_t>(id);
  }
  int without_, highest_ = 0;
};

Touch reads(Space space, uint64_t begin, uint64_t bytes) {
  return {space, event::Role::kRead, begin, begin + bytes};
}
Touch writes(Space space, uint64_t begin, uint64_t bytes) {
  return {space, event::Role::kWrite, begin, begin + bytes};
}

/// Two vector cores: double-buffered queues, then a barrier, then each sums what the other stored.
void vector_pipeline(Writer& w) {
  constexpr uint64_t kOut = 0x100000;
  for (CoreId core = 0; core < 2; ++core)
    for (uint64_t i = 0; i < 5; ++i) {
      const int id = static_cast<int>(i % 2);
      const uint64_t in = i % 2 * 96, out = 512 + i % 2 * 96, tile = core * 0x1000 + i * 96;
      if (i >= 2) w.wait(core, 1, Pipe::kV, Pipe::kMte2, id);
      w.data(core, Pipe::kMte2, 10, {writes(Space::kUb, in, 96), reads(Space::kGm, tile, 96)});
      w.set(core, 2, Pipe::kMte2, Pipe::kV, id);
      w.wait(core, 2, Pipe::kMte2, Pipe::kV, id);
      if (i >= 2) w.wait(core, 3, Pipe::kMte3, Pipe::kV, id);
      w.data(core, Pipe::kV, 20, {writes(Space::kUb, out, 96), reads(Space::kUb, in, 96)});
      w.data(core, Pipe::kV, 21, {writes(Space::kUb, out, 96), reads(Space::kUb, out, 96)});
      if (i < 3) w.set(core, 1, Pipe::kV, Pipe::kMte2, id);
      w.set(core, 4, Pipe::kV, Pipe::kMte3, id);
      w.wait(core, 4, Pipe::kV, Pipe::kMte3, id);
      w.data(core, Pipe::kMte3, 30, {writes(Space::kGm, kOut + tile, 96), reads(Space::kUb, out, 96)});
      if (i < 3) w.set(core, 3, Pipe::kMte3, Pipe::kV, id);
    }
  w.sync_all(5);
  for (CoreId core = 0; core < 2; ++core) {
    w.data(core, Pipe::kMte2, 40, {writes(Space::kUb, 2048, 96), reads(Space::kGm, kOut + (1 - core) * 0x1000, 96)});
    w.set(core, 6, Pipe::kMte2, Pipe::kV, 2);
    w.wait(core, 6, Pipe::kMte2, Pipe::kV, 2);
    w.data(core, Pipe::kV, 41, {writes(Space::kUb, 4096, 96), reads(Space::kUb, 2048, 96)});
    w.set(core, 7, Pipe::kV, Pipe::kMte3, 2);
    w.wait(core, 7, Pipe::kV, Pipe::kMte3, 2);
    w.data(core, Pipe::kMte3, 42, {writes(Space::kGm, kOut + 0x100000 + core * 96u, 96), reads(Space::kUb, 4096, 96)});
  }
}

/// One cube core fills a workspace slot per round, its two vector cores read it; one slot, flags both ways.
void cube_and_vector(Writer& w) {
  constexpr uint64_t kSlot = 0x200000;
  for (uint64_t i = 0; i < 4; ++i) {
    if (i > 0) w.cross_wait(0, 1, 2);
    w.data(0, Pipe::kFix, 10, {writes(Space::kGm, kSlot, 128), reads(Space::kL0c, 0, 128)});
    w.cross_set(0, 2, Pipe::kFix, 2, 1);
    for (CoreId core = 1; core < 3; ++core) {
      w.cross_wait(core, 2, 1);
      if (i > 0) w.wait(core, 3, Pipe::kV, Pipe::kMte2, 0);
      w.data(core, Pipe::kMte2, 20, {writes(Space::kUb, 0, 64), reads(Space::kGm, kSlot + (core - 1u) * 64, 64)});
      w.cross_set(core, 1, Pipe::kMte2, 2, 2);
      w.set(core, 4, Pipe::kMte2, Pipe::kV, 0);
      w.wait(core, 4, Pipe::kMte2, Pipe::kV, 0);
      w.data(core, Pipe::kV, 30, {writes(Space::kUb, 1024, 64), reads(Space::kUb, 0, 64)});
      if (i < 3) w.set(core, 3, Pipe::kV, Pipe::kMte2, 0);
    }
  }
}

/// Overlapping stores of one pipe with barriers between them, zero fill first.
void stores(Writer& w) {
  for (CoreId core = 0; core < 2; ++core) {
    const uint64_t mine = core * 0x1000;
    w.data(core, Pipe::kMte3, 10, {writes(Space::kGm, mine, 512)});
    w.barrier(core, 1, Pipe::kMte3);
    for (uint64_t i = 0; i < 3; ++i) {
      w.data(core, Pipe::kMte3, 20, {writes(Space::kGm, mine + 16 + i * 64, 96)});
      w.barrier(core, 2, Pipe::kMte3);
    }
  }
  w.sync_all(3);
  w.data(0, Pipe::kMte2, 30, {reads(Space::kGm, 0x1000, 512)});
  w.data(1, Pipe::kMte2, 30, {reads(Space::kGm, 0, 512)});
}

class Fan : public event::Sink {
 public:
  Fan() : race(order, sites) {}
  void on_event(const event::Event& event) override {
    order.on_event(event);
    race.on_event(event);
  }
  order::Order order;
  event::SiteTable sites;
  RaceChecker race;
};

struct Told {
  std::string place, bytes, missing, title;
  bool operator<(const Told& other) const {
    return std::tie(place, bytes, missing, title) < std::tie(other.place, other.bytes, other.missing, other.title);
  }
  bool operator==(const Told& other) const { return !(*this < other) && !(other < *this); }
};

void check_mutants(void (*write)(Writer&), uint32_t aic, uint32_t aiv, uint32_t ratio) {
  Writer whole(aic, aiv, ratio, 0);
  write(whole);
  for (int without = 0; without <= whole.count(); ++without) {
    Writer writer(aic, aiv, ratio, without);
    write(writer);
    std::map<std::string, Told> first;
    for (uint64_t seed = 0; seed < 60; ++seed) {
      Fan fan;
      ASSERT_TRUE(run(writer.program, seed, static_cast<Schedule>(seed % 3), fan.sites, fan)) << writer.program.text();
      std::map<std::string, Told> found;
      for (const report::Finding& finding : fan.race.take_findings())
        found[finding.id] = {finding.rule + " " + std::to_string(finding.accesses[0].line) + " " +
                                 std::to_string(finding.accesses[1].line),
                             finding.accesses[0].core + " " + finding.accesses[1].core + " " +
                                 std::to_string(finding.bytes[0]) + ".." + std::to_string(finding.bytes[1]),
                             finding.missing, finding.title};
      if (seed == 0) first = found;
      const auto text = [](const std::map<std::string, Told>& all) {
        std::string lines;
        for (const auto& [id, told] : all)
          lines += id + " " + told.place + " " + told.bytes + " " + told.missing + " " + told.title + "\n";
        return lines;
      };
      // Ids, rules, lines, cores, bytes, missing link and headline: nothing may hang on the schedule.
      ASSERT_EQ(text(found), text(first)) << "without synchronisation " << without << ", schedule " << seed;
    }
    EXPECT_EQ(first.empty(), without == 0) << "without synchronisation " << without;
  }
}

TEST(RaceSchedule, VectorPipeline) {
  check_mutants(vector_pipeline, 0, 2, 0);
}
TEST(RaceSchedule, CubeAndVector) {
  check_mutants(cube_and_vector, 1, 2, 2);
}
TEST(RaceSchedule, Stores) {
  check_mutants(stores, 0, 2, 0);
}

}  // namespace
}  // namespace ascsan::test
