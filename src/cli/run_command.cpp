// ascsan run: starts a program that was linked with ascsan, has the stacks of its findings fetched by a second,
// identical run, and ends with one verdict over all launches (design/ux.md 5). The program and we talk through the
// environment and files:
//   ASCSAN_OPTIONS  the merged options          ASCSAN_ROLE    "first" or "stacks"
//   ASCSAN_RESULT   where the answer is put     ASCSAN_WANTED  the accesses whose stacks are asked for
//   ASCSAN_TIMELINE where the second run puts the timeline around them, if a report draws it
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "cli/child.h"
#include "cli/command.h"
#include "cli/compile_source.h"
#include "cli/exchange.h"
#include "report/as_json.h"
#include "report/as_text.h"
#include "report/stacks.h"
#include "run/last_run.h"
#include "run/options.h"
#include "run/outputs.h"
#include "run/suggest.h"
#include "run/triage.h"

namespace ascsan::cli {
namespace {

struct Invocation {
  run::Options options;
  run::Triage triage;
  Arguments program;  ///< name and arguments
  std::string path;
};

constexpr size_t kMaxWitnessed = 20;  // findings; beyond, the answer would come late
constexpr const char* kHowToLink =
    "link it with the CMake target ascsan::kernel (target_link_libraries(my_test PRIVATE ascsan::kernel)) and launch a "
    "kernel";

void print_help() {
  std::printf(
      "usage: ascsan run [options] PROGRAM [args...]\n\n"
      "Runs PROGRAM, which must be linked with ascsan, and reports the faults of the kernels it launches.\n"
      "A source file with main() (.cpp, .cc, .cxx) is compiled first, into .ascsan/build.\n"
      "Options come from, weakest first: defaults, ascsan.toml, ASCSAN_OPTIONS=\"name=value:name=value\", this "
      "line.\n\n%s\n"
      "exit codes: 0 clean, 1 findings, 2 wrong usage, 3 does not compile, 4 the program failed by itself, 5 "
      "incomplete, 70 defect in "
      "ascsan\n",
      run::help_of_options().c_str());
}

/// Parses everything before the program starts. True: go on; false: `exit_code` ends the command.
bool prepare(const Arguments& args, Invocation& call, int& exit_code) {
  exit_code = report::kExitClean;
  if (!args.empty() && (args[0] == "--help" || args[0] == "-h")) return print_help(), false;
  std::string error = run::load_options(call.options);
  size_t first = 0;
  if (error.empty()) error = run::parse_command_line(call.options, args, first);
  if (!error.empty()) return exit_code = usage_error(error), false;
  if (call.options.show_options) return std::fputs(run::show_options(call.options).c_str(), stdout), false;
  if (first == args.size())
    return exit_code = usage_error("no program given; usage: ascsan run [options] PROGRAM [args...]"), false;
  if (error = run::load_triage(call.options, call.triage); !error.empty()) return exit_code = usage_error(error), false;
  call.program.assign(args.begin() + static_cast<std::ptrdiff_t>(first), args.end());
  if (is_program_source(call.program[0])) {
    call.path = compile_source(call.program[0], error, exit_code);
    if (call.path.empty()) return usage_error(error), false;
    return exit_code = report::kExitClean, true;
  }
  call.path = find_program(call.program[0], error);
  if (call.path.empty()) return exit_code = usage_error(error), false;
  return true;
}

ChildRequest request_for(const Invocation& call, const ExchangeFolder& folder, const char* role, const char* result) {
  return child_request({call.options, call.program, call.path}, folder, role, result);
}

/// What the program set by itself wins; everything else is shown with the origin we know and it does not.
void settle_options(run::Options& options, report::RunResult& run) {
  for (const report::OptionValue& row : run.options)
    if (row.origin == run::name_of(run::Origin::kProgram))
      (void)run::set_option(options, row.name, row.value, run::Origin::kProgram);
  run.options = run::describe(options);
}

/// Second run: the stacks of the accesses in the findings, and the timeline around them when a report draws it. Empty
/// on success, else why there are none.
std::string fetch_stacks(const Invocation& call, const ExchangeFolder& folder, double first_seconds,
                         report::RunResult& run) {
  const std::vector<report::AccessKey> wanted = report::wanted_accesses(run);
  // With findings it is kept for `ascsan explain` as well.
  const bool timeline = run::wants_timeline(call.options.out) || (!wanted.empty() && !call.options.keep.empty());
  if (wanted.empty() && !timeline) return "";
  if (const std::string error = run::write_file(folder.file("wanted"), report::to_wanted_text(wanted)); !error.empty())
    return "the list of accesses could not be written: " + error;
  ChildRequest request = request_for(call, folder, "stacks", "stacks");
  request.environment["ASCSAN_WANTED"] = folder.file("wanted");
  if (timeline) request.environment["ASCSAN_TIMELINE"] = folder.file("timeline");
  request.silent = true;
  request.limit_seconds = 30 + 10 * first_seconds;
  const ChildResult child = run_child(request);
  if (!child.start_error.empty()) return child.start_error;
  if (child.timed_out) return fmt::format("the second run took more than {:.0f} s", *request.limit_seconds);
  if (child.interrupted_by != 0) return "the second run was interrupted";
  std::string text, error;
  // Without a timeline the reports are whole but for the drawing, so that is no problem to speak of.
  if (timeline && run::read_file(folder.file("timeline"), text)) {
    std::vector<report::Timeline> timelines;
    if (report::timelines_from_json(text, timelines, &error)) run.timelines = std::move(timelines);
  }
  if (wanted.empty() || call.options.frames == run::Frames::kSite) return "";
  std::vector<report::AccessStack> stacks;
  if (!run::read_file(request.environment["ASCSAN_RESULT"], text)) return "the second run gave no answer";
  if (!report::stacks_from_json(text, stacks, &error)) return "the answer of the second run is unreadable, " + error;
  const size_t missing = report::merge_stacks(run, stacks, call.options.frames == run::Frames::kAll);
  if (missing > 0) return fmt::format("the second run did not show {} of the accesses", missing);
  return "";
}

/// Says the defect and how to see it again; exit code 70.
int internal_error(const Invocation& call, const std::string& text) {
  std::string command;
  for (const std::string& word : call.program) command += " " + run::printable(word);
  fmt::print(stderr, "ascsan: defect in ascsan: {}\nascsan: reproduce with: ASCSAN_OPTIONS='{}' ascsan run{}\n", text,
             run::to_environment(call.options), command);
  return report::kExitInternal;
}

int report_and_exit(const Invocation& call, report::RunResult& run) {
  const run::Options& options = call.options;
  run::apply_triage(options, call.triage, run);
  const report::Policy policy = {static_cast<report::Severity>(options.fail_on),
                                 static_cast<int>(options.error_exitcode)};
  const report::Conclusion conclusion = report::conclude(run, policy);
  report::TextStyle style = report::detect_style(STDERR_FILENO);
  style.max_reports = options.max_reports;
  report::print_text(stderr, run, conclusion, style);
  bool written = run::write_outputs(options.out, run, conclusion, options.max_reports);
  written = run::write_suppressions(options, run) && written;
  if (const std::string error = run::keep_run(options, run); !error.empty()) {
    usage_error(error);
    written = false;
  }
  return !written && conclusion.exit_code == report::kExitClean ? report::kExitUsage : conclusion.exit_code;
}

}  // namespace

int run_command(const Arguments& args) {
  Invocation call;
  int exit_code = 0;
  if (!prepare(args, call, exit_code)) return exit_code;
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe behind stderr must not cost the report files
  const ExchangeFolder folder;
  if (!folder.good()) return usage_error("cannot make a folder for temporary files; set TMPDIR to a writable folder");

  const ChildRequest request = request_for(call, folder, "first", "result");
  const ChildResult child = run_child(request);
  if (!child.start_error.empty())
    return usage_error(fmt::format("cannot run {}: {}", run::printable(call.program[0]), child.start_error));

  report::RunResult run;
  std::string text, error;
  const bool answered = run::read_file(folder.file("result"), text);
  if (answered && !report::from_raw_json(text, run, &error))
    return internal_error(call, "the result of the program is unreadable, " + error);
  run.program_status = child.status;
  if (child.interrupted_by != 0) {
    run.program_status.reset();  // it was us who ended it
    run.unchecked.push_back({"the rest of the program", fmt::format("interrupted by signal {}", child.interrupted_by)});
  }
  if (run.launches.empty() && run.findings.empty() && run.unchecked.empty() && run.crash.empty() && child.status == 0)
    return usage_error(fmt::format("{} launched no kernel or is not linked with ascsan; {}",
                                   run::printable(call.program[0]), kHowToLink));
  settle_options(call.options, run);
  if (run.timing.total_seconds <= 0) run.timing.total_seconds = child.seconds;

  if ((call.options.frames != run::Frames::kSite || run::wants_timeline(call.options.out)) &&
      child.interrupted_by == 0) {
    const std::string problem = fetch_stacks(call, folder, child.seconds, run);
    if (!problem.empty())
      for (report::Finding& finding : run.findings)
        finding.notes.push_back("call stacks are incomplete: " + problem + "; the place of the call is shown.");
  }
  if (call.options.witness && child.interrupted_by == 0 && run.findings.size() <= kMaxWitnessed) {
    const std::string problem = fetch_witnesses({call.options, call.program, call.path}, folder, child.seconds, run);
    if (!problem.empty())
      for (report::Finding& finding : run.findings)
        if (finding.rule.rfind("ASC1", 0) == 0) finding.notes.push_back("no witness was looked for: " + problem);
  }
  return report_and_exit(call, run);
}

}  // namespace ascsan::cli
