// ascsan suite: runs every kernel of a folder and compares with the expectations in the comments in front of them
// (tests/litmus/README.md). One line per failure, a summary, exit code 0 or 1; whatever makes the comparison itself
// unsound (an expectation that cannot be read, a kernel without one, one without a kernel) is exit code 2 and runs
// nothing.
#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "report/verdict.h"
#include "run/outputs.h"
#include "run/suggest.h"
#include "suite/runner.h"

namespace ascsan::cli {
namespace {

constexpr const char* kUsage =
    "usage: ascsan suite DIR [options]\n\n"
    "Runs the kernels of DIR and compares what is found with the expectations in the comments in front of them.\n\n"
    "  --filter GLOB     only kernels whose name matches\n"
    "  --program PATH    instead of the program that DIR/suite.toml names\n"
    "  --jobs N          kernels at a time (default 2)\n"
    "  --out junit=FILE  also write a JUnit file\n"
    "  --list            print names and expectations, run nothing\n\n"
    "All other options are those of ascsan run, for every kernel: --schedule, --seed, --profile ...\n"
    "exit codes: 0 all as expected, 1 failures, 2 wrong usage, or expectations and kernels do not fit together\n";

struct Call {
  std::string folder, filter = "*", program;
  suite::RunRequest request;
  bool list = false;
};

/// "--name VALUE" or "--name=VALUE" at args[at]: takes it and steps on.
bool take(const Arguments& args, size_t& at, const std::string& name, std::string& value, std::string& error) {
  const std::string& word = args[at];
  if (word.rfind(name + "=", 0) == 0) return value = word.substr(name.size() + 1), ++at, true;
  if (word != name) return false;
  if (at + 1 == args.size()) return error = name + " needs a value", false;
  value = args[at + 1];
  at += 2;
  return true;
}

/// One option of `ascsan run` at args[at], with its value.
std::string parse_run_option(const Arguments& args, size_t& at, run::Options& options) {
  const std::string name = args[at].substr(2, args[at].find('=') - 2);
  const run::OptionInfo* info = run::find_option(name);
  const bool value_follows = info != nullptr && !info->is_switch && args[at].find('=') == std::string::npos;
  const size_t end = std::min(at + (value_follows ? 2 : 1), args.size());
  const Arguments words(args.begin() + static_cast<std::ptrdiff_t>(at),
                        args.begin() + static_cast<std::ptrdiff_t>(end));
  at = end;
  size_t first = 0;
  return run::parse_command_line(options, words, first);
}

std::string parse(const Arguments& args, Call& call) {
  std::string error = run::load_options(call.request.options), value;
  for (size_t at = 0; at < args.size() && error.empty();) {
    if (take(args, at, "--filter", call.filter, error) || take(args, at, "--program", call.program, error)) continue;
    if (take(args, at, "--jobs", value, error)) {
      const auto [stop, code] = std::from_chars(value.data(), value.data() + value.size(), call.request.jobs);
      if (code != std::errc() || *stop != 0 || call.request.jobs < 1 || call.request.jobs > 256)
        error = fmt::format("--jobs is \"{}\"; it takes 1..256", run::printable(value));
      continue;
    }
    if (args[at] == "--list") {
      call.list = true;
      ++at;
    } else if (error.empty() && args[at].rfind("--", 0) == 0) {
      error = parse_run_option(args, at, call.request.options);
    } else if (error.empty()) {
      if (!call.folder.empty()) error = "two folders given; ascsan suite takes one";
      call.folder = args[at++];
    }
  }
  if (error.empty() && call.folder.empty()) error = "no folder given; usage: ascsan suite DIR [options]";
  for (const run::Output& output : call.request.options.out)
    if (error.empty() && output.format != "junit")
      error = fmt::format("--out {}=... is no format of ascsan suite; it writes junit=FILE", output.format);
  return error;
}

/// The value of the one key of suite.toml: program = "NAME". Blank lines and comments are skipped.
std::string read_config(const std::string& path, std::string& program) {
  std::string text;
  const std::string howto = "; write program = \"NAME\" into it, or give --program PATH";
  if (!run::read_file(path, text)) return "cannot read " + path + howto;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#') continue;
    const size_t open = line.find('"'), close = line.rfind('"');
    std::istringstream words(line.substr(0, open));
    std::string key, equal, rest;
    words >> key >> equal;
    if (key != "program" || equal != "=" || words >> rest || open == std::string::npos || close <= open + 1 ||
        !program.empty())
      return fmt::format("{}:{}: cannot read \"{}\"{}", path, number, run::printable(line), howto);
    program = line.substr(open + 1, close - open - 1);
  }
  return program.empty() ? path + " names no program" + howto : "";
}

/// Program of DIR/suite.toml, unless one was given.
std::string find(Call& call) {
  if (!call.program.empty()) {
    call.request.program = call.program;
  } else {
    std::string name;
    if (std::string error = read_config(call.folder + "/suite.toml", name); !error.empty()) return error;
    std::error_code ignored;
    call.request.program = call.folder + "/" + name;
    if (!std::filesystem::is_regular_file(call.request.program, ignored)) {
      const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", ignored);
      call.request.program = (self.parent_path() / name).string();
    }
  }
  if (access(call.request.program.c_str(), X_OK) != 0)
    return fmt::format("cannot run {}: no such program; build it, or give --program PATH", call.request.program);
  return "";
}

/// Every kernel has one expectation and the other way round, with the same launch.
void compare_lists(const std::vector<suite::Listed>& kernels, const std::vector<suite::Expectation>& expectations,
                   std::vector<std::string>& errors) {
  std::map<std::string, const suite::Listed*> known;
  for (const suite::Listed& kernel : kernels)
    if (!known.emplace(kernel.name, &kernel).second)
      errors.push_back("the program lists kernel " + kernel.name + " twice");
  for (const suite::Expectation& one : expectations) {
    const auto match = known.find(one.kernel);
    if (match == known.end()) {
      errors.push_back(fmt::format("{}:{}: the program has no kernel {}", one.file, one.line, one.kernel));
      continue;
    }
    const suite::Listed& kernel = *match->second;
    if (kernel.type != one.type || kernel.blocks != one.cores)
      errors.push_back(fmt::format("{}:{}: kernel {} is type={} cores={} here, but {} {} in the program", one.file,
                                   one.line, one.kernel, one.type, one.cores, kernel.type, kernel.blocks));
    known.erase(match);
  }
  for (const auto& [name, kernel] : known) errors.push_back("kernel " + name + " of the program has no expectation");
}

int print_errors(const std::vector<std::string>& errors) {
  for (const std::string& error : errors) fmt::print(stderr, "ascsan: {}\n", error);
  return report::kExitUsage;
}

int run_and_print(const Call& call, const std::vector<const suite::Expectation*>& chosen) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<suite::Outcome> outcomes;
  if (const std::string error = suite::run_all(call.request, chosen, outcomes); !error.empty())
    return usage_error(error);
  size_t failed = 0;
  for (const suite::Outcome& outcome : outcomes) {
    if (outcome.failure.empty()) continue;
    ++failed;
    fmt::print("FAIL {} ({}:{}): {}\n", outcome.expectation->kernel, outcome.expectation->file,
               outcome.expectation->line, outcome.failure);
  }
  fmt::print("ascsan suite: {} kernels, {} as expected, {} failed, {:.1f} s\n", outcomes.size(),
             outcomes.size() - failed, failed,
             std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  std::fflush(stdout);
  for (const run::Output& output : call.request.options.out) {
    const std::string text = suite::to_junit(outcomes);
    if (output.file == "-")
      fmt::print("{}", text);
    else if (const std::string error = run::write_file(output.file, text); !error.empty())
      return usage_error("cannot write " + output.file + ": " + error);
  }
  return failed == 0 ? report::kExitClean : report::kExitFindings;
}

}  // namespace

int suite_command(const Arguments& args) {
  if (!args.empty() && (args[0] == "--help" || args[0] == "-h")) return std::fputs(kUsage, stdout), 0;
  Call call;
  if (const std::string error = parse(args, call); !error.empty()) return usage_error(error);
  std::vector<std::string> errors;
  const std::vector<suite::Expectation> expectations = suite::read_folder(call.folder, errors);
  if (!errors.empty()) return print_errors(errors);
  if (expectations.empty()) return usage_error("no *.cpp of " + call.folder + " has a \"// ascsan: kernel=\" comment");
  std::vector<const suite::Expectation*> chosen;
  for (const suite::Expectation& one : expectations)
    if (fnmatch(call.filter.c_str(), one.kernel.c_str(), 0) == 0) chosen.push_back(&one);
  if (chosen.empty()) return usage_error(fmt::format("no kernel matches \"{}\"", run::printable(call.filter)));
  if (call.list) {
    for (const suite::Expectation* one : chosen) {
      std::string words = one->findings.empty() && !one->incomplete ? "clean" : one->incomplete ? "incomplete" : "";
      for (const suite::ExpectedFinding& finding : one->findings) words += (words.empty() ? "" : " ") + finding.rule;
      fmt::print("{} {} {} {}\n", one->kernel, one->type, one->cores, words);
    }
    return report::kExitClean;
  }
  if (const std::string error = find(call); !error.empty()) return usage_error(error);
  std::vector<suite::Listed> kernels;
  if (const std::string error = suite::list_kernels(call.request.program, kernels); !error.empty())
    return usage_error(error);
  compare_lists(kernels, expectations, errors);
  if (!errors.empty()) return print_errors(errors);
  return run_and_print(call, chosen);
}

}  // namespace ascsan::cli
