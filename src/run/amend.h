// Experiments of the command line: options what_if, mute, fill, stop_after and dump change every launch of a run. Where
// stages are named the launch is run once more beforehand, in order, to find them (stages.h). A name that fits nothing
// is an error that lists what there is. Left out: the series of experiments of `ascsan diagnose`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "run/lab.h"
#include "run/options.h"
#include "run/what_if.h"

namespace ascsan::run {

class Amendments {
 public:
  /// Null when no option asks for an experiment.
  static std::unique_ptr<Amendments> from_options(const Options& options);
  /// Before a launch: finds stages, dumps, fills, and gives the machine its interposer. Empty on success, else one
  /// line.
  std::string prepare(machine::Machine& machine, machine::GlobalMemory& memory, const event::SiteTable& sites,
                      const machine::LaunchPlan& plan, const Options& options);
  void finish(machine::Machine& machine);
  /// After all launches: what was asked for and never happened, one line; empty when all did.
  std::string unmet() const;
  /// An ASCSAN_STAGE of the running core.
  void mark(event::CoreId core, const char* text) {
    if (stages_) stages_->mark(core, text);
  }

 private:
  bool needs_stages(const Options& options) const;
  std::string stage_number(const std::string& name, int& number) const;
  std::string fill(machine::GlobalMemory& memory, const std::string& wish) const;
  std::string dump(Lab& lab, const std::string& wish, const Options& options);

  std::unique_ptr<Stages> stages_;
  std::unique_ptr<WhatIf> what_if_;
  std::vector<SourceLine> unmet_;  ///< lines to drop that no launch has met so far
  bool launched_ = false;
};

}  // namespace ascsan::run
