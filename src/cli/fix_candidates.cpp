#include "cli/fix_candidates.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/function_name.h"

namespace ascsan::cli {
namespace {

constexpr size_t kContext = 3;

std::string trimmed(const std::string& line) {
  std::string text = line.substr(0, line.find("//"));
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

bool is_vector(const report::AccessInfo& access) {
  return access.core.rfind("AIV", 0) == 0;
}

}  // namespace

uint32_t statement_begin(const std::vector<std::string>& lines, uint32_t line) {
  while (line > 1) {
    uint32_t before = line - 1;
    while (before > 0 && trimmed(lines[before - 1]).empty()) --before;
    if (before == 0) return line;
    const std::string text = trimmed(lines[before - 1]);
    const char last = text.back();
    const bool label = last == ':' && text.find('?') == std::string::npos;
    if (last == ';' || last == '{' || last == '}' || label || text[0] == '#') return line;
    line = before;
  }
  return line;
}

FixSearch::FixSearch(const report::Finding& finding) : finding_(finding) {
  if (finding.accesses.size() != 2 || finding.rule.rfind("ASC1", 0) != 0) {
    trouble_ = "the catalogue has cures for races only";
    return;
  }
  // "AIV 0 MTE3 -> AIV 3 MTE2": the left one must be first.
  const auto name = [](const report::AccessInfo& access) { return access.core + " " + access.pipe; };
  const std::string first = finding.missing.substr(0, finding.missing.find(" -> "));
  if (first == name(finding.accesses[1]) && first != name(finding.accesses[0])) source_ = 1, target_ = 0;
  const auto &a = finding.accesses[source_].stack, &b = finding.accesses[target_].stack;
  size_t depth = 0;  // frames from the entry inwards that are the same function
  while (depth < a.size() && depth < b.size() && a[a.size() - 1 - depth].function == b[b.size() - 1 - depth].function &&
         a[a.size() - 1 - depth].file == b[b.size() - 1 - depth].file) {
    ++depth;
    // Behind different calls the two ways part for good.
    if (a[a.size() - depth].line != b[b.size() - depth].line) break;
  }
  if (depth == 0) {
    trouble_ =
        "the call stacks of the two sides have no function in common (is the program built with -g1 and without "
        "stripping?)";
    return;
  }
  const report::Frame& frame = b[b.size() - depth];
  file_ = frame.file;
  line_ = frame.line;
  function_ = report::short_function(frame.function);
  if (depth < b.size()) target_function_ = report::short_function(b[b.size() - 1 - depth].function);
  if (depth < a.size()) source_function_ = report::short_function(a[a.size() - 1 - depth].function);
  if (file_.empty() || line_ == 0)
    trouble_ = "the place of the common function is unknown (is the program built with -g1?)";
}

std::vector<std::string> FixSearch::calls(bool mixed, const std::string& scope, std::vector<std::string>& texts) const {
  const report::AccessInfo &source = finding_.accesses[source_], &target = finding_.accesses[target_];
  std::vector<std::string> list;
  const auto add = [&](std::string call, std::string text) {
    list.push_back(std::move(call));
    texts.push_back(std::move(text));
  };
  if (source.core_id != target.core_id) {
    if (mixed) add(scope + "SyncAll<false>();", "let all cores wait for each other");
    if (is_vector(source) && is_vector(target))
      add(scope + "SyncAll<true>();", "let all vector cores wait for each other");
    return list;
  }
  if (source.pipe == target.pipe) {
    add(fmt::format("{}PipeBarrier<PIPE_{}>();", scope, source.pipe),
        fmt::format("finish what is in the {} pipe first", source.pipe));
  } else {
    const std::string event = source.pipe + "_" + target.pipe;
    const std::string text = fmt::format("let {} wait for {}", target.pipe, source.pipe);
    add(fmt::format("{0}SetFlag<{0}HardEvent::{1}>(EVENT_ID7);\n{0}WaitFlag<{0}HardEvent::{1}>(EVENT_ID7);", scope,
                    event),
        text);
    add(fmt::format("{0}SetFlag<{0}HardEvent::{1}>(EVENT_ID3);\n{0}WaitFlag<{0}HardEvent::{1}>(EVENT_ID3);", scope,
                    event),
        text);
  }
  add(scope + "PipeBarrier<PIPE_ALL>();", "finish what is in all pipes of the core first");
  return list;
}

std::vector<Candidate> FixSearch::candidates(const std::vector<std::string>& lines, bool mixed) const {
  std::vector<Candidate> list;
  if (line_ > lines.size()) return list;
  const bool in_scope = std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return trimmed(line).find("using namespace AscendC") != std::string::npos;
  });
  std::vector<std::string> texts;
  const std::vector<std::string> all = calls(mixed, in_scope ? "" : "AscendC::", texts);
  const uint32_t at = statement_begin(lines, line_);
  const std::string indent = lines[at - 1].substr(0, lines[at - 1].find_first_not_of(" \t"));
  std::string where = fmt::format("in {}, before line {}", function_, at);
  if (!target_function_.empty() && !source_function_.empty() && target_function_ != source_function_)
    where = fmt::format("in {}, between {} and {}", function_, source_function_, target_function_);
  else if (!target_function_.empty())
    where = fmt::format("in {}, before {}", function_, target_function_);
  for (size_t i = 0; i < all.size(); ++i) {
    Candidate candidate;
    candidate.text = texts[i] + ", " + where;
    candidate.file = file_;
    candidate.line = at;
    for (size_t begin = 0; begin < all[i].size();) {
      const size_t end = std::min(all[i].find('\n', begin), all[i].size());
      candidate.lines.push_back(indent + all[i].substr(begin, end - begin));
      begin = end + 1;
    }
    list.push_back(candidate);
  }
  return list;
}

std::string unified_diff(const std::string& file, const std::vector<std::string>& lines, const Candidate& candidate) {
  const size_t at = candidate.line - 1, begin = at > kContext ? at - kContext : 0,
               end = std::min(lines.size(), at + kContext);
  std::string text = fmt::format("--- a/{0}\n+++ b/{0}\n@@ -{1},{2} +{1},{3} @@\n", file, begin + 1, end - begin,
                                 end - begin + candidate.lines.size());
  for (size_t i = begin; i < end; ++i) {
    if (i == at)
      for (const std::string& line : candidate.lines) text += "+" + line + "\n";
    text += " " + lines[i] + "\n";
  }
  return text;
}

}  // namespace ascsan::cli
