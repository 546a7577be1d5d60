#include "cli/fix_text.h"

#include <algorithm>
#include <cctype>

namespace ascsan::cli {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_loop(const std::string& statement) {
  for (const char* word : {"for", "while", "do"}) {
    const std::string text = word;
    if (statement.compare(0, text.size(), text) == 0 &&
        (statement.size() == text.size() || !is_word(statement[text.size()])))
      return true;
  }
  return false;
}

std::string statement_text(const Lines& code, uint32_t line) {
  std::string text;
  for (uint32_t at = statement_begin(code, line); at <= std::min<size_t>(statement_end(code, line), code.size()); ++at)
    text += code[at - 1] + " ";
  return text;
}

/// The name that ends before `end`, with members: "this->gx_", "gx".
std::string name_before(const std::string& text, size_t end) {
  size_t begin = end;
  while (begin > 0) {
    if (is_word(text[begin - 1]) || text[begin - 1] == '.')
      --begin;
    else if (begin > 1 && text[begin - 1] == '>' && text[begin - 2] == '-')
      begin -= 2;
    else
      break;
  }
  return text.substr(begin, end - begin);
}

/// What stands between the parenthesis at `open` and its partner.
std::string inside(const std::string& text, size_t open) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0) return text.substr(open + 1, i - open - 1);
  }
  return "";
}

}  // namespace

std::string trimmed(const std::string& line) {
  const size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return "";
  return line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
}

Lines code_only(const Lines& lines) {
  Lines code = lines;
  bool comment = false;
  for (std::string& line : code) {
    char quote = 0;
    for (size_t i = 0; i < line.size(); ++i) {
      const char c = line[i], next = i + 1 < line.size() ? line[i + 1] : ' ';
      if (comment) {
        comment = !(c == '*' && next == '/');
        line[i] = ' ';
        if (!comment) line[++i] = ' ';
      } else if (quote != 0) {
        if (c == '\\' && i + 1 < line.size())
          line[i] = line[i + 1] = ' ', ++i;
        else if (c == quote)
          quote = 0;
        else
          line[i] = ' ';
      } else if (c == '/' && next == '/') {
        line.erase(i);
      } else if (c == '/' && next == '*') {
        comment = true;
        line[i] = line[i + 1] = ' ';
        ++i;
      } else if (c == '"' || (c == '\'' && (i == 0 || !is_word(line[i - 1])))) {
        quote = c;
      }
    }
  }
  return code;
}

uint32_t statement_begin(const Lines& code, uint32_t line) {
  while (line > 1) {
    uint32_t before = line - 1;
    while (before > 0 && trimmed(code[before - 1]).empty()) --before;
    if (before == 0) return line;
    const std::string text = trimmed(code[before - 1]);
    const char last = text.back();
    const bool label = last == ':' && text.find('?') == std::string::npos;
    if (last == ';' || last == '{' || last == '}' || label || text[0] == '#') return line;
    line = before;
  }
  return line;
}

uint32_t statement_end(const Lines& code, uint32_t line) {
  for (uint32_t at = line; at <= code.size(); ++at) {
    const std::string text = trimmed(code[at - 1]);
    if (!text.empty() && (text.back() == ';' || text.back() == '}' || text.back() == '{')) return at;
  }
  return line;
}

std::string indent_of(const Lines& lines, uint32_t line) {
  const std::string& text = lines[line - 1];
  return text.substr(0, std::min(text.find_first_not_of(" \t"), text.size()));
}

std::optional<Loop> loop_around(const Lines& code, uint32_t a, uint32_t b) {
  std::vector<uint32_t> open;
  std::optional<Loop> best;
  for (uint32_t line = 1; line <= code.size(); ++line)
    for (const char c : code[line - 1]) {
      if (c == '{') open.push_back(line);
      if (c != '}' || open.empty()) continue;
      const uint32_t begin = open.back();
      open.pop_back();
      if (best || begin > std::min(a, b) || line < std::max(a, b)) continue;
      const uint32_t first = statement_begin(code, begin);
      if (is_loop(trimmed(code[first - 1]))) best = Loop{first, line};
    }
  return best;
}

std::string object_of_call(const Lines& code, uint32_t line, const std::string& name, std::string* arguments) {
  const std::string text = statement_text(code, line);
  for (size_t at = text.find("." + name); at != std::string::npos; at = text.find("." + name, at + 1)) {
    size_t open = at + 1 + name.size();
    if (open < text.size() && text[open] == '<') open = std::min(text.find('(', open), text.size());
    if (open >= text.size() || text[open] != '(') continue;
    if (arguments != nullptr) *arguments = inside(text, open);
    return name_before(text, at);
  }
  return "";
}

std::string first_argument(const Lines& code, uint32_t line) {
  const std::string text = statement_text(code, line);
  const size_t open = text.find('(');
  if (open == std::string::npos) return "";
  const std::string all = inside(text, open), first = trimmed(all.substr(0, all.find(',')));
  return std::all_of(first.begin(), first.end(), is_word) ? first : "";
}

}  // namespace ascsan::cli
