// "What if": a launch with one thing changed. A barrier between all instructions of a function, an all-core barrier in
// front of a stage, the end after a stage, stores to a tensor that have no effect, synchronisation that is left out.
// The machine asks here before everything a core does (machine::Interposer). Left out: which change to try (diagnose.h,
// lint.h).
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "run/stages.h"

namespace ascsan::run {

/// A line of source; `file` as the compiler saw it, or the end of that path from a slash on.
using SourceLine = std::pair<std::string, uint32_t>;

/// Barriers, flags, cross-core flags and all-core barriers: calls that order and do nothing else.
bool is_sync(gate::Op op);
/// The text behind drop=: FILE:LINE,FILE:LINE. Empty on success, else what is wrong.
std::string parse_lines(const std::string& text, std::vector<SourceLine>& lines);

struct Change {
  std::string barrier;           ///< function whose instructions are separated by PIPE_ALL; empty = none
  int meet_before = -1;          ///< stage in front of which all cores meet
  int stop_after = -1;           ///< stage behind which the cores end
  std::set<std::string> muted;   ///< tensors whose stores have no effect, with * and ?
  int mute_after = -1;           ///< only behind this stage; -1 = everywhere
  std::vector<SourceLine> drop;  ///< synchronisation issued at these lines has no effect
};

class WhatIf : public machine::Interposer {
 public:
  /// `stages` may be null when the change names none.
  WhatIf(const machine::GlobalMemory& memory, Stages* stages, Change change)
      : memory_(memory), stages_(stages), change_(std::move(change)) {}

  Before before(const machine::Core& core, const gate::Request& request) override;
  bool mutes(const machine::Core& core, gate::Pipe pipe, uint32_t index, const machine::Footprint& footprint) override;
  /// Stores that had no effect.
  uint64_t muted() const { return muted_; }
  /// Lines of `drop` at which nothing was dropped.
  std::vector<SourceLine> unmet() const;

 private:
  bool needs_place() const {
    return !change_.barrier.empty() || change_.meet_before >= 0 || change_.stop_after >= 0 || change_.mute_after >= 0;
  }
  bool drops(const gate::Site& site);

  const machine::GlobalMemory& memory_;
  Stages* stages_;
  Change change_;
  /// Which line of `drop` a place is, -1 = none; looked up only, so that pointers may be keys.
  std::map<std::pair<const char*, uint32_t>, int> places_;
  std::vector<bool> met_;
  /// Cores that have left the stage of mute_after, with what they had issued by then.
  std::map<event::CoreId, std::array<uint32_t, gate::kPipeCount>> behind_;
  uint64_t muted_ = 0;
};

/// Records the stages of a run.
class StageLearner : public machine::Interposer {
 public:
  explicit StageLearner(Stages& stages) : stages_(stages) {}
  Before before(const machine::Core& core, const gate::Request& request) override {
    stages_.learn(core, request.op);
    return {};
  }
  bool mutes(const machine::Core&, gate::Pipe, uint32_t, const machine::Footprint&) override { return false; }

 private:
  Stages& stages_;
};

}  // namespace ascsan::run
