// torch eager in a process of its own, one run per request, so that its runs can take turns with ours.
#pragma once

#include <string>

namespace flce_bench {

class TorchProcess {
 public:
  /// `keep_heap`: malloc is told not to return pages to the system.
  TorchProcess(const std::string& python, const std::string& script, bool keep_heap);
  ~TorchProcess();
  bool ok() const { return ok_; }
  const std::string& version() const { return version_; }
  /// Seconds of one run, negative when torch failed. `dtype`: a name of torch.
  double run(long long m, long long k, long long n, int threads, const std::string& dtype, bool backward);

 private:
  std::string line();
  int in_ = -1, out_ = -1, pid_ = -1;
  bool ok_ = false;
  std::string version_;
};

}  // namespace flce_bench
