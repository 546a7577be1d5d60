// A short list of free blocks, best fit, shared by all threads.
#include "workspace.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "flce/runtime.h"

namespace flce {
namespace cpu {
namespace {

struct Block {
  void* data;
  int64_t bytes;
};
struct Cache {
  std::mutex lock;
  std::vector<Block> free;
  int64_t held = 0;
  int64_t limit = int64_t{64} << 20;
};
Cache& cache() {
  static Cache* c = new Cache;  // outlives every static user, reachable for leak checkers
  return *c;
}

constexpr int64_t kHuge = int64_t{2} << 20;
// From this size on blocks are mapped, so that giving one back really gives it back; malloc would keep it.
constexpr int64_t kMapped = int64_t{128} << 10;

void* take(int64_t bytes) {
  if (bytes < kMapped) return std::aligned_alloc(4096, static_cast<size_t>(bytes));
  void* data = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) return nullptr;
  if (bytes >= 4 * kHuge) madvise(data, static_cast<size_t>(bytes), MADV_HUGEPAGE);
  return data;
}
void give_back(void* data, int64_t bytes) {
  if (bytes < kMapped) {
    std::free(data);
  } else {
    munmap(data, static_cast<size_t>(bytes));
  }
}

}  // namespace

Scratch::Scratch(int64_t bytes) : bytes_((std::max<int64_t>(bytes, 1) + 4095) / 4096 * 4096) {
  Cache& c = cache();
  {
    std::lock_guard<std::mutex> hold(c.lock);
    auto best = c.free.end();
    for (auto it = c.free.begin(); it != c.free.end(); ++it) {
      const bool fits = it->bytes >= bytes_ && it->bytes <= 2 * bytes_;
      if (fits && (best == c.free.end() || it->bytes < best->bytes)) best = it;
    }
    if (best != c.free.end()) {
      data_ = best->data;
      bytes_ = best->bytes;
      c.held -= bytes_;
      c.free.erase(best);
      return;
    }
  }
  data_ = take(bytes_);
  if (data_ == nullptr) throw std::bad_alloc();
}

Scratch::~Scratch() {
  if (data_ == nullptr) return;
  Cache& c = cache();
  {
    std::lock_guard<std::mutex> hold(c.lock);
    if (c.held + bytes_ <= c.limit) {
      c.free.push_back({data_, bytes_});
      c.held += bytes_;
      return;
    }
  }
  give_back(data_, bytes_);
}

Scratch& Scratch::operator=(Scratch&& o) noexcept {
  std::swap(data_, o.data_);
  std::swap(bytes_, o.bytes_);
  return *this;
}

}  // namespace cpu

void set_scratch_limit(long long bytes) {
  cpu::Cache& c = cpu::cache();
  std::lock_guard<std::mutex> hold(c.lock);
  c.limit = bytes;
  while (c.held > c.limit) {
    c.held -= c.free.back().bytes;
    cpu::give_back(c.free.back().data, c.free.back().bytes);
    c.free.pop_back();
  }
}

}  // namespace flce
