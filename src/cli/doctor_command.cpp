// ascsan doctor: one line per thing that ascsan needs on a machine, ok or missing, with the command that repairs it.
// Things are tried out where that is cheap (a fiber is switched to, a folder is written), not only looked up.
#include <dlfcn.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <boost/context/fiber.hpp>

#include "cli/child.h"
#include "cli/command.h"
#include "report/verdict.h"

namespace ascsan::cli {
namespace {

struct Check {
  std::string name;
  bool good = false;
  std::string found;
  std::string repair;  ///< a command to type
};

std::string first_line_of(const std::string& command) {
  std::array<char, 256> line{};
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "";
  if (std::fgets(line.data(), line.size(), pipe) == nullptr) line[0] = 0;
  pclose(pipe);
  std::string text = line.data();
  return text.substr(0, text.find('\n'));
}

Check check_program(const std::string& name, const std::string& package) {
  std::string ignored;
  const std::string path = find_program(name, ignored);
  if (path.empty()) return {name, false, "not in PATH", "apt-get install " + package};
  return {name, true, first_line_of(name + " --version 2>/dev/null"), ""};
}

Check check_compiler() {
  std::string ignored;
  for (const char* name : {"g++", "clang++"}) {
    if (find_program(name, ignored).empty()) continue;
    const std::string version = first_line_of(std::string(name) + " -dumpversion 2>/dev/null");
    const int major = std::atoi(version.c_str());
    const int least = name[0] == 'g' ? 11 : 14;
    if (major >= least) return {"compiler", true, fmt::format("{} {}", name, version), ""};
  }
  return {"compiler", false, "no g++ 11 or clang++ 14 or newer", "apt-get install g++"};
}

Check check_headers() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  for (const std::filesystem::path& folder : {self.parent_path().parent_path() / "share/ascsan/include",
                                              std::filesystem::path(ASCSAN_SOURCE_DIR) / "include"})
    if (std::filesystem::exists(folder / "ascendc" / "gate.h", error)) return {"headers", true, folder.string(), ""};
  return {"headers", false, "ascendc/gate.h is neither beside this program nor in the source tree",
          "cmake --install build"};
}

Check check_cpu() {
#if defined(__x86_64__)
  std::string found = "x86-64";
  found += __builtin_cpu_supports("avx2") ? " avx2" : "";
  found += __builtin_cpu_supports("fma") ? " fma" : "";
  found += __builtin_cpu_supports("avx512f") ? " avx512f" : "";
  return {"cpu", true, found, ""};
#else
  return {"cpu", true, "not x86-64: portable code is used", ""};
#endif
}

Check check_fibers() {
  namespace context = boost::context;
  int visits = 0;
  context::fiber fiber([&](context::fiber&& back) {
    ++visits;
    back = std::move(back).resume();
    ++visits;
    return std::move(back);
  });
  fiber = std::move(fiber).resume();
  fiber = std::move(fiber).resume();
  return {"fibers", visits == 2, visits == 2 ? "switching works" : "switching fails",
          "apt-get install libboost-context-dev"};
}

Check check_library(const std::string& name, std::initializer_list<const char*> files, const std::string& package) {
  for (const char* file : files) {
    void* handle = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
    if (handle == nullptr) continue;
    dlclose(handle);
    return {name, true, file, ""};
  }
  return {name, false, fmt::format("{} cannot be loaded", *files.begin()), "apt-get install " + package};
}

Check check_stack() {
  rlimit limit{};
  getrlimit(RLIMIT_STACK, &limit);
  constexpr rlim_t kLeast = 1u << 20;
  const bool good = limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= kLeast;
  const std::string found = limit.rlim_cur == RLIM_INFINITY ? "unlimited" : fmt::format("{} KiB", limit.rlim_cur >> 10);
  return {"stack limit", good, found, "ulimit -s 8192"};
}

Check check_address_space() {
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  // 72 cores, each with on-chip memories and a fiber stack, global memory with red zones, and shadow state of both.
  constexpr rlim_t kLeast = rlim_t{4} << 30;
  const bool good = limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= kLeast;
  const std::string found = limit.rlim_cur == RLIM_INFINITY ? "unlimited" : fmt::format("{} MiB", limit.rlim_cur >> 20);
  return {"address space", good, found, "ulimit -v unlimited"};
}

Check check_maps() {
  std::ifstream file("/proc/sys/vm/max_map_count");
  long count = 0;
  if (!(file >> count)) return {"memory maps", true, "no limit known", ""};
  return {"memory maps", count >= 4096, fmt::format("at most {}", count), "sysctl -w vm.max_map_count=65530"};
}

Check check_temporary() {
  std::error_code error;
  std::string path = std::filesystem::temp_directory_path(error).string() + "/ascsan-doctor-XXXXXX";
  const int fd = error ? -1 : mkstemp(path.data());
  const bool good = fd >= 0 && write(fd, "x", 1) == 1;
  if (fd >= 0) {
    close(fd);
    unlink(path.c_str());
  }
  return {"temporary files", good, good ? std::filesystem::path(path).parent_path().string() : "cannot write",
          "export TMPDIR=FOLDER (a writable one)"};
}

}  // namespace

int doctor_command(const Arguments& args) {
  if (!args.empty() && (args[0] == "--help" || args[0] == "-h")) {
    std::puts("usage: ascsan doctor\n\nChecks this machine. Exit code 0: all is there, 1: something is missing.");
    return report::kExitClean;
  }
  if (!args.empty()) return usage_error("too many arguments; usage: ascsan doctor");
  const Check checks[] = {
      check_compiler(),
      check_program("cmake", "cmake"),
      check_program("ninja", "ninja-build"),
      check_headers(),
      check_cpu(),
      check_fibers(),
      check_library("oneDNN", {"libdnnl.so.3", "libdnnl.so.2"}, "libdnnl-dev"),
      check_library("call stacks", {"libdw.so.1"}, "libdw-dev"),
      check_stack(),
      check_address_space(),
      check_maps(),
      check_temporary(),
  };
  size_t missing = 0;
  for (const Check& check : checks) {
    fmt::print("{:<8} {:<16} {}\n", check.good ? "ok" : "missing", check.name, check.found);
    if (check.good) continue;
    fmt::print("{:<8} {:<16} {}\n", "", "", "repair: " + check.repair);
    ++missing;
  }
  fmt::print("{}\n", missing == 0 ? "all is there" : fmt::format("{} of {} missing", missing, std::size(checks)));
  return missing == 0 ? report::kExitClean : 1;
}

}  // namespace ascsan::cli
