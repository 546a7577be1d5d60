// What `ascsan` asks a program that runs experiments, and what it answers: witnesses of findings, the replay of a
// token. The question is a text file, the answer JSON, as with the call stacks (stacks.h). Left out: how experiments
// are made.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/model.h"
#include "report/stacks.h"

namespace ascsan::report {

/// A race to be witnessed: its number among the findings of the first run, and its two sides.
struct WitnessWish {
  uint32_t finding = 0;
  AccessKey first, second;
};

/// What a wish came to. `witness` is set when an output changed; `note` says why not.
struct WitnessAnswer {
  uint32_t finding = 0;
  std::optional<Witness> witness;
  std::vector<Impact> impact;
  std::string note;
};

/// The races among the findings, at most `limit`; other findings have no order to reverse.
std::vector<WitnessWish> wanted_witnesses(const RunResult& run, size_t limit);
/// One line "finding launch core pipe index core pipe index" per wish.
std::string to_text(const std::vector<WitnessWish>& wishes);
bool parse_wishes(std::string_view text, std::vector<WitnessWish>& wishes);

std::string witnesses_to_json(const std::vector<WitnessAnswer>& answers);
bool witnesses_from_json(std::string_view text, std::vector<WitnessAnswer>& answers, std::string* error);
/// Puts the answers into the findings; a finding with a witness becomes `proven`.
void merge_witnesses(RunResult& run, const std::vector<WitnessAnswer>& answers);

/// The directed launch of a replay.
struct ReplayAnswer {
  bool reached = false;  ///< the program came to the launch of the token
  std::string kernel;
  std::string end;                               ///< why the launch did not end by itself; empty when it did
  uint64_t inputs = 0, outputs = 0, events = 0;  ///< digests, to be compared with the token's
};
std::string replay_to_json(const ReplayAnswer& answer);
bool replay_from_json(std::string_view text, ReplayAnswer& answer, std::string* error);

/// One experiment of `ascsan diagnose`: "(g)", what might be, what was done, what was seen, what follows.
struct Experiment {
  std::string letter, hypothesis, experiment, seen, verdict;
};
/// Who reads and writes a GM tensor.
struct FlowLine {
  std::string tensor, access, function, core, pipe, stage;
  uint64_t bytes = 0;
};
struct Diagnosis {
  std::string kernel, wrong;  ///< `wrong`: the outputs that differ between schedules, by commas
  uint64_t launch = 0, schedules = 0, differing = 0, runs = 0;
  std::vector<std::string> stages;
  std::vector<Experiment> rows;
  std::vector<FlowLine> flow;
  std::vector<std::string> cause;  ///< sentences and both lines; empty = not found
  std::string cure;                ///< empty: no proven cure
  std::string trouble;             ///< why there is no answer (not deterministic by itself, nothing launched)
};
/// What the checkers know about a launch, for the experiments that need no run of their own.
struct DiagnosisTask {
  uint64_t launch = 0;                 ///< 0 = the first launch in which an output differs
  std::string hang;                    ///< title of a hang, if one was found
  std::vector<std::string> bounds;     ///< ids and titles of accesses out of their tensor
  std::vector<std::string> cache;      ///< the same of scalar accesses to a stale or lost cache line, with their places
  std::vector<std::string> undefined;  ///< and of values that hang on memory nobody has written
  uint64_t schedules = 0;              ///< of a verification, at least
  std::vector<WitnessWish> wishes;
};
/// How a launch behaves under the witnesses and adversarial schedules.
struct Verification {
  uint64_t schedules = 0, equal = 0;  ///< runs, and those with the outputs of the in-order run
  uint64_t outputs = 0;               ///< digest of the outputs of the in-order run
  bool mixed = false;                 ///< matrix and vector cores took part
  bool inverted = false;              ///< in order the second side of the first wish comes before the first
  std::vector<std::string> right;     ///< digests of the outputs of the runs in which it does not
  std::string trouble;
};
std::string verification_to_json(const Verification& verification);
bool verification_from_json(std::string_view text, Verification& verification, std::string* error);
std::string task_to_json(const DiagnosisTask& task);
bool task_from_json(std::string_view text, DiagnosisTask& task, std::string* error);
std::string diagnosis_to_json(const Diagnosis& diagnosis);
bool diagnosis_from_json(std::string_view text, Diagnosis& diagnosis, std::string* error);

}  // namespace ascsan::report
