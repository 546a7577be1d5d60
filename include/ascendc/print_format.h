// printf formatting that takes each value by its own type, so that a wrong conversion letter prints a readable value
// instead of reading garbage. Follows the C conversions d i u x X o c f F e E g G s p % with flags, width, precision.
// Left out: %n, long double, wide characters.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>

#include "ascendc/types.h"

namespace AscendC::detail {

struct PrintArgument {
  enum class Kind : uint8_t { kInteger, kReal, kText, kPointer } kind = Kind::kInteger;
  int64_t as_signed = 0;
  uint64_t as_unsigned = 0;  ///< zero extended from the size of the argument
  double real = 0;
  const char* text = nullptr;
};

template <typename T>
PrintArgument print_argument(const T& value) {
  using Plain = std::decay_t<T>;
  PrintArgument argument;
  if constexpr (std::is_same_v<Plain, char*> || std::is_same_v<Plain, const char*>) {
    argument.kind = PrintArgument::Kind::kText;
    argument.text = value;
  } else if constexpr (std::is_null_pointer_v<Plain>) {
    argument.kind = PrintArgument::Kind::kPointer;
  } else if constexpr (std::is_pointer_v<Plain>) {
    argument.kind = PrintArgument::Kind::kPointer;
    argument.as_unsigned = reinterpret_cast<uint64_t>(value);
  } else if constexpr (std::is_same_v<Plain, bool>) {
    argument.as_signed = value;
    argument.as_unsigned = value;
  } else if constexpr (std::is_enum_v<Plain>) {
    return print_argument(static_cast<std::underlying_type_t<Plain>>(value));
  } else if constexpr (std::is_integral_v<Plain>) {
    argument.as_signed = static_cast<int64_t>(static_cast<std::make_signed_t<Plain>>(value));
    argument.as_unsigned = static_cast<uint64_t>(static_cast<std::make_unsigned_t<Plain>>(value));
  } else {
    argument.kind = PrintArgument::Kind::kReal;
    argument.real = static_cast<double>(static_cast<float>(value));
    if constexpr (std::is_same_v<Plain, double>) argument.real = value;
  }
  return argument;
}

template <typename T>
void append_number(std::string& text, const std::string& spec, T value) {
  char buffer[128];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int length = std::snprintf(buffer, sizeof buffer, spec.c_str(), value);
  if (length < static_cast<int>(sizeof buffer)) {
    text.append(buffer, length < 0 ? 0 : static_cast<size_t>(length));
    return;
  }
  std::string longer(static_cast<size_t>(length) + 1, '\0');
  std::snprintf(longer.data(), longer.size(), spec.c_str(), value);
#pragma GCC diagnostic pop
  text.append(longer, 0, static_cast<size_t>(length));
}

/// Appends one argument; `spec` is "%" with flags, width and precision, `letter` the conversion.
inline void append_argument(std::string& text, std::string spec, char letter, const PrintArgument& argument) {
  const bool unsigned_letter = letter == 'u' || letter == 'x' || letter == 'X' || letter == 'o';
  const bool real_letter =
      letter == 'f' || letter == 'F' || letter == 'e' || letter == 'E' || letter == 'g' || letter == 'G';
  switch (argument.kind) {
    case PrintArgument::Kind::kText:
      return append_number(text, spec + "s", argument.text == nullptr ? "(null)" : argument.text);
    case PrintArgument::Kind::kPointer:
      return append_number(text, "%#llx", static_cast<unsigned long long>(argument.as_unsigned));
    case PrintArgument::Kind::kReal:
      return append_number(text, spec + (real_letter ? letter : 'f'), argument.real);
    case PrintArgument::Kind::kInteger:
      break;
  }
  if (letter == 'c') return append_number(text, spec + "c", static_cast<int>(argument.as_signed & 0xFF));
  if (letter == 'p') return append_number(text, "%#llx", static_cast<unsigned long long>(argument.as_unsigned));
  if (unsigned_letter)
    return append_number(text, spec + "ll" + letter, static_cast<unsigned long long>(argument.as_unsigned));
  append_number(text, spec + "lld", static_cast<long long>(argument.as_signed));
}

/// The text of a device printf. Missing arguments print as "<missing>".
inline std::string format_text(const char* format, const PrintArgument* arguments, size_t count) {
  std::string text;
  size_t next = 0;
  for (const char* p = format; *p != '\0'; ++p) {
    if (*p != '%') {
      text += *p;
      continue;
    }
    if (p[1] == '%') {
      text += *++p;
      continue;
    }
    std::string spec = "%";
    for (++p; *p != '\0' && std::string("-+ #0123456789.*").find(*p) != std::string::npos; ++p) {
      if (*p != '*')
        spec += *p;
      else
        spec += std::to_string(next < count ? arguments[next++].as_signed : 0);
    }
    while (*p != '\0' && std::string("hlLqjzt").find(*p) != std::string::npos) ++p;
    if (*p == '\0') return text + spec;
    if (next < count)
      append_argument(text, spec, *p, arguments[next++]);
    else
      text += "<missing>";
  }
  return text;
}

}  // namespace AscendC::detail
