// Scratch memory. Page faults are the larger part of what a loss head pays beyond its products, so blocks are kept
// between calls up to a limit (runtime.h) and large ones ask for huge pages. Blocks are 64-byte aligned and hold
// arbitrary bytes: users write before they read.
#pragma once

#include <cstddef>
#include <cstdint>

namespace flce::cpu {

class Scratch {
 public:
  Scratch() = default;
  explicit Scratch(int64_t bytes);
  ~Scratch();
  Scratch(Scratch&& o) noexcept : data_(o.data_), bytes_(o.bytes_) { o.data_ = nullptr; }
  Scratch& operator=(Scratch&& o) noexcept;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  template <class T = void>
  T* as(int64_t offset = 0) const {
    return reinterpret_cast<T*>(static_cast<char*>(data_) + offset);
  }

 private:
  void* data_ = nullptr;
  int64_t bytes_ = 0;
};

}  // namespace flce::cpu
