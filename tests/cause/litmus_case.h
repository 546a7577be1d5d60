// A litmus kernel inside a test program, as a launch that can be repeated (run/lab.h): its machine, its tensors with
// the values tests/litmus/main.cpp gives them, its plan. Kernel headers stay behind this one, so that tests compile
// fast.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "machine/machine.h"
#include "run/lab.h"

namespace ascsan::test {

class LitmusCase {
 public:
  /// Of all kernels, in order.
  static std::vector<std::string> names();
  struct Options {
    bool strict = false;    ///< the compiler adds no synchronisation (option profile)
    bool observed = false;  ///< what each core leaves on chip is an output, `x y z` differ
  };
  explicit LitmusCase(const std::string& name) : LitmusCase(name, Options{}) {}
  LitmusCase(const std::string& name, const Options& options);
  ~LitmusCase();
  LitmusCase(const LitmusCase&) = delete;
  LitmusCase& operator=(const LitmusCase&) = delete;

  uint32_t launches() const;
  /// Says which launch in a row comes next, from 1.
  void at_launch(uint32_t number);
  const machine::LaunchPlan& plan() const { return plan_; }
  /// Keeps the memory as it is now.
  run::Lab lab();
  const event::SiteTable& sites() const { return sites_; }

 private:
  struct Kernel;
  std::unique_ptr<Kernel> kernel_;
  machine::GlobalMemory memory_;
  event::SiteTable sites_;
  std::unique_ptr<machine::Machine> machine_;
  machine::LaunchPlan plan_;
};

}  // namespace ascsan::test
