// The rules as `ascsan rules` and `ascsan explain` show them: the rows of the checkers' and the order's tables, and the
// page of docs/rules that belongs to a rule, which is part of the program so that it is there wherever the program is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/text_layout.h"

namespace ascsan::cli {

struct Rule {
  std::string id, severity, name, text, references;
};

/// Rules of findings sorted by id, then those of the order ("R-5"), severity "order".
std::vector<Rule> all_rules();

/// "R-3 name: text" for each id of a list like "R-3, R-4", one a line.
std::string explained(const std::string& references, const std::vector<Rule>& rules);

/// The Markdown page of a rule; empty when it has none.
std::string_view rule_page(std::string_view id);

/// Head line and text of a rule.
void print_head(report::Page& page, const Rule& rule);
/// What the tables say about a rule: head, and what it rests on.
void print_rule(report::Page& page, const Rule& rule, const std::vector<Rule>& rules);

/// A Markdown page on a terminal: headings bold, code indented, text wrapped, links as text.
void print_markdown(report::Page& page, std::string_view markdown);

}  // namespace ascsan::cli
