// Small text helpers shared by all layers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ascsan::base {

/// "file:line", or "unknown place" without a file.
std::string place(std::string_view file, uint32_t line);
/// "1 byte", "2 bytes".
std::string count(uint64_t n, std::string_view noun);

}  // namespace ascsan::base
