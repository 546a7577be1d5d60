// Is a pair of unordered, conflicting accesses a race, and which? Exemptions E-1, E-3, E-8 and the recommended column
// of spec/hb-rules.md 5 and 6. Order is decided before; footprints (E-5..E-7) are already exact in the events. Left
// out: E-2 and E-9 need values (race_contested.cpp).
#pragma once

#include "check/access.h"
#include "check/rules.h"

namespace ascsan::check {

enum class Profile : uint8_t { kAuto, kStrict };

struct RaceOptions {
  Profile profile = Profile::kAuto;
  /// Transfers of one MTE or FIX pipe complete in order (6.2): silences the same-pipe reports of 6.1.
  bool mte_in_order = false;
  /// A scalar store reaches other pipes of its core only through a flag, PIPE_ALL or DataSyncBarrier. Strict profile
  /// only: the compiler's automatic synchronisation sees to it otherwise.
  bool scalar_stores_need_flag = true;
  /// Same-pipe conflicts up to this distance are errors, beyond it warnings (queue depth, table 5 row 3).
  uint32_t error_distance = 32;

  bool stores_need_flag() const { return profile == Profile::kStrict && scalar_stores_need_flag; }
};

struct Judgement {
  bool race = false;
  Rule rule = Rule::kASC1101;
  report::Severity severity = report::Severity::kError;
  bool swapped = false;  ///< the second access comes first in the program (same core), or is the writer (two cores)
  const char* note = nullptr;
};

/// pairs the compiler orders in profile auto, whatever the flags: V-V on an AIV.
inline bool ordered_by_compiler(const RaceOptions& options, const Access& x, const Access& y) {
  return options.profile == Profile::kAuto && x.aiv && x.core == y.core && x.pipe == gate::Pipe::kV &&
         y.pipe == gate::Pipe::kV;
}

/// the compiler makes scalar access `y` wait for `x`.
inline bool waited_by_compiler(const RaceOptions& options, const Access& x, const Access& y) {
  return options.profile == Profile::kAuto && x.aiv && x.core == y.core && y.pipe == gate::Pipe::kS &&
         (x.pipe == gate::Pipe::kV || x.pipe == gate::Pipe::kMte2 || x.pipe == gate::Pipe::kMte3) &&
         (x.space == gate::Space::kUb || x.space == gate::Space::kGm);
}

/// Does `y` come before `x` in the program of their core?
bool program_before(const Access& y, const Access& x);

/// May `by` stand for `x` from now on, given x before by? Only if whatever races with x races with `by` too.
bool covers(const Access& by, const Access& x);

/// An atomic addition of floating point numbers, whose result hangs on the order (E-2).
inline bool float_addition(const Access& access) {
  return access.role == event::Role::kAtomic && access.atomic == 1 &&
         (access.atomic_type == gate::DataType::kFloat || access.atomic_type == gate::DataType::kHalf ||
          access.atomic_type == gate::DataType::kBfloat16);
}

/// `first` and `second` touch common bytes, one of them writes, they are not ordered. `crossed`: a CrossCoreSetFlag of
/// the same pipe stands between them (table 5 row 7).
Judgement judge(const RaceOptions& options, const Access& first, const Access& second, bool crossed);

}  // namespace ascsan::check
