// What the composed loss needs from a group of ranks that share one vocabulary. Implementations: flce/mpi.h (MPI),
// flce/thread_group.h (ranks as threads of one process), ascsan.torch (torch.distributed). All ranks must make the same
// calls in the same order. Buffers are contiguous.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>

#include "flce/types.h"

namespace flce {

/// A rank died, gave up, did not answer in time, or disagrees about the call. Thrown on every rank of the group.
class CommunicatorError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class ReduceOp { kSum, kMax };

/// A collective under way; the buffer belongs to it until wait() returns.
class Request {
 public:
  virtual ~Request() = default;
  virtual void wait() = 0;
};

class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// all[r * count + i] = element i of rank r.
  virtual void all_gather(const int64_t* mine, int64_t count, int64_t* all) = 0;
  /// In place, float32 or float64, same result on every rank.
  virtual void all_reduce(void* data, int64_t count, DType dtype, ReduceOp op) = 0;
  /// Like all_reduce(kSum); may run while the caller computes. The default is the blocking call.
  virtual std::unique_ptr<Request> start_all_reduce_sum(void* data, int64_t count, DType dtype);
  /// Sum over ranks of `src` (the whole), of which rank r keeps counts[r] elements after those of ranks < r.
  virtual void reduce_scatter_sum(void* src, void* dst, const int64_t* counts, DType dtype);
  /// This rank cannot go on: the other ranks must not wait for it.
  virtual void fail(const char* reason) noexcept = 0;
};

}  // namespace flce
