// ascsan fix ID [options] PROGRAM [args...]: a proven cure for a race. Candidates from the catalogue (fix_candidates.h)
// are written into a copy, compiled and run, the cheapest first. A candidate is proven when the finding is gone, no new
// finding has come, and the launch gives the outputs of the in-order run under the witness and 32 adversarial
// schedules; it is needed because the program as it is shows the finding. Nothing in the source tree is touched without
// --apply. Exit code 0: proven; 1: no candidate was; 2: wrong usage.
#include <algorithm>
#include <cstdio>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/exchange.h"
#include "cli/fix_build.h"
#include "cli/fix_candidates.h"
#include "report/experiments.h"
#include "run/outputs.h"

namespace ascsan::cli {
namespace {

constexpr uint64_t kSchedules = 32;

struct FixCall {
  ProgramCall program;
  BuildPlan plan;
  std::string id;
  bool apply = false;
};

void print_help() {
  std::puts(
      "usage: ascsan fix ID [--apply] [--build COMMAND] [--source DIR] [options] PROGRAM [args...]\n\n"
      "Finds a change of the source that cures the finding ID of PROGRAM, and proves it: compiled, run, the outputs "
      "equal under\n"
      "the witness and 32 adversarial schedules, no new finding. The patch goes to stdout; --apply also writes it to "
      "the source.\n"
      "Compiled with compile_commands.json and build.ninja above PROGRAM, or by COMMAND in a copy of DIR (here: the "
      "current folder),\n"
      "which must make PROGRAM there.\n\n"
      "exit codes: 0 a cure is proven, 1 no candidate is one, 2 wrong usage");
}

/// Our own options stand before those of the program. Empty on success.
std::string parse_own(const Arguments& args, FixCall& call, Arguments& rest) {
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string& word = args[i];
    const auto value = [&](const char* name, std::string& into) {
      const std::string prefix = std::string(name) + "=";
      if (word.rfind(prefix, 0) == 0) return into = word.substr(prefix.size()), true;
      if (word != name || i + 1 == args.size()) return false;
      return into = args[++i], true;
    };
    if (word == "--apply")
      call.apply = true;
    else if (value("--build", call.plan.command) || value("--source", call.plan.source_root))
      continue;
    else if (call.id.empty() && word.rfind("ASC", 0) == 0)
      call.id = word;
    else
      return rest.assign(args.begin() + static_cast<std::ptrdiff_t>(i), args.end()), "";
  }
  return "";
}

/// How the launch of the finding behaves under many schedules.
std::string verify(const ProgramCall& call, const ExchangeFolder& folder, const report::DiagnosisTask& task,
                   report::Verification& result) {
  constexpr double kLimitSeconds = 600;
  std::string json, error = ask(call, folder, "verify", report::task_to_json(task), kLimitSeconds, true, json);
  if (error.empty() && !report::verification_from_json(json, result, &error))
    error = "the answer is unreadable, " + error;
  return error;
}

/// Empty when the changed program is right, else why it is not.
std::string judge(const FixCall& call, const ProgramCall& changed, const ExchangeFolder& folder,
                  const report::DiagnosisTask& task, const std::set<std::string>& known, uint64_t outputs,
                  report::Verification& seen) {
  report::RunResult run;
  std::string error = checked_run(changed, folder, true, run);
  if (!error.empty()) return error;
  if (!run.crash.empty()) return "the changed program dies: " + run.crash;
  for (const report::Finding& finding : run.findings) {
    if (finding.id == call.id) return "the finding is still there";
    if (known.count(finding.id) == 0) return "a new finding: " + finding.id + " " + finding.title;
  }
  if (error = verify(changed, folder, task, seen); !error.empty()) return error;
  if (!seen.trouble.empty()) return seen.trouble;
  if (seen.outputs != outputs) return "the outputs of the in-order run are not those of the unchanged program";
  if (seen.equal != seen.schedules)
    return fmt::format("{} of {} schedules give other outputs", seen.schedules - seen.equal, seen.schedules);
  return "";
}

int found(const FixCall& call, const std::string& path, const std::vector<std::string>& lines,
          const Candidate& candidate, const std::string& patch, const report::Verification& seen, size_t tried) {
  fmt::print(
      "{}\n{}verified: with it {} schedules, the witness among them, give the outputs of the in-order run; the finding "
      "is gone, no new one\n"
      "needed: without it the finding is back ({} {} tried)\n",
      candidate.text, patch, seen.schedules, tried, tried == 1 ? "candidate" : "candidates");
  if (!call.apply) return fmt::print("ascsan fix --apply writes it to {}\n", path), report::kExitClean;
  std::string content;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i + 1 == candidate.line)
      for (const std::string& line : candidate.lines) content += line + "\n";
    content += lines[i] + "\n";
  }
  const std::string error = run::write_file(path, content);
  if (!error.empty()) return usage_error("the patch is proven but could not be written: " + error);
  fmt::print("written to {}\n", path);
  return report::kExitClean;
}

int search(FixCall& call, const ExchangeFolder& folder, report::RunResult& run, const report::Finding& finding) {
  const FixSearch search(finding);
  if (!search.trouble().empty()) return fmt::print("no proven cure: {}\n", search.trouble()), report::kExitFindings;
  if (const std::string error = find_build(call.plan); !error.empty()) return usage_error(error);
  const std::string path = locate_source(call.plan, search.file());
  std::string text;
  if (path.empty() || !run::read_file(path, text))
    return usage_error(fmt::format("the source {} is not there; give --source DIR", search.file()));
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  report::DiagnosisTask task;
  task.launch = finding.launch;
  task.schedules = kSchedules;
  for (const report::WitnessWish& wish : report::wanted_witnesses(run, 1000))
    if (run.findings[wish.finding].id == call.id) task.wishes.push_back(wish);
  report::Verification before;
  if (const std::string error = verify(call.program, folder, task, before); !error.empty()) return usage_error(error);
  if (!before.trouble.empty()) return fmt::print("no proven cure: {}\n", before.trouble), report::kExitFindings;
  std::set<std::string> known;
  for (const report::Finding& other : run.findings) known.insert(other.id);

  size_t tried = 0;
  for (const Candidate& candidate : search.candidates(lines, before.mixed)) {
    ++tried;
    std::string content, built, why;
    for (size_t i = 0; i < lines.size(); ++i) {
      if (i + 1 == candidate.line)
        for (const std::string& line : candidate.lines) content += line + "\n";
      content += lines[i] + "\n";
    }
    const std::string patch = unified_diff(search.file(), lines, candidate);
    why = build_changed(call.plan, path, content, folder.file("build"), built);
    report::Verification seen;
    if (why.empty()) {
      ProgramCall changed = call.program;
      changed.path = built;
      why = judge(call, changed, folder, task, known, before.outputs, seen);
    }
    if (why.empty()) return found(call, path, lines, candidate, patch, seen, tried);
    fmt::print("not it: {}: {}\n", candidate.lines[0].substr(candidate.lines[0].find_first_not_of(" \t")), why);
  }
  fmt::print("no proven cure: none of the {} of the catalogue {}\n",
             tried == 1 ? "one candidate" : fmt::format("{} candidates", tried), tried == 1 ? "is one" : "is one");
  return report::kExitFindings;
}

}  // namespace

int fix_command(const Arguments& args) {
  if (!args.empty() && (args[0] == "--help" || args[0] == "-h")) return print_help(), report::kExitClean;
  FixCall call;
  Arguments rest;
  if (const std::string error = parse_own(args, call, rest); !error.empty()) return usage_error(error);
  if (call.id.empty())
    return usage_error("no finding given; usage: ascsan fix ID [--apply] [options] PROGRAM [args...]");
  int exit_code = 0;
  if (!parse_call("fix", rest, call.program, exit_code)) return exit_code;
  call.plan.program = call.program.path;
  const ExchangeFolder folder;
  if (!folder.good()) return usage_error("cannot make a folder for temporary files; set TMPDIR to a writable folder");
  report::RunResult run;
  if (const std::string error = checked_run(call.program, folder, true, run); !error.empty()) return usage_error(error);
  const auto wanted =
      std::find_if(run.findings.begin(), run.findings.end(), [&](const report::Finding& f) { return f.id == call.id; });
  if (wanted == run.findings.end()) {
    std::string ids;
    for (const report::Finding& finding : run.findings) ids += (ids.empty() ? "" : ", ") + finding.id;
    return usage_error(
        fmt::format("the program does not show {} now; its findings are: {}", call.id, ids.empty() ? "none" : ids));
  }
  return search(call, folder, run, *wanted);
}

}  // namespace ascsan::cli
