#include "check/fingerprint.h"

#include <cstdio>
#include <fstream>

namespace ascsan::check {
namespace {
/// FNV-1a over the text and a separator that no text contains.
uint64_t add(uint64_t hash, const std::string& text) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  return (hash ^ 0x1F) * 0x100000001B3ull;
}

std::string squeezed(const std::string& line) {
  std::string text;
  for (const char c : line) {
    const bool blank = c == ' ' || c == '\t' || c == '\r';
    if (!blank)
      text += c;
    else if (!text.empty() && text.back() != ' ')
      text += ' ';
  }
  if (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}
}  // namespace

std::string Fingerprinter::normalised_line(const gate::Site& site) {
  const std::string file = site.file;
  auto known = files_.find(file);
  if (known == files_.end()) {
    std::vector<std::string> lines;
    std::ifstream stream(file);
    for (std::string line; stream && std::getline(stream, line);) lines.push_back(squeezed(line));
    known = files_.emplace(file, std::move(lines)).first;
  }
  const std::vector<std::string>& lines = known->second;
  if (site.line >= 1 && site.line <= lines.size() && !lines[site.line - 1].empty()) return lines[site.line - 1];
  return file + ":" + std::to_string(site.line);
}

std::string Fingerprinter::id(const std::string& rule, const std::string& kernel, const std::vector<gate::Site>& sites,
                              const std::string& tensor) {
  uint64_t hash = add(add(0xCBF29CE484222325ull, rule), kernel);
  for (const gate::Site& site : sites) hash = add(hash, site.function);
  for (const gate::Site& site : sites) hash = add(hash, normalised_line(site));
  hash = add(hash, tensor);
  char text[16];
  std::snprintf(text, sizeof text, "-%06x", static_cast<unsigned>((hash ^ (hash >> 24) ^ (hash >> 48)) & 0xFFFFFF));
  return rule + text;
}

}  // namespace ascsan::check
