// Two pipes and a child. A missing torch is not an error: ok() is false and the rows of torch are left out, loudly.
#include "torch_process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace flce_bench {

TorchProcess::TorchProcess(const std::string& python, const std::string& script, bool keep_heap) {
  int to[2], from[2];
  if (python.empty() || pipe(to) != 0 || pipe(from) != 0) return;
  std::signal(SIGPIPE, SIG_IGN);
  pid_ = fork();
  if (pid_ == 0) {
    dup2(to[0], 0);
    dup2(from[1], 1);
    for (int fd : {to[0], to[1], from[0], from[1]}) close(fd);
    setenv("OMP_WAIT_POLICY", "passive", 1);
    if (keep_heap) {
      setenv("MALLOC_MMAP_THRESHOLD_", "4294967296", 1);
      setenv("MALLOC_TRIM_THRESHOLD_", "17179869184", 1);
      setenv("MALLOC_TOP_PAD_", "1073741824", 1);
    }
    execlp(python.c_str(), python.c_str(), script.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  close(to[0]);
  close(from[1]);
  in_ = from[0];
  out_ = to[1];
  const std::string first = line();
  ok_ = first.rfind("ready ", 0) == 0;
  if (ok_) version_ = first.substr(6);
}

TorchProcess::~TorchProcess() {
  if (out_ >= 0) close(out_);
  if (in_ >= 0) close(in_);
  if (pid_ > 0) waitpid(pid_, nullptr, 0);
}

std::string TorchProcess::line() {
  std::string text;
  char c;
  while (read(in_, &c, 1) == 1 && c != '\n') text += c;
  return text;
}

double TorchProcess::run(long long m, long long k, long long n, int threads, const std::string& dtype, bool backward) {
  const std::string request = std::to_string(m) + " " + std::to_string(k) + " " + std::to_string(n) + " " +
                              std::to_string(threads) + " " + dtype + (backward ? " both\n" : " forward\n");
  if (write(out_, request.data(), request.size()) != static_cast<ssize_t>(request.size())) return -1;
  const std::string answer = line();
  return answer.empty() ? -1 : std::atof(answer.c_str());
}

}  // namespace flce_bench
