// A small pool of workers behind every operator: run(tasks, f) calls f(task, slot) for each task exactly once.
// Tasks are handed out in order from a counter, slots number the threads of one call, and no result may depend on
// either. A second caller that finds the pool busy runs its tasks on its own thread, so ranks played by threads and
// nested calls work. Not OpenMP: the thread sanitizer understands this one, and it survives fork().
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>

namespace flce::cpu {

class ThreadPool {
 public:
  static ThreadPool& shared();
  ~ThreadPool();

  /// `threads` 0 means the default. Exceptions of tasks are rethrown here (the first one by task number).
  void run(int64_t tasks, int threads, const std::function<void(int64_t task, int slot)>& f);
  void set_default_threads(int threads);
  int default_threads() const;
  /// Slots run() may hand out for this wish.
  int slots(int threads) const { return threads > 0 ? threads : default_threads(); }
  /// The same for a job of so many operations: a caller who asked for no number gets no thread for less than 4 million
  /// of them, which is about what waking it takes. A number asked for is kept.
  int slots(int threads, double operations) const {
    if (threads > 0) return threads;
    return static_cast<int>(std::clamp(operations / 4e6, 1.0, static_cast<double>(default_threads())));
  }

 private:
  ThreadPool();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace flce::cpu
