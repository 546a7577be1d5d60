#include "report/function_name.h"

#include <string_view>

namespace ascsan::report {
namespace {
/// `text` without everything between matching < and >. Operators such as operator< keep theirs.
std::string without_templates(const std::string& text) {
  std::string plain;
  int depth = 0;
  for (const char c : text) {
    if (c == '<') ++depth;
    if (depth == 0) plain += c;
    if (c == '>' && depth > 0) --depth;
  }
  return depth == 0 ? plain : text;
}
}  // namespace

std::string short_function(const std::string& function) {
  if (function.find("lambda") != std::string::npos || function.find("operator()") != std::string::npos) return "lambda";
  if (function.find("operator") != std::string::npos) return function;
  std::string plain = without_templates(function);
  constexpr std::string_view kUnnamed = "(anonymous namespace)::";  // its bracket opens no parameters
  for (size_t at = plain.find(kUnnamed); at != std::string::npos && at == plain.find('('); at = plain.find(kUnnamed))
    plain.erase(0, at + kUnnamed.size());
  plain = plain.substr(0, plain.find('('));
  const size_t scope = plain.rfind("::");
  if (scope != std::string::npos) plain = plain.substr(scope + 2);
  const size_t type = plain.find_last_of(" *&");
  if (type != std::string::npos && type + 1 < plain.size()) plain = plain.substr(type + 1);
  return plain.empty() ? function : plain;
}

}  // namespace ascsan::report
