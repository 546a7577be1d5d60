// fork, exec, wait. See child.h. An exec that fails is reported through a close-on-exec pipe, so "cannot be started" is
// never confused with an exit status of the program.
#include "cli/child.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <fmt/format.h>

#include "run/suggest.h"

extern char** environ;

namespace ascsan::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

volatile sig_atomic_t g_child = 0;
volatile sig_atomic_t g_interrupted_by = 0;

// A terminal sends its signals to the program as well; only what was sent to us alone is passed on.
void pass_on(int signal, siginfo_t* info, void*) {
  const int saved = errno;
  g_interrupted_by = signal;
  if (g_child > 0 && info->si_code != SI_KERNEL) kill(g_child, signal);
  errno = saved;
}

/// Handlers for the time a child runs.
class SignalGuard {
 public:
  SignalGuard() {
    g_interrupted_by = 0;
    struct sigaction action {};
    action.sa_sigaction = pass_on;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &saved_int_);
    sigaction(SIGTERM, &action, &saved_term_);
  }
  ~SignalGuard() {
    g_child = 0;
    sigaction(SIGINT, &saved_int_, nullptr);
    sigaction(SIGTERM, &saved_term_, nullptr);
  }
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

 private:
  struct sigaction saved_int_ {
  }, saved_term_{};
};

enum class Executable { kNo, kYes, kDenied, kFolder };

Executable probe(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return Executable::kNo;
  if (S_ISDIR(info.st_mode)) return Executable::kFolder;
  return access(path.c_str(), X_OK) == 0 ? Executable::kYes : Executable::kDenied;
}

bool is_source(const std::string& name) {
  for (const char* ending : {".cpp", ".cc", ".cxx", ".c", ".h", ".asc"}) {
    const size_t length = std::strlen(ending);
    if (name.size() > length && name.compare(name.size() - length, length, ending) == 0) return true;
  }
  return false;
}

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& added) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (added.count(text.substr(0, text.find('='))) == 0) result.push_back(text);
  }
  for (const auto& [name, value] : added) result.push_back(name + "=" + value);
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// Runs in the child; only async-signal-safe calls. Returns if exec failed.
void become(const char* path, char* const* args, char* const* environment, bool silent, const sigset_t& mask) {
  if (silent) {
    const int null = open("/dev/null", O_RDWR);
    if (null >= 0)
      for (int fd = 0; fd < 3; ++fd) dup2(null, fd);
    if (null > 2) close(null);
  }
  for (int signal : {SIGINT, SIGTERM, SIGPIPE}) std::signal(signal, SIG_DFL);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execve(path, args, environment);
}

int decode(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/// Waits for the child and kills it at the limit.
void wait_for(pid_t child, const ChildRequest& request, Clock::time_point begin, ChildResult& result) {
  int status = 0;
  while (true) {
    const pid_t done = waitpid(child, &status, request.limit_seconds ? WNOHANG : 0);
    if (done == child) break;
    if (done < 0 && errno != EINTR) break;
    if (!request.limit_seconds || done < 0) continue;
    if (seconds_since(begin) > *request.limit_seconds) {
      result.timed_out = true;
      kill(child, SIGKILL);
    }
    const timespec nap{0, 2'000'000};
    nanosleep(&nap, nullptr);
  }
  result.status = decode(status);
}

}  // namespace

std::string find_program(const std::string& name, std::string& error) {
  const std::string shown = run::printable(name);
  if (name.empty() || name.find('/') != std::string::npos) {
    switch (probe(name)) {
      case Executable::kYes:
        return name;
      case Executable::kNo:
        error = fmt::format("cannot run {}: no such file; build it first", shown);
        break;
      case Executable::kFolder:
        error = fmt::format("cannot run {}: it is a folder, not a program", shown);
        break;
      case Executable::kDenied:
        error = fmt::format("cannot run {}: not executable; try: chmod +x {}", shown, shown);
        break;
    }
    if (is_source(name) && probe(name) != Executable::kNo)
      error =
          fmt::format("cannot run {}: it is source text; build a program from it (CMake target ascsan::kernel)", shown);
    return "";
  }
  const char* variable = std::getenv("PATH");
  const std::string path = variable == nullptr ? "" : variable;
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find(':', begin), path.size());
    const std::string candidate = path.substr(begin, end - begin) + "/" + name;
    if (end > begin && probe(candidate) == Executable::kYes) return candidate;
    begin = end + 1;
  }
  if (is_source(name) && probe(name) != Executable::kNo)
    error =
        fmt::format("cannot run {}: it is source text; build a program from it (CMake target ascsan::kernel)", shown);
  else if (probe(name) == Executable::kYes)
    error = fmt::format("cannot run {}: not in PATH; did you mean ./{}?", shown, shown);
  else
    error = fmt::format("cannot run {}: no such program here or in PATH; build it first", shown);
  return "";
}

ChildResult run_child(const ChildRequest& request) {
  ChildResult result;
  std::vector<std::string> args = request.args, environment = merged_environment(request.environment);
  const std::vector<char*> arg_pointers = pointers(args), environment_pointers = pointers(environment);
  int failure[2];
  if (pipe2(failure, O_CLOEXEC) != 0) {
    result.start_error = std::strerror(errno);
    return result;
  }
  const SignalGuard guard;
  // Blocked until the child is known, so that no signal is lost between fork and the first wait.
  sigset_t stop, before;
  sigemptyset(&stop);
  sigaddset(&stop, SIGINT);
  sigaddset(&stop, SIGTERM);
  sigprocmask(SIG_BLOCK, &stop, &before);
  const Clock::time_point begin = Clock::now();
  const pid_t child = fork();
  if (child == 0) {
    become(request.path.c_str(), arg_pointers.data(), environment_pointers.data(), request.silent, before);
    const int reason = errno;
    (void)!write(failure[1], &reason, sizeof reason);
    _exit(127);
  }
  const int fork_error = errno;
  g_child = child;
  sigprocmask(SIG_SETMASK, &before, nullptr);
  close(failure[1]);
  int reason = 0;
  ssize_t got = 0;
  if (child > 0) {
    do got = read(failure[0], &reason, sizeof reason);
    while (got < 0 && errno == EINTR);
    wait_for(child, request, begin, result);
  }
  close(failure[0]);
  if (child < 0 || got == sizeof reason) result.start_error = std::strerror(child < 0 ? fork_error : reason);
  result.interrupted_by = g_interrupted_by;
  result.seconds = seconds_since(begin);
  return result;
}

}  // namespace ascsan::cli
