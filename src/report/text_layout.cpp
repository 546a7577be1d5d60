// Terminal abilities, character widths, wrapping. See text_layout.h.
#include "report/text_layout.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>

namespace ascsan::report {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

bool wants_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string value(environment(name));
    if (value.empty()) continue;
    std::transform(value.begin(), value.end(), value.begin(), [](unsigned char c) { return std::toupper(c); });
    return value.find("UTF-8") != std::string::npos || value.find("UTF8") != std::string::npos;
  }
  return false;
}

int columns_of(int fd) {
  const std::string_view text = environment("COLUMNS");
  int columns = 0;
  std::from_chars(text.data(), text.data() + text.size(), columns);
  winsize size{};
  if (columns <= 0 && isatty(fd) != 0 && ioctl(fd, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
  return columns <= 0 ? 120 : std::clamp(columns, 40, 240);
}

/// The current folder and its parents: names in reports are relative to some project root above a build folder.
std::vector<std::string> folders_upwards() {
  std::vector<std::string> folders;
  std::error_code error;
  std::filesystem::path folder = std::filesystem::current_path(error);
  while (!error && !folder.empty()) {
    folders.push_back(folder.string());
    if (folder == folder.parent_path()) break;
    folder = folder.parent_path();
  }
  return folders;
}

/// Reads one character at `at` and moves on. Bad bytes and control characters give 0.
uint32_t next_character(std::string_view text, size_t& at) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const uint32_t lead = byte(at);
  ++at;
  if (lead == '\t') return ' ';
  if (lead < 0x80) return lead < 0x20 || lead == 0x7f ? 0 : lead;
  const int more = lead >= 0xf0 && lead < 0xf5   ? 3
                   : lead >= 0xe0 && lead < 0xf0 ? 2
                   : lead >= 0xc2 && lead < 0xe0 ? 1
                                                 : 0;
  if (more == 0) return 0;
  uint32_t code = lead & (0x3fu >> more);
  for (int i = 0; i < more; ++i) {
    if ((byte(at + static_cast<size_t>(i)) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(at + static_cast<size_t>(i)) & 0x3f);
  }
  static constexpr uint32_t kLowest[] = {0, 0x80, 0x800, 0x10000};
  // Overlong forms, surrogates, C1 controls and marks that turn the direction of text are not let through.
  const bool bad = code < kLowest[more] || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff || code < 0xa0 ||
                   (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
                   (code >= 0x2066 && code <= 0x2069);
  at += static_cast<size_t>(more);
  return bad ? 0 : code;
}

size_t columns_of_character(uint32_t code) {
  const bool wide = (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xa4cf) ||
                    (code >= 0xac00 && code <= 0xd7a3) || (code >= 0xf900 && code <= 0xfaff) ||
                    (code >= 0xfe30 && code <= 0xfe6f) || (code >= 0xff00 && code <= 0xff60) ||
                    (code >= 0xffe0 && code <= 0xffe6) || (code >= 0x1f300 && code <= 0x1faff) ||
                    (code >= 0x20000 && code <= 0x3fffd);
  const bool combining = code >= 0x300 && code <= 0x36f;
  return wide ? 2 : combining ? 0 : 1;
}

const char* ascii_for(uint32_t code) {
  switch (code) {
    case 0xb7:
      return "-";  // middle dot
    case 0xd7:
      return "x";  // multiplication sign
    case 0x2013:
    case 0x2014:
      return "-";  // dashes
    case 0x2018:
    case 0x2019:
      return "'";
    case 0x201c:
    case 0x201d:
      return "\"";
    case 0x2026:
      return "...";
    case 0x2192:
      return "->";
    case 0x2260:
      return "!=";
    case 0x2264:
      return "<=";
    case 0x2265:
      return ">=";
    default:
      return "?";
  }
}

}  // namespace

TextStyle file_style() {
  TextStyle style;
  style.source_roots = folders_upwards();
  return style;
}

TextStyle detect_style(int fd) {
  TextStyle style = file_style();
  style.width = columns_of(fd);
  style.colour = isatty(fd) != 0 && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
  style.unicode = wants_utf8();
  return style;
}

size_t display_width(std::string_view text) {
  size_t columns = 0;
  for (size_t at = 0; at < text.size();) columns += columns_of_character(next_character(text, at));
  return columns;
}

std::string Page::clean(std::string_view text) const {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const uint32_t code = next_character(text, at);
    if (code == 0)
      result += '?';
    else if (code < 0x80)
      result += static_cast<char>(code);
    else if (style_.unicode)
      result.append(text.substr(begin, at - begin));
    else
      result += ascii_for(code);
  }
  return result;
}

std::string Page::cut(std::string_view text, size_t columns) const {
  std::string whole = clean(text);
  if (display_width(whole) <= columns) return whole;
  const std::string mark = style_.unicode ? "\u2026" : "..";
  const size_t room = columns - std::min(columns, display_width(mark));
  size_t used = 0, end = 0;
  for (size_t at = 0; at < whole.size(); end = at) {
    used += columns_of_character(next_character(whole, at));
    if (used > room) break;
  }
  return whole.substr(0, end) + mark;
}

std::string Page::paint(Colour colour, const std::string& text) const {
  static constexpr const char* kCodes[] = {"", "1", "2", "1;31", "1;33", "1;34", "1;32"};
  if (!style_.colour || colour == Colour::kNone) return text;
  return std::string("\x1b[") + kCodes[static_cast<size_t>(colour)] + "m" + text + "\x1b[0m";
}

std::string Page::join(const std::vector<std::string>& parts) const {
  std::string line;
  for (const std::string& part : parts)
    if (!part.empty()) line += (line.empty() ? "" : separator()) + part;
  return line;
}

void Page::wrapped(const std::string& first, size_t first_columns, size_t indent, std::string_view body) {
  std::string line = first;
  size_t used = first_columns;
  bool fresh = true;  // nothing of the body stands on this line yet
  const auto flush = [&] {
    line.erase(line.find_last_not_of(' ') + 1);
    text_ += line + '\n';
    line.assign(indent, ' ');
    used = indent;
    fresh = true;
  };
  for (size_t begin = 0; begin <= body.size();) {
    const size_t end = std::min(body.find_first_of(" \n", begin), body.size());
    const std::string word = clean(body.substr(begin, end - begin));
    const size_t columns = display_width(word);
    if (!fresh && used + 1 + columns > width()) flush();
    if (!word.empty()) {
      line += (fresh ? "" : " ") + word;
      used += columns + (fresh ? 0 : 1);
      fresh = false;
    }
    if (end < body.size() && body[end] == '\n') flush();
    begin = end + 1;
  }
  if (!fresh || line.find_first_not_of(' ') != std::string::npos) flush();
}

void Page::block(std::string_view label, std::string_view body) {
  std::string head(kLabelColumn, ' ');
  head += paint(Colour::kBold, clean(label));
  const size_t used = kLabelColumn + display_width(label);
  const size_t gap = used < kBodyColumn ? kBodyColumn - used : 1;
  wrapped(head + std::string(gap, ' '), used + gap, kBodyColumn, body);
}

}  // namespace ascsan::report
