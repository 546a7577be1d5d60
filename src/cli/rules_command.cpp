// ascsan rules [ID]: the catalogue, straight from the tables of the checkers (rows ASCSAN_RULE(id, severity, name,
// text, references)) and of the order (rows ASCSAN_ORDER_RULE(id, name, text)).
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "report/text_layout.h"
#include "report/verdict.h"
#include "run/suggest.h"

namespace ascsan::cli {
namespace {

struct Rule {
  std::string id, severity, name, text, references;
};

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

void print_list(const std::vector<Rule>& rules) {
  size_t id_columns = 0;
  for (const Rule& rule : rules) id_columns = std::max(id_columns, rule.id.size());
  for (const Rule& rule : rules) fmt::print("{:<{}}  {:<8} {}\n", rule.id, id_columns, rule.severity, rule.name);
}

/// "R-3, R-4" with the names of the rules, one a line.
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

void print_rule(const Rule& rule, const std::vector<Rule>& rules) {
  const report::TextStyle style = report::detect_style(STDOUT_FILENO);
  report::Page page(style);
  page.raw(fmt::format("{}  {}  {}", page.paint(report::Colour::kBold, rule.id), rule.severity, rule.name));
  page.blank();
  page.wrapped("  ", 2, 2, rule.text);
  if (!rule.references.empty()) {
    page.blank();
    const bool race = rule.id.rfind("ASC1", 0) == 0;
    page.wrapped(
        "  ", 2, 4,
        (race ? "What could have ordered the two sides:\n" : "Rests on:\n") + explained(rule.references, rules));
  }
  std::fputs(page.take().c_str(), stdout);
}

}  // namespace

int rules_command(const Arguments& args) {
  if (!args.empty() && (args[0] == "--help" || args[0] == "-h")) {
    std::puts(
        "usage: ascsan rules [ID]\n\nWithout ID: one line per rule. With ID, as printed in a report: what the rule "
        "says.");
    return report::kExitClean;
  }
  if (args.size() > 1) return usage_error("too many arguments; usage: ascsan rules [ID]");
  const std::vector<Rule> rules = all_rules();
  if (args.empty()) {
    print_list(rules);
    return report::kExitClean;
  }
  std::string typed = args[0];
  std::transform(typed.begin(), typed.end(), typed.begin(), [](unsigned char c) { return std::toupper(c); });
  // The id of a finding, "ASC1101-5f3c9a", names its rule as well.
  const std::string wanted = typed.substr(0, typed.find('-'));
  std::vector<std::string> names;
  for (const Rule& rule : rules) {
    names.push_back(rule.id);
    if (rule.id != wanted && rule.id != typed) continue;
    print_rule(rule, rules);
    return report::kExitClean;
  }
  const std::string near = run::nearest(typed, names);
  return usage_error(fmt::format("unknown rule \"{}\"{}", run::printable(args[0]),
                                 near.empty() ? "; ascsan rules lists all" : ", did you mean " + near + "?"));
}

}  // namespace ascsan::cli
