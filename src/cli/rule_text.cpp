// See rule_text.h. Rows: ASCSAN_RULE(id, severity, name, text, references) of check/rules.def and
// ASCSAN_ORDER_RULE(id, name, text) of order/rules.def. The pages are written into rule_pages.inc by
// cmake/rule_pages.cmake.
#include "cli/rule_text.h"

#include <algorithm>

#include <fmt/format.h>

namespace ascsan::cli {
namespace {

struct RulePage {
  std::string_view id, text;
};

constexpr RulePage kPages[] = {
#include "rule_pages.inc"
    {"", ""}};

bool starts_with(std::string_view text, std::string_view begin) {
  return text.substr(0, begin.size()) == begin;
}

/// Text without the marks of Markdown: `code`, **strong**, [words](target).
std::string plain(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '`' || (text[i] == '*' && i + 1 < text.size() && text[i + 1] == '*')) {
      i += text[i] == '*' ? 1 : 0;
      continue;
    }
    const size_t close = text[i] == '[' ? text.find("](", i) : std::string_view::npos;
    const size_t end = close == std::string_view::npos ? close : text.find(')', close);
    if (end != std::string_view::npos) {
      result += text.substr(i + 1, close - i - 1);
      i = end;
      continue;
    }
    result += text[i];
  }
  return result;
}

}  // namespace

std::vector<Rule> all_rules() {
  std::vector<Rule> rules;
#define ASCSAN_RULE(id, severity, name, text, references) rules.push_back({#id, #severity, name, text, references});
#include "check/rules.def"
#undef ASCSAN_RULE
  std::stable_sort(rules.begin(), rules.end(), [](const Rule& a, const Rule& b) { return a.id < b.id; });
#define ASCSAN_ORDER_RULE(id, name, text) rules.push_back({#id, "order", name, text, ""});
#include "order/rules.def"
#undef ASCSAN_ORDER_RULE
  return rules;
}

std::string explained(const std::string& references, const std::vector<Rule>& rules) {
  std::string text;
  for (size_t begin = references.find_first_not_of(", "); begin != std::string::npos;) {
    const size_t end = std::min(references.find_first_of(", ", begin), references.size());
    const std::string id = references.substr(begin, end - begin);
    text += (text.empty() ? "" : "\n") + id;
    for (const Rule& rule : rules)
      if (rule.id == id) text += " " + rule.name + ": " + rule.text;
    begin = references.find_first_not_of(", ", end);
  }
  return text;
}

std::string_view rule_page(std::string_view id) {
  for (const RulePage& page : kPages)
    if (page.id == id) return page.text;
  return "";
}

void print_head(report::Page& page, const Rule& rule) {
  page.raw(fmt::format("{}  {}  {}", page.paint(report::Colour::kBold, rule.id), rule.severity, rule.name));
  page.blank();
  page.wrapped("  ", 2, 2, rule.text);
}

void print_rule(report::Page& page, const Rule& rule, const std::vector<Rule>& rules) {
  print_head(page, rule);
  if (rule.references.empty()) return;
  page.blank();
  const bool race = starts_with(rule.id, "ASC1");
  page.wrapped("  ", 2, 4,
               (race ? "What could have ordered the two sides:\n" : "Rests on:\n") + explained(rule.references, rules));
}

void print_markdown(report::Page& page, std::string_view markdown) {
  std::string paragraph;
  size_t indent = 0;
  const auto flush = [&] {
    if (!paragraph.empty()) page.wrapped("", 0, indent, plain(paragraph));
    paragraph.clear();
    indent = 0;
  };
  bool code = false;
  while (!markdown.empty()) {
    const size_t end = std::min(markdown.find('\n'), markdown.size());
    const std::string_view line = markdown.substr(0, end);
    markdown.remove_prefix(std::min(end + 1, markdown.size()));
    if (starts_with(line, "```")) {
      flush();
      code = !code;
    } else if (code) {
      page.raw("    " + page.clean(line));
    } else if (line.empty()) {
      flush();
      page.blank();
    } else if (line[0] == '#') {
      flush();
      page.raw(page.paint(report::Colour::kBold, plain(line.substr(line.find_first_not_of("# ")))));
    } else {
      if (starts_with(line, "* ")) {
        flush();
        indent = 2;
      }
      paragraph += (paragraph.empty() ? "" : " ") + std::string(line.substr(line.find_first_not_of(' ')));
    }
  }
  flush();
}

}  // namespace ascsan::cli
