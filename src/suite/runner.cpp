#include "suite/runner.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "report/as_json.h"
#include "report/escape.h"
#include "run/outputs.h"
#include "suite/match.h"

extern char** environ;

namespace ascsan::suite {
namespace {
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// A private folder, gone at the end.
class Folder {
 public:
  Folder() {
    std::error_code error;
    std::string path = std::filesystem::temp_directory_path(error).string() + "/ascsan-suite-XXXXXX";
    if (!error && mkdtemp(path.data()) != nullptr) path_ = path;
  }
  ~Folder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  bool good() const { return !path_.empty(); }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// Starts `program argument`; stdout and stderr go to files. -1 with errno set when it cannot be started.
pid_t start(const std::string& program, const std::string& argument, const std::string& out, const std::string& err,
            const std::map<std::string, std::string>& variables) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&files, 2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry, name = text.substr(0, text.find('='));
    if (name.rfind("ASCSAN_", 0) != 0) environment.push_back(text);
  }
  for (const auto& [name, value] : variables) environment.push_back(name + "=" + value);
  std::vector<char*> pointers;
  for (std::string& entry : environment) pointers.push_back(entry.data());
  pointers.push_back(nullptr);
  std::string name = program, word = argument;
  char* args[] = {name.data(), word.data(), nullptr};
  pid_t child = -1;
  const int code = posix_spawn(&child, program.c_str(), &files, nullptr, args, pointers.data());
  posix_spawn_file_actions_destroy(&files);
  if (code == 0) return child;
  errno = code;
  return -1;
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return "ended by signal " + std::to_string(WTERMSIG(status));
  return "ended with exit status " + std::to_string(WEXITSTATUS(status));
}

struct Job {
  size_t index = 0;
  pid_t child = -1;
  Clock::time_point begin;
};

/// Options of the request, with those of the kernel on top.
std::string options_for(const run::Options& base, const Expectation& expectation, std::string& error) {
  run::Options options = base;
  for (const auto& [name, value] : expectation.options)
    if (error.empty()) error = run::set_option(options, name, value, run::Origin::kProgram);
  options.out.clear();
  options.origin[static_cast<size_t>(run::OptionId::out)] = run::Origin::kDefault;
  return run::to_environment(options);
}

class Pool {
 public:
  Pool(const RunRequest& request, const std::vector<const Expectation*>& list, std::vector<Outcome>& outcomes)
      : request_(request), list_(list), outcomes_(outcomes) {}

  std::string run() {
    if (!folder_.good()) return "cannot make a folder for temporary files; set TMPDIR to a writable folder";
    outcomes_.resize(list_.size());
    std::string error;
    for (size_t next = 0; (next < list_.size() || !running_.empty()) && error.empty();) {
      if (next < list_.size() && running_.size() < request_.jobs)
        error = launch(next++);
      else
        collect();
    }
    for (const Job& job : running_) {
      kill(job.child, SIGKILL);
      waitpid(job.child, nullptr, 0);
    }
    return error;
  }

 private:
  std::string launch(size_t index) {
    const Expectation& expectation = *list_[index];
    outcomes_[index].expectation = &expectation;
    std::string error;
    const std::string name = std::to_string(index);
    const std::map<std::string, std::string> variables = {
        {"ASCSAN_OPTIONS", options_for(request_.options, expectation, error)},
        {"ASCSAN_RESULT", folder_.file(name)},
        {"ASCSAN_ROLE", "first"}};
    if (!error.empty()) return fmt::format("kernel {}: {}", expectation.kernel, error);
    Job job{index, -1, Clock::now()};
    job.child = start(request_.program, expectation.kernel, folder_.file(name + ".out"), folder_.file(name + ".err"),
                      variables);
    if (job.child < 0) return fmt::format("cannot run {}: {}", request_.program, std::strerror(errno));
    running_.push_back(job);
    return "";
  }

  void collect() {
    for (size_t i = 0; i < running_.size(); ++i) {
      const Job job = running_[i];
      int status = 0;
      const bool late = seconds_since(job.begin) > request_.limit_seconds;
      if (late) kill(job.child, SIGKILL);
      if (waitpid(job.child, &status, late ? 0 : WNOHANG) == 0) continue;
      running_.erase(running_.begin() + static_cast<ptrdiff_t>(i));
      Outcome& outcome = outcomes_[job.index];
      outcome.seconds = seconds_since(job.begin);
      outcome.failure = late ? fmt::format("took more than {:.0f} s", request_.limit_seconds) : judge(job, status);
      return;
    }
    const timespec nap{0, 500'000};
    nanosleep(&nap, nullptr);
  }

  std::string judge(const Job& job, int status) const {
    const std::string name = std::to_string(job.index);
    report::RunResult result;
    std::string text, error, said;
    (void)run::read_file(folder_.file(name + ".err"), said);
    if (!said.empty()) said = "; it said: " + said.substr(0, said.find('\n'));
    if (!run::read_file(folder_.file(name), text)) return "gave no result, " + how_it_ended(status) + said;
    if (!report::from_raw_json(text, result, &error)) return "gave a result that cannot be read: " + error;
    if (const std::string difference = mismatch(*list_[job.index], result); !difference.empty()) return difference;
    return status == 0 ? "" : how_it_ended(status) + said;
  }

  const RunRequest& request_;
  const std::vector<const Expectation*>& list_;
  std::vector<Outcome>& outcomes_;
  Folder folder_;
  std::vector<Job> running_;
};
}  // namespace

std::string list_kernels(const std::string& program, std::vector<Listed>& kernels) {
  const Folder folder;
  if (!folder.good()) return "cannot make a folder for temporary files; set TMPDIR to a writable folder";
  const pid_t child = start(program, "--list", folder.file("out"), folder.file("err"), {});
  if (child < 0) return fmt::format("cannot run {}: {}", program, std::strerror(errno));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0) return fmt::format("{} --list {}", program, how_it_ended(status));
  std::string text;
  (void)run::read_file(folder.file("out"), text);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    Listed kernel;
    std::istringstream words(line);
    std::string rest;
    if (!(words >> kernel.name >> kernel.type >> kernel.blocks) || words >> rest)
      return fmt::format("{} --list printed \"{}\"; expected lines \"name type blocks\"", program, line);
    kernels.push_back(kernel);
  }
  return "";
}

std::string run_all(const RunRequest& request, const std::vector<const Expectation*>& expectations,
                    std::vector<Outcome>& outcomes) {
  return Pool(request, expectations, outcomes).run();
}

std::string to_junit(const std::vector<Outcome>& outcomes) {
  std::map<std::string, std::vector<const Outcome*>> files;
  size_t failures = 0;
  for (const Outcome& outcome : outcomes) {
    files[outcome.expectation->file].push_back(&outcome);
    failures += !outcome.failure.empty();
  }
  std::string text =
      fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"{}\" failures=\"{}\">\n",
                  outcomes.size(), failures);
  for (const auto& [file, list] : files) {
    size_t failed = 0;
    for (const Outcome* outcome : list) failed += !outcome->failure.empty();
    const std::string name = report::xml_text(file);
    text += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\">\n", name, list.size(), failed);
    for (const Outcome* outcome : list) {
      text += fmt::format("    <testcase name=\"{}\" classname=\"{}\" file=\"{}\" line=\"{}\" time=\"{:.3f}\"",
                          report::xml_text(outcome->expectation->kernel), name, name, outcome->expectation->line,
                          outcome->seconds);
      if (outcome->failure.empty())
        text += "/>\n";
      else
        text +=
            fmt::format(">\n      <failure message=\"{}\"/>\n    </testcase>\n", report::xml_text(outcome->failure));
    }
    text += "  </testsuite>\n";
  }
  return text + "</testsuites>\n";
}

}  // namespace ascsan::suite
