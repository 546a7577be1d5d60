// `ascsan run FILE.cpp`: a program is built from one file with main(), as a user's project would do it, with CMake and
// the package of this ascsan (beside the installed command, or in the build folder it was built in). What was built
// stays in .ascsan/build of the current folder, so that the next run compiles only what has changed.
#pragma once

#include <string>

namespace ascsan::cli {

/// A name that is compiled before it is run: .cpp, .cc, .cxx.
bool is_program_source(const std::string& name);

/// Path of the program built from `source`. Empty when there is none: the compiler's words are on stderr, `error` is
/// the last line to say and `exit_code` what to end with (report/verdict.h).
std::string compile_source(const std::string& source, std::string& error, int& exit_code);

}  // namespace ascsan::cli
