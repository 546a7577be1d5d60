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

/// The memories an instruction may touch: base address of each on-chip memory of its core; GM operands are host pointers.
struct Memories {
  std::array<std::byte*, gate::kSpaceCount> base{};
  std::byte* at(const gate::Operand& operand) const { return base[static_cast<size_t>(operand.space)] + operand.address; }
  template <typename T>
  T* as(const gate::Operand& operand) const { return reinterpret_cast<T*>(at(operand)); }
  // base[kGm] is null, so at() yields the host address itself.
};

/// Bytes touched by one instruction: accesses in operand order, each a list of disjoint byte runs [begin, end) of its
/// memory. Runs are coalesced where neighbours meet; they need not be sorted. Exact: declared = touched.
class Footprint {
 public:
  void clear() { accesses_.clear(); spans_.clear(); }
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
  std::string rule;  ///< short machine name: "alignment", "repeat", "stride", "mask", "overlap", "path", "length", "type"
  std::string text;
  bool error = true;      ///< false: warning
  bool executable = true; ///< false: the machine must not execute it
};
using Violations = std::vector<Violation>;

struct OpInfo {
  const char* api = "";  ///< name as the user writes it, from the .def row
  /// Pipe of this request; Pipe::kAll = not a pipe instruction (frame operation).
  gate::Pipe (*pipe)(const gate::Request&) = nullptr;
  /// Resolves the request against the sticky registers at issue (mask form -> effective mask, sticky state left behind).
  void (*prepare)(gate::Request&, gate::Registers& sticky) = nullptr;
  void (*check)(const gate::Request&, Violations&) = nullptr;
  void (*footprint)(const gate::Request&, Footprint&) = nullptr;
  void (*execute)(const gate::Request&, const Memories&) = nullptr;
};
using OpTable = std::array<OpInfo, gate::kOpCount>;

}  // namespace ascsan::machine
