// Tokens and brackets. See source.h; statements are in statements.cpp.
#include "compile/mutate/source.h"

#include <cctype>

namespace ascsan::compile {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

}  // namespace

Source::Source(std::string text) : text_(std::move(text)) {
  tokenise();
  match_brackets();
  find_functions();
}

std::string_view Source::word(size_t token) const {
  return std::string_view(text_).substr(tokens_[token].begin, tokens_[token].end - tokens_[token].begin);
}

std::string Source::text_of(const Range& range) const {
  if (range.empty()) return "";
  return text_.substr(tokens_[range.first].begin, tokens_[range.last - 1].end - tokens_[range.first].begin);
}

void Source::tokenise() {
  uint32_t line = 1;
  bool fresh = true;  // nothing but blanks on this line so far
  for (size_t at = 0; at < text_.size();) {
    const char c = text_[at];
    if (c == '\n') ++line, fresh = true;
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at;
      continue;
    }
    const size_t begin = at;
    const uint32_t first = line;
    const auto skip_to = [&](size_t end) {
      for (end = std::min(end, text_.size()); at < end; ++at) line += text_[at] == '\n';
    };
    if (text_.compare(at, 2, "//") == 0) {
      skip_to(std::min(text_.find('\n', at), text_.size()));
      continue;
    }
    if (text_.compare(at, 2, "/*") == 0) {
      const size_t end = text_.find("*/", at + 2);
      skip_to(end == std::string::npos ? text_.size() : end + 2);
      continue;
    }
    if (c == '#' && fresh) {  // a line that ends in a backslash goes on
      size_t end = text_.find('\n', at);
      while (end != std::string::npos && text_[end - 1] == '\\') end = text_.find('\n', end + 1);
      skip_to(end == std::string::npos ? text_.size() : end);
      continue;
    }
    fresh = false;
    Token::Kind kind = Token::Kind::kMark;
    if (c == '"' || c == '\'') {
      kind = Token::Kind::kString;
      size_t end = at + 1;
      while (end < text_.size() && text_[end] != c) end += text_[end] == '\\' ? 2 : 1;
      skip_to(end + 1);
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      kind = Token::Kind::kNumber;
      while (at < text_.size() && (is_word(text_[at]) || text_[at] == '.' || text_[at] == '\'')) ++at;
    } else if (is_word(c)) {
      kind = Token::Kind::kWord;
      while (at < text_.size() && is_word(text_[at])) ++at;
    } else {
      const std::string_view two = std::string_view(text_).substr(at, 2);
      at += two == "::" || two == "->" ? 2 : 1;
    }
    tokens_.push_back({kind, begin, at, first});
  }
}

void Source::match_brackets() {
  partners_.assign(tokens_.size(), kNone);
  std::vector<size_t> open;
  for (size_t i = 0; i < tokens_.size(); ++i) {
    if (tokens_[i].kind != Token::Kind::kMark) continue;
    const char c = text_[tokens_[i].begin];
    if (c == '(' || c == '[' || c == '{') open.push_back(i);
    if ((c != ')' && c != ']' && c != '}') || open.empty()) continue;
    partners_[i] = open.back();
    partners_[open.back()] = i;
    open.pop_back();
  }
}

std::vector<Range> Source::pieces(size_t open, size_t close) const {
  std::vector<Range> list;
  if (open + 1 == close) return list;
  Range piece{open + 1, open + 1};
  int angles = 0;  // of template arguments: Type<a, b>{...}
  for (size_t i = open + 1; i < close; ++i) {
    if (is(i, "<") && i > 0 && tokens_[i - 1].kind == Token::Kind::kWord) ++angles;
    if (is(i, ">") && angles > 0) --angles;
    if (is(i, ",") && angles == 0) {
      piece.last = i;
      list.push_back(piece);
      piece.first = i + 1;
    }
    const bool opens = is(i, "(") || is(i, "[") || is(i, "{");
    if (opens && partners_[i] != kNone) i = partners_[i];
  }
  piece.last = close;
  list.push_back(piece);
  return list;
}

}  // namespace ascsan::compile
