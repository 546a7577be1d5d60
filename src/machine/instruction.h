// What the machine knows of an instruction: which pipe it goes to, which bytes it touches, how it is executed.
// The isa folder fills one OpInfo per operation; the machine queues requests and calls back through it, so values and
// footprints of an instruction live in one place (design/architecture.md decision 2).
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "ascendc/gate.h"
#include "event/event.h"

namespace ascsan::machine {

/// Registers a vector instruction leaves behind and the scalar unit (or a later vector instruction) reads; one set per
/// core, written when an instruction executes (spec/execution-model.md 3.3 point 6). Values are raw bits, zero
/// extended.
struct ResultRegisters {
  uint64_t accumulator = 0;                ///< sum of the last reduction, in its element type
  uint64_t value = 0, index = 0;           ///< result of the last maximum / minimum reduction
  uint64_t reserved_count = 0;             ///< elements written by the last GatherMask (rsvdCnt)
  std::array<uint64_t, 2> compare_mask{};  ///< CMPMASK
  std::array<uint64_t, 4> merge_counts{};  ///< structures the last MrgSort took from each list
  /// Modes of Op::kReadResultRegister: 0 accumulator, 1 value, 2 index, 3 rsvdCnt, 4 and 5 the words of CMPMASK, 8..11
  /// counts of the merge lists.
  uint64_t read(uint8_t mode) const {
    switch (mode) {
      case 0:
        return accumulator;
      case 1:
        return value;
      case 2:
        return index;
      case 3:
        return reserved_count;
      case 4:
      case 5:
        return compare_mask[mode - 4u];
      default:
        return mode >= 8 && mode < 12 ? merge_counts[mode - 8u] : 0;
    }
  }
};

/// The memories an instruction may touch: base address of each on-chip memory of its core; GM operands are host
/// pointers.
struct Memories {
  std::array<std::byte*, gate::kSpaceCount> base{};
  ResultRegisters* results = nullptr;  ///< of the executing core; vector instructions need it
  std::byte* at(const gate::Operand& operand) const {
    // As numbers: the base of GM is null, and an offset to a null pointer is undefined.
    return reinterpret_cast<std::byte*>(reinterpret_cast<uintptr_t>(base[static_cast<size_t>(operand.space)]) +
                                        operand.address);
  }
  template <typename T>
  T* as(const gate::Operand& operand) const {
    return reinterpret_cast<T*>(at(operand));
  }
  // base[kGm] is null, so at() yields the host address itself.
};

/// Bytes touched by one instruction: accesses in operand order, each a list of disjoint byte runs [begin, end) of its
/// memory. Runs are coalesced where neighbours meet; they need not be sorted. Exact: declared = touched.
class Footprint {
 public:
  void clear() {
    accesses_.clear();
    spans_.clear();
  }
  /// Opens the access of operand `index`; the runs added next belong to it.
  void open(const gate::Operand& operand, int index, event::Role role);
  void add(uint64_t begin, uint64_t bytes);
  /// `count` runs of `bytes` each, `stride` bytes from start to start.
  void add_strided(uint64_t begin, uint64_t bytes, uint64_t count, int64_t stride);
  const std::vector<event::Access>& accesses() const { return accesses_; }
  const std::vector<event::Span>& spans() const { return spans_; }

 private:
  std::vector<event::Access> accesses_;
  std::vector<event::Span> spans_;
};

/// A violated limit of spec/execution-model.md section 7, found at issue. The text names what was given, what is
/// allowed and what to do, without file names (the machine adds the site).
struct Violation {
  std::string
      rule;  ///< short machine name: "alignment", "repeat", "stride", "mask", "overlap", "path", "length", "type"
  std::string text;
  bool error = true;       ///< false: warning
  bool executable = true;  ///< false: the machine must not execute it
};
using Violations = std::vector<Violation>;

struct OpInfo {
  const char* api = "";  ///< name as the user writes it, from the .def row
  /// Pipe of this request; Pipe::kAll = not a pipe instruction (frame operation).
  gate::Pipe (*pipe)(const gate::Request&) = nullptr;
  /// Resolves the request against the sticky registers at issue (mask form -> effective mask, sticky state left
  /// behind).
  void (*prepare)(gate::Request&, gate::Registers& sticky) = nullptr;
  void (*check)(const gate::Request&, Violations&) = nullptr;
  /// Bytes touched, from the request alone. Where addresses or amounts lie in memory (gathered elements, pattern masks,
  /// merge lists) this is the largest set it can be, and exact_footprint is set as well.
  void (*footprint)(const gate::Request&, Footprint&) = nullptr;
  void (*execute)(const gate::Request&, const Memories&) = nullptr;
  /// Null for most operations. Else: called right before execute, replaces the footprint by the bytes really touched.
  void (*exact_footprint)(const gate::Request&, const Memories&, Footprint&) = nullptr;
};
using OpTable = std::array<OpInfo, gate::kOpCount>;

}  // namespace ascsan::machine
