#include "cli/exchange.h"

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "report/as_json.h"
#include "report/experiments.h"
#include "run/outputs.h"

namespace ascsan::cli {
namespace {
constexpr size_t kMaxWitnesses = 20;
}  // namespace

ExchangeFolder::ExchangeFolder() {
  std::error_code error;
  std::string path = std::filesystem::temp_directory_path(error).string() + "/ascsan-XXXXXX";
  if (!error && mkdtemp(path.data()) != nullptr) path_ = path;
}

ExchangeFolder::~ExchangeFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

ChildRequest child_request(const ProgramCall& call, const ExchangeFolder& folder, const char* role,
                           const char* result) {
  // The report files are ours to write; the program must not write them as well.
  run::Options passed = call.options;
  passed.out.clear();
  passed.origin[static_cast<size_t>(run::OptionId::out)] = run::Origin::kDefault;
  ChildRequest request;
  request.path = call.path;
  request.args = call.program;
  request.environment = {
      {"ASCSAN_OPTIONS", run::to_environment(passed)}, {"ASCSAN_RESULT", folder.file(result)}, {"ASCSAN_ROLE", role}};
  return request;
}

std::string ask(const ProgramCall& call, const ExchangeFolder& folder, const char* role, const std::string& task,
                double limit_seconds, bool silent, std::string& answer) {
  if (const std::string error = run::write_file(folder.file("task"), task); !error.empty())
    return "the task could not be written: " + error;
  ChildRequest request = child_request(call, folder, role, "answer");
  request.environment["ASCSAN_TASK"] = folder.file("task");
  request.silent = silent;
  request.limit_seconds = limit_seconds;
  const ChildResult child = run_child(request);
  if (!child.start_error.empty()) return child.start_error;
  if (child.timed_out) return fmt::format("the run took more than {:.0f} s", limit_seconds);
  if (child.interrupted_by != 0) return "the run was interrupted";
  if (!run::read_file(folder.file("answer"), answer)) return "the run gave no answer";
  std::error_code ignored;
  std::filesystem::remove(folder.file("answer"), ignored);
  return "";
}

std::string checked_run(const ProgramCall& call, const ExchangeFolder& folder, bool silent, report::RunResult& run) {
  ChildRequest request = child_request(call, folder, "first", "result");
  request.silent = silent;
  const ChildResult child = run_child(request);
  if (!child.start_error.empty()) return child.start_error;
  std::string text, error;
  if (!run::read_file(folder.file("result"), text))
    return "the program launched no kernel or is not linked with ascsan";
  if (!report::from_raw_json(text, run, &error)) return "the result of the program is unreadable, " + error;
  run.program_status = child.status;
  run.timing.total_seconds = child.seconds;
  const std::vector<report::AccessKey> wanted = report::wanted_accesses(run);
  if (wanted.empty()) return "";
  if (error = run::write_file(folder.file("wanted"), report::to_wanted_text(wanted)); !error.empty()) return error;
  request = child_request(call, folder, "stacks", "stacks");
  request.environment["ASCSAN_WANTED"] = folder.file("wanted");
  request.silent = true;
  request.limit_seconds = 30 + 10 * child.seconds;
  run_child(request);
  std::vector<report::AccessStack> stacks;
  if (run::read_file(folder.file("stacks"), text) && report::stacks_from_json(text, stacks, &error))
    report::merge_stacks(run, stacks, false);
  return "";
}

std::string fetch_witnesses(const ProgramCall& call, const ExchangeFolder& folder, double first_seconds,
                            report::RunResult& run) {
  const std::vector<report::WitnessWish> wishes = report::wanted_witnesses(run, kMaxWitnesses);
  if (wishes.empty()) return "";
  std::string text, error = ask(call, folder, "witness", report::to_text(wishes), 30 + 10 * first_seconds, true, text);
  if (!error.empty()) return error;
  std::vector<report::WitnessAnswer> answers;
  if (!report::witnesses_from_json(text, answers, &error)) return "the answer is unreadable, " + error;
  report::merge_witnesses(run, answers);
  return "";
}

bool parse_call(const char* command, const Arguments& args, ProgramCall& call, int& exit_code) {
  exit_code = report::kExitClean;
  std::string error = run::load_options(call.options);
  size_t first = 0;
  if (error.empty()) error = run::parse_command_line(call.options, args, first);
  if (!error.empty()) return exit_code = usage_error(error), false;
  if (first == args.size())
    return exit_code = usage_error(fmt::format("no program given; ascsan {} --help shows the usage", command)), false;
  call.program.assign(args.begin() + static_cast<std::ptrdiff_t>(first), args.end());
  call.path = find_program(call.program[0], error);
  if (call.path.empty()) return exit_code = usage_error(error), false;
  return true;
}

}  // namespace ascsan::cli
