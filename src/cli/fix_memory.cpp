// Queues used without EnQue and DeQue, and scalar accesses past a stale or unwritten cache line: the names that the
// cure needs are read off the source. See fix_candidates.h.
#include <algorithm>
#include <regex>

#include <fmt/format.h>

#include "cli/fix_candidates.h"

namespace ascsan::cli {
namespace {

/// Element type of a declared GlobalTensor, empty when the file does not say.
std::string element_type(const Lines& code, const std::string& tensor) {
  const size_t member = tensor.find_last_of(".>");
  const std::string name = member == std::string::npos ? tensor : tensor.substr(member + 1);
  const std::regex declaration("GlobalTensor<([^;(){}]*)>[^;(){}<>]*\\b" + name + "\\b");
  std::smatch match;
  for (const std::string& line : code)
    if (std::regex_search(line, match, declaration)) return match[1].str();
  return "";
}

/// Newest line of the function above `line` that takes `variable` from a queue: its name and element type.
bool find_queue(const Lines& code, uint32_t line, const std::string& variable, std::string& queue, std::string& type) {
  const std::regex taken("\\b" + variable +
                         "\\s*=\\s*([A-Za-z_][\\w.>-]*?)(?:\\.|->)(?:template\\s+)?AllocTensor<([^()]*)>\\s*\\(");
  std::smatch match;
  for (uint32_t at = std::min<uint32_t>(line, static_cast<uint32_t>(code.size())); at > 0; --at) {
    if (code[at - 1].substr(0, 1) == "}") return false;
    if (std::regex_search(code[at - 1], match, taken)) return queue = match[1].str(), type = match[2].str(), true;
  }
  return false;
}

bool is_name(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  });
}

}  // namespace

/// The source fills a tensor of a queue and the target takes it from there, without the queue having passed it on.
void FixCatalogue::queue_use() {
  const Spot from = inner(source()), to = inner(target());
  const Lines* lines = read_(from.file);
  if (lines == nullptr || from.line > lines->size()) return;
  const Lines code = code_only(*lines);
  std::string queue, type;
  const std::string variable = first_argument(code, from.line);
  if (!is_name(variable) || !find_queue(code, from.line, variable, queue, type)) return;
  const Lines calls = {fmt::format("{}.EnQue({});", queue, variable),
                       fmt::format("{} = {}.DeQue<{}>();", variable, queue, type)};
  const bool same = !source().stack.empty() && !target().stack.empty() &&
                    source().stack[0].function == target().stack[0].function && to.line > from.line;
  list_.push_back(
      {fmt::format("pass {} through its queue {}", variable, queue), {same ? before(to, calls) : behind(from, calls)}});
}

/// DeQue on a queue nobody has put anything into: what was taken from it is put in behind its last use as a
/// destination.
void FixCatalogue::missing_enque() {
  const Spot at = inner(finding_.accesses[0]);
  const Lines* lines = read_(at.file);
  if (lines == nullptr || at.line > lines->size()) return;
  const Lines code = code_only(*lines);
  const std::string queue = object_of_call(code, at.line, "DeQue");
  if (queue.empty()) return;
  const std::regex taken("\\b([A-Za-z_]\\w*)\\s*=\\s*" + std::regex_replace(queue, std::regex("[.]"), "\\.") +
                         "(?:\\.|->)(?:template\\s+)?AllocTensor<");
  std::smatch match;
  for (uint32_t line = 1; line <= code.size(); ++line) {
    if (!std::regex_search(code[line - 1], match, taken)) continue;
    const std::string variable = match[1].str();
    uint32_t last = line;
    for (uint32_t use = line + 1; use <= code.size() && trimmed(code[use - 1]).substr(0, 1) != "}"; ++use)
      if (first_argument(code, use) == variable) last = use;
    list_.push_back({fmt::format("put {} into {}, from where DeQue takes it", variable, queue),
                     {behind({at.file, last}, {fmt::format("{}.EnQue({});", queue, variable)})}});
  }
}

/// A wait for a flag of two pipes that nobody sets: the set goes right in front of it. Cross-core flags are left out,
/// as nothing says which core should have set them.
void FixCatalogue::missing_set(const report::AccessInfo& waiter) {
  const Spot at = inner(waiter);
  const Lines* lines = read_(at.file);
  if (lines == nullptr || at.line == 0 || at.line > lines->size()) return;
  std::string call = trimmed(code_only(*lines)[at.line - 1]);
  const std::regex whole("(?:AscendC::)?WaitFlag<[^;]*;");
  if (!std::regex_match(call, whole)) return;
  call.replace(call.find("WaitFlag"), 8, "SetFlag");
  list_.push_back({"set the flag that is waited for", {before(at, {call})}});
}

/// The line of the access is written back and dropped: before a load that must not see an old one, behind a store.
void FixCatalogue::cache_clean(const report::AccessInfo& access, const char* call, bool behind_it) {
  const Spot at = inner(access);
  const Lines* lines = read_(at.file);
  if (lines == nullptr || at.line == 0 || at.line > lines->size()) return;
  const Lines code = code_only(*lines);
  std::string arguments;
  const std::string tensor = object_of_call(code, at.line, call, &arguments);
  const std::string type = tensor.empty() ? "" : element_type(code, tensor);
  if (type.empty()) return;
  int depth = 0;
  size_t end = 0;
  for (; end < arguments.size() && (depth > 0 || arguments[end] != ','); ++end)
    depth += arguments[end] == '(' || arguments[end] == '['   ? 1
             : arguments[end] == ')' || arguments[end] == ']' ? -1
                                                              : 0;
  const std::string names = scope(at.file), index = trimmed(arguments.substr(0, end));
  for (const bool line_only : {true, false}) {
    const std::string clean = fmt::format("{0}DataCacheCleanAndInvalid<{1}, {0}CacheLine::{2}>({3});", names, type,
                                          line_only ? "SINGLE_CACHE_LINE" : "ENTIRE_DATA_CACHE",
                                          line_only ? fmt::format("{}[{}]", tensor, index) : tensor);
    list_.push_back({fmt::format("{} the {} of {} {} the scalar {}", behind_it ? "write back" : "drop",
                                 line_only ? "cache line" : "cache lines", tensor, behind_it ? "behind" : "before",
                                 behind_it ? "store" : "load"),
                     {behind_it ? behind(at, {clean}) : before(at, {clean})}});
  }
}

}  // namespace ascsan::cli
