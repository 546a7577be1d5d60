// Repeats one launch in the same process: the global memory it found is kept, every run begins from it, and the written
// tensors of two runs can be compared. The witness, the what-ifs and `ascsan diagnose` are series of such runs. Kernel
// entry, arguments and options are those of the program. Left out: what the program does before and after the launch.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "report/model.h"
#include "run/launch_record.h"

namespace ascsan::run {

/// What one run of the launch left behind.
struct RunOutcome {
  machine::LaunchOutcome outcome;
  std::map<uint32_t, std::vector<std::byte>> written;  ///< by number of the tensor: its bytes after the launch
  std::unique_ptr<LaunchRecord> record;
  uint64_t outputs_digest = 0;  ///< of the written tensors
  bool ended() const { return outcome.end == machine::LaunchOutcome::End::kDone; }
};

class Lab {
 public:
  /// Keeps the global memory as it is now. `scratch`: names that are no outputs, with * as in file names, by commas.
  Lab(machine::Machine& machine, machine::GlobalMemory& memory, const event::SiteTable& sites,
      const machine::LaunchPlan& plan, const std::string& scratch);

  /// Runs the launch from the kept state; `prepare` may set up the record (watch, keep_reads) first, `checks` sees the
  /// events as well.
  RunOutcome run(machine::Scheduler& scheduler, machine::Interposer* interposer = nullptr,
                 const std::function<void(LaunchRecord&)>& prepare = {}, event::Sink* checks = nullptr);
  void restore();
  uint64_t inputs_digest() const { return inputs_digest_; }
  /// Global memory of which a second copy is kept without asking; a launch with more is not repeated.
  static constexpr uint64_t kMaxBytes = uint64_t{4} << 30;
  static uint64_t bytes_to_keep(machine::GlobalMemory& memory);

  /// The differences of the outputs, the tensors in the order of their names. Scratch and framework memory left out.
  std::vector<report::Impact> compare(const RunOutcome& expected, const RunOutcome& got) const;
  /// Digest of the outputs alone, in the order of their numbers.
  uint64_t outputs_digest(const RunOutcome& run) const;
  /// True when some output differs.
  bool differs(const RunOutcome& expected, const RunOutcome& got) const;
  std::string name_of(uint32_t tensor) const;
  bool is_output(uint32_t tensor) const;
  machine::Machine& machine() { return machine_; }
  const event::SiteTable& sites() const { return sites_; }
  machine::GlobalMemory& memory() { return memory_; }
  const machine::Tensor* tensor(uint32_t number) const;

  /// Before each run, after the memory is restored: fills of `--fill` and experiments.
  std::function<void()> before_run;

 private:
  machine::Machine& machine_;
  machine::GlobalMemory& memory_;
  const event::SiteTable& sites_;
  machine::LaunchPlan plan_;
  std::string scratch_;
  std::map<uint32_t, std::vector<std::byte>> kept_;
  uint64_t inputs_digest_ = 0, progress_ = 0;
};

/// A word with * and ? against a whole name, without regard to case.
bool matches(const std::string& pattern, const std::string& name);
/// One element as text; `bytes` holds at least its size.
std::string element_text(const std::byte* bytes, gate::DataType type);
/// Its value as far as a double holds it.
double element_value(const std::byte* bytes, gate::DataType type);

}  // namespace ascsan::run
