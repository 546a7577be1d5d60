// ascsan diagnose PROGRAM [args...]: from a wrong number to its cause. A checked run with witnesses, then the
// experiments of run/diagnose.h on the launch that is wrong, as a table: hypothesis, experiment, what was seen,
// verdict. Ends with the cause, both lines, and the cure. Exit code 0: nothing is wrong; 1: something is, with its
// cause; 5: no cause found.
#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/exchange.h"
#include "cli/fix_search.h"
#include "report/experiments.h"
#include "report/text_layout.h"
#include "report/witness_text.h"
#include "run/outputs.h"

namespace ascsan::cli {
namespace {

void print_help() {
  std::puts(
      "usage: ascsan diagnose [--fix] [options] PROGRAM [args...]\n\n"
      "Looks for the cause of a wrong or changing output by experiments on one launch, and prints what was tried and "
      "seen.\n"
      "Each experiment is also an option of ascsan run: --mute, --fill, --stop-after, --dump, --what-if.\n"
      "--fix goes on with ascsan fix for the first finding the catalogue has a cure for.\n\n"
      "exit codes: 0 nothing is wrong, 1 the cause was found, 2 wrong usage, 5 something is wrong and no cause was "
      "found");
}

bool is_hang(const report::Finding& finding) {
  return finding.rule.rfind("ASC5", 0) == 0;
}
bool is_bounds(const report::Finding& finding) {
  return finding.rule == "ASC2101" || finding.rule == "ASC2102";
}

/// "at file:line (function)" of every side.
std::string places_of(const report::Finding& finding) {
  std::string text;
  for (const report::AccessInfo& access : finding.accesses)
    text += fmt::format("{} {}:{} ({})", text.empty() ? " at" : ",", access.file, access.line, access.function);
  return text;
}

/// The launch that shows most: one with a witness, else with a hang or an access out of bounds, else with any error.
uint64_t launch_of(const report::RunResult& run) {
  uint64_t best = 0;
  int weight = 0;
  for (const report::Finding& finding : run.findings) {
    const int mine = finding.witness                                ? 4
                     : is_hang(finding) || is_bounds(finding)       ? 3
                     : finding.severity == report::Severity::kError ? 2
                                                                    : 1;
    if (mine > weight) weight = mine, best = finding.launch;
  }
  return best;
}

report::DiagnosisTask task_of(const report::RunResult& run) {
  report::DiagnosisTask task;
  task.launch = launch_of(run);
  for (const report::Finding& finding : run.findings) {
    if (is_hang(finding) && finding.launch == task.launch && task.hang.empty())
      task.hang = finding.title + places_of(finding);
    const std::string text = finding.id + " " + finding.title + places_of(finding);
    if (is_bounds(finding)) task.bounds.push_back(finding.id + " " + finding.title);
    if (finding.launch != task.launch) continue;
    if (finding.rule.rfind("ASC61", 0) == 0) task.cache.push_back(text);
    if (finding.rule.rfind("ASC31", 0) == 0) task.undefined.push_back(text);
  }
  for (const report::WitnessWish& wish : report::wanted_witnesses(run, 20))
    if (wish.first.launch == task.launch) task.wishes.push_back(wish);
  return task;
}

class Table {
 public:
  Table(report::Page& page, const report::Diagnosis& diagnosis) : page_(page), diagnosis_(diagnosis) {}
  void print() {
    const size_t left = 6,
                 columns[] = {30, 36, std::max<size_t>(28, page_.width() - std::min<size_t>(page_.width(), 108)), 26};
    row("", {"hypothesis", "experiment", "seen", "verdict"}, left, columns);
    page_.raw(std::string(std::min<size_t>(page_.width(), 150), '-'));
    for (const report::Experiment& e : diagnosis_.rows)
      row("(" + e.letter + ")", {e.hypothesis, e.experiment, e.seen, e.verdict}, left, columns);
  }

 private:
  static std::vector<std::string> wrap(const std::string& text, size_t width) {
    std::vector<std::string> lines(1);
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find_first_of(" \n", begin), text.size());
      const std::string word = text.substr(begin, end - begin);
      if (!lines.back().empty() && report::display_width(lines.back()) + 1 + report::display_width(word) > width)
        lines.emplace_back();
      lines.back() += (lines.back().empty() ? "" : " ") + word;
      begin = end + 1;
    }
    return lines;
  }
  void row(const std::string& letter, const std::vector<std::string>& cells, size_t left, const size_t (&columns)[4]) {
    std::vector<std::vector<std::string>> wrapped;
    size_t height = 0;
    for (size_t i = 0; i < 4; ++i) {
      wrapped.push_back(wrap(page_.clean(cells[i]), columns[i]));
      height = std::max(height, wrapped.back().size());
    }
    for (size_t line = 0; line < height; ++line) {
      std::string text = line == 0 ? letter : "";
      text.resize(left, ' ');
      for (size_t i = 0; i < 4; ++i) {
        const std::string cell = line < wrapped[i].size() ? wrapped[i][line] : "";
        text += cell + std::string(columns[i] + 2 - std::min(columns[i] + 1, report::display_width(cell)), ' ');
      }
      text.erase(text.find_last_not_of(' ') + 1);
      page_.raw(text);
    }
  }
  report::Page& page_;
  const report::Diagnosis& diagnosis_;
};

void print_flow(report::Page& page, const report::Diagnosis& diagnosis) {
  page.raw("who writes and reads which tensor");
  std::string tensor;
  for (const report::FlowLine& line : diagnosis.flow) {
    if (line.tensor != tensor) page.raw("  " + page.clean(line.tensor));
    tensor = line.tensor;
    page.raw(fmt::format("    {:<6} {:<4} {:<5} {:<32} {} bytes", line.access, line.core, line.pipe,
                         page.clean(line.function), line.bytes));
  }
  page.blank();
}

void print_witness(report::Page& page, const report::RunResult& run, uint64_t launch) {
  for (const report::Finding& finding : run.findings) {
    if (!finding.witness || finding.launch != launch) continue;
    std::string text = finding.witness->token + "\n" + report::cost_line(*finding.witness);
    for (const report::WitnessValue& value : finding.witness->values) text += "\n" + report::value_line(value);
    for (const report::Impact& impact : finding.impact)
      text += "\n" + impact.tensor + "  " + report::impact_line(impact);
    page.block("witness", text);
    page.blank();
    return;
  }
}

/// The finding `ascsan fix` may cure, null when there is none: one with a witness first.
const report::Finding* curable_of(const report::RunResult& run, uint64_t launch) {
  const report::Finding* best = nullptr;
  for (const report::Finding& finding : run.findings)
    if ((finding.launch == launch || launch == 0) && in_catalogue(finding.rule) &&
        (best == nullptr || (!best->witness && finding.witness)))
      best = &finding;
  return best;
}

int print(const report::RunResult& run, const report::Diagnosis& diagnosis) {
  const report::TextStyle style = report::detect_style(STDOUT_FILENO);
  report::Page page(style);
  if (!diagnosis.trouble.empty()) {
    page.wrapped("", 0, 2, diagnosis.trouble);
    std::fputs(page.take().c_str(), stdout);
    return report::kExitIncomplete;
  }
  page.wrapped("", 0, 2,
               fmt::format("{}, launch {}: {} of {} schedules give other outputs than the in-order run{}",
                           diagnosis.kernel, diagnosis.launch, diagnosis.differing, diagnosis.schedules,
                           diagnosis.wrong.empty() ? "" : "; wrong: " + diagnosis.wrong));
  std::string stages;
  for (const std::string& stage : diagnosis.stages) stages += (stages.empty() ? "" : ", ") + stage;
  if (!stages.empty()) page.wrapped("", 0, 2, "stages: " + stages);
  page.blank();
  print_flow(page, diagnosis);
  Table(page, diagnosis).print();
  page.blank();
  print_witness(page, run, diagnosis.launch);
  std::string cause;
  for (const std::string& line : diagnosis.cause) cause += (cause.empty() ? "" : "\n") + line;
  const bool wrong = diagnosis.differing > 0 || !diagnosis.rows.empty();
  page.block("cause", cause.empty() ? "not found by these experiments" : cause);
  page.block("cure", diagnosis.cure.empty() ? "no proven cure" : diagnosis.cure);
  std::string ids;
  for (const report::Finding& finding : run.findings) {
    if (finding.launch != diagnosis.launch && diagnosis.launch != 0) continue;
    ids += (ids.empty() ? "" : ", ") + finding.id;
  }
  const report::Finding* curable = curable_of(run, diagnosis.launch);
  const std::string next = curable == nullptr
                               ? "the catalogue of ascsan fix has nothing for these"
                               : fmt::format("ascsan fix {} looks for a patch and proves it", curable->id);
  if (!ids.empty()) page.block("findings", ids + "\n" + next);
  page.raw(fmt::format("{} runs of the launch", diagnosis.runs));
  std::fputs(page.take().c_str(), stdout);
  return !wrong ? report::kExitClean : cause.empty() ? report::kExitIncomplete : report::kExitFindings;
}

}  // namespace

int diagnose_command(const Arguments& all) {
  if (!all.empty() && (all[0] == "--help" || all[0] == "-h")) return print_help(), report::kExitClean;
  const bool fix = !all.empty() && all[0] == "--fix";
  const Arguments args(all.begin() + (fix ? 1 : 0), all.end());
  ProgramCall call;
  int exit_code = 0;
  if (!parse_call("diagnose", args, call, exit_code)) return exit_code;
  const ExchangeFolder folder;
  if (!folder.good()) return usage_error("cannot make a folder for temporary files; set TMPDIR to a writable folder");
  report::RunResult run;
  std::string error = checked_run(call, folder, true, run);
  if (!error.empty()) return usage_error(error);
  if (error = fetch_witnesses(call, folder, run.timing.total_seconds, run); !error.empty())
    std::fprintf(stderr, "ascsan: no witnesses: %s\n", error.c_str());
  std::string json;
  const report::DiagnosisTask task = task_of(run);
  report::Diagnosis diagnosis;
  constexpr double kLimitSeconds = 1800;
  if (error = ask(call, folder, "diagnose", report::task_to_json(task), kLimitSeconds, true, json); error.empty())
    if (!report::diagnosis_from_json(json, diagnosis, &error)) error = "the answer is unreadable, " + error;
  if (!error.empty()) {
    std::fprintf(stderr, "ascsan: the experiments failed: %s\n", error.c_str());
    return report::kExitIncomplete;
  }
  if (diagnosis.rows.empty() && diagnosis.trouble.empty() && run.findings.empty()) {
    fmt::print("nothing is wrong: no finding, and {} schedules of launch {} give the outputs of the in-order run\n",
               diagnosis.schedules, diagnosis.launch);
    return report::kExitClean;
  }
  const int found = print(run, diagnosis);
  const report::Finding* curable = curable_of(run, diagnosis.launch);
  if (!fix || !diagnosis.trouble.empty() || curable == nullptr) return found;
  std::fflush(stdout);
  FixCall cure;
  cure.program = call;
  cure.plan.program = call.path;
  cure.id = curable->id;
  FixSearch(cure, folder).run(run, *curable);
  return found;
}

}  // namespace ascsan::cli
