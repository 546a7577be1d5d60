// Builds a program with some source files changed, without touching the source tree: the units that include them are
// compiled from a copy with the commands of compile_commands.json and linked with the command of the build folder
// (Ninja), or a command of the user builds a copy of the whole tree. Left out: other generators, which need that
// command.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace ascsan::cli {

struct BuildPlan {
  std::string program;       ///< path of the program as it is now
  std::string command;       ///< --build; empty = from compile_commands.json
  std::string source_root;   ///< --source, or found
  std::string build_folder;  ///< with compile_commands.json and build.ninja
};

/// Completes the plan. Empty on success, else one line.
std::string find_build(BuildPlan& plan);

/// The path of a file as the compiler saw it, empty when it cannot be found.
std::string locate_source(const BuildPlan& plan, const std::string& file);

/// Builds with other contents of some files (by their path) into `folder`; `built` is the new program. Empty on
/// success, else why not, with the first lines the compiler said.
std::string build_changed(const BuildPlan& plan, const std::map<std::string, std::string>& contents,
                          const std::string& folder, std::string& built);

}  // namespace ascsan::cli
