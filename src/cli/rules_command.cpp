// ascsan rules [ID]: the catalogue, straight from the tables of the checkers and of the order, and the page of a rule.
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/rule_text.h"
#include "report/verdict.h"
#include "run/suggest.h"

namespace ascsan::cli {
namespace {

void print_list(const std::vector<Rule>& rules) {
  size_t id_columns = 0;
  for (const Rule& rule : rules) id_columns = std::max(id_columns, rule.id.size());
  for (const Rule& rule : rules) fmt::print("{:<{}}  {:<8} {}\n", rule.id, id_columns, rule.severity, rule.name);
}

/// The page of docs/rules, or for a rule of the order, which has none, its row. Title and first paragraph of a page
/// repeat the row.
void print_one(const Rule& rule, const std::vector<Rule>& rules) {
  const report::TextStyle style = report::detect_style(STDOUT_FILENO);
  report::Page page(style);
  std::string_view text = rule_page(rule.id);
  if (text.empty()) {
    print_rule(page, rule, rules);
  } else {
    for (int paragraph = 0; paragraph < 2; ++paragraph)
      text.remove_prefix(std::min(text.find("\n\n"), text.size() - 2) + 2);
    print_head(page, rule);
    page.blank();
    print_markdown(page, text);
  }
  std::fputs(page.take().c_str(), stdout);
}

}  // namespace

int rules_command(const Arguments& args) {
  if (!args.empty() && (args[0] == "--help" || args[0] == "-h")) {
    std::puts(
        "usage: ascsan rules [ID]\n\nWithout ID: one line per rule. With ID, as printed in a report: what the rule "
        "says,\na kernel that breaks it with its report, and one that keeps it.");
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
    print_one(rule, rules);
    return report::kExitClean;
  }
  const std::string near = run::nearest(typed, names);
  return usage_error(fmt::format("unknown rule \"{}\"{}", run::printable(args[0]),
                                 near.empty() ? "; ascsan rules lists all" : ", did you mean " + near + "?"));
}

}  // namespace ascsan::cli
