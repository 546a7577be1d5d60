// A gate for tests: one core with all its memories, where every request is prepared, checked and executed at once.
// Frame operations only keep registers and count flags. On request every instruction's footprint is proved against what
// it does: bytes outside are never written and never matter, bytes inside are always written and matter.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "ascendc/gate.h"
#include "ascendc/launch.h"
#include "isa/cube_table.h"
#include "machine/instruction.h"

namespace local {

namespace gate = ascsan::gate;
namespace machine = ascsan::machine;
namespace event = ascsan::event;

constexpr size_t kBytes[gate::kSpaceCount] = {1 << 20, 196608, 524288, 65536, 65536, 131072, 1024, 7168};

struct Core {
  machine::OpTable table{};
  std::array<std::vector<std::byte>, gate::kSpaceCount> memory;
  machine::Memories memories;
  gate::Registers registers;
  machine::Violations violations;
  std::map<std::tuple<int, int, int>, int> flags;  ///< open sets by (source, destination, id)
  std::map<gate::Op, int> executed;
  std::vector<std::string> unsupported;
  std::string flag_fault;
  size_t gm_used = 0;
  bool prove_footprints = false;
  bool every_byte_matters = true;  ///< proofs: a flipped input byte must show in the output
  gate::CoreKind kind = gate::CoreKind::kAic;
  std::mt19937 random{1};

  Core() {
    ascsan::isa::add_copy_ops(table);
    ascsan::isa::add_cube_ops(table);
    for (size_t s = 0; s < gate::kSpaceCount; ++s) {
      memory[s].resize(kBytes[s]);
      if (s != 0) memories.base[s] = memory[s].data();
    }
    reset(1);
  }

  void reset(uint32_t seed) {
    random.seed(seed);
    for (auto& bytes : memory) randomize(bytes.data(), bytes.size());
    registers = gate::Registers{};
    violations.clear();
    flags.clear();
    executed.clear();
    unsupported.clear();
    flag_fault.clear();
    gm_used = 0;
    prove_footprints = false;
    every_byte_matters = true;
    kind = gate::CoreKind::kAic;
  }

  void randomize(std::byte* at, size_t bytes) {
    for (size_t i = 0; i < bytes; i += 4) {
      const uint32_t word = random();
      std::memcpy(at + i, &word, std::min<size_t>(4, bytes - i));
    }
  }

  /// Global memory of a test; 512-byte aligned plus `shift`, with room around.
  template <typename T>
  T* gm(size_t elements, size_t shift = 0) {
    gm_used = (gm_used + 511) / 512 * 512 + 512;
    std::byte* at = memory[0].data() + gm_used + shift;
    at += (512 - reinterpret_cast<uintptr_t>(memory[0].data()) % 512) % 512;
    gm_used += elements * sizeof(T) + shift + 1024;
    EXPECT_LE(gm_used, kBytes[0]) << "the test's global memory is too small";
    return reinterpret_cast<T*>(at);
  }
  std::byte* base(gate::Space space) { return memory[static_cast<size_t>(space)].data(); }
  template <typename T>
  T* at(gate::Space space, size_t byte_offset) {
    return reinterpret_cast<T*>(base(space) + byte_offset);
  }

  /// Open flags that nobody waited for.
  int open_flags() const {
    int sum = 0;
    for (const auto& [key, count] : flags) sum += count;
    return sum;
  }
  bool has_violation(const std::string& rule) const {
    for (const auto& violation : violations)
      if (violation.rule == rule) return true;
    return false;
  }
  std::string violation_text() const {
    std::string text;
    for (const auto& violation : violations) text += violation.rule + ": " + violation.text + "\n";
    return text;
  }

  uint64_t perform(gate::Request& request) {
    const machine::OpInfo& info = table[static_cast<size_t>(request.op)];
    if (info.pipe != nullptr) return instruction(request, info);
    if (info.prepare != nullptr) {
      info.prepare(request, registers);
      return 0;
    }
    return frame(request);
  }

 private:
  using Image = std::array<std::vector<std::byte>, gate::kSpaceCount>;

  uint64_t instruction(gate::Request& request, const machine::OpInfo& info) {
    info.prepare(request, registers);
    const size_t before = violations.size();
    info.check(request, violations);
    for (size_t i = before; i < violations.size(); ++i)
      if (!violations[i].executable) return 0;
    machine::Footprint footprint;
    info.footprint(request, footprint);
    if (!inside(footprint)) return 0;
    ++executed[request.op];
    if (prove_footprints) {
      prove(request, info, footprint);
    } else {
      info.execute(request, memories);
    }
    return 0;
  }

  size_t offset(gate::Space space, uint64_t address) const {
    return space == gate::Space::kGm ? address - reinterpret_cast<uint64_t>(memory[0].data()) : address;
  }

  bool inside(const machine::Footprint& footprint) {
    for (const event::Access& access : footprint.accesses())
      for (uint32_t i = 0; i < access.span_count; ++i) {
        const event::Span span = footprint.spans()[access.first_span + i];
        const size_t space = static_cast<size_t>(access.space);
        EXPECT_LT(span.begin, span.end);
        if (offset(access.space, span.begin) >= kBytes[space] || offset(access.space, span.end) > kBytes[space]) {
          violations.push_back(
              {"bounds", "operand " + std::to_string(access.operand) + " leaves its memory", true, false});
          return false;
        }
      }
    return true;
  }

  /// A byte run of one memory, as declared.
  struct Run {
    size_t space, begin, end;
    bool read, written;
  };

  std::vector<Run> runs_of(const machine::Footprint& footprint) {
    std::vector<Run> runs;
    for (const event::Access& access : footprint.accesses()) {
      std::map<size_t, size_t> own;  // begin -> end
      for (uint32_t i = 0; i < access.span_count; ++i) {
        const event::Span span = footprint.spans()[access.first_span + i];
        const size_t begin = offset(access.space, span.begin), end = offset(access.space, span.end);
        runs.push_back(
            {static_cast<size_t>(access.space), begin, end, event::reads(access.role), event::writes(access.role)});
        EXPECT_TRUE(own.emplace(begin, end).second)
            << "operand " << int{access.operand} << " names byte " << begin << " twice";
      }
      size_t last = 0;
      for (const auto& [begin, end] : own) {
        EXPECT_GE(begin, last) << "operand " << int{access.operand} << " names byte " << begin << " twice";
        last = end;
      }
    }
    return runs;
  }

  void restore(const Image& image) {
    for (size_t s = 0; s < gate::kSpaceCount; ++s) std::memcpy(memory[s].data(), image[s].data(), image[s].size());
  }

  void expect_results(const std::vector<Run>& runs, const Image& result, const char* api) {
    for (const Run& run : runs) {
      if (!run.written ||
          std::memcmp(&memory[run.space][run.begin], &result[run.space][run.begin], run.end - run.begin) == 0)
        continue;
      ADD_FAILURE() << api << ": a byte outside the read footprint changes what is written in memory " << run.space
                    << " from byte " << run.begin;
      return;
    }
  }

  void prove(const gate::Request& request, const machine::OpInfo& info, const machine::Footprint& footprint) {
    const std::vector<Run> runs = runs_of(footprint);
    const Image before = memory;
    info.execute(request, memories);
    const Image result = memory;
    // Nothing outside the declared writes changes: with these put back, all is as before.
    for (const Run& run : runs)
      if (run.written) std::memcpy(&memory[run.space][run.begin], &before[run.space][run.begin], run.end - run.begin);
    for (size_t s = 0; s < gate::kSpaceCount; ++s)
      EXPECT_EQ(0, std::memcmp(memory[s].data(), before[s].data(), before[s].size()))
          << info.api << " writes outside its footprint in memory " << s;
    // Bytes that are not read, old destination included, do not matter: so all of the footprint is written.
    Image other = before;
    for (auto& bytes : other)
      for (std::byte& byte : bytes) byte ^= std::byte{0xFF};
    for (const Run& run : runs)
      if (run.read) std::memcpy(&other[run.space][run.begin], &before[run.space][run.begin], run.end - run.begin);
    restore(other);
    info.execute(request, memories);
    expect_results(runs, result, info.api);
    if (every_byte_matters) prove_reads(request, info, footprint, before, result);
    restore(result);
  }

  /// A flipped byte of a source shows in the destination: six probes an operand.
  void prove_reads(const gate::Request& request, const machine::OpInfo& info, const machine::Footprint& footprint,
                   const Image& before, Image result) {
    for (const event::Access& access : footprint.accesses()) {
      if (event::writes(access.role) || access.span_count == 0) continue;
      const size_t s = static_cast<size_t>(access.space);
      for (int probe = 0; probe < 6; ++probe) {
        const event::Span span = footprint.spans()[access.first_span + random() % access.span_count];
        const size_t first = offset(access.space, span.begin), last = offset(access.space, span.end) - 1;
        const size_t b = probe == 0 ? first : probe == 1 ? last : first + random() % (last - first + 1);
        restore(before);
        memory[s][b] ^= std::byte{0xFF};
        info.execute(request, memories);
        result[s][b] ^= std::byte{0xFF};  // the probe itself is no effect
        bool seen = false;
        for (size_t m = 0; m < gate::kSpaceCount; ++m)
          seen = seen || std::memcmp(memory[m].data(), result[m].data(), result[m].size()) != 0;
        result[s][b] ^= std::byte{0xFF};
        EXPECT_TRUE(seen) << info.api << ": byte " << b << " of operand " << int{access.operand}
                          << " is declared read but does not matter";
      }
    }
  }

  uint64_t frame(const gate::Request& request) {
    const gate::FrameParams& p = request.params.frame;
    const std::tuple<int, int, int> key{p.src_pipe, p.dst_pipe, p.id};
    switch (request.op) {
      case gate::Op::kSetFlag:
        if (flags[key]++ != 0)
          flag_fault += "set twice: " + std::to_string(p.src_pipe) + " -> " + std::to_string(p.dst_pipe) + "\n";
        return 0;
      case gate::Op::kWaitFlag:
        if (flags[key]-- != 1)
          flag_fault += "wait without set: " + std::to_string(p.src_pipe) + " -> " + std::to_string(p.dst_pipe) + "\n";
        return 0;
      case gate::Op::kSetAtomic:
        registers.atomic = p.mode;
        registers.atomic_type = static_cast<gate::DataType>(p.value[0]);
        return 0;
      case gate::Op::kSetPadValue:
        registers.pad_value_set = true;
        registers.pad_value = p.value[0];
        return 0;
      case gate::Op::kSetHf32:
        (p.mode == 0 ? registers.hf32 : registers.hf32_away) = p.value[0] != 0;
        return 0;
      case gate::Op::kSetQuantScalar:
        registers.quant_scalar = p.value[0];
        return 0;
      case gate::Op::kSetQuantAddress:
        registers.quant_address = request.operand[0].address;
        return 0;
      case gate::Op::kGetInfo:
        return p.mode == static_cast<uint8_t>(gate::Info::kCoreKind) ? static_cast<uint64_t>(kind) : 0;
      case gate::Op::kUnsupported:
        unsupported.push_back(reinterpret_cast<const char*>(p.value[0]));
        return 0;
      default:
        ++executed[request.op];
        return 0;
    }
  }
};

inline Core& core() {
  static Core one;
  return one;
}

/// Prints the seed when the test fails.
class Test : public ::testing::Test {
 protected:
  void SetUp() override { seed(20240601); }
  void seed(uint32_t value) {
    seed_ = value;
    core().reset(value);
  }
  void TearDown() override {
    if (HasFailure())
      ADD_FAILURE() << "seed " << seed_ << "; violations:\n" << core().violation_text() << core().flag_fault;
  }
  uint32_t pick(uint32_t low, uint32_t high) { return low + core().random() % (high - low + 1); }
  uint32_t seed_ = 0;
};

}  // namespace local

extern "C" uint64_t ascsan_gate(ascsan::gate::Request* request) {
  return local::core().perform(*request);
}
