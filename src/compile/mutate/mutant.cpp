// Edits, diffs and numbers of mutants. See mutant.h.
#include "compile/mutate/mutant.h"

#include <algorithm>

#include <fmt/format.h>

namespace ascsan::compile {
namespace {

constexpr size_t kContext = 2;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string applied(const std::string& text, std::vector<Edit> edits) {
  std::sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
  std::string result;
  size_t at = 0;
  for (const Edit& edit : edits) {
    result.append(text, at, edit.begin - at);
    result += edit.text;
    at = edit.end;
  }
  return result.append(text, at);
}

/// Both texts have the same number of lines; one hunk for changes that lie close together.
std::string unified_diff(const std::string& file, const std::vector<std::string>& before,
                         const std::vector<std::string>& after, const std::vector<uint32_t>& changed) {
  std::string diff = fmt::format("--- a/{0}\n+++ b/{0}\n", file);
  for (size_t i = 0; i < changed.size();) {
    size_t j = i;
    while (j + 1 < changed.size() && changed[j + 1] - changed[j] <= 2 * kContext) ++j;
    const size_t begin = changed[i] > kContext ? changed[i] - 1 - kContext : 0;
    const size_t end = std::min<size_t>(before.size(), changed[j] + kContext);
    diff += fmt::format("@@ -{0},{1} +{0},{1} @@\n", begin + 1, end - begin);
    for (size_t at = begin; at < end;) {
      size_t stop = at;
      while (stop < end && before[stop] != after[stop]) ++stop;
      for (size_t k = at; k < stop; ++k) diff += "-" + before[k] + "\n";
      for (size_t k = at; k < stop; ++k) diff += "+" + after[k] + "\n";
      if (stop == at) diff += " " + before[stop++] + "\n";
      at = stop;
    }
    i = j + 1;
  }
  return diff;
}

}  // namespace

Edit Mutants::replace(const Range& range, std::string text) const {
  const Token &first = source_.tokens()[range.first], &last = source_.tokens()[range.last - 1];
  const std::string_view old = std::string_view(source_.text()).substr(first.begin, last.end - first.begin);
  // Lines keep their numbers: breaks of the old text that the new one does not have follow it.
  const auto breaks = [](std::string_view part) { return std::count(part.begin(), part.end(), '\n'); };
  for (auto missing = breaks(old) - breaks(text); missing > 0; --missing) text += "\n";
  return {first.begin, last.end, std::move(text)};
}

Edit Mutants::remove(const Statement& statement) const {
  return replace(statement.tokens, ";");
}

std::vector<Edit> Mutants::swap(const Statement& a, const Statement& b) const {
  const auto bytes = [&](const Statement& of) {
    return std::pair{source_.tokens()[of.tokens.first].begin, source_.tokens()[of.tokens.last - 1].end};
  };
  const auto [a_begin, a_end] = bytes(a);
  const auto [b_begin, b_end] = bytes(b);
  return {{a_begin, a_end, source_.text_of(b.tokens)}, {b_begin, b_end, source_.text_of(a.tokens)}};
}

void Mutants::add(const char* group, const char* op, std::string what, std::vector<Edit> edits, std::string link) {
  Mutant mutant;
  mutant.text = applied(source_.text(), std::move(edits));
  const std::vector<std::string> before = lines_of(source_.text()), after = lines_of(mutant.text);
  if (before.size() != after.size()) return;
  for (uint32_t i = 0; i < before.size(); ++i)
    if (before[i] != after[i]) mutant.lines.push_back(i + 1);
  if (mutant.lines.empty()) return;
  for (const Mutant& known : list_)
    if (known.text == mutant.text) return;
  mutant.group = group;
  mutant.op = op;
  mutant.what = std::move(what);
  mutant.link = std::move(link);
  mutant.diff = unified_diff(file_, before, after, mutant.lines);
  mutant.number = static_cast<uint32_t>(list_.size()) + 1;
  list_.push_back(std::move(mutant));
}

std::vector<Mutant> mutate(const std::string& file, const std::string& text) {
  const Source source(text);
  Mutants mutants(source, file);
  delete_sync(mutants);
  weaken_sync(mutants);
  move_sync(mutants);
  change_resources(mutants);
  change_footprints(mutants);
  drop_initial_state(mutants);
  return mutants.take();
}

}  // namespace ascsan::compile
