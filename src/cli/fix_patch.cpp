#include "cli/fix_patch.h"

#include <algorithm>

#include <fmt/format.h>

namespace ascsan::cli {
namespace {

constexpr size_t kContext = 3;

std::vector<const Edit*> edits_of(const std::string& file, const std::vector<Edit>& edits) {
  std::vector<const Edit*> list;
  for (const Edit& edit : edits)
    if (edit.file == file) list.push_back(&edit);
  std::stable_sort(list.begin(), list.end(), [](const Edit* a, const Edit* b) {
    if (a->line != b->line) return a->line < b->line;
    return !a->replace && b->replace;
  });
  return list;
}

/// Hunk over the old lines begin..end (from 0, half open) with the edits first..last.
std::string hunk(const Lines& lines, size_t begin, size_t end, const std::vector<const Edit*>& edits, size_t first,
                 size_t last, ptrdiff_t& shift) {
  std::string body;
  size_t added = 0, removed = 0;
  for (size_t at = begin; at <= end; ++at) {
    bool gone = false;
    std::string fresh;
    for (size_t e = first; e < last; ++e) {
      if (edits[e]->line != at + 1) continue;
      gone = gone || edits[e]->replace;
      added += edits[e]->lines.size();
      for (const std::string& line : edits[e]->lines) fresh += "+" + line + "\n";
    }
    if (at == end || !gone) body += fresh;
    if (at == end) break;
    body += (gone ? "-" : " ") + lines[at] + "\n";
    removed += gone ? 1 : 0;
    if (gone) body += fresh;
  }
  const size_t count = end - begin;
  const std::string head = fmt::format("@@ -{},{} +{},{} @@\n", begin + 1, count,
                                       static_cast<ptrdiff_t>(begin + 1) + shift, count + added - removed);
  shift += static_cast<ptrdiff_t>(added) - static_cast<ptrdiff_t>(removed);
  return head + body;
}

}  // namespace

Lines applied(const Lines& lines, const std::string& file, const std::vector<Edit>& edits,
              std::vector<uint32_t>* origins) {
  const std::vector<const Edit*> mine = edits_of(file, edits);
  Lines result;
  std::vector<uint32_t> from;
  size_t next = 0;
  for (size_t at = 0; at <= lines.size(); ++at) {
    bool gone = false;
    for (; next < mine.size() && mine[next]->line <= at + 1; ++next) {
      result.insert(result.end(), mine[next]->lines.begin(), mine[next]->lines.end());
      from.resize(result.size(), 0);
      gone = gone || mine[next]->replace;
    }
    if (at == lines.size() || gone) continue;
    result.push_back(lines[at]);
    from.push_back(static_cast<uint32_t>(at + 1));
  }
  if (origins != nullptr) *origins = std::move(from);
  return result;
}

std::string unified_diff(const std::map<std::string, Lines>& sources, const std::vector<Edit>& edits) {
  std::string text;
  for (const auto& [file, lines] : sources) {
    const std::vector<const Edit*> mine = edits_of(file, edits);
    if (mine.empty()) continue;
    text += fmt::format("--- a/{0}\n+++ b/{0}\n", file);
    ptrdiff_t shift = 0;
    for (size_t first = 0; first < mine.size();) {
      size_t last = first + 1;
      while (last < mine.size() && mine[last]->line <= mine[last - 1]->line + 2 * kContext) ++last;
      const size_t at = mine[first]->line - 1, begin = at > kContext ? at - kContext : 0,
                   end = std::min(lines.size(), mine[last - 1]->line - (mine[last - 1]->replace ? 0 : 1) + kContext);
      text += hunk(lines, begin, end, mine, first, last, shift);
      first = last;
    }
  }
  return text;
}

std::string join_lines(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace ascsan::cli
