// ascsan replay TOKEN [--] PROGRAM [args...]: runs the program again with the schedule of a witness in the launch the
// token names, and compares what happened with what the token says. Refuses, with the reason, a token of another
// program, other arguments or another version of the tool. Exit code 0: the same; 1: not the same; 2: refused.
#include <cstdio>

#include <fmt/format.h>

#include "cli/exchange.h"
#include "report/experiments.h"
#include "report/token.h"
#include "run/outputs.h"

namespace ascsan::cli {
namespace {

void print_help() {
  std::puts(
      "usage: ascsan replay TOKEN|FILE [--] PROGRAM [args...]\n\n"
      "Repeats the run of a witness. TOKEN is the text \"as1:...\" of a report, FILE holds one. PROGRAM and its "
      "arguments\n"
      "must be those of the run that made the token; its launches before and after the one of the token run as they "
      "did.\n\n"
      "exit codes: 0 the launch ran exactly as the token says, 1 it did not, 2 refused or wrong usage");
}

/// A token given as itself or as the first word of a file.
std::string token_text(const std::string& word) {
  if (word.rfind("as1:", 0) == 0) return word;
  std::string text;
  if (!run::read_file(word, text)) return word;
  const size_t begin = text.find("as1:");
  if (begin == std::string::npos) return word;
  return text.substr(begin, text.find_first_of(" \t\r\n\",", begin) - begin);
}

/// Empty when the token belongs to this program and these arguments, else why not.
std::string refusal(const report::ReplayToken& token, const ProgramCall& call) {
  uint64_t digest = 0;
  if (!report::digest_file(call.path, digest)) return call.path + " cannot be read";
  if (digest != token.program)
    return fmt::format(
        "the token belongs to another program or another build of {} (digest {:016x}, this file has {:016x}); "
        "make a new one with ascsan run",
        call.program[0], token.program, digest);
  if (report::digest_arguments(Arguments(call.program.begin() + 1, call.program.end())) != token.arguments)
    return "the token was made with other arguments of the program; give the arguments of that run";
  return "";
}

int compare(const report::ReplayToken& token, const report::ReplayAnswer& answer) {
  if (!answer.reached) {
    fmt::print(
        stderr,
        "ascsan: the program ended before launch {}, which the token directs; it is not deterministic by itself, "
        "or reads other files than then\n",
        token.launch);
    return report::kExitFindings;
  }
  const auto line = [](const char* what, uint64_t now, uint64_t then) {
    fmt::print("  {:<8} {:016x}  {}\n", what, now,
               now == then ? "as in the token" : fmt::format("NOT as in the token, {:016x}", then));
  };
  fmt::print("replayed launch {} ({}), {} forced {} over the {} schedule\n", token.launch, answer.kernel,
             token.choices.size(), token.choices.size() == 1 ? "choice" : "choices", token.base);
  line("inputs", answer.inputs, token.inputs);
  line("outputs", answer.outputs, token.outputs);
  line("events", answer.events, token.events);
  if (!answer.end.empty()) fmt::print("  the launch does not end: {}\n", answer.end);
  if (answer.inputs != token.inputs)
    fmt::print(
        stderr,
        "ascsan: the launch was given other data than when the token was made: the program is not deterministic by "
        "itself (clock, random device), or reads other files than then\n");
  const bool same = answer.inputs == token.inputs && answer.outputs == token.outputs && answer.events == token.events;
  return same ? report::kExitClean : report::kExitFindings;
}

}  // namespace

int replay_command(const Arguments& args) {
  if (!args.empty() && (args[0] == "--help" || args[0] == "-h")) return print_help(), report::kExitClean;
  if (args.size() < 2) return usage_error("usage: ascsan replay TOKEN [--] PROGRAM [args...]");
  report::ReplayToken token;
  std::string error;
  const std::string text = token_text(args[0]);
  if (!report::parse_token(text, token, &error)) return usage_error(error);
  ProgramCall call;
  int exit_code = 0;
  if (!parse_call("replay", Arguments(args.begin() + 1, args.end()), call, exit_code)) return exit_code;
  if (error = refusal(token, call); !error.empty()) return usage_error(error);
  call.options = {};
  if (error = run::parse_environment(call.options, token.options); !error.empty())
    return usage_error("the options of the token are not understood: " + error);
  const ExchangeFolder folder;
  if (!folder.good()) return usage_error("cannot make a folder for temporary files; set TMPDIR to a writable folder");
  constexpr double kLimitSeconds = 86400;
  std::string json;
  report::ReplayAnswer answer;
  if (error = ask(call, folder, "replay", text, kLimitSeconds, false, json); error.empty())
    if (!report::replay_from_json(json, answer, &error)) error = "the answer is unreadable, " + error;
  if (!error.empty()) {
    fmt::print(stderr, "ascsan: {}\n", error);
    return report::kExitFindings;
  }
  return compare(token, answer);
}

}  // namespace ascsan::cli
