// ascsan lint --redundant PROGRAM... [-- args...]: barriers, flags and all-core barriers that order nothing in any of
// the cases, each proven by leaving it out (lint_search.h). A case is a program with arguments; --case gives several
// lists of arguments. Exit code 0: nothing is redundant; 1: something is; 2: wrong usage; 5: nothing can be said, with
// the reason.
#include <cstdio>
#include <sstream>

#include <fmt/format.h>

#include "cli/lint_search.h"
#include "report/verdict.h"
#include "run/outputs.h"
#include "run/suggest.h"

namespace ascsan::cli {
namespace {

struct LintCall {
  run::Options options;
  Arguments programs, arguments;
  std::vector<Arguments> cases;
  bool redundant = false;
  uint64_t schedules = 32;
};

void print_help() {
  std::puts(
      "usage: ascsan lint --redundant [--case \"ARGS\"]... [--schedules N] [options] PROGRAM... [-- args...]\n\n"
      "Lists the barriers, flags and all-core barriers of the kernels that order nothing in any of the cases. Each is\n"
      "proven by leaving it out: no checker finds anything and the outputs stay those of the in-order run under N\n"
      "schedules (32). What is listed can go together; what stays is needed, and why is said.\n\n"
      "  --case \"ARGS\"   arguments of a case, behind those after --; may be repeated\n"
      "  --schedules N   schedules of a proof, at least 32\n"
      "  --out json=FILE also write JSON\n\n"
      "The programs must be clean: ascsan run first. --profile strict asks for the barriers the compiler adds by "
      "itself.\n"
      "exit codes: 0 nothing is redundant, 1 something is, 2 wrong usage, 5 nothing can be said");
}

Arguments words_of(const std::string& text) {
  std::istringstream stream(text);
  Arguments words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string parse(const Arguments& args, LintCall& call) {
  Arguments rest;
  std::string number;
  size_t at = 0;
  for (; at < args.size() && args[at] != "--"; ++at) {
    const std::string& word = args[at];
    std::string value;
    const auto taken = [&](const char* name) {
      const std::string prefix = std::string(name) + "=";
      if (word.rfind(prefix, 0) == 0) return value = word.substr(prefix.size()), true;
      if (word != name || at + 1 == args.size()) return false;
      return value = args[++at], true;
    };
    if (word == "--redundant")
      call.redundant = true;
    else if (taken("--case"))
      call.cases.push_back(words_of(value));
    else if (taken("--schedules"))
      number = value;
    else
      rest.push_back(word);
  }
  if (at < args.size()) call.arguments.assign(args.begin() + static_cast<ptrdiff_t>(at) + 1, args.end());
  if (!call.redundant) return "nothing asked for; usage: ascsan lint --redundant [options] PROGRAM... [-- args...]";
  if (!number.empty()) {
    char* end = nullptr;
    call.schedules = std::strtoull(number.c_str(), &end, 10);
    if (*end != '\0' || call.schedules < 32 || call.schedules > 100000)
      return fmt::format("--schedules is \"{}\"; it takes 32..100000", run::printable(number));
  }
  std::string error = run::load_options(call.options);
  size_t first = 0;
  if (error.empty()) error = run::parse_command_line(call.options, rest, first);
  if (!error.empty()) return error;
  call.programs.assign(rest.begin() + static_cast<ptrdiff_t>(first), rest.end());
  for (const run::Output& output : call.options.out)
    if (output.format != "json")
      return fmt::format("--out {}= is not for ascsan lint; it takes json=FILE", output.format);
  return call.programs.empty() ? "no program given; ascsan lint --help shows the usage" : "";
}

std::string make_cases(const LintCall& call, std::vector<LintCase>& cases) {
  std::vector<Arguments> lists = call.cases;
  if (lists.empty()) lists.emplace_back();
  for (const std::string& program : call.programs)
    for (const Arguments& list : lists) {
      LintCase one;
      std::string error;
      one.call.options = call.options;
      one.call.path = find_program(program, error);
      if (one.call.path.empty()) return error;
      one.call.program = {program};
      one.call.program.insert(one.call.program.end(), call.arguments.begin(), call.arguments.end());
      one.call.program.insert(one.call.program.end(), list.begin(), list.end());
      cases.push_back(one);
    }
  return "";
}

int exit_code_of(const std::vector<LintCase>& cases, LintResult& result) {
  for (const LintCase& one : cases)
    if (result.trouble.empty() && result.errors.empty() && one.launches.empty())
      result.trouble = one.call.program[0] + " launched no kernel";
  if (!result.trouble.empty() || !result.errors.empty()) return report::kExitIncomplete;
  return result.redundant.empty() ? report::kExitClean : report::kExitFindings;
}

}  // namespace

int lint_command(const Arguments& args) {
  if (!args.empty() && (args[0] == "--help" || args[0] == "-h")) return print_help(), report::kExitClean;
  LintCall call;
  if (const std::string error = parse(args, call); !error.empty()) return usage_error(error);
  std::vector<LintCase> cases;
  if (const std::string error = make_cases(call, cases); !error.empty()) return usage_error(error);
  const ExchangeFolder folder;
  if (!folder.good()) return usage_error("cannot make a folder for temporary files; set TMPDIR to a writable folder");
  LintResult result = LintSearch(cases, folder, call.schedules).run();
  const int exit_code = exit_code_of(cases, result);
  if (!result.trouble.empty()) fmt::print(stderr, "ascsan: nothing can be said: {}\n", result.trouble);
  if (!result.errors.empty()) {
    fmt::print(stderr, "ascsan: nothing can be said: the program has findings as it is; ascsan run shows them:\n");
    for (const std::string& error : result.errors) fmt::print(stderr, "  {}\n", error);
  }
  if (exit_code != report::kExitIncomplete) fmt::print("{}", lint_text(cases, result, call.schedules));
  std::fflush(stdout);
  for (const run::Output& output : call.options.out) {
    const std::string text = lint_json(cases, result, call.schedules, exit_code);
    if (output.file == "-")
      fmt::print("{}", text);
    else if (const std::string error = run::write_file(output.file, text); !error.empty())
      return usage_error("cannot write " + output.file + ": " + error);
  }
  return exit_code;
}

}  // namespace ascsan::cli
