// Source text as `ascsan fix` reads it: where a statement begins and ends, which loop holds it, what a call is given.
// No parser: comments and strings are blanked, braces and parentheses counted. A wrong guess costs a candidate, never a
// wrong cure, since each is compiled and proven. Left out: macros that hold braces, loops without braces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ascsan::cli {

using Lines = std::vector<std::string>;

/// Comments and literals blanked, columns kept.
Lines code_only(const Lines& lines);
std::string trimmed(const std::string& line);
/// First line of the statement that holds line `line`, from 1: inserting there does not break it.
uint32_t statement_begin(const Lines& code, uint32_t line);
/// Its last line.
uint32_t statement_end(const Lines& code, uint32_t line);
std::string indent_of(const Lines& lines, uint32_t line);

/// A loop with braces: from its `for`, `while` or `do` to the closing brace.
struct Loop {
  uint32_t begin = 0, end = 0;
};
/// The innermost loop that holds both lines.
std::optional<Loop> loop_around(const Lines& code, uint32_t a, uint32_t b);

/// `OBJECT.NAME(ARGUMENTS)` in the statement of the line: the object, empty when there is no such call.
std::string object_of_call(const Lines& code, uint32_t line, const std::string& name, std::string* arguments = nullptr);
/// First argument of the first call in the statement, when it is a plain name.
std::string first_argument(const Lines& code, uint32_t line);

}  // namespace ascsan::cli
