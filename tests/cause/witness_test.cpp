// How cheap witnesses are: for every race the suite finds in the litmus kernels, how many runs beside the in-order one
// and how many forced choices until an output changes (run/witness.h). At least 90 % within two runs, and 90 % with at
// most three choices. A race without a witness counts against that when one of 96 other schedules changes an output all
// the same; where none does, "certain" is the honest verdict, and it is counted apart. Prints the counts and every
// miss.
#include <gtest/gtest.h>

#include <map>

#include "check/suite.h"
#include "litmus_case.h"
#include "report/experiments.h"
#include "run/lint.h"
#include "run/witness.h"
#include "suite/spec.h"

namespace {
using namespace ascsan;

constexpr uint64_t kSchedules = 96;
constexpr uint64_t kMaxRuns = 2, kMaxChoices = 3;

struct Tally {
  size_t kernels = 0, races = 0, certain = 0, hangs = 0;
  std::map<uint64_t, size_t> runs, choices;  ///< of the races with a witness
  std::vector<std::string> missed;
  std::map<std::string, std::string> notes;  ///< of the races without: kernels
};

/// Some schedule gives other outputs than the in-order one.
bool can_differ(run::Lab& lab) {
  const run::RunOutcome reference = lab.run(*run::adversary(1));
  for (uint64_t n = 0; n < kSchedules; ++n)
    if (lab.differs(reference, lab.run(*run::adversary(n)))) return true;
  return false;
}

void look_at(run::Lab& lab, const report::RunResult& result, const std::string& kernel, Tally& tally) {
  for (const report::WitnessWish& wish : report::wanted_witnesses(result, 1000)) {
    const report::Finding& finding = result.findings[wish.finding];
    if (finding.severity != report::Severity::kError) continue;
    ++tally.races;
    const report::WitnessAnswer answer = run::WitnessSearch(lab, {}).find(wish);
    if (answer.witness) {
      ++tally.runs[answer.witness->runs - 1];
      ++tally.choices[answer.witness->forced_choices];
      EXPECT_FALSE(answer.impact.empty() && answer.witness->steps.size() < 4) << kernel << ": nothing differs";
      continue;
    }
    EXPECT_NE(answer.note, "") << kernel;
    if (can_differ(lab))
      tally.missed.push_back(kernel + ": " + finding.rule + " " + finding.title + ": " + answer.note);
    else
      ++tally.certain, tally.notes[answer.note] += " " + kernel;
  }
}

void launch(test::LitmusCase& one, const check::SuiteOptions& options, const std::string& kernel, Tally& tally) {
  check::Suite suite(one.sites());
  for (uint32_t number = 1; number <= one.launches(); ++number) {
    one.at_launch(number);
    run::Lab lab = one.lab();
    suite.configure(options);
    lab.run(*run::adversary(0), nullptr, {}, &suite);
    report::RunResult result;
    suite.take(result.findings, result.unchecked);
    for (report::Finding& finding : result.findings) finding.launch = number;
    look_at(lab, result, kernel, tally);
    lab.restore();
    lab.run(*run::adversary(1));
  }
}

void print(const char* what, const std::map<uint64_t, size_t>& counts) {
  std::printf("  %s:", what);
  for (const auto& [number, count] : counts)
    std::printf(" %zu with %llu,", count, static_cast<unsigned long long>(number));
  std::printf("\n");
}

size_t at_most(const std::map<uint64_t, size_t>& counts, uint64_t limit) {
  size_t sum = 0;
  for (const auto& [number, count] : counts) sum += number <= limit ? count : 0;
  return sum;
}

TEST(Witness, RacyLitmusKernels) {
  std::vector<std::string> errors;
  Tally tally;
  for (const suite::Expectation& expectation : suite::read_folder(LITMUS_FOLDER, errors)) {
    check::SuiteOptions options;
    for (const auto& [option, value] : expectation.options)
      if (option == "profile") options.strict_profile = value == "strict";
    bool racy = false;
    for (const suite::ExpectedFinding& finding : expectation.findings)
      racy = racy || finding.rule.rfind("ASC1", 0) == 0;
    if (!racy) continue;
    ++tally.kernels;
    test::LitmusCase one(expectation.kernel, {options.strict_profile, true});
    launch(one, options, expectation.kernel, tally);
  }
  ASSERT_TRUE(errors.empty()) << errors[0];
  const size_t witnessed = at_most(tally.runs, ~uint64_t{0}), able = witnessed + tally.missed.size();
  std::printf(
      "%zu racy litmus kernels, %zu races: %zu with a witness, %zu certain (no schedule changes an output), %zu "
      "missed\n",
      tally.kernels, tally.races, witnessed, tally.certain, tally.missed.size());
  print("runs beside the in-order one", tally.runs);
  print("forced choices", tally.choices);
  for (const auto& [note, kernels] : tally.notes) std::printf("  certain, %s:%s\n", note.c_str(), kernels.c_str());
  for (const std::string& miss : tally.missed) std::printf("  missed: %s\n", miss.c_str());
  EXPECT_GT(able, 60u);
  EXPECT_GE(at_most(tally.runs, kMaxRuns) * 10, able * 9);
  EXPECT_GE(at_most(tally.choices, kMaxChoices) * 10, able * 9);
}

}  // namespace
