// Blocking defaults of the communicator.
#include "flce/communicator.h"

#include <cstring>

namespace flce {
namespace {

struct Done : Request {
  void wait() override {}
};

}  // namespace

std::unique_ptr<Request> Communicator::start_all_reduce_sum(void* data, int64_t count, DType dtype) {
  all_reduce(data, count, dtype, ReduceOp::kSum);
  return std::make_unique<Done>();
}

void Communicator::reduce_scatter_sum(void* src, void* dst, const int64_t* counts, DType dtype) {
  int64_t total = 0, before = 0;
  for (int r = 0; r < size(); ++r) {
    if (r < rank()) before += counts[r];
    total += counts[r];
  }
  all_reduce(src, total, dtype, ReduceOp::kSum);
  std::memcpy(dst, static_cast<char*>(src) + before * size_of(dtype), counts[rank()] * size_of(dtype));
}

}  // namespace flce
