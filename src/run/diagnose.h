// `ascsan diagnose`: the experiments by which a team found such a fault by hand, run by the machine on one launch.
// First schedules in which an output differs from the in-order run are collected; each experiment then changes one
// thing and looks whether the difference stays: (a) stores of the other outputs, (b) bounds, (c) initialisation, (d)
// stages, (e) order inside the stage, (f) the inputs of the wrong value at the moment of reading, (g) order between
// cores. Left out: compiling a cure (`ascsan fix`).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/experiments.h"
#include "run/lab.h"
#include "run/what_if.h"

namespace ascsan::run {

class Diagnose {
 public:
  Diagnose(Lab& lab, const report::DiagnosisTask& task, const machine::LaunchPlan& plan);
  /// True: an output differs between schedules, or something else is wrong; the diagnosis is complete.
  bool run();
  void mark(event::CoreId core, const char* text) { stages_.mark(core, text); }
  const report::Diagnosis& result() const { return result_; }

 private:
  struct Bad {
    std::string name;
    std::function<std::unique_ptr<machine::Scheduler>()> make;
  };
  RunOutcome run_once(machine::Scheduler& scheduler, const Change& change, bool reads = false);
  RunOutcome run_in_order(const Change& change, bool reads = false);
  /// How many of the bad schedules differ from the in-order run under the same change; only tensors that were wrong.
  size_t still_differing(const Change& change, bool both = true);
  bool wrong_differs(const RunOutcome& expected, const RunOutcome& got) const;
  void add(const char* letter, std::string hypothesis, std::string experiment, std::string seen, std::string verdict);

  bool collect();  ///< stages, schedules that differ
  void other_outputs();
  void bounds();
  void initialisation();
  std::string followers(const RunOutcome& one, const RunOutcome& two) const;
  void stages();
  void inside_stage();
  void inputs();
  void between_cores();
  void conclude();
  void flow(const RunOutcome& reference);

  Lab& lab_;
  const report::DiagnosisTask& task_;
  Stages stages_;
  RunOutcome reference_;
  std::vector<Bad> bad_;
  std::set<std::string> wrong_;  ///< names of the outputs that differ
  report::Diagnosis result_;
  // What the experiments found, for the conclusion.
  int first_stage_ = -1;   ///< stage that brings the difference in
  int curing_stage_ = -1;  ///< all cores meeting in front of it removes the difference
  bool cured_inside_ = false;
  bool uninitialised_ = false;
  std::string first_input_;  ///< tensor that is wrong when it is read
  std::string writer_place_, reader_place_;
};

}  // namespace ascsan::run
