// What `ascsan lint` says: text for the terminal and JSON for programs. See lint_search.h.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/lint_search.h"
#include "report/version.h"

namespace ascsan::cli {
namespace {

using Json = nlohmann::json;

std::string command_of(const LintCase& one) {
  std::string text;
  for (const std::string& word : one.call.program) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string launches_of(const LintCase& one) {
  std::string text;
  for (const report::LintLaunch& launch : one.launches)
    text += fmt::format("{}{} on {} {}{}", text.empty() ? "" : ", ", launch.kernel, launch.blocks,
                        launch.blocks == 1 ? "block" : "blocks",
                        launch.launches == 1 ? "" : fmt::format(", {} times", launch.launches));
  return text;
}

size_t lines_of(const std::vector<report::SyncGroup>& groups) {
  size_t count = 0;
  for (const report::SyncGroup& group : groups) count += group.lines.size();
  return count;
}

void append(std::string& text, const report::SyncGroup& group) {
  for (size_t i = 0; i < group.lines.size(); ++i) {
    const report::SyncLine& line = group.lines[i];
    text += fmt::format("  {}{}:{}  {}  in {}  ({} {})\n", i == 0 ? "" : "with ", line.file, line.line, line.operation,
                        line.function, line.executions, line.executions == 1 ? "time" : "times");
  }
}

/// Whatever a file name holds, the JSON must be UTF-8.
std::string dump(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json to_json(const std::vector<report::SyncGroup>& groups) {
  Json list = Json::array();
  for (const report::SyncGroup& group : groups) {
    Json lines = Json::array();
    for (const report::SyncLine& line : group.lines)
      lines.push_back({{"file", line.file},
                       {"line", line.line},
                       {"function", line.function},
                       {"operation", line.operation},
                       {"executions", line.executions}});
    list.push_back({{"lines", lines}, {"kernels", group.kernels}, {"needed", group.needed}});
  }
  return list;
}

}  // namespace

std::string lint_text(const std::vector<LintCase>& cases, const LintResult& result, uint64_t schedules) {
  std::string text;
  if (!result.redundant.empty()) {
    const size_t lines = lines_of(result.redundant);
    text += fmt::format("{} of {} lines with synchronisation {} nothing in {} and can go together:\n", lines,
                        lines + lines_of(result.needed), lines == 1 ? "orders" : "order",
                        cases.size() == 1 ? "this case" : "these cases");
    for (const report::SyncGroup& group : result.redundant) append(text, group);
  }
  if (!result.needed.empty()) text += "needed:\n";
  for (const report::SyncGroup& group : result.needed) {
    append(text, group);
    const bool tried = group.needed.rfind("left alone", 0) != 0;
    text += fmt::format("    {}{}\n", tried ? "without it: " : "", group.needed);
  }
  text += cases.size() == 1 ? "case run:\n" : "cases run:\n";
  for (const LintCase& one : cases) text += fmt::format("  {}  ({})\n", command_of(one), launches_of(one));
  if (result.redundant.empty())
    text += result.needed.empty() ? "no barrier, flag or all-core barrier was issued\n"
                                  : "nothing is redundant: each line that goes makes a finding or changes an output\n";
  else
    text += fmt::format(
        "proven: with all of them left out no checker finds anything, and every launch gives the outputs of the "
        "in-order run under {} schedules\n"
        "a case that was not run (another shape, a tail, another profile) may need them\n",
        schedules);
  return text + fmt::format("{} runs of launches, {} sets tried\n", result.runs, result.tries);
}

std::string lint_json(const std::vector<LintCase>& cases, const LintResult& result, uint64_t schedules, int exit_code) {
  Json json;
  json["schema"] = 1;
  json["tool"] = {{"name", report::kToolName}, {"version", report::kToolVersion}};
  json["exit_code"] = exit_code;
  json["verdict"] = !result.trouble.empty() || !result.errors.empty() ? "incomplete"
                    : result.redundant.empty()                        ? "clean"
                                                                      : "findings";
  json["schedules"] = schedules;
  json["trouble"] = result.trouble;
  json["errors"] = result.errors;
  json["cases"] = Json::array();
  for (const LintCase& one : cases) {
    Json launches = Json::array();
    for (const report::LintLaunch& launch : one.launches)
      launches.push_back({{"kernel", launch.kernel}, {"block_dim", launch.blocks}, {"launches", launch.launches}});
    json["cases"].push_back({{"program", one.call.program}, {"launches", launches}});
  }
  json["redundant"] = to_json(result.redundant);
  json["needed"] = to_json(result.needed);
  return dump(json);
}

}  // namespace ascsan::cli
