// Suppressions. See suppress.h. The TOML library is used from its headers alone; its assertions throw, and everything
// it throws is caught here, so no file can end the program (see also run/options_toml.cpp).
#include "report/suppress.h"

#include <charconv>
#include <cstdlib>
#include <ctime>
#include <stdexcept>

#include <fmt/format.h>

#include "base/toml.h"
#include "report/actors.h"
#include "report/escape.h"
#include "report/function_name.h"
#include "report/verdict.h"

namespace ascsan::report {
namespace {

constexpr const char* kKeys = "rule, reason, kernel, tensor, functions, owner, expires";

/// One line, whatever the bytes.
std::string one_line(std::string_view text) {
  std::string result = clean_utf8(text);
  for (char& c : result)
    if (c == '\n' || c == '\t') c = ' ';
  return result;
}

std::string date_text(const toml::date& date) {
  return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
}

bool is_date(const std::string& text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  for (const size_t i : {0, 1, 2, 3, 5, 6, 8, 9})
    if (text[i] < '0' || text[i] > '9') return false;
  const int month = (text[5] - '0') * 10 + text[6] - '0', day = (text[8] - '0') * 10 + text[9] - '0';
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

/// Empty, or what is wrong with one key.
std::string set_key(SuppressionEntry& entry, std::string_view key, const toml::node& node) {
  if (key == "functions") {
    const toml::array* list = node.as_array();
    if (list == nullptr || list->empty() || list->size() > 2) return "functions must be a list of one or two strings";
    for (const toml::node& item : *list) {
      if (!item.is_string()) return "functions must be a list of one or two strings";
      entry.functions.push_back(item.as_string()->get());
    }
    return "";
  }
  if (key == "expires") {
    if (const auto* date = node.as_date()) return entry.expires = date_text(date->get()), "";
    if (node.is_string() && is_date(node.as_string()->get())) return entry.expires = node.as_string()->get(), "";
    return "expires must be a date like 2027-01-31";
  }
  for (auto [name, field] :
       {std::pair{"rule", &SuppressionEntry::rule}, std::pair{"reason", &SuppressionEntry::reason},
        std::pair{"kernel", &SuppressionEntry::kernel}, std::pair{"tensor", &SuppressionEntry::tensor},
        std::pair{"owner", &SuppressionEntry::owner}}) {
    if (key != name) continue;
    if (!node.is_string()) return fmt::format("{} must be a string in quotes", name);
    entry.*field = node.as_string()->get();
    return "";
  }
  return fmt::format("unknown key \"{}\"; known are {}", one_line(key), kKeys);
}

std::string read_entry(SuppressionEntry& entry, const toml::table& table) {
  for (const auto& [key, node] : table)
    if (const std::string wrong = set_key(entry, key.str(), node); !wrong.empty()) return wrong;
  if (entry.rule.empty()) return "the entry has no rule; write rule = \"ASC1101\", or \"*\" for all";
  if (entry.reason.find_first_not_of(" \t\r\n") == std::string::npos)
    return "the entry has no reason; write reason = \"why this is accepted\"";
  return "";
}

std::string read_document(const toml::table& document, const std::string& file,
                          std::vector<SuppressionEntry>& entries) {
  for (const auto& [key, node] : document) {
    const uint32_t line = node.source().begin.line;
    const toml::array* list = node.as_array();
    if (key.str() != "suppress" || list == nullptr)
      return fmt::format("{}:{}: \"{}\" is no entry; an entry starts with [[suppress]]", file, line,
                         one_line(key.str()));
    for (const toml::node& item : *list) {
      SuppressionEntry entry;
      entry.line = item.source().begin.line;
      const toml::table* table = item.as_table();
      const std::string wrong = table == nullptr ? "an entry starts with [[suppress]]" : read_entry(entry, *table);
      if (!wrong.empty()) return fmt::format("{}:{}: {}", file, entry.line, wrong);
      entries.push_back(std::move(entry));
    }
  }
  return "";
}

bool matches_optional(const std::string& glob, const std::string& text) {
  return glob.empty() || glob_matches(glob, text);
}

/// The function of an access, without parameters or, as a second chance, with its bare name.
bool function_matches(const std::string& glob, const AccessInfo& access) {
  return glob_matches(glob, plain_function(access.function)) || glob_matches(glob, short_function(access.function));
}

bool functions_match(const std::vector<std::string>& globs, const std::vector<AccessInfo>& accesses) {
  if (globs.empty()) return true;
  for (size_t i = 0; i < accesses.size(); ++i) {
    if (!function_matches(globs[0], accesses[i])) continue;
    if (globs.size() == 1) return true;
    for (size_t j = 0; j < accesses.size(); ++j)
      if (i != j && function_matches(globs[1], accesses[j])) return true;
  }
  return false;
}

bool covers(const SuppressionEntry& entry, const Finding& finding) {
  return glob_matches(entry.rule, finding.rule) && matches_optional(entry.kernel, finding.kernel) &&
         matches_optional(entry.tensor, finding.tensor) && functions_match(entry.functions, finding.accesses);
}

/// A TOML string with a glob that matches `text`: what TOML or a glob would read otherwise becomes '?' or '*'.
std::string quoted(std::string_view text) {
  static constexpr std::string_view kReplaced = "\ufffd";
  std::string clean = clean_utf8(text), result = "\"";
  for (size_t at = 0; (at = clean.find(kReplaced, at)) != std::string::npos;) clean.replace(at, kReplaced.size(), "*");
  for (const char c : clean) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? '*' : c == '\t' ? '?' : c;
  }
  return result + "\"";
}

}  // namespace

bool glob_matches(std::string_view glob, std::string_view text) {
  size_t g = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      resume = t;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t])) {
      ++g;
      ++t;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*') ++g;
  return g == glob.size();
}

std::string parse_suppressions(std::string_view text, const std::string& file, std::vector<SuppressionEntry>& entries) {
  entries.clear();
  try {
    return read_document(toml::parse(text), file, entries);
  } catch (const toml::parse_error& error) {
    return fmt::format("{}:{}: {}", file, error.source().begin.line, one_line(error.description()));
  } catch (const std::exception& error) {
    return fmt::format("{}: {}", file, one_line(error.what()));
  }
}

void apply_suppressions(RunResult& run, const std::vector<SuppressionEntry>& entries, const std::string& file,
                        const std::string& today) {
  const auto expired = [&](const SuppressionEntry& entry) { return !entry.expires.empty() && entry.expires < today; };
  std::vector<uint64_t> matched(entries.size());
  for (Finding& finding : run.findings)
    for (size_t i = 0; i < entries.size(); ++i) {
      if (!covers(entries[i], finding)) continue;
      ++matched[i];
      if (!finding.suppressed && !expired(entries[i]))
        finding.suppressed = {entries[i].reason, entries[i].owner, entries[i].expires};
    }
  for (size_t i = 0; i < entries.size(); ++i) {
    const SuppressionEntry& entry = entries[i];
    const std::string owner = entry.owner.empty() ? "" : ", owner " + entry.owner;
    const std::string head = fmt::format("{}:{}: the entry for {}{}", file, entry.line, entry.rule, owner);
    if (expired(entry))
      run.suppression_notes.push_back(fmt::format("{} expired on {}; {}", head, entry.expires,
                                                  matched[i] > 0 ? "its findings are reported again" : "remove it"));
    else if (matched[i] == 0)
      run.suppression_notes.push_back(head + " matches no finding of this run; remove it if the fault is fixed");
  }
}

std::string today() {
  std::time_t seconds = std::time(nullptr);
  if (const char* fixed = std::getenv("SOURCE_DATE_EPOCH")) {
    const std::string_view text = fixed;
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && !text.empty()) seconds = value;
  }
  std::tm day{};
  if (gmtime_r(&seconds, &day) == nullptr) return "1970-01-01";
  return fmt::format("{:04}-{:02}-{:02}", day.tm_year + 1900, day.tm_mon + 1, day.tm_mday);
}

std::string suggest_suppressions(const RunResult& run, std::string_view existing) {
  std::string result;
  for (const Finding& finding : run.findings) {
    if (!counts(finding)) continue;
    std::string entry = fmt::format("# [[suppress]]  # {}: {}\n# rule = {}\n", one_line(finding.id),
                                    one_line(finding.title), quoted(finding.rule));
    if (!finding.kernel.empty()) entry += fmt::format("# kernel = {}\n", quoted(finding.kernel));
    if (!finding.tensor.empty()) entry += fmt::format("# tensor = {}\n", quoted(finding.tensor));
    std::string functions;
    size_t named = 0;
    for (const AccessInfo& access : finding.accesses)
      if (!access.function.empty() && named < 2) {
        functions += (functions.empty() ? "" : ", ") + quoted(plain_function(access.function));
        ++named;
      }
    if (!functions.empty()) entry += fmt::format("# functions = [{}]\n", functions);
    entry += "# reason = \"\"  # needed: why this is accepted\n# owner = \"\"\n# # expires = 2030-12-31\n";
    if (existing.find(entry) != std::string_view::npos || result.find(entry) != std::string::npos) continue;
    result += "\n" + entry;
  }
  return result;
}

}  // namespace ascsan::report
