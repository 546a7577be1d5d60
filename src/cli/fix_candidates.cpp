// Order: flag pairs, barriers, all-core barriers and cross-core flags. See fix_candidates.h.
#include "cli/fix_candidates.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "report/function_name.h"

namespace ascsan::cli {
namespace {

bool is_vector(const report::AccessInfo& access) {
  return access.core.rfind("AIV", 0) == 0;
}

/// "AIV 3" -> 3.
unsigned long number_of(const report::AccessInfo& access) {
  const size_t space = access.core.find(' ');
  return space == std::string::npos ? 0 : std::strtoul(access.core.c_str() + space, nullptr, 10);
}

/// A matrix core and a vector core of one AI Core, with one or two vector cores each.
bool in_one_block(const report::AccessInfo& a, const report::AccessInfo& b) {
  if (is_vector(a) == is_vector(b)) return false;
  const unsigned long aic = number_of(is_vector(a) ? b : a), aiv = number_of(is_vector(a) ? a : b);
  return aiv == aic || aiv / 2 == aic;
}

}  // namespace

bool in_catalogue(const std::string& rule) {
  return rule.rfind("ASC1", 0) == 0 || rule == "ASC6101" || rule == "ASC6102" || rule == "ASC4204" || rule == "ASC5001";
}

FixCatalogue::FixCatalogue(const report::Finding& finding, ReadSource read)
    : finding_(finding), read_(std::move(read)) {
  race_ = finding.rule.rfind("ASC1", 0) == 0;
  if (!in_catalogue(finding.rule) || finding.accesses.empty() || (race_ && finding.accesses.size() != 2)) {
    trouble_ = fmt::format(
        "the catalogue holds cures for races, stale and lost cache lines, missing EnQue and missing SetFlag; {} is "
        "none "
        "of them",
        finding.rule);
    return;
  }
  if (race_) find_common_frame();
}

void FixCatalogue::find_common_frame() {
  // "AIV 0 MTE3 -> AIV 3 MTE2": the left one must be first.
  const auto name = [](const report::AccessInfo& access) { return access.core + " " + access.pipe; };
  const std::string first = finding_.missing.substr(0, finding_.missing.find(" -> "));
  if (first == name(finding_.accesses[1]) && first != name(finding_.accesses[0])) source_ = 1, target_ = 0;
  const auto &a = source().stack, &b = target().stack;
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
  first_ = {a[a.size() - depth].file, a[a.size() - depth].line};
  second_ = {b[b.size() - depth].file, b[b.size() - depth].line};
  function_ = report::short_function(b[b.size() - depth].function);
  if (depth < b.size()) target_function_ = report::short_function(b[b.size() - 1 - depth].function);
  if (depth < a.size()) source_function_ = report::short_function(a[a.size() - 1 - depth].function);
  if (!second_.usable()) trouble_ = "the place of the common function is unknown (is the program built with -g1?)";
}

FixCatalogue::Spot FixCatalogue::inner(const report::AccessInfo& access) const {
  if (!access.stack.empty()) return {access.stack[0].file, access.stack[0].line};
  return {access.file, access.line};
}

std::string FixCatalogue::where() const {
  if (!target_function_.empty() && !source_function_.empty() && target_function_ != source_function_)
    return fmt::format("in {}, between {} and {}", function_, source_function_, target_function_);
  if (!target_function_.empty()) return fmt::format("in {}, before {}", function_, target_function_);
  const Lines* lines = read_(second_.file);
  const uint32_t at = lines == nullptr ? second_.line : statement_begin(code_only(*lines), second_.line);
  return fmt::format("in {}, before line {}", function_, at);
}

std::string FixCatalogue::scope(const std::string& file) {
  const Lines* lines = read_(file);
  const bool named = lines != nullptr && std::any_of(lines->begin(), lines->end(), [](const std::string& line) {
                       return line.find("using namespace AscendC") != std::string::npos;
                     });
  return named ? "" : "AscendC::";
}

std::string FixCatalogue::free_id(const std::string& file, const std::string& before,
                                  const std::vector<std::string>& ids) {
  const Lines* lines = read_(file);
  const auto is_used = [&](const std::string& id) {
    return lines != nullptr && std::any_of(lines->begin(), lines->end(), [&](const std::string& line) {
             return line.find(before) != std::string::npos && line.find("(" + id + ")") != std::string::npos;
           });
  };
  for (const std::string& id : ids)
    if (!is_used(id)) return id;
  return ids.front();
}

Edit FixCatalogue::before(const Spot& spot, const Lines& calls) {
  const Lines* lines = read_(spot.file);
  Edit edit{spot.file, statement_begin(code_only(*lines), spot.line), {}, false};
  for (const std::string& call : calls) edit.lines.push_back(indent_of(*lines, edit.line) + call);
  return edit;
}

Edit FixCatalogue::behind(const Spot& spot, const Lines& calls) {
  const Lines* lines = read_(spot.file);
  const Lines code = code_only(*lines);
  Edit edit{spot.file, statement_end(code, spot.line) + 1, {}, false};
  const std::string indent = indent_of(*lines, statement_begin(code, spot.line));
  for (const std::string& call : calls) edit.lines.push_back(indent + call);
  return edit;
}

void FixCatalogue::in_front(const Lines& calls, const Spot& target, const std::string& text) {
  const Lines* lines = read_(target.file);
  if (lines == nullptr || target.line > lines->size()) return;
  list_.push_back({text, {before(target, calls)}});
}

/// Set behind the source, wait before the target; `carried`: the target of one turn of the loop waits for the source of
/// the turn before, so one set goes in front of the loop and one wait behind it.
void FixCatalogue::pair(const std::string& set, const std::string& wait, const Spot& source, const Spot& target,
                        bool carried, const std::string& text) {
  const Lines *from = read_(source.file), *to = read_(target.file);
  if (from == nullptr || to == nullptr || source.line > from->size() || target.line > to->size()) return;
  Candidate candidate{text, {}};
  if (carried) {
    const auto first = loop_around(code_only(*from), source.line,
                                   source.file == target.file && source_function_.empty() ? target.line : source.line);
    const auto last = loop_around(code_only(*to), target.line, target.line);
    if (!first || !last) return;
    candidate.edits.push_back(before({source.file, first->begin}, {set}));
    candidate.edits.push_back(before(target, {wait}));
    candidate.edits.push_back(behind(source, {set}));
    const std::string indent = indent_of(*to, last->begin);
    candidate.edits.push_back({target.file, last->end + 1, {indent + wait}, false});
  } else {
    candidate.edits.push_back(behind(source, {set}));
    candidate.edits.push_back(before(target, {wait}));
  }
  list_.push_back(candidate);
}

void FixCatalogue::same_core() {
  const std::string names = scope(second_.file);
  queue_use();
  if (source().pipe == target().pipe) {
    in_front({fmt::format("{}PipeBarrier<PIPE_{}>();", names, source().pipe)}, second_,
             fmt::format("finish what is in the {} pipe first, {}", source().pipe, where()));
  } else {
    const std::string event = source().pipe + "_" + target().pipe, word = "HardEvent::" + event + ">";
    const auto flag = [&](const char* call, const std::string& id) {
      return fmt::format("{0}{1}<{0}HardEvent::{2}>({3});", names, call, event, id);
    };
    const std::string one = free_id(second_.file, word, {"EVENT_ID7", "EVENT_ID6", "EVENT_ID5", "EVENT_ID4"});
    const std::string two = one == "EVENT_ID3" ? "EVENT_ID2" : "EVENT_ID3";
    const std::string text = fmt::format("let {} wait for {}", target().pipe, source().pipe);
    const Lines* lines = read_(second_.file);
    // The target stands first in the loop: what it must wait for is of the turn before.
    if (lines != nullptr && first_.file == second_.file && second_.line <= first_.line &&
        loop_around(code_only(*lines), first_.line, second_.line))
      pair(flag("SetFlag", one), flag("WaitFlag", one), first_, second_, true,
           fmt::format("{} of the turn before, in {}: set before the loop, waited for behind it", text, function_));
    for (const std::string& id : {one, two})
      in_front({flag("SetFlag", id), flag("WaitFlag", id)}, second_, text + ", " + where());
  }
  in_front({names + "PipeBarrier<PIPE_ALL>();"}, second_, "finish what is in all pipes of the core first, " + where());
}

void FixCatalogue::between_cores(bool mixed) {
  const std::string names = scope(second_.file);
  const std::string id = free_id(second_.file, "CrossCore", {"7", "6", "5", "4", "3"});
  const auto set = [&](int mode) {
    return fmt::format("{}CrossCoreSetFlag<{}, PIPE_{}>({});", names, mode, source().pipe, id);
  };
  const std::string wait = fmt::format("{}CrossCoreWaitFlag({});", names, id);
  const bool by_pipe = source().pipe != "S";
  if (by_pipe && in_one_block(source(), target())) {
    const char* const who = is_vector(target()) ? "the vector cores wait for their matrix core"
                                                : "the matrix core wait for its vector cores";
    const Spot from = inner(source()), to = inner(target());
    if (first_.line != second_.line)
      pair(set(2), wait, first_, second_, false, fmt::format("let {}, {}", who, where()));
    if (from.line != first_.line || to.line != second_.line)
      pair(set(2), wait, from, to, false, fmt::format("let {}, at the two accesses", who));
    pair(set(2), wait, from, to, true, fmt::format("let {}, of the turn of the loop before", who));
  }
  if (mixed) in_front({names + "SyncAll<false>();"}, second_, "let all cores wait for each other, " + where());
  if (is_vector(source()) && is_vector(target())) {
    in_front({names + "SyncAll<true>();"}, second_, "let all vector cores wait for each other, " + where());
    with_mix_type();
  }
  if (by_pipe && is_vector(source()) == is_vector(target()))
    in_front({set(0), wait}, second_,
             fmt::format("let all {} cores wait for the {} pipe of each other, {}",
                         is_vector(source()) ? "vector" : "matrix", source().pipe, where()));
}

/// In a kernel of vector cores alone there are no cross-core flags; the type with them has the same cores.
void FixCatalogue::with_mix_type() {
  const std::vector<report::Frame>& stack = target().stack;
  const Lines* lines = stack.empty() ? nullptr : read_(stack.back().file);
  if (lines == nullptr) return;
  const std::string plain = "KERNEL_TYPE_AIV_ONLY";
  for (uint32_t line = std::min<uint32_t>(stack.back().line, static_cast<uint32_t>(lines->size())); line > 0; --line) {
    std::string text = (*lines)[line - 1];
    const size_t at = text.find(plain);
    if (at == std::string::npos) continue;
    text.replace(at, plain.size(), "KERNEL_TYPE_MIX_AIV_1_0");
    list_.push_back(
        {"a kernel type with cross-core flags, and let all vector cores wait for each other, " + where(),
         {{stack.back().file, line, {text}, true}, before(second_, {scope(second_.file) + "SyncAll<true>();"})}});
    return;
  }
}

std::vector<Candidate> FixCatalogue::candidates(bool mixed) {
  list_.clear();
  if (!trouble_.empty()) return list_;
  if (finding_.rule == "ASC6101") {
    cache_clean(finding_.accesses[0], "GetValue", false);
  } else if (finding_.rule == "ASC6102") {
    for (const report::AccessInfo& access : finding_.accesses) cache_clean(access, "SetValue", true);
  } else if (finding_.rule == "ASC4204") {
    missing_enque();
  } else if (hangs()) {
    for (const report::AccessInfo& access : finding_.accesses) missing_set(access);
  } else if (read_(second_.file) == nullptr) {
    trouble_ = fmt::format("the source {} is not there; give --source DIR", second_.file);
  } else if (source().core_id == target().core_id) {
    same_core();
  } else {
    between_cores(mixed);
  }
  return list_;
}

}  // namespace ascsan::cli
