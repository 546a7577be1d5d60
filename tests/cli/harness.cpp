#include "harness.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace ascsan::cli_test {

std::string Outcome::last_line() const {
  const size_t end = err.find_last_not_of('\n');
  const size_t begin = err.find_last_of('\n', end);
  return err.substr(begin + 1, end - begin);
}

bool is_one_line(const std::string& text) {
  return !text.empty() && text.back() == '\n' && std::count(text.begin(), text.end(), '\n') == 1;
}

void CliTest::SetUp() {
  std::string path = (std::filesystem::temp_directory_path() / "cli-test-XXXXXX").string();
  ASSERT_NE(mkdtemp(path.data()), nullptr);
  folder_ = path;
}

void CliTest::TearDown() {
  std::filesystem::remove_all(folder_);
}

std::string CliTest::fake_program() {
  return ASCSAN_FAKE_PROGRAM;
}

std::string CliTest::read(const std::string& name) const {
  std::ostringstream text;
  text << std::ifstream(folder_ / name).rdbuf();
  return text.str();
}

void CliTest::write(const std::string& name, const std::string& text) const {
  std::ofstream(folder_ / name) << text;
}

pid_t CliTest::start(const Words& args, const std::map<std::string, std::string>& environment,
                     const std::string& input) {
  write("stdin", input);
  std::filesystem::remove(folder_ / "stdout");  // of the command before
  std::map<std::string, std::string> all = {
      {"PATH", std::getenv("PATH")}, {"LC_ALL", "C.UTF-8"}, {"COLUMNS", "100"}, {"TMPDIR", folder_.string()}};
  for (const auto& [name, value] : environment) all[name] = value;
  std::vector<std::string> texts = {ASCSAN_PROGRAM};
  texts.insert(texts.end(), args.begin(), args.end());
  const size_t words = texts.size();
  for (const auto& [name, value] : all) texts.push_back(name + "=" + value);
  std::vector<char*> argv, envp;
  for (size_t i = 0; i < texts.size(); ++i) (i < words ? argv : envp).push_back(texts[i].data());
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  if (chdir(folder_.c_str()) != 0) _exit(126);
  dup2(open("stdin", O_RDONLY), 0);
  dup2(open("stdout", O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
  dup2(open("stderr", O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
  execve(ASCSAN_PROGRAM, argv.data(), envp.data());
  _exit(126);
}

Outcome CliTest::finish(pid_t child) {
  Outcome outcome;
  int status = 0;
  waitpid(child, &status, 0);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = read("stdout");
  outcome.err = read("stderr");
  return outcome;
}

Outcome CliTest::ascsan(const Words& args, const std::map<std::string, std::string>& environment,
                        const std::string& input) {
  return finish(start(args, environment, input));
}

Outcome CliTest::run_fake(const Words& options, const Words& scenario,
                          const std::map<std::string, std::string>& environment) {
  Words args = {"run"};
  args.insert(args.end(), options.begin(), options.end());
  args.push_back(fake_program());
  args.insert(args.end(), scenario.begin(), scenario.end());
  return ascsan(args, environment);
}

}  // namespace ascsan::cli_test
