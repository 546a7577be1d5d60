// The program `ascsan`: picks the command. What the commands do: design/ux.md 3.1.
#include <algorithm>
#include <cstdio>

#include "cli/command.h"
#include "report/verdict.h"
#include "report/version.h"
#include "run/suggest.h"

namespace ascsan::cli {
namespace {

struct Command {
  const char* name;
  const char* usage;
  const char* help;
  int (*run)(const Arguments&);
};

constexpr Command kCommands[] = {
    {"run", "run [options] PROGRAM [args...]", "run a program that launches kernels and report what is wrong",
     run_command},
    {"explain", "explain [ID]", "show a finding of the last run in full, with its rule", explain_command},
    {"suite", "suite DIR [options]", "run the kernels of a folder and compare with their expectations", suite_command},
    {"diagnose", "diagnose PROGRAM [args...]", "find the cause of a wrong output by experiments", diagnose_command},
    {"fix", "fix ID [options] PROGRAM [args...]", "find and prove a patch that cures a race", fix_command},
    {"lint", "lint --redundant PROGRAM...", "list synchronisation that orders nothing, proven by leaving it out",
     lint_command},
    {"replay", "replay TOKEN PROGRAM [args...]", "repeat the run of a witness exactly", replay_command},
    {"rules", "rules [ID]", "list the rules, or show the page of one", rules_command},
    {"doctor", "doctor", "check this machine and name what is missing", doctor_command},
};

void print_help() {
  std::puts("ascsan finds races and memory faults of Ascend C kernels on an ordinary CPU.\n\nusage:");
  for (const Command& command : kCommands) std::printf("  ascsan %-34s %s\n", command.usage, command.help);
  std::puts(
      "  ascsan --version                          print the version\n"
      "\nascsan run --help lists the options. First step: ascsan doctor");
}

int unknown(const std::string& word) {
  std::vector<std::string> names;
  for (const Command& command : kCommands) names.emplace_back(command.name);
  const std::string near = run::nearest(word, names);
  std::string text = "unknown command \"" + run::printable(word) + "\"";
  text += near.empty() ? "; ascsan --help lists the commands" : "; did you mean \"ascsan " + near + "\"?";
  return usage_error(text);
}

int dispatch(const Arguments& args) {
  if (args.empty()) {
    print_help();
    return report::kExitUsage;
  }
  if (args[0] == "--help" || args[0] == "-h" || args[0] == "help") {
    print_help();
    return report::kExitClean;
  }
  if (args[0] == "--version") {
    std::printf("%s %s\n", report::kToolName, report::kToolVersion);
    return report::kExitClean;
  }
  for (const Command& command : kCommands)
    if (args[0] == command.name) return command.run(Arguments(args.begin() + 1, args.end()));
  return unknown(args[0]);
}

}  // namespace

int usage_error(const std::string& text) {
  std::fprintf(stderr, "ascsan: %s\n", text.c_str());
  return report::kExitUsage;
}

}  // namespace ascsan::cli

int main(int argc, char** argv) {
  return ascsan::cli::dispatch(ascsan::cli::Arguments(argv + std::min(argc, 1), argv + argc));
}
