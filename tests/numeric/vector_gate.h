// A gate for vector tests: one AIV core with UB and its registers; every request is prepared, checked and executed at
// once. Frame operations are logged, so that tests can look at the order of a composite call. On request each
// instruction's footprint is proved against what it does: nothing outside is written, everything declared written is
// written, and bytes outside the declared reads do not matter.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "ascendc/launch.h"
#include "ascendc/vector.h"
#include "isa/vector_table.h"

namespace vec {

namespace gate = ascsan::gate;
namespace machine = ascsan::machine;
namespace event = ascsan::event;
using gate::DataType;
using gate::Op;

constexpr size_t kUb = 196608;
constexpr size_t kWindow = 32768;  ///< tests keep their tensors below this offset, so that proofs stay fast

struct Core {
  machine::OpTable table{};
  std::vector<std::byte> ub = std::vector<std::byte>(kUb);
  machine::ResultRegisters results;
  machine::Memories memories;
  gate::Registers registers;
  machine::Violations violations;
  std::vector<Op> log;                           ///< every request but GetInfo
  std::vector<gate::Request> requests;           ///< vector requests as prepared
  std::vector<uint8_t> last_reads, last_writes;  ///< marks of the last footprint, per byte of the window
  bool prove = false;
  gate::CoreKind kind = gate::CoreKind::kAiv;

  Core() {
    ascsan::isa::add_vector_ops(table);
    memories.base[static_cast<size_t>(gate::Space::kUb)] = ub.data();
    memories.results = &results;
  }
  void clear() {
    registers = {};
    violations.clear();
    log.clear();
    requests.clear();
    results = {};
  }
  bool violated(const std::string& rule) const {
    for (const machine::Violation& v : violations)
      if (v.rule == rule) return true;
    return false;
  }
  std::string texts() const {
    std::string all;
    for (const machine::Violation& v : violations) all += v.rule + ": " + v.text + "\n";
    return all;
  }

  uint64_t perform(gate::Request& request) {
    if (request.op == Op::kGetInfo) return static_cast<uint64_t>(kind);
    log.push_back(request.op);
    const machine::OpInfo& info = table[static_cast<size_t>(request.op)];
    return info.pipe != nullptr ? instruction(request, info) : frame(request);
  }

  uint64_t instruction(gate::Request& request, const machine::OpInfo& info) {
    info.prepare(request, registers);
    requests.push_back(request);
    const size_t before = violations.size();
    info.check(request, violations);
    for (size_t i = before; i < violations.size(); ++i)
      if (!violations[i].executable) return 0;
    machine::Footprint issue, exact;
    info.footprint(request, issue);
    if (info.exact_footprint != nullptr) info.exact_footprint(request, memories, exact);
    const machine::Footprint& footprint = info.exact_footprint != nullptr ? exact : issue;
    mark(info, footprint);
    if (prove)
      proved_execute(request, info);
    else
      info.execute(request, memories);
    return 0;
  }

 private:
  void mark(const machine::OpInfo& info, const machine::Footprint& footprint) {
    last_reads.assign(kWindow, 0);
    last_writes.assign(kWindow, 0);
    for (const event::Access& access : footprint.accesses()) {
      std::vector<event::Span> spans(footprint.spans().begin() + access.first_span,
                                     footprint.spans().begin() + access.first_span + access.span_count);
      std::sort(spans.begin(), spans.end(),
                [](const event::Span& a, const event::Span& b) { return a.begin < b.begin; });
      uint64_t last_end = 0;
      for (const event::Span& span : spans) {
        ASSERT_LT(span.begin, span.end) << info.api;
        ASSERT_LE(last_end, span.begin) << info.api << ": runs of one access overlap";
        last_end = span.end;
        if (span.end > kWindow) continue;  // the scratch of Select, or reported as bounds by the machine
        for (uint64_t b = span.begin; b < span.end; ++b) {
          if (event::reads(access.role)) last_reads[b] = 1;
          if (event::writes(access.role)) last_writes[b] = 1;
        }
      }
    }
  }

  void proved_execute(const gate::Request& request, const machine::OpInfo& info) {
    const std::vector<std::byte> before(ub.begin(), ub.begin() + kWindow);
    const machine::ResultRegisters results_before = results;
    info.execute(request, memories);
    const std::vector<std::byte> after(ub.begin(), ub.begin() + kWindow);
    const machine::ResultRegisters results_after = results;
    for (size_t b = 0; b < kWindow; ++b) {
      if (last_writes[b] == 0 && before[b] != after[b])
        FAIL() << info.api << " writes byte " << b << " outside its footprint";
    }
    // Same inputs, everything else flipped: declared writes must come out the same, so all of them were written.
    for (size_t b = 0; b < kWindow; ++b) ub[b] = last_reads[b] != 0 ? before[b] : before[b] ^ std::byte{0xFF};
    results = results_before;
    info.execute(request, memories);
    for (size_t b = 0; b < kWindow; ++b) {
      const std::byte expected = last_writes[b] != 0  ? after[b]
                                 : last_reads[b] != 0 ? before[b]
                                                      : before[b] ^ std::byte{0xFF};
      if (ub[b] == expected) continue;
      FAIL() << info.api << ": byte " << b << " (declared " << (last_writes[b] != 0 ? "written" : "not written")
             << ") depends on bytes outside the declared reads";
    }
    EXPECT_EQ(std::memcmp(&results, &results_after, sizeof(results)), 0) << info.api << ": result registers";
    std::memcpy(ub.data(), after.data(), kWindow);
    results = results_after;
  }

  uint64_t frame(const gate::Request& request) {
    const gate::FrameParams& p = request.params.frame;
    std::byte* at = request.operand_count > 0 && request.operand[0].space == gate::Space::kUb
                        ? ub.data() + request.operand[0].address
                        : nullptr;
    const size_t bytes = gate::bytes_of(request.operand[0].type);
    uint64_t value = 0;
    switch (request.op) {
      case Op::kSetVectorMask:
        registers.mask_low = p.value[0], registers.mask_high = p.value[1];
        return 0;
      case Op::kSetMaskCount:
        registers.counter_mode = true;
        return 0;
      case Op::kSetMaskNorm:
        registers.counter_mode = false;
        return 0;
      case Op::kResetMask:
        registers.mask_low = registers.mask_high = ~0ull;
        return 0;
      case Op::kSetDeqScale:
        registers.deq_scale = p.value[0];
        return 0;
      case Op::kReadResultRegister:
        return results.read(p.mode);
      case Op::kLoadScalar:
        std::memcpy(&value, at, bytes);
        return value;
      case Op::kStoreScalar:
        std::memcpy(at, &p.value[0], bytes);
        return 0;
      default:
        return 0;
    }
  }
};

inline Core& core() {
  static Core one;
  return one;
}

template <typename T>
AscendC::LocalTensor<T> tensor(uint32_t address, uint32_t elements) {
  return AscendC::LocalTensor<T>(AscendC::TPosition::VECCALC, address, elements);
}

template <typename T>
T load(uint64_t address) {
  T value;
  std::memcpy(&value, core().ub.data() + address, sizeof(T));
  return value;
}
template <typename T>
void store(uint64_t address, T value) {
  std::memcpy(core().ub.data() + address, &value, sizeof(T));
}

/// Fixed seed, printed on failure.
class Test : public ::testing::Test {
 protected:
  void SetUp() override {
    core().clear();
    core().prove = false;
    core().kind = gate::CoreKind::kAiv;
    random_.seed(kSeed);
  }
  void TearDown() override {
    if (HasFailure()) ADD_FAILURE() << "seed " << kSeed << "\n" << core().texts();
  }
  uint32_t pick(uint32_t low, uint32_t high) { return low + static_cast<uint32_t>(random_() % (high - low + 1)); }
  bool chance(uint32_t percent) { return pick(1, 100) <= percent; }
  uint64_t word() { return random_(); }
  /// Fills from a pool of values drawn by `value`, `bytes` each, at random positions of the pool.
  template <typename Value>
  void fill_values(size_t begin, size_t end, uint32_t bytes, std::vector<std::byte>& pool, Value&& value) {
    constexpr size_t kPool = 2048;
    if (pool.empty()) {
      pool.resize(kPool * bytes);
      for (size_t i = 0; i < kPool; ++i) {
        const uint64_t drawn = value();
        std::memcpy(&pool[i * bytes], &drawn, bytes);
      }
    }
    for (size_t at = begin; at < end;) {
      const size_t first = pick(0, kPool - 1) * bytes;
      const size_t part = std::min({size_t{512}, end - at, pool.size() - first});
      std::memcpy(core().ub.data() + at, &pool[first], part);
      at += part;
    }
  }
  void fill_random(size_t begin, size_t bytes) {
    for (size_t i = 0; i < bytes; i += 8) {
      const uint64_t value = random_();
      std::memcpy(core().ub.data() + begin + i, &value, std::min<size_t>(8, bytes - i));
    }
  }
  static constexpr uint32_t kSeed = 20240607;
  std::mt19937_64 random_;
};

}  // namespace vec

extern "C" uint64_t ascsan_gate(ascsan::gate::Request* request) {
  return vec::core().perform(*request);
}
