// ascsan fix ID [options] PROGRAM [args...]: a proven cure for a finding (fix_search.h). Nothing in the source tree is
// touched without --apply. Exit code 0: proven; 1: no candidate was; 2: wrong usage.
#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "cli/fix_search.h"
#include "report/verdict.h"

namespace ascsan::cli {
namespace {

void print_help() {
  std::puts(
      "usage: ascsan fix ID [--apply] [--all] [--build COMMAND] [--source DIR] [options] PROGRAM [args...]\n\n"
      "Finds a change of the source that cures the finding ID of PROGRAM, and proves it: compiled, run, the outputs "
      "equal under\n"
      "the witness and 32 adversarial schedules, no new finding. The patch goes to stdout; --apply also writes it to "
      "the source.\n"
      "--all goes through the whole catalogue and prints every cure that is proven.\n"
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
    else if (word == "--all")
      call.all = true;
    else if (value("--build", call.plan.command) || value("--source", call.plan.source_root))
      continue;
    else if (call.id.empty() && word.rfind("ASC", 0) == 0)
      call.id = word;
    else
      return rest.assign(args.begin() + static_cast<std::ptrdiff_t>(i), args.end()), "";
  }
  return "";
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
  return FixSearch(call, folder).run(run, *wanted);
}

}  // namespace ascsan::cli
