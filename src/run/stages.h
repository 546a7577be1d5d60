// The stages of a kernel, for experiments that work stage by stage: the functions that its top-level method calls,
// found from the call stacks of one run, in the order of its lines. The top-level method is the first function below
// the kernel entry that calls two or more others (initialisation apart). ASCSAN_STAGE("name") overrides. A place in the
// kernel is before, in or behind a stage by its line in the top-level method, so that calls between the stages count
// too. Left out: a second pass through the stages in a loop of the top-level method; only the first counts.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "machine/machine.h"
#include "report/model.h"

namespace ascsan::run {

struct Stage {
  std::string name;
  std::string file;                        ///< of the top-level method
  uint32_t first_line = 0, last_line = 0;  ///< of its calls there; with ASCSAN_STAGE its number
  bool on_aic = false, on_aiv = false;     ///< which kinds of cores do something in it
};

class Stages {
 public:
  explicit Stages(std::string kernel) : kernel_(std::move(kernel)) {}

  /// The call that the core makes now; on its fiber.
  void learn(const machine::Core& core, gate::Op op);
  /// After a whole run of learn().
  void finish();
  /// Index of the stage of that name, or -1.
  int find(const std::string& name) const;
  const std::vector<Stage>& all() const { return stages_; }
  const std::string& top() const { return top_; }
  const std::string& top_file() const { return top_file_; }

  /// Where the running core stands.
  struct Place {
    uint32_t position = 0;  ///< line in the top-level method, or number of the ASCSAN_STAGE; 0 = unknown
    int stage = -1;
    const std::vector<report::Frame>* frames = nullptr;  ///< user frames, innermost first
  };
  Place here(const machine::Core& core);
  /// The newest ASCSAN_STAGE of a core; null text ends the launch's record.
  void mark(event::CoreId core, const char* text);
  void begin_run() { marked_.clear(); }

 private:
  struct Stack {
    std::vector<report::Frame> frames;
    bool on_aic = false, on_aiv = false;
    bool works = false;  ///< it did more than prepare buffers
    uint64_t order = 0;  ///< of its first appearance
    int stage = -1;
    uint32_t position = 0;
  };
  Stack& stack_of(const std::vector<uint64_t>& addresses);
  void place(Stack& stack) const;

  std::string kernel_, top_, top_file_;
  size_t top_depth_ = 0;  ///< frames from the entry down to the top-level method
  std::vector<Stage> stages_;
  std::map<std::vector<uint64_t>, Stack> stacks_;
  std::map<uint64_t, std::vector<report::Frame>> symbols_;  ///< by address
  std::map<event::CoreId, std::string> marked_;
  std::vector<std::string> mark_names_;  ///< in order of first appearance
};

}  // namespace ascsan::run
