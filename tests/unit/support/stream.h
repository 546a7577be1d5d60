// A launch written by hand, event by event, for tests of the order and of the checkers. Everything completes when it is
// issued, which is one valid linearisation of whatever synchronisation the test writes; ordinals, indices, issue points
// and group releases are kept here.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "event/names.h"
#include "event/sink.h"

namespace ascsan::test {

using gate::Pipe;
using gate::Space;

struct Bytes {
  Space space = Space::kUb;
  event::Role role = event::Role::kRead;
  uint64_t begin = 0, end = 0;
  uint64_t stride = 0;  ///< with `count` > 1: runs [begin, end), each `stride` further on
  uint32_t count = 1;
};
inline Bytes reads(Space space, uint64_t begin, uint64_t end) {
  return {space, event::Role::kRead, begin, end, 0, 1};
}
inline Bytes writes(Space space, uint64_t begin, uint64_t end) {
  return {space, event::Role::kWrite, begin, end, 0, 1};
}
inline Bytes updates(Space space, uint64_t begin, uint64_t end) {
  return {space, event::Role::kUpdate, begin, end, 0, 1};
}

class Stream {
 public:
  Stream(event::Sink& sink, event::SiteTable& sites) : sink_(sink), sites_(sites) {}

  void launch(uint32_t aic, uint32_t aiv, uint32_t ratio = 0, const char* kernel = "kernel");
  void end();

  struct Extra {
    gate::Op op = gate::Op::kDataCopy;
    uint8_t atomic = 0;
    gate::DataType atomic_type = gate::DataType::kNone, type = gate::DataType::kFloat;
    uint64_t m = 0, n = 0;
    const char* function = "user_code";
    const char* file = "kernel.cpp";
  };
  /// Data instruction; its site is (file, function, line).
  void run(event::CoreId core, Pipe pipe, uint32_t line, const std::vector<Bytes>& bytes, const Extra& extra);
  void run(event::CoreId core, Pipe pipe, uint32_t line, const std::vector<Bytes>& bytes) {
    run(core, pipe, line, bytes, Extra{});
  }
  /// Atomic store of `type` to GM: op 1 add, 2 max, 3 min.
  void atomic(event::CoreId core, Pipe pipe, uint32_t line, uint64_t begin, uint64_t end, uint8_t op,
              gate::DataType type);
  /// GetValue / SetValue, by the role of `bytes`.
  void scalar(event::CoreId core, uint32_t line, const Bytes& bytes);

  /// WriteGmByPassDCache / ReadGmByPassDCache of a word, by the role of `bytes`.
  void bypass(event::CoreId core, uint32_t line, const Bytes& bytes);
  /// Data cache of the core: step 0 fill, 1 clean, 2 drop of the line at `address`.
  void cache(event::CoreId core, uint64_t address, uint8_t step);

  void set(event::CoreId core, Pipe src, Pipe dst, int id = 0, uint32_t line = 0);
  void wait(event::CoreId core, Pipe src, Pipe dst, int id = 0, uint32_t line = 0);
  void flag(event::CoreId core, Pipe src, Pipe dst, int id = 0) { set(core, src, dst, id), wait(core, src, dst, id); }
  void barrier(event::CoreId core, Pipe pipe, uint32_t line = 0);
  void all(event::CoreId core, uint32_t line = 0, gate::Op op = gate::Op::kPipeBarrier);
  /// memory: 0 all, 1 DDR, 2 UB.
  void data_sync(event::CoreId core, uint8_t memory);
  void cross_set(event::CoreId core, Pipe pipe, uint8_t mode, int id, uint32_t line = 0, gate::Op op = gate::Op::kNop);
  void cross_wait(event::CoreId core, int id, uint32_t line = 0, gate::Op op = gate::Op::kNop);
  /// Hard SyncAll<true> of all AIVs, at `line`.
  void sync_all(uint32_t line = 0);
  void arrive(event::CoreId core, int id, uint32_t round, uint32_t line = 0);
  void pass(event::CoreId core, int id, uint32_t round, const std::vector<event::CoreId>& members, uint32_t line = 0);

  void tensor(const char* name, uint64_t begin, uint64_t end, bool framework = false);
  void release(uint64_t begin, uint64_t end);
  void buffer(event::CoreId core, const char* name, Space space, uint64_t begin, uint64_t end, int queue = 1);
  void violation(event::CoreId core, const char* rule, const char* text, uint32_t line, bool error = true);

  uint32_t aic = 0, aiv = 0, ratio = 0;

 private:
  struct Core {
    uint32_t issued[gate::kPipeCount] = {}, scalar_index = 0, version = 0, program = 0;
    std::map<std::tuple<Pipe, Pipe, int>, std::pair<uint32_t, uint32_t>> flags;
    std::map<std::pair<uint8_t, int>, uint32_t> sets;
    std::map<int, uint32_t> waits;
  };
  event::Event make(event::Kind kind, event::CoreId core, Pipe pipe, uint32_t line, const char* function = "user_code",
                    const char* file = "kernel.cpp");
  void join(event::Event& event);
  void send_data(event::Event& event, const std::vector<Bytes>& bytes, gate::DataType type);

  event::Sink& sink_;
  event::SiteTable& sites_;
  std::vector<Core> cores_;
};

}  // namespace ascsan::test
