// See compile_source.h. Left out: programs of several files; they have a build of their own.
#include "cli/compile_source.h"

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "cli/child.h"
#include "report/verdict.h"
#include "run/last_run.h"
#include "run/outputs.h"
#include "run/suggest.h"

namespace ascsan::cli {
namespace {

namespace fs = std::filesystem;

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// For a string of CMake in [=[ ]=]: no escapes at all.
std::string bracket(const std::string& text) {
  return "[==[" + text + "]==]";
}

/// Folder of ascsanConfig.cmake that belongs to this very program.
std::string package_folder() {
  std::error_code error;
  const fs::path top = fs::read_symlink("/proc/self/exe", error).parent_path().parent_path();
  for (const fs::path& folder : {top / "lib/cmake/ascsan", top})
    if (fs::exists(folder / "ascsanConfig.cmake", error)) return folder.string();
  return "";
}

std::string project_of(const fs::path& source, const std::string& package) {
  return fmt::format(
      "# Made by ascsan run.\ncmake_minimum_required(VERSION 3.22)\nproject(kernel LANGUAGES CXX)\n"
      "if(NOT CMAKE_BUILD_TYPE)\n  set(CMAKE_BUILD_TYPE Release)\nendif()\n"
      "set(CMAKE_CXX_STANDARD 17)\nset(CMAKE_CXX_STANDARD_REQUIRED ON)\n"
      "find_package(ascsan REQUIRED NO_DEFAULT_PATH PATHS {})\n"
      "add_executable(program {})\ntarget_link_libraries(program PRIVATE ascsan::kernel)\n",
      bracket(package), bracket(source.string()));
}

/// Runs a command with its output in `log`; true when it ended well.
bool run_quietly(const std::string& command, const std::string& log) {
  const int status = std::system(fmt::format("{} >{} 2>&1 </dev/null", command, quoted(log)).c_str());
  return status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string said(const std::string& log) {
  std::string text;
  (void)run::read_file(log, text);
  return text;
}

}  // namespace

bool is_program_source(const std::string& name) {
  const std::string ending = fs::path(name).extension().string();
  std::error_code error;
  return (ending == ".cpp" || ending == ".cc" || ending == ".cxx") && fs::is_regular_file(name, error);
}

std::string compile_source(const std::string& source, std::string& error, int& exit_code) {
  exit_code = report::kExitUsage;
  const std::string shown = run::printable(source), package = package_folder();
  if (package.empty()) {
    error = fmt::format(
        "cannot compile {}: the package ascsan is not beside this program; cmake --install BUILD puts it there", shown);
    return "";
  }
  std::string ignored;
  if (find_program("cmake", ignored).empty()) {
    error = fmt::format("cannot compile {}: no cmake in PATH; ascsan doctor names what is missing", shown);
    return "";
  }
  const fs::path work = fs::path(".ascsan/build") / fs::path(source).stem();
  if (error = run::make_private_folder(work); error.empty())
    error =
        run::write_file_if_new(work / "CMakeLists.txt", project_of(fs::absolute(source).lexically_normal(), package));
  if (!error.empty()) {
    error = fmt::format("cannot compile {}: {}: {}", shown, work.string(), error);
    return "";
  }
  const std::string log = (work / "log").string(), build = quoted((work / "build").string());
  const std::string generator = find_program("ninja", ignored).empty() ? "" : " -G Ninja";
  if (!run_quietly(fmt::format("cmake -S {} -B {}{}", quoted(work.string()), build, generator), log)) {
    fmt::print(stderr, "{}", said(log));
    error = fmt::format("cannot compile {}: CMake fails, see above; ascsan doctor names what is missing", shown);
    return "";
  }
  if (run_quietly("cmake --build " + build, log)) return (work / "build" / "program").string();
  exit_code = report::kExitNotCompiled;
  const std::string text = said(log);
  fmt::print(stderr, "{}", text);
  error = text.find("undefined reference to `main'") != std::string::npos
              ? fmt::format("{} has no main(); write one that launches the kernel with ICPU_RUN_KF", shown)
              : fmt::format("{} does not compile", shown);
  return "";
}

}  // namespace ascsan::cli
