// A kernel given as a function, run by the real machine and instruction set with all checkers behind it, and the
// findings as data. Every launch has a machine, memory and suite of its own, so nothing leaks between cases.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "check/suite.h"
#include "isa/op_table.h"
#include "kernel_operator.h"
#include "machine/machine.h"
#include "schedule/make.h"

namespace ascsan::test {

class CheckedLaunch {
 public:
  machine::GlobalMemory memory;
  event::SiteTable sites;
  check::SuiteOptions options;
  std::string schedule = "deferred";
  uint64_t seed = 1;
  machine::KernelType type = machine::KernelType::kAivOnly;

  /// A named tensor of `elements`; filled like fresh memory of gm_fill, then with `values`.
  template <typename T>
  T* tensor(const char* name, uint64_t elements, const std::vector<T>& values = {}) {
    auto* const data = static_cast<T*>(memory.allocate(elements * sizeof(T), options.poison >= 0 ? options.poison : 0));
    memory.find(reinterpret_cast<uint64_t>(data))->name = name;
    if (!values.empty()) std::memcpy(static_cast<void*>(data), values.data(), values.size() * sizeof(T));
    return data;
  }

  std::vector<report::Finding> run(uint32_t blocks, const std::function<void()>& kernel) {
    if (!machine_) {
      machine::MachineOptions machine_options;
      machine_options.chip = machine::find_chip("910B1");
      machine_options.max_steps = 1000000;
      machine_ = std::make_unique<machine::Machine>(isa::op_table(), memory, sites, machine_options);
      suite_ = std::make_unique<check::Suite>(sites);
    }
    std::function<void()> body = kernel;
    machine::LaunchPlan plan;
    plan.kernel = "kernel";
    plan.type = type;
    plan.block_dim = blocks;
    plan.number = ++launches_;
    plan.closure = &body;
    plan.entry = [](void* closure) { (*static_cast<std::function<void()>*>(closure))(); };
    suite_->configure(options);
    const auto scheduler = schedule::make_scheduler(schedule, seed, 3, nullptr);
    outcome = machine_->launch(plan, *scheduler, suite_.get());
    std::vector<report::Finding> findings;
    std::vector<report::Unchecked> unchecked;
    suite_->take(findings, unchecked);
    EXPECT_TRUE(unchecked.empty()) << unchecked.front().what;
    return findings;
  }
  machine::LaunchOutcome outcome;

 private:
  std::unique_ptr<machine::Machine> machine_;
  std::unique_ptr<check::Suite> suite_;
  uint32_t launches_ = 0;
};

inline std::string text_of_all(const std::vector<report::Finding>& findings) {
  std::string text;
  for (const report::Finding& finding : findings) {
    text +=
        finding.rule + " x" + std::to_string(finding.merged) + " " + finding.title + "\n    " + finding.detail + "\n";
    for (const std::string& note : finding.notes) text += "    note: " + note + "\n";
    for (const report::AccessInfo& access : finding.accesses)
      text += "    " + access.role + " " + access.operation + " line " + std::to_string(access.line) + "\n";
  }
  return text.empty() ? "no findings\n" : text;
}

inline void expect_clean(const std::vector<report::Finding>& findings) {
  EXPECT_TRUE(findings.empty()) << text_of_all(findings);
}

/// Exactly one finding, of this rule, with these lines in its accesses.
inline report::Finding expect_only(const std::vector<report::Finding>& findings, const std::string& rule,
                                   const std::vector<uint32_t>& lines) {
  EXPECT_EQ(findings.size(), 1u) << text_of_all(findings);
  if (findings.size() != 1) return {};
  EXPECT_EQ(findings[0].rule, rule) << text_of_all(findings);
  std::vector<uint32_t> found;
  for (const report::AccessInfo& access : findings[0].accesses) found.push_back(access.line);
  EXPECT_EQ(found, lines) << text_of_all(findings);
  return findings[0];
}

}  // namespace ascsan::test
