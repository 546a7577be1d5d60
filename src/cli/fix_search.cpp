#include "cli/fix_search.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

#include <fmt/format.h>

#include "report/verdict.h"
#include "run/outputs.h"

namespace ascsan::cli {
namespace {

constexpr uint64_t kSchedules = 32;
constexpr size_t kMaxSteps = 4;

std::vector<Edit> edits_of(const std::vector<Candidate>& steps) {
  std::vector<Edit> edits;
  for (const Candidate& step : steps) edits.insert(edits.end(), step.edits.begin(), step.edits.end());
  return edits;
}

/// The first new line of a candidate, for messages.
std::string first_call(const Candidate& candidate) {
  return trimmed(candidate.edits[0].lines[0]);
}

}  // namespace

/// How the launch of the finding behaves under many schedules.
std::string FixSearch::verify(const ProgramCall& program, const report::DiagnosisTask& task,
                              report::Verification& result) {
  constexpr double kLimitSeconds = 600;
  std::string json, error = ask(program, folder_, "verify", report::task_to_json(task), kLimitSeconds, true, json);
  if (error.empty() && !report::verification_from_json(json, result, &error))
    error = "the answer is unreadable, " + error;
  return error;
}

const Lines* FixSearch::original(const std::string& file) {
  const auto known = sources_.find(file);
  if (known != sources_.end()) return known->second.empty() ? nullptr : &known->second;
  Lines& lines = sources_[file];
  const std::string path = locate_source(call_.plan, file);
  std::string text;
  if (path.empty() || !run::read_file(path, text)) return nullptr;
  paths_[file] = path;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines.empty() ? nullptr : &lines;
}

std::string FixSearch::key_of(const report::Finding& finding, const Origins& origins) {
  std::vector<std::string> places;
  for (const report::AccessInfo& access : finding.accesses) {
    const auto file = origins.find(access.file);
    uint32_t line = access.line;
    if (file != origins.end() && line > 0 && line <= file->second.size()) line = file->second[line - 1];
    places.push_back(fmt::format("{}:{}", access.file, line));
  }
  std::sort(places.begin(), places.end());
  std::string key = finding.rule + " " + finding.kernel;
  for (const std::string& place : places) key += " " + place;
  return places.empty() ? finding.id : key;
}

/// False: the change is out of the question. A race that has come up or is left in the launch makes it partial.
bool FixSearch::compare_findings(const std::set<std::string>& gone, const Origins& origins, Trial& trial) const {
  for (size_t i = 0; i < trial.run.findings.size(); ++i) {
    const report::Finding& finding = trial.run.findings[i];
    const std::string key = key_of(finding, origins);
    if (gone.count(key) != 0) return trial.why = "the finding is still there", false;
    const bool fresh = known_.count(key) == 0, error = finding.severity == report::Severity::kError;
    const bool race = finding.rule.rfind("ASC1", 0) == 0 && finding.launch == task_.launch && error;
    if (fresh && trial.why.empty()) trial.why = fmt::format("a new finding: {} {}", finding.id, finding.title);
    if (fresh && !race) return trial.next = -1, false;
    if (race && (trial.next < 0 || fresh)) trial.next = static_cast<int>(i), trial.next_key = key;
  }
  return true;
}

void FixSearch::judge(const ProgramCall& changed, const std::set<std::string>& gone, const Origins& origins,
                      Trial& trial) {
  std::string& why = trial.why;
  if (why = checked_run(changed, folder_, true, trial.run); !why.empty()) return;
  if (!trial.run.crash.empty()) return void(why = "the changed program dies: " + trial.run.crash);
  if (!compare_findings(gone, origins, trial)) return;
  if (!why.empty()) return void(trial.partial = trial.next >= 0);
  if (why = verify(changed, task_, trial.seen); !why.empty()) return;
  if (why = trial.seen.trouble; !why.empty()) return;
  const std::string outputs = std::to_string(trial.seen.outputs);
  if (same_outputs_ && std::find(before_.right.begin(), before_.right.end(), outputs) == before_.right.end())
    return void(why = "its outputs are those of no run of the unchanged program with the two sides in that order");
  if (trial.seen.equal == trial.seen.schedules) return;
  why = fmt::format("{} of {} schedules give other outputs", trial.seen.schedules - trial.seen.equal,
                    trial.seen.schedules);
  trial.partial = trial.next >= 0;
}

FixSearch::Trial FixSearch::attempt(const std::vector<Candidate>& steps, const std::set<std::string>& gone) {
  Trial trial;
  std::map<std::string, std::string> contents;
  Origins origins;
  const std::vector<Edit> edits = edits_of(steps);
  for (const Edit& edit : edits)
    contents[paths_.at(edit.file)] = join_lines(applied(sources_.at(edit.file), edit.file, edits, &origins[edit.file]));
  std::string built;
  trial.why = build_changed(call_.plan, contents, folder_.file("build"), built);
  if (!trial.why.empty()) return trial;
  ProgramCall changed = call_.program;
  changed.path = built;
  judge(changed, gone, origins, trial);
  return trial;
}

bool FixSearch::extend(const std::vector<Candidate>& steps, const std::set<std::string>& gone,
                       const report::Finding& finding) {
  // The catalogue reads the sources as changed so far; its edits go back to the lines of the files as they are.
  const std::vector<Edit> so_far = edits_of(steps);
  std::map<std::string, std::pair<Lines, std::vector<uint32_t>>> changed;
  const auto read = [&](const std::string& file) -> const Lines* {
    const Lines* lines = original(file);
    if (lines == nullptr) return nullptr;
    auto [known, fresh] = changed.try_emplace(file);
    if (fresh) known->second.first = applied(*lines, file, so_far, &known->second.second);
    return &known->second.first;
  };
  FixCatalogue catalogue(finding, read);
  std::vector<Candidate> list = catalogue.candidates(before_.mixed);
  if (!catalogue.trouble().empty() && steps.empty()) fmt::print("{}\n", catalogue.trouble());
  std::vector<Candidate> partial;
  Trial left;
  std::string last_text, last_why;
  for (Candidate& candidate : list) {
    // The same with another event id helps only where the id was the trouble.
    if (candidate.text == last_text && last_why.find("ASC41") == std::string::npos) continue;
    for (Edit& edit : candidate.edits) {
      const std::vector<uint32_t>& origins = changed.at(edit.file).second;
      size_t at = edit.line - 1;
      while (at < origins.size() && origins[at] == 0) ++at;
      edit.line = at < origins.size() ? origins[at] : static_cast<uint32_t>(sources_.at(edit.file).size() + 1);
    }
    std::vector<Candidate> more = steps;
    more.push_back(candidate);
    ++tried_;
    Trial trial = attempt(more, gone);
    if (trial.why.empty()) {
      thin(more, gone, trial);
      tell(more, trial);
      proven_.push_back(more);
      if (!call_.all) return true;
      continue;
    }
    last_text = candidate.text;
    last_why = trial.why;
    fmt::print("not {}: {}: {}\n", trial.partial ? "it alone" : "it", first_call(candidate), trial.why);
    std::fflush(stdout);
    if (trial.partial && partial.empty()) partial = more, left = std::move(trial);
  }
  if (!proven_.empty() || partial.empty() || partial.size() >= kMaxSteps) return !proven_.empty();
  const report::Finding& next = left.run.findings[static_cast<size_t>(left.next)];
  std::set<std::string> all = gone;
  all.insert(left.next_key);
  fmt::print("on top of {}, for {} {}\n", first_call(partial.back()), next.id, next.title);
  return extend(partial, all, next);
}

void FixSearch::thin(std::vector<Candidate>& steps, const std::set<std::string>& gone, Trial& trial) {
  for (size_t i = 0; steps.size() > 1 && i < steps.size();) {
    std::vector<Candidate> fewer = steps;
    fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(i));
    Trial without = attempt(fewer, gone);
    if (without.why.empty())
      steps = fewer, trial = std::move(without);
    else
      ++i;
  }
}

void FixSearch::tell(const std::vector<Candidate>& steps, const Trial& trial) {
  std::string text;
  for (const Candidate& step : steps) text += (text.empty() ? "" : "\n") + step.text;
  std::map<std::string, Lines> touched;
  for (const Edit& edit : edits_of(steps)) touched[edit.file] = sources_.at(edit.file);
  fmt::print("{}{}\n{}", proven_.empty() ? "" : "also sufficient: ", text, unified_diff(touched, edits_of(steps)));
  fmt::print("verified: with it {} schedules{} give the outputs of the in-order run; the finding is gone, no new one\n",
             trial.seen.schedules, task_.wishes.empty() ? "" : ", the witness among them,");
  fmt::print("needed: without it the finding is back{} ({} {} tried)\n",
             steps.size() > 1 ? ", and with any one of its places left out it is no cure" : "", tried_,
             tried_ == 1 ? "candidate" : "candidates");
  if (trial.seen.outputs != before_.outputs && before_.trouble.empty())
    fmt::print("the in-order run of the unchanged program shows the fault itself, so its outputs are other ones{}\n",
               same_outputs_ ? "; other schedules of it give these" : "");
  std::fflush(stdout);
}

int FixSearch::apply(const std::vector<Candidate>& steps) {
  std::set<std::string> files;
  const std::vector<Edit> edits = edits_of(steps);
  for (const Edit& edit : edits) files.insert(edit.file);
  for (const std::string& file : files) {
    const std::string& path = paths_.at(file);
    if (!call_.apply) {
      fmt::print("ascsan fix --apply writes it to {}\n", path);
      continue;
    }
    const std::string error = run::write_file(path, join_lines(applied(sources_.at(file), file, edits)));
    if (!error.empty())
      return usage_error(
          fmt::format("the patch is proven, but {} could not be written: {}; nothing was changed in it", path, error));
    fmt::print("written to {}\n", path);
  }
  return report::kExitClean;
}

/// Empty when a proof is possible.
std::string FixSearch::prepare(report::RunResult& run, const report::Finding& finding, size_t first_side, bool hangs) {
  task_.launch = finding.launch;
  report::Verification again;
  report::DiagnosisTask short_task = task_;
  short_task.schedules = 1;
  task_.schedules = kSchedules;
  for (const report::WitnessWish& wish : report::wanted_witnesses(run, 1000))
    if (run.findings[wish.finding].id == call_.id) {
      task_.wishes.push_back(wish);
      if (first_side != 0) std::swap(task_.wishes.back().first, task_.wishes.back().second);
    }
  for (const report::Finding& other : run.findings) known_.insert(key_of(other, {}));
  std::string error = verify(call_.program, task_, before_);
  if (hangs) return error;
  if (error.empty()) error = before_.trouble;
  if (error.empty()) error = verify(call_.program, short_task, again);
  if (error.empty() && again.outputs != before_.outputs)
    error =
        "two runs of the program give other outputs in order; it is not deterministic by itself (clock, random device)";
  return error;
}

int FixSearch::run(report::RunResult& run, const report::Finding& finding) {
  const FixCatalogue catalogue(finding, [](const std::string&) { return nullptr; });
  if (!catalogue.trouble().empty())
    return fmt::print("no proven cure: {}\n", catalogue.trouble()), report::kExitFindings;
  if (const std::string error = find_build(call_.plan); !error.empty()) return usage_error(error);
  if (const std::string error = prepare(run, finding, catalogue.first_side(), catalogue.hangs()); !error.empty())
    return fmt::print("no proven cure: {}\n", error), report::kExitFindings;
  same_outputs_ = !before_.inverted && !catalogue.changes_outputs();
  if (extend({}, {key_of(finding, {})}, finding)) return apply(proven_.front());
  if (tried_ == 0)
    fmt::print("no proven cure: the catalogue has no candidate for this place\n");
  else
    fmt::print("no proven cure: none of the {} of the catalogue is one\n",
               tried_ == 1 ? "one candidate" : fmt::format("{} candidates", tried_));
  return report::kExitFindings;
}

}  // namespace ascsan::cli
