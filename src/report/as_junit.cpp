// JUnit XML. See as_junit.h. Elements and attributes are those that the readers of common CI systems share.
#include "report/as_junit.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "report/actors.h"
#include "report/escape.h"
#include "report/function_name.h"
#include "report/version.h"

namespace ascsan::report {
namespace {

/// First digits of a rule id, "ASC1": the class of faults.
std::string class_of(const std::string& rule) {
  return rule.substr(0, std::min<size_t>(rule.size(), 4));
}

const char* class_name(const std::string& fault_class) {
  static constexpr std::pair<const char*, const char*> kNames[] = {
      {"ASC1", "races"}, {"ASC2", "memory"},     {"ASC3", "initialisation"}, {"ASC4", "flags and queues"},
      {"ASC5", "hangs"}, {"ASC6", "cache line"}, {"ASC9", "coverage"}};
  for (const auto& [key, name] : kNames)
    if (fault_class == key) return name;
  return "other";
}

struct Case {
  std::string name;
  std::vector<const Finding*> failures, notes;
};

struct Suite {
  std::string kernel;
  std::vector<Case> cases;
};

std::string cores_of(const Launch& launch) {
  if (launch.aic > 0 && launch.aiv > 0) return fmt::format("{} AIC + {} AIV", launch.aic, launch.aiv);
  if (launch.aic > 0) return fmt::format("{} AIC", launch.aic);
  if (launch.aiv > 0) return fmt::format("{} AIV", launch.aiv);
  return base::count(launch.block_dim, "block");
}

/// What tells the shapes of one kernel apart.
std::string shape_of(const Launch& launch) {
  return fmt::format("{}, {}, {} schedule, seed {}, {} profile", cores_of(launch), launch.chip, launch.schedule,
                     launch.seed, launch.profile);
}

/// "1-3, 7" from ascending numbers.
std::string ranges(const std::vector<size_t>& numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size();) {
    size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(numbers[i]);
    if (last > i) text += "-" + std::to_string(numbers[last]);
    i = last + 1;
  }
  return text;
}

class JunitWriter {
 public:
  JunitWriter(const RunResult& run, const Conclusion& conclusion, const Catalogue& rules)
      : run_(run), conclusion_(conclusion) {
    for (const RuleText& rule : rules) classes_.insert(class_of(rule.id));
    for (const Finding& finding : run.findings) classes_.insert(class_of(finding.rule));
    build();
  }

  std::string write() {
    size_t tests = 0, failures = 0, errors = 0, skipped = 0;
    std::string body;
    for (const Suite& suite : suites_) {
      const std::string reason = why_incomplete(suite.kernel);
      size_t failed = 0, left_out = 0;
      std::string cases;
      for (const Case& test : suite.cases) {
        failed += test.failures.empty() ? 0 : 1;
        left_out += test.failures.empty() && !reason.empty() ? 1 : 0;
        cases += case_text(suite.kernel, test, reason);
      }
      body += suite_text(suite.kernel, suite.cases.size(), failed, 0, left_out, cases);
      tests += suite.cases.size();
      failures += failed;
      skipped += left_out;
    }
    const std::string program = program_case(errors, skipped);
    if (!program.empty()) {
      ++tests;
      body += suite_text("program", 1, 0, errors, errors > 0 ? 0 : 1, program);
    }
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n{}</testsuites>\n",
        kToolName, tests, failures, errors, skipped, body);
  }

 private:
  /// Launches by kernel in order of their first launch, then by shape; each shape has a case per class.
  void build() {
    std::map<std::string, std::vector<std::pair<std::string, std::vector<size_t>>>> shapes;
    std::vector<std::string> kernels;
    for (size_t i = 0; i < run_.launches.size(); ++i) {
      const Launch& launch = run_.launches[i];
      auto& list = shapes[launch.kernel];
      if (list.empty()) kernels.push_back(launch.kernel);
      const std::string shape = shape_of(launch);
      auto known = std::find_if(list.begin(), list.end(), [&](const auto& entry) { return entry.first == shape; });
      if (known == list.end()) known = list.insert(list.end(), {shape, {}});
      known->second.push_back(i + 1);
    }
    std::set<const Finding*> placed;
    for (const std::string& kernel : kernels) {
      Suite& suite = suites_.emplace_back();
      suite.kernel = kernel;
      for (const auto& entry : shapes[kernel]) {
        const std::vector<size_t>& numbers = entry.second;
        const std::string name =
            fmt::format("launch{} {} ({})", numbers.size() == 1 ? "" : "es", ranges(numbers), entry.first);
        for (const std::string& fault_class : classes_)
          add_case(suite, name, fault_class, [&](const Finding& finding) {
            return finding.kernel == kernel && std::binary_search(numbers.begin(), numbers.end(), finding.launch) &&
                   placed.insert(&finding).second;
          });
      }
    }
    add_strays(placed);
  }

  /// Findings whose launch is not in the list (the program died in it, or it is unknown).
  void add_strays(std::set<const Finding*>& placed) {
    for (const Finding& finding : run_.findings) {
      if (placed.count(&finding) != 0) continue;
      auto suite = std::find_if(suites_.begin(), suites_.end(),
                                [&](const Suite& known) { return known.kernel == finding.kernel; });
      if (suite == suites_.end()) {
        suite = suites_.insert(suites_.end(), Suite());
        suite->kernel = finding.kernel;
      }
      const std::string name = finding.launch > 0 ? fmt::format("launch {}", finding.launch) : "launch unknown";
      add_case(*suite, name, class_of(finding.rule), [&](const Finding& other) {
        return other.kernel == finding.kernel && other.launch == finding.launch && placed.insert(&other).second;
      });
    }
  }

  template <typename Belongs>
  void add_case(Suite& suite, const std::string& name, const std::string& fault_class, Belongs&& belongs) {
    Case& test = suite.cases.emplace_back();
    test.name = name + ": " + class_name(fault_class);
    for (const Finding& finding : run_.findings) {
      if (class_of(finding.rule) != fault_class || !belongs(finding)) continue;
      const bool fails = counts(finding) && finding.severity >= conclusion_.fail_on;
      (fails ? test.failures : test.notes).push_back(&finding);
    }
  }

  /// Why cases of the kernel without failures cannot be called passed; empty when they can.
  std::string why_incomplete(const std::string& kernel) const {
    std::string reason;
    if (!run_.crash.empty()) reason = "the run was not finished: " + run_.crash;
    for (const Unchecked& item : run_.unchecked) {
      // A gap that names another kernel is that kernel's; all others may be anybody's.
      const bool of_other = !item.what.empty() && std::any_of(suites_.begin(), suites_.end(), [&](const Suite& suite) {
        return suite.kernel != kernel && item.what == suite.kernel;
      });
      if (!of_other) reason += (reason.empty() ? "" : "\n") + item.what + ": " + item.why;
    }
    return reason;
  }

  static std::string suite_text(const std::string& name, size_t tests, size_t failures, size_t errors, size_t skipped,
                                const std::string& cases) {
    return fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n{}  </testsuite>\n",
        xml_text(name), tests, failures, errors, skipped, cases);
  }

  static std::string finding_text(const Finding& finding) {
    std::string text = fmt::format("{} {} [{}] {}", name_of(finding.severity), finding.rule,
                                   name_of(finding.confidence), finding.title);
    if (!finding.detail.empty()) text += "\n" + finding.detail;
    for (const AccessInfo& access : finding.accesses) {
      text += "\n" + access.role + ": " + actor_action(access, ", ");
      for (const Frame& frame : access.stack)
        text += "\n    " + base::place(frame.file, frame.line) + " " + short_function(frame.function);
      if (access.stack.empty() && !access.file.empty()) text += "\n    " + base::place(access.file, access.line);
    }
    if (finding.last_common) {
      text += "\nlast point ordered before both: " + finding.last_common->what;
      if (!finding.last_common->file.empty())
        text += ", " + base::place(finding.last_common->file, finding.last_common->line);
    }
    if (!finding.missing.empty()) text += "\nabsent link: " + finding.missing;
    for (const std::string& note : finding.notes) text += "\nnote: " + note;
    if (finding.merged > 1) text += "\nalso: " + base::count(finding.merged - 1, "more occurrence") + " merged";
    return text + "\nid: " + finding.id;
  }

  static std::string why_it_does_not_count(const Finding& finding) {
    if (finding.suppressed) {
      std::string text = "suppressed: " + finding.suppressed->reason;
      if (!finding.suppressed->owner.empty()) text += " (" + finding.suppressed->owner + ")";
      return text + "\n";
    }
    return finding.baseline == "known" ? "known from the baseline\n" : "";
  }

  static std::string case_text(const std::string& kernel, const Case& test, const std::string& incomplete) {
    std::string inside, output;
    for (const Finding* finding : test.failures)
      inside += fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n", xml_text(finding->rule),
                            xml_text(finding->title), xml_text(finding_text(*finding)));
    if (test.failures.empty() && !incomplete.empty())
      inside += fmt::format("      <skipped message=\"{}\"/>\n", xml_text(incomplete));
    for (const Finding* finding : test.notes)
      output += (output.empty() ? "" : "\n\n") + why_it_does_not_count(*finding) + finding_text(*finding);
    if (!output.empty()) inside += fmt::format("      <system-out>{}</system-out>\n", xml_text(output));
    const std::string head =
        fmt::format("    <testcase classname=\"{}\" name=\"{}\"", xml_text(kernel), xml_text(test.name));
    return inside.empty() ? head + "/>\n" : head + ">\n" + inside + "    </testcase>\n";
  }

  /// The case of the program itself: an error when it failed, skipped when it launched nothing; else there is none.
  std::string program_case(size_t& errors, size_t& skipped) const {
    std::string problem = run_.crash;
    if (problem.empty() && !program_failure(run_).empty())
      problem = "the program failed by itself, " + program_failure(run_);
    if (problem.empty() && !run_.launches.empty()) return "";
    std::string inside;
    if (!problem.empty()) {
      ++errors;
      inside = fmt::format("      <error type=\"program\" message=\"{}\"/>\n", xml_text(problem));
    } else {
      ++skipped;
      inside = "      <skipped message=\"no kernel was launched\"/>\n";
    }
    return "    <testcase classname=\"program\" name=\"run\">\n" + inside + "    </testcase>\n";
  }

  const RunResult& run_;
  const Conclusion& conclusion_;
  std::set<std::string> classes_;
  std::vector<Suite> suites_;
};

}  // namespace

std::string to_junit(const RunResult& run, const Conclusion& conclusion, const Catalogue& rules) {
  return JunitWriter(run, conclusion, rules).write();
}

}  // namespace ascsan::report
