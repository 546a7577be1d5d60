// The session: one per process. It ties memory, machine, schedule and checkers together for all launches of a program,
// and delivers the result when the program ends: to `ascsan run` through the file named in ASCSAN_RESULT, else as text
// on stderr. Roles (environment, set by `ascsan run`): ASCSAN_ROLE=first checks; ASCSAN_ROLE=stacks repeats the run
// without checkers and answers with the call stacks of the instructions listed in the file ASCSAN_WANTED; with
// ASCSAN_TIMELINE it also writes the timelines around them to that file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "event/sink.h"
#include "machine/machine.h"
#include "report/model.h"
#include "report/stacks.h"
#include "run/options.h"

namespace ascsan::check {
class Suite;
}
namespace ascsan::run {
class Amendments;
class Experiments;
}  // namespace ascsan::run
namespace ascsan::explain {
class TimelineRecorder;
}

namespace ascsan::run {

struct LaunchRequest {
  const char* kernel = "";
  uint32_t block_dim = 0;
  void (*entry)(void*) = nullptr;
  void* closure = nullptr;
  const char* argument_text = "";
  const void* const* arguments = nullptr;
  uint32_t argument_count = 0;
};

class Session {
 public:
  /// The session of this process, made on first use. Ends the process with exit code 2 when its options are unusable.
  static Session& get();
  /// The session if it was made already, else null; safe in signal handlers.
  static Session* existing();

  void launch(const LaunchRequest& request);
  void* allocate(uint64_t bytes);
  void release(void* address);
  bool name_tensor(const void* address, const std::string& name);
  std::string set_option(const std::string& name, const std::string& value);
  /// ASCSAN_STAGE of the running core.
  void mark_stage(const char* name);
  void set_kernel_mode(int mode) { kernel_mode_ = mode; }
  void set_tiling_key(uint64_t key) { tiling_key_ = key; }
  uint64_t tiling_key() const { return tiling_key_; }
  /// True when something watches this run: `ascsan run`, or options given in the environment.
  bool supervised() const { return supervised_; }
  /// True when `ascsan run` waits for the result and decides the exit code.
  bool has_parent() const { return !result_path_.empty(); }
  const Options& options() const { return options_; }
  machine::Machine* machine() { return machine_.get(); }

  /// Delivers what is known. Called at exit (status = the program's own) and by the crash guard; works once.
  /// Returns the exit status the process should end with.
  int finish(int status);
  /// A launch cannot go on because the process is about to end: recorded as crash or as unchecked.
  void note_crash(const std::string& text) { result_.crash = text; }
  void note_unchecked(const std::string& what, const std::string& why);
  /// Findings of the running launch are moved into the result.
  void collect();

  /// Findings of the launches between the two calls go to `captured` and not into the result (ascsan/finding.h). Gives
  /// the number of these launches.
  void begin_capture();
  uint32_t end_capture(report::RunResult& captured);
  /// This run repeats an earlier one; nothing is checked.
  bool repeats() const { return stacks_role_; }

 private:
  Session();
  void build_machine();
  void name_arguments(const LaunchRequest& request);
  void announce(const machine::LaunchPlan& plan);
  /// False: the launch shall run as usual.
  bool experiment(const machine::LaunchPlan& plan);
  void record_outcome(const machine::LaunchPlan& plan, const machine::LaunchOutcome& outcome);
  static void on_issue(void* session, const machine::Core& core, gate::Pipe pipe, uint32_t index);
  void write_result(const std::string& path, const std::string& text);
  void open_timeline();
  bool stacks_complete() const;

  Options options_;
  bool supervised_ = false, stacks_role_ = false, finished_ = false, in_launch_ = false;
  std::string result_path_, timeline_path_;
  machine::GlobalMemory memory_;
  event::SiteTable sites_;
  std::unique_ptr<machine::Machine> machine_;
  std::unique_ptr<Amendments> amendments_;    ///< experiments of the command line
  std::unique_ptr<Experiments> experiments_;  ///< roles that repeat launches instead of checking them
  std::unique_ptr<check::Suite> suite_;
  std::unique_ptr<explain::TimelineRecorder> recorder_;  ///< only when a report draws timelines
  report::RunResult result_;
  report::RunResult set_aside_;  ///< findings and unchecked parts from before begin_capture()
  uint32_t capture_start_ = 0;
  std::vector<report::AccessKey> wanted_;
  std::vector<report::AccessStack> stacks_;
  void* system_workspace_ = nullptr;
  int kernel_mode_ = 0;
  uint64_t tiling_key_ = 0;
  uint32_t launches_ = 0;
  double started_ = 0, launch_seconds_ = 0;
};

/// Crash guard: signals and the endless-loop timer, armed during launches (guard.cpp).
void arm_guard(uint64_t hang_seconds);
void disarm_guard();

}  // namespace ascsan::run
