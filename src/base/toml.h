// The TOML library as every part of this project uses it: from its headers alone, so that nothing has to be linked, and
// with exceptions. Its parser (3.3.0) ends the program at an assertion for a file like "[#"; therefore its assertions
// throw. One definition for all: parts with different ones in one program would break the one-definition rule. Callers
// catch toml::parse_error and then std::exception.
#pragma once

#include <stdexcept>

namespace ascsan::base {
[[noreturn]] inline void toml_assertion_failed() {
  throw std::logic_error("broken key or table name");
}
}  // namespace ascsan::base

#define TOML_EXCEPTIONS 1
#define TOML_ASSERT(condition) ((condition) ? void() : ::ascsan::base::toml_assertion_failed())
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>
