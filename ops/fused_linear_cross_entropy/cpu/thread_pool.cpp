// Workers wait on a condition variable after a short spin, because a product hands out work every few milliseconds.
#include "thread_pool.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "flce/types.h"

namespace flce::cpu {
namespace {

struct Job {
  const std::function<void(int64_t, int)>* f = nullptr;
  int64_t tasks = 0;
  int helpers = 0;  // workers that may join
  std::atomic<int64_t> next{0};
  std::atomic<int> joined{0};
  std::mutex error_lock;
  int64_t error_task = -1;
  std::exception_ptr error;

  void work(int slot) {
    for (int64_t t = next.fetch_add(1); t < tasks; t = next.fetch_add(1)) {
      try {
        (*f)(t, slot);
      } catch (...) {
        std::lock_guard<std::mutex> hold(error_lock);
        if (!error || t < error_task) {
          error = std::current_exception();
          error_task = t;
        }
        next.store(tasks);
      }
    }
  }
};

int from_environment() {
  for (const char* name : {"FLCE_NUM_THREADS", "OMP_NUM_THREADS"}) {
    const char* text = std::getenv(name);
    if (text == nullptr) continue;
    const int n = std::atoi(text);
    if (n > 0) return n;
  }
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

struct ThreadPool::State {
  std::mutex busy;  // held by the caller whose job runs on the workers
  std::mutex lock;
  std::condition_variable wake, done;
  std::vector<std::thread> workers;
  Job* job = nullptr;
  std::atomic<uint64_t> epoch{0};
  int active = 0;
  bool stop = false;
  std::atomic<int> default_threads{from_environment()};
  pid_t owner = getpid();

  void loop() {
    uint64_t seen = 0;
    for (;;) {
      for (int i = 0; i < 4000 && epoch.load(std::memory_order_acquire) == seen; ++i) __builtin_ia32_pause();
      Job* mine = nullptr;
      {
        std::unique_lock<std::mutex> hold(lock);
        wake.wait(hold, [&] { return stop || epoch.load() != seen; });
        if (stop) return;
        seen = epoch.load();
        if (job == nullptr || job->joined.load() >= job->helpers) continue;
        mine = job;
        mine->joined.fetch_add(1);
        ++active;
      }
      mine->work(slot_of(mine));
      std::lock_guard<std::mutex> hold(lock);
      if (--active == 0) done.notify_all();
    }
  }
  std::atomic<int> slot_counter{0};
  int slot_of(Job*) { return slot_counter.fetch_add(1) + 1; }
};

ThreadPool::ThreadPool() : state_(new State) {}
ThreadPool::~ThreadPool() {
  if (state_->owner != getpid()) {  // a forked child has no workers to join
    (void)state_.release();
    return;
  }
  {
    std::lock_guard<std::mutex> hold(state_->lock);
    state_->stop = true;
  }
  state_->wake.notify_all();
  for (std::thread& w : state_->workers) w.join();
}

ThreadPool& ThreadPool::shared() {
  static ThreadPool pool;
  return pool;
}

void ThreadPool::set_default_threads(int threads) {
  state_->default_threads = threads > 0 ? threads : from_environment();
}
int ThreadPool::default_threads() const {
  return state_->default_threads;
}

void ThreadPool::run(int64_t tasks, int threads, const std::function<void(int64_t, int)>& f) {
  if (tasks <= 0) return;
  if (state_->owner != getpid()) {  // after fork: the workers stayed in the parent
    const int wish = state_->default_threads;
    (void)state_.release();
    state_.reset(new State);
    state_->default_threads = wish;
  }
  State& s = *state_;
  const int helpers = static_cast<int>(std::min<int64_t>(slots(threads), tasks)) - 1;
  Job job;
  job.f = &f;
  job.tasks = tasks;
  job.helpers = helpers;
  std::unique_lock<std::mutex> busy(s.busy, std::defer_lock);
  if (helpers <= 0 || !busy.try_lock()) {
    job.work(0);
  } else {
    {
      std::lock_guard<std::mutex> hold(s.lock);
      while (static_cast<int>(s.workers.size()) < helpers) s.workers.emplace_back([&s] { s.loop(); });
      s.job = &job;
      s.slot_counter = 0;
      s.epoch.fetch_add(1, std::memory_order_release);
    }
    s.wake.notify_all();
    job.work(0);
    std::unique_lock<std::mutex> hold(s.lock);
    s.job = nullptr;
    s.done.wait(hold, [&] { return s.active == 0; });
  }
  if (job.error) std::rethrow_exception(job.error);
}

}  // namespace flce::cpu
