// Escapes of all report formats but text and JSON. See escape.h.
#include "report/escape.h"

#include <cstdint>

namespace ascsan::report {
namespace {

constexpr std::string_view kReplacement = "\ufffd";

/// Length of the well-formed character at `at` with its code point; 0 when there is none (Unicode table 3-7).
size_t character_at(std::string_view text, size_t at, uint32_t& code) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const uint32_t lead = byte(at);
  code = lead;
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xf0 && lead < 0xf5   ? 4
                        : lead >= 0xe0 && lead < 0xf0 ? 3
                        : lead >= 0xc2 && lead < 0xe0 ? 2
                                                      : 0;
  if (length == 0) return 0;
  code = lead & (0x7fu >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(at + i) & 0x3f);
  }
  static constexpr uint32_t kLowest[] = {0, 0, 0x80, 0x800, 0x10000};
  return code < kLowest[length] || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff ? 0 : length;
}

/// Not allowed in XML 1.0, or able to make text look like something else.
bool harmful(uint32_t code) {
  return (code < 0x20 && code != '\t' && code != '\n') || (code >= 0x7f && code < 0xa0) ||
         (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0xfeff || (code & 0xfffe) == 0xfffe ||
         (code >= 0xfdd0 && code <= 0xfdef);
}

void append_percent(std::string& result, char c) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  result += '%';
  result += kDigits[byte >> 4];
  result += kDigits[byte & 15];
}

/// clean_utf8 with the characters of `wanted` percent-encoded.
std::string percent_encoded(std::string_view text, std::string_view wanted) {
  std::string result;
  for (const char c : clean_utf8(text))
    if (wanted.find(c) != std::string_view::npos)
      append_percent(result, c);
    else
      result += c;
  return result;
}

}  // namespace

std::string clean_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    uint32_t code = 0;
    const size_t length = character_at(text, at, code);
    if (code == '\r') {
      result += '\n';
      at += at + 1 < text.size() && text[at + 1] == '\n' ? 2 : 1;
      continue;
    }
    if (length == 0 || harmful(code))
      result += kReplacement;
    else
      result.append(text.substr(at, length));
    at += length == 0 ? 1 : length;
  }
  return result;
}

std::string xml_text(std::string_view text) {
  std::string result;
  for (const char c : clean_utf8(text)) switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      case '\n':
        result += "&#10;";
        break;
      case '\t':
        result += "&#9;";
        break;
      default:
        result += c;
    }
  return result;
}

std::string file_uri(std::string_view file) {
  static constexpr std::string_view kKept = "-._~/";
  std::string result = !file.empty() && file[0] == '/' ? "file://" : "";
  if (file.substr(0, 2) == "//") result += "/.";  // "//host" would name another machine
  for (const char c : file) {
    const bool alnum = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (alnum || kKept.find(c) != std::string_view::npos)
      result += c;
    else
      append_percent(result, c);  // a colon too, so nothing looks like a scheme
  }
  return result;
}

std::string github_message(std::string_view text) {
  return percent_encoded(text, "%\r\n");
}

std::string github_property(std::string_view text) {
  return percent_encoded(text, "%\r\n:,");
}

std::string json_in_html(std::string_view json) {
  std::string result;
  for (const char c : json) {
    if (c == '<')
      result += "\\u003c";
    else if (c == '>')
      result += "\\u003e";
    else if (c == '&')
      result += "\\u0026";
    else
      result += c;
  }
  return result;
}

}  // namespace ascsan::report
