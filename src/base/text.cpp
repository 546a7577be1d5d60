#include "base/text.h"

namespace ascsan::base {

std::string place(std::string_view file, uint32_t line) {
  if (file.empty()) return "unknown place";
  return std::string(file) + ":" + std::to_string(line);
}

std::string count(uint64_t n, std::string_view noun) {
  return std::to_string(n) + " " + std::string(noun) + (n == 1 ? "" : "s");
}

}  // namespace ascsan::base
