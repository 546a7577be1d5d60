// Invariants of the order and the checkers that stay on in release builds. A broken one is a defect of this tool or of
// its event source, never of the kernel; it stops the program with one line that says what was seen and what was due.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace ascsan::order {

[[noreturn, gnu::format(printf, 1, 2), gnu::cold]] inline void fatal(const char* format, ...) {
  std::fputs("ascsan: internal error: ", stderr);
  va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stderr, format, arguments);
  va_end(arguments);
  std::fputc('\n', stderr);
  std::abort();
}

}  // namespace ascsan::order
