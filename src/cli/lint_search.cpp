#include "cli/lint_search.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace ascsan::cli {
namespace {

using report::SyncGroup;
using report::SyncLine;

constexpr const char* kNoAnswer = "the run gave no answer";  // exchange.cpp
constexpr double kLimitSeconds = 1800;                       // of one question to one program

bool same_place(const SyncLine& a, const SyncLine& b) {
  return a.file == b.file && a.line == b.line;
}

bool share_a_line(const SyncGroup& a, const SyncGroup& b) {
  return std::any_of(a.lines.begin(), a.lines.end(), [&](const SyncLine& mine) {
    return std::any_of(b.lines.begin(), b.lines.end(), [&](const SyncLine& other) { return same_place(mine, other); });
  });
}

/// "PipeBarrier<PIPE_V>", "SetFlag<V_MTE3>, WaitFlag<V_MTE3>": words of both, without repeats.
std::string merged(const std::string& a, const std::string& b) {
  std::string text = a;
  for (size_t begin = 0; begin < b.size();) {
    const size_t end = std::min(b.find(", ", begin), b.size());
    const std::string word = b.substr(begin, end - begin);
    if ((", " + a + ", ").find(", " + word + ", ") == std::string::npos) text += ", " + word;
    begin = end + 2;
  }
  return text;
}

void absorb(SyncGroup& into, const SyncGroup& from) {
  for (const SyncLine& line : from.lines) {
    const auto mine = std::find_if(into.lines.begin(), into.lines.end(),
                                   [&](const SyncLine& known) { return same_place(known, line); });
    if (mine == into.lines.end()) {
      into.lines.push_back(line);
      continue;
    }
    mine->executions += line.executions;
    mine->operation = merged(mine->operation, line.operation);
  }
  std::sort(into.lines.begin(), into.lines.end(),
            [](const SyncLine& a, const SyncLine& b) { return std::tie(a.file, a.line) < std::tie(b.file, b.line); });
  for (const std::string& kernel : from.kernels)
    if (std::find(into.kernels.begin(), into.kernels.end(), kernel) == into.kernels.end())
      into.kernels.push_back(kernel);
  into.weight = std::max(into.weight, from.weight);
  if (into.needed.empty() || (!into.for_good && from.for_good))
    into.needed = from.needed, into.for_good = from.for_good;
}

}  // namespace

bool LintSearch::put(const LintCase& one, const report::LintTask& task, report::LintAnswer& answer) {
  std::string json, error = ask(one.call, folder_, "lint", report::lint_task_to_json(task), kLimitSeconds, true, json);
  if (error.empty() && !report::lint_answer_from_json(json, answer, &error))
    error = "the answer is unreadable, " + error;
  result_.runs += answer.runs;
  if (error.empty() && !answer.trouble.empty()) error = answer.trouble;
  if (!error.empty()) result_.trouble = error;
  return error.empty();
}

/// Groups of all launches and cases; those that share a line are one.
void LintSearch::join(const std::vector<SyncGroup>& groups) {
  for (const SyncGroup& group : groups) {
    SyncGroup whole = group;
    for (size_t i = 0; i < groups_.size();) {
      if (!share_a_line(groups_[i], whole)) {
        ++i;
        continue;
      }
      absorb(whole, groups_[i]);
      groups_.erase(groups_.begin() + static_cast<ptrdiff_t>(i));
      i = 0;
    }
    groups_.push_back(whole);
  }
}

bool LintSearch::survey(LintCase& one) {
  report::LintTask task;
  task.survey = true;
  // A launch without some of its waits may run wild or for ever; what the program was at when it died is needed.
  for (;;) {
    report::LintAnswer answer;
    if (!put(one, task, answer)) {
      if (result_.trouble == kNoAnswer)
        result_.trouble = one.call.program[0] + " failed, launched no kernel or is not linked with ascsan";
      return false;
    }
    if (answer.complete) {
      one.launches = answer.launches;
      result_.errors.insert(result_.errors.end(), answer.errors.begin(), answer.errors.end());
      known_.insert(known_.end(), answer.known.begin(), answer.known.end());
      join(task.settled);
      join(answer.groups);
      return true;
    }
    if (answer.trying.empty()) return result_.trouble = "the program dies by itself", false;
    task.settled.push_back({answer.trying, {}, 0, "the program dies or runs for ever", true});
  }
}

bool LintSearch::can_go(const std::vector<size_t>& more, std::string& why, bool& for_good) {
  report::LintTask task;
  task.schedules = schedules_;
  task.known = known_;
  for (const std::vector<size_t>* list : {&std::as_const(out_), &more})
    for (const size_t i : *list) task.drop.insert(task.drop.end(), groups_[i].lines.begin(), groups_[i].lines.end());
  ++result_.tries;
  for (const LintCase& one : cases_) {
    report::LintAnswer answer;
    if (!put(one, task, answer)) return false;
    why = answer.complete ? answer.refused : "the program dies or runs for ever";
    for_good = answer.for_good;
    if (!why.empty()) return false;
  }
  return true;
}

void LintSearch::thin(const std::vector<size_t>& candidates) {
  if (candidates.empty() || !result_.trouble.empty()) return;
  std::string why;
  bool for_good = false;
  if (can_go(candidates, why, for_good)) {
    out_.insert(out_.end(), candidates.begin(), candidates.end());
    for (const size_t i : candidates) groups_[i].needed.clear();
    return;
  }
  if (candidates.size() == 1) {
    groups_[candidates[0]].needed = why;
    groups_[candidates[0]].for_good = for_good;
    return;
  }
  const auto middle = candidates.begin() + static_cast<ptrdiff_t>(candidates.size() / 2);
  thin({candidates.begin(), middle});
  thin({middle, candidates.end()});
}

LintResult LintSearch::run() {
  for (LintCase& one : cases_)
    if (!survey(one) || !result_.errors.empty()) return result_;
  std::stable_sort(groups_.begin(), groups_.end(), [](const SyncGroup& a, const SyncGroup& b) {
    if (a.weight != b.weight) return a.weight > b.weight;
    return std::tie(a.lines[0].file, a.lines[0].line) < std::tie(b.lines[0].file, b.lines[0].line);
  });
  std::vector<size_t> candidates;
  for (size_t i = 0; i < groups_.size(); ++i)
    if (groups_[i].needed.empty()) candidates.push_back(i);
  for (size_t before = ~size_t{0}; before != out_.size() && result_.trouble.empty();) {
    before = out_.size();
    thin(candidates);
    candidates.clear();
    if (out_.empty()) break;  // nothing has gone, so nothing can be different now
    for (size_t i = 0; i < groups_.size(); ++i)
      if (!groups_[i].needed.empty() && !groups_[i].for_good) candidates.push_back(i);
    if (candidates.empty()) break;
  }
  for (size_t i = 0; i < groups_.size(); ++i)
    (groups_[i].needed.empty() ? result_.redundant : result_.needed).push_back(groups_[i]);
  for (auto* list : {&result_.redundant, &result_.needed})
    std::sort(list->begin(), list->end(), [](const SyncGroup& a, const SyncGroup& b) {
      return std::tie(a.lines[0].file, a.lines[0].line) < std::tie(b.lines[0].file, b.lines[0].line);
    });
  return result_;
}

}  // namespace ascsan::cli
