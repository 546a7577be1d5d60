// Every collective is started non-blocking and polled, so that a lost peer ends in an error and not in a hang, and so
// that the all-reduce of finished rows of dX makes progress whenever the next one is started.
#include <mpi.h>

#include <chrono>
#include <climits>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "flce/mpi.h"

namespace flce {
namespace {

MPI_Datatype type_of(DType t) {
  return t == DType::kFloat64 ? MPI_DOUBLE : MPI_FLOAT;
}

void check(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw CommunicatorError(std::string(what) + ": " + std::string(text, static_cast<size_t>(length)));
}

void wait_for(MPI_Request* requests, int count, double timeout, const char* what) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  for (int64_t spins = 0;; ++spins) {
    int done = 0;
    check(MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE), what);
    if (done) return;
    if (std::chrono::duration<double>(Clock::now() - start).count() > timeout) {
      throw CommunicatorError(std::string(what) + ": not all ranks answered within " + std::to_string(timeout) + " s");
    }
    // Ranks may share cores: give way after a short spin.
    if (spins > 200) std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

class Pending : public Request {
 public:
  Pending(std::vector<MPI_Request> requests, double timeout) : requests_(std::move(requests)), timeout_(timeout) {}
  void wait() override {
    if (requests_.empty()) return;
    wait_for(requests_.data(), static_cast<int>(requests_.size()), timeout_, "all-reduce of gradients");
    requests_.clear();
  }
  void progress() {
    int done = 0;
    if (!requests_.empty())
      MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
    if (done) requests_.clear();
  }

 private:
  std::vector<MPI_Request> requests_;
  double timeout_;
};

class World : public Communicator {
 public:
  explicit World(double timeout) : timeout_(timeout) {
    check(MPI_Comm_dup(MPI_COMM_WORLD, &comm_), "duplicating MPI_COMM_WORLD");
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
  }
  ~World() override {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (!finalized) MPI_Comm_free(&comm_);
  }
  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void all_gather(const int64_t* mine, int64_t count, int64_t* all) override {
    MPI_Request request;
    const int n = small(count);
    check(MPI_Iallgather(mine, n, MPI_INT64_T, all, n, MPI_INT64_T, comm_, &request), "all-gather");
    wait_for(&request, 1, timeout_, "all-gather");
  }
  void all_reduce(void* data, int64_t count, DType dtype, ReduceOp op) override {
    Pending(start(data, count, dtype, op), timeout_).wait();
  }
  std::unique_ptr<Request> start_all_reduce_sum(void* data, int64_t count, DType dtype) override {
    int flag = 0;  // lets the library push earlier requests forward
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &flag, MPI_STATUS_IGNORE);
    return std::make_unique<Pending>(start(data, count, dtype, ReduceOp::kSum), timeout_);
  }
  void reduce_scatter_sum(void* src, void* dst, const int64_t* counts, DType dtype) override {
    std::vector<int> n(static_cast<size_t>(size_));
    for (int r = 0; r < size_; ++r) n[static_cast<size_t>(r)] = small(counts[r]);
    MPI_Request request;
    check(MPI_Ireduce_scatter(src, dst, n.data(), type_of(dtype), MPI_SUM, comm_, &request), "reduce-scatter");
    wait_for(&request, 1, timeout_, "reduce-scatter");
  }
  void fail(const char* reason) noexcept override {
    std::fprintf(stderr, "flce: rank %d failed: %s\n", rank_, reason);
    MPI_Abort(comm_, 1);  // MPI has no gentler way to release the others
  }

 private:
  static int small(int64_t count) {
    if (count > INT_MAX)
      throw CommunicatorError("a message of " + std::to_string(count) + " elements, allowed: 2^31 - 1");
    return static_cast<int>(count);
  }
  std::vector<MPI_Request> start(void* data, int64_t count, DType dtype, ReduceOp op) {
    std::vector<MPI_Request> requests;
    constexpr int64_t kPart = int64_t{1} << 28;
    for (int64_t at = 0; at < count; at += kPart) {
      const int n = static_cast<int>(count - at < kPart ? count - at : kPart);
      char* from = static_cast<char*>(data) + at * size_of(dtype);
      requests.emplace_back();
      check(MPI_Iallreduce(MPI_IN_PLACE, from, n, type_of(dtype), op == ReduceOp::kSum ? MPI_SUM : MPI_MAX, comm_,
                           &requests.back()),
            "all-reduce");
    }
    return requests;
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  double timeout_;
};

}  // namespace

std::unique_ptr<Communicator> make_world_communicator(double timeout_seconds) {
  if (timeout_seconds <= 0) {
    const char* text = std::getenv("FLCE_TIMEOUT");
    timeout_seconds = text ? std::atof(text) : 0;
    if (timeout_seconds <= 0) timeout_seconds = 300;
  }
  return std::make_unique<World>(timeout_seconds);
}

}  // namespace flce
