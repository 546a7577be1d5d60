// Every collective is: publish a pointer, meet, read the others, meet. A rank that leaves, fails or is late breaks the
// group for good, and every waiting rank throws.
#include "flce/thread_group.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "checks.h"

namespace flce {

struct ThreadGroup::State {
  std::mutex lock;
  std::condition_variable moved;
  const int size;
  const double timeout;
  int arrived = 0;
  uint64_t generation = 0;
  std::string broken;
  std::vector<const void*> data;
  std::vector<std::string> call;

  State(int n, double t) : size(n), timeout(t), data(n), call(n) {}

  void break_group(const std::string& why) {
    std::lock_guard<std::mutex> hold(lock);
    if (broken.empty()) broken = why;
    moved.notify_all();
  }
  void meet() {
    std::unique_lock<std::mutex> hold(lock);
    if (!broken.empty()) throw CommunicatorError(broken);
    const uint64_t mine = generation;
    if (++arrived == size) {
      arrived = 0;
      ++generation;
      moved.notify_all();
      return;
    }
    const auto limit = std::chrono::duration<double>(timeout);
    const bool in_time = moved.wait_for(hold, limit, [&] { return generation != mine || !broken.empty(); });
    if (generation != mine) return;
    if (!in_time && broken.empty()) {
      broken = cpu::text("a rank did not reach the collective within ", timeout, " s");
      moved.notify_all();
    }
    throw CommunicatorError(broken);
  }
};

namespace {

template <class State>
class Member : public Communicator {
 public:
  Member(std::shared_ptr<State> s, int rank) : s_(std::move(s)), rank_(rank) {}
  ~Member() override { s_->break_group(cpu::text("rank ", rank_, " left the group")); }
  int rank() const override { return rank_; }
  int size() const override { return s_->size; }

  void all_gather(const int64_t* mine, int64_t count, int64_t* all) override {
    publish(mine, cpu::text("all_gather of ", count));
    for (int r = 0; r < s_->size; ++r) {
      std::memcpy(all + r * count, s_->data[r], static_cast<size_t>(count) * sizeof(int64_t));
    }
    s_->meet();
  }
  void all_reduce(void* data, int64_t count, DType dtype, ReduceOp op) override {
    publish(data, cpu::text("all_reduce of ", count, " ", name_of(dtype), op == ReduceOp::kSum ? " sum" : " max"));
    dtype == DType::kFloat64 ? reduce<double>(data, count, op) : reduce<float>(data, count, op);
  }
  void fail(const char* reason) noexcept override {
    try {
      s_->break_group(cpu::text("rank ", rank_, " failed: ", reason));
    } catch (...) {
    }
  }

 private:
  void publish(const void* data, const std::string& call) {
    s_->data[rank_] = data;
    s_->call[rank_] = call;
    s_->meet();
    for (int r = 0; r < s_->size; ++r) {
      if (s_->call[r] == call) continue;
      const std::string why = cpu::text("rank ", r, " calls ", s_->call[r], ", rank ", rank_, " calls ", call);
      s_->break_group(why);
      throw CommunicatorError(why);
    }
  }
  template <class T>
  void reduce(void* data, int64_t count, ReduceOp op) {
    std::vector<T> sum(count);
    for (int r = 0; r < s_->size; ++r) {
      const T* part = static_cast<const T*>(s_->data[r]);
      for (int64_t i = 0; i < count; ++i) {
        if (r == 0)
          sum[i] = part[i];
        else if (op == ReduceOp::kSum)
          sum[i] += part[i];
        else
          sum[i] = part[i] != part[i] || part[i] > sum[i] ? part[i] : sum[i];  // NaN wins
      }
    }
    s_->meet();  // everybody has read everybody
    std::copy(sum.begin(), sum.end(), static_cast<T*>(data));
    s_->meet();
  }

  std::shared_ptr<State> s_;
  int rank_;
};

}  // namespace

ThreadGroup::ThreadGroup(int size, double timeout_seconds) : state_(std::make_shared<State>(size, timeout_seconds)) {
  if (size < 1) cpu::refuse("size", size, ">= 1");
}
ThreadGroup::~ThreadGroup() = default;
std::unique_ptr<Communicator> ThreadGroup::member(int rank) {
  if (rank < 0 || rank >= state_->size) cpu::refuse("rank", rank, cpu::text("[0, ", state_->size, ")"));
  return std::make_unique<Member<State>>(state_, rank);
}

}  // namespace flce
