// Short way to write legality findings of copy and cube instructions (spec/execution-model.md 7): what was given, what
// is allowed, what to do. The good path costs comparisons only; texts are built when a limit is broken.
#pragma once

#include <initializer_list>
#include <sstream>
#include <string>
#include <vector>

#include "machine/instruction.h"

namespace ascsan::isa {

const char* name_of(gate::Space space);
const char* name_of(gate::DataType type);

/// Base alignment of an operand in bytes; GM: the element size (spec/execution-model.md 1.2).
uint32_t alignment_of(const gate::Operand& operand);

/// Runs, blocks or rows one instruction may be made of: several times what the largest on-chip memory holds in blocks.
/// A count above it comes from an overflow; its footprint would take the memory and the time of the host.
inline constexpr uint64_t kMostPieces = uint64_t{1} << 18;

class Limits {
 public:
  explicit Limits(machine::Violations& out) : out_(out) {}

  /// Error the instruction survives: it is carried out with what was given.
  template <typename... Parts>
  void error(const char* rule, const Parts&... parts) {
    put(rule, true, true, parts...);
  }
  /// Error that leaves nothing meaningful to carry out.
  template <typename... Parts>
  void fatal(const char* rule, const Parts&... parts) {
    put(rule, true, false, parts...);
  }
  template <typename... Parts>
  void warning(const char* rule, const Parts&... parts) {
    put(rule, false, true, parts...);
  }

  /// `name` = `value` must lie in [low, high].
  void range(const char* rule, const char* name, uint64_t value, uint64_t low, uint64_t high) {
    if (value < low || value > high) error(rule, name, " is ", value, ", allowed is ", low, "..", high);
  }
  /// Base address of `operand` must be a multiple of `alignment`; `who` is "destination" or "source".
  void aligned(const char* who, const gate::Operand& operand, uint32_t alignment) {
    if (alignment > 1 && operand.address % alignment != 0) misaligned(who, operand, alignment);
  }
  void aligned(const char* who, const gate::Operand& operand) { aligned(who, operand, alignment_of(operand)); }
  /// False when the product of `factors` exceeds kMostPieces: nothing may be computed from them then.
  bool pieces(std::initializer_list<uint64_t> factors);
  /// No move between these memories exists on A2/A3.
  void no_path(const gate::Operand& dst, const gate::Operand& src, const char* advice);

 private:
  template <typename... Parts>
  void put(const char* rule, bool is_error, bool executable, const Parts&... parts) {
    std::ostringstream text;
    (text << ... << parts);
    out_.push_back({rule, text.str(), is_error, executable});
  }
  void misaligned(const char* who, const gate::Operand& operand, uint32_t alignment);

  machine::Violations& out_;
};

constexpr uint64_t ceil_to(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}
constexpr uint64_t ceil_div(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit;
}

/// Opens the access of operand `index` and adds `count` runs of `bytes`, `step` from start to start; runs that overlap
/// (step < bytes) become one.
void add_runs(machine::Footprint& footprint, const gate::Request& request, int index, event::Role role, uint64_t bytes,
              uint64_t count, uint64_t step);

/// Adds the union of `runs`, which may overlap and come in any order, to the open access.
void add_union(machine::Footprint& footprint, std::vector<event::Span>& runs);

}  // namespace ascsan::isa
