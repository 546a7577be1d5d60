// Kernels through the API headers and the machine of machine_fixture.h, checked by the whole suite: for the rules about
// flags, queues, cross-core flags, cache lines and annotations. Every kernel runs under several schedules, and each
// must give the same findings, since these rules speak about the program and not about the run.
#pragma once

#include <map>

#include "check/suite.h"
#include "machine_fixture.h"

namespace ascsan::test {

class UsageTest : public MachineTest {
 protected:
  using Findings = std::vector<report::Finding>;
  /// Lines by name; LINE("set") on the line of a call.
  std::map<std::string, uint32_t> at;

  static std::string text_of(const Findings& findings) {
    std::string text;
    for (const report::Finding& finding : findings) {
      text +=
          finding.rule + " " + finding.title + " x" + std::to_string(finding.merged) + "\n    " + finding.detail + "\n";
      for (const report::AccessInfo& access : finding.accesses)
        text += "    " + access.role + " " + access.core + " " + access.operation + ":" + std::to_string(access.line) +
                "\n";
      for (const std::string& note : finding.notes) text += "    note: " + note + "\n";
    }
    return text;
  }

  UsageTest() { suite_options.checkers.bits &= ~(1u << static_cast<uint32_t>(check::CheckerId::kInit)); }
  check::SuiteOptions suite_options;  ///< all but the init checker: these kernels move bytes nobody has written
  std::string only;          ///< findings whose rule does not begin so are dropped, where a fault brings races along
  bool all_the_same = true;  ///< false: findings may differ between schedules

  Findings checked(machine::KernelType type, uint32_t blocks, const std::function<void()>& kernel) {
    Findings first;
    std::string first_text;
    for (const auto& [schedule, seed] : all_schedules()) {
      if (seed > 5) continue;
      before_run();
      check::Suite suite(sites);
      suite.configure(suite_options);
      machine::MachineOptions options;
      options.chip = machine::find_chip("910B1");
      options.max_steps = 1000000;
      machine::Machine machine(table(), memory, sites, options);
      machine::LaunchPlan plan;
      plan.kernel = "kernel";
      plan.type = type;
      plan.block_dim = blocks;
      plan.number = 1;
      auto closure = kernel;
      plan.closure = &closure;
      plan.entry = [](void* called) { (*static_cast<std::function<void()>*>(called))(); };
      auto scheduler = schedule::make_scheduler(schedule, seed, 3, nullptr);
      outcome = machine.launch(plan, *scheduler, &suite);
      Findings findings;
      unchecked.clear();
      suite.take(findings, unchecked);
      std::erase_if(findings, [&](const report::Finding& finding) { return finding.rule.rfind(only, 0) != 0; });
      const std::string text = text_of(findings);
      if (first_text.empty() && schedule == "in_order") {
        first = findings;
        first_text = text;
      } else if (all_the_same) {
        EXPECT_EQ(ids_of(findings), ids_of(first)) << schedule << " " << seed << "\n"
                                                   << text << "against in_order\n"
                                                   << first_text;
      }
    }
    return first;
  }

  static std::string ids_of(const Findings& findings) {
    std::string ids;
    for (const report::Finding& finding : findings) ids += finding.id + " ";
    return ids;
  }

  void expect_clean(machine::KernelType type, uint32_t blocks, const std::function<void()>& kernel) {
    const Findings findings = checked(type, blocks, kernel);
    EXPECT_TRUE(findings.empty()) << text_of(findings);
  }

  /// Exactly one finding of this rule, whose first places are the named lines.
  report::Finding expect_one(machine::KernelType type, uint32_t blocks, const std::function<void()>& kernel,
                             const char* rule, const std::vector<std::string>& lines,
                             report::Severity severity = report::Severity::kError) {
    const Findings findings = checked(type, blocks, kernel);
    EXPECT_EQ(findings.size(), 1u) << text_of(findings);
    if (findings.empty()) return {};
    const report::Finding& finding = findings.front();
    EXPECT_EQ(finding.rule, rule) << text_of(findings);
    EXPECT_EQ(static_cast<int>(finding.severity), static_cast<int>(severity)) << text_of(findings);
    EXPECT_GE(finding.accesses.size(), lines.size()) << text_of(findings);
    for (size_t i = 0; i < lines.size() && i < finding.accesses.size(); ++i)
      EXPECT_EQ(finding.accesses[i].line, at.at(lines[i])) << lines[i] << "\n" << text_of(findings);
    return finding;
  }

  std::function<void()> before_run = [] {};
  machine::LaunchOutcome outcome;
  std::vector<report::Unchecked> unchecked;
};

}  // namespace ascsan::test

#define LINE(name) at[name] = __LINE__
/// An expression whose line gets a name, where LINE(), cannot stand.
#define MARK(name, ...) ((at[name] = __LINE__), __VA_ARGS__)
