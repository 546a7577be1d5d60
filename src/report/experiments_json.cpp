// The exchange of experiments.h as text and JSON.
#include <algorithm>
#include <charconv>

#include "report/experiments.h"
#include "report/raw_json_io.h"
#include "report/raw_json_witness.h"

namespace ascsan::report {
namespace raw {

struct WitnessList {
  std::vector<WitnessAnswer> answers;
};
template <typename V>
void fields(V& v, WitnessAnswer& x) {
  v.field("finding", x.finding);
  v.field("witness", x.witness);
  v.field("impact", x.impact);
  v.field("note", x.note);
}
template <typename V>
void fields(V& v, WitnessList& x) {
  v.field("answers", x.answers);
}
template <typename V>
void fields(V& v, ReplayAnswer& x) {
  v.field("reached", x.reached);
  v.field("kernel", x.kernel);
  v.field("end", x.end);
  v.field("inputs", x.inputs);
  v.field("outputs", x.outputs);
  v.field("events", x.events);
}

template <typename V>
void fields(V& v, Experiment& x) {
  v.field("letter", x.letter);
  v.field("hypothesis", x.hypothesis);
  v.field("experiment", x.experiment);
  v.field("seen", x.seen);
  v.field("verdict", x.verdict);
}
template <typename V>
void fields(V& v, FlowLine& x) {
  v.field("tensor", x.tensor);
  v.field("access", x.access);
  v.field("function", x.function);
  v.field("core", x.core);
  v.field("pipe", x.pipe);
  v.field("stage", x.stage);
  v.field("bytes", x.bytes);
}
template <typename V>
void fields(V& v, Diagnosis& x) {
  v.field("kernel", x.kernel);
  v.field("wrong", x.wrong);
  v.field("launch", x.launch);
  v.field("schedules", x.schedules);
  v.field("differing", x.differing);
  v.field("runs", x.runs);
  v.field("stages", x.stages);
  v.field("rows", x.rows);
  v.field("flow", x.flow);
  v.field("cause", x.cause);
  v.field("cure", x.cure);
  v.field("trouble", x.trouble);
}
template <typename V>
void fields(V& v, WitnessWish& x) {
  v.field("finding", x.finding);
  v.field("launch", x.first.launch);
  v.field("first_core", x.first.core);
  v.field("first_pipe", x.first.pipe);
  v.field("first_index", x.first.index);
  v.field("second_core", x.second.core);
  v.field("second_pipe", x.second.pipe);
  v.field("second_index", x.second.index);
}
template <typename V>
void fields(V& v, DiagnosisTask& x) {
  v.field("launch", x.launch);
  v.field("hang", x.hang);
  v.field("bounds", x.bounds);
  v.field("cache", x.cache);
  v.field("undefined", x.undefined);
  v.field("schedules", x.schedules);
  v.field("wishes", x.wishes);
}
template <typename V>
void fields(V& v, Verification& x) {
  v.field("schedules", x.schedules);
  v.field("equal", x.equal);
  v.field("outputs", x.outputs);
  v.field("mixed", x.mixed);
  v.field("inverted", x.inverted);
  v.field("right", x.right);
  v.field("trouble", x.trouble);
}

}  // namespace raw

std::vector<WitnessWish> wanted_witnesses(const RunResult& run, size_t limit) {
  std::vector<WitnessWish> wishes;
  for (size_t i = 0; i < run.findings.size() && wishes.size() < limit; ++i) {
    const Finding& finding = run.findings[i];
    const bool race = finding.rule.rfind("ASC1", 0) == 0 && finding.accesses.size() == 2;
    if (!race || finding.accesses[0].index == 0 || finding.accesses[1].index == 0 || finding.suppressed) continue;
    WitnessWish wish;
    wish.finding = static_cast<uint32_t>(i);
    const auto key = [&](const AccessInfo& access) {
      return AccessKey{finding.launch, access.core_id, access.pipe_id, access.index};
    };
    wish.first = key(finding.accesses[0]);
    wish.second = key(finding.accesses[1]);
    wishes.push_back(wish);
  }
  return wishes;
}

std::string to_text(const std::vector<WitnessWish>& wishes) {
  std::string text;
  for (const WitnessWish& wish : wishes) {
    text += std::to_string(wish.finding) + " " + std::to_string(wish.first.launch);
    for (const AccessKey& key : {wish.first, wish.second})
      for (const uint32_t value : {key.core, key.pipe, key.index}) text += " " + std::to_string(value);
    text += "\n";
  }
  return text;
}

bool parse_wishes(std::string_view text, std::vector<WitnessWish>& wishes) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    WitnessWish wish;
    uint32_t* const values[] = {&wish.finding,     &wish.first.launch, &wish.first.core,  &wish.first.pipe,
                                &wish.first.index, &wish.second.core,  &wish.second.pipe, &wish.second.index};
    for (uint32_t* value : values) {
      const auto [next, error] = std::from_chars(at, end, *value);
      if (error != std::errc() || next == end || (*next != ' ' && *next != '\n')) return false;
      at = next + 1;
    }
    if (at[-1] != '\n') return false;
    wish.second.launch = wish.first.launch;
    wishes.push_back(wish);
  }
  return true;
}

std::string witnesses_to_json(const std::vector<WitnessAnswer>& answers) {
  return raw::write(raw::WitnessList{answers});
}
bool witnesses_from_json(std::string_view text, std::vector<WitnessAnswer>& answers, std::string* error) {
  raw::WitnessList list;
  const bool good = raw::read(text, list, error);
  answers = std::move(list.answers);
  return good;
}

void merge_witnesses(RunResult& run, const std::vector<WitnessAnswer>& answers) {
  for (const WitnessAnswer& answer : answers) {
    if (answer.finding >= run.findings.size()) continue;
    Finding& finding = run.findings[answer.finding];
    finding.witness = answer.witness;
    finding.impact = answer.impact;
    if (answer.witness) finding.confidence = Confidence::kProven;
    if (!answer.note.empty()) finding.notes.push_back(answer.note);
  }
}

std::string replay_to_json(const ReplayAnswer& answer) {
  return raw::write(answer);
}
bool replay_from_json(std::string_view text, ReplayAnswer& answer, std::string* error) {
  return raw::read(text, answer, error);
}

std::string task_to_json(const DiagnosisTask& task) {
  return raw::write(task);
}
bool task_from_json(std::string_view text, DiagnosisTask& task, std::string* error) {
  const bool good = raw::read(text, task, error);
  for (WitnessWish& wish : task.wishes) wish.second.launch = wish.first.launch;
  return good;
}
std::string diagnosis_to_json(const Diagnosis& diagnosis) {
  return raw::write(diagnosis);
}
bool diagnosis_from_json(std::string_view text, Diagnosis& diagnosis, std::string* error) {
  return raw::read(text, diagnosis, error);
}

std::string verification_to_json(const Verification& verification) {
  return raw::write(verification);
}
bool verification_from_json(std::string_view text, Verification& verification, std::string* error) {
  return raw::read(text, verification, error);
}

}  // namespace ascsan::report
