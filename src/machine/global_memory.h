// Global memory: named allocations of host memory with red zones, so kernels keep raw pointers (architecture decision
// 8). A registry by address answers which tensor an access touches. No address reaches a report: only names and offsets
// do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace ascsan::machine {

struct Tensor {
  uint64_t begin = 0, end = 0;  ///< host addresses, red zones excluded
  std::string name;             ///< "" until named
  uint32_t number = 0;          ///< order of allocation, from 1
  bool framework = false;       ///< system workspace: only conflicts with user accesses count (rule E-8)
  bool owned = true;            ///< allocated here; false: memory of the program, registered by it
};

class GlobalMemory {
 public:
  static constexpr size_t kRedZoneBytes = 4096;
  static constexpr size_t kAlignment = 512;  ///< of the first byte, so that runs do not depend on the host allocator

  GlobalMemory() = default;
  ~GlobalMemory();
  GlobalMemory(const GlobalMemory&) = delete;
  GlobalMemory& operator=(const GlobalMemory&) = delete;

  /// `fill` is the byte a fresh allocation holds. Null when the host has no memory.
  void* allocate(uint64_t bytes, int fill);
  enum class FreeResult { kOk, kUnknown, kRedZoneBefore, kRedZoneAfter };
  FreeResult release(void* address);
  /// Registers memory that the program owns itself.
  void adopt(void* address, uint64_t bytes, const std::string& name);
  /// The tensor that holds the address, or null.
  const Tensor* find(uint64_t address) const;
  Tensor* find(uint64_t address) { return const_cast<Tensor*>(static_cast<const GlobalMemory*>(this)->find(address)); }
  /// The tensor nearest below or above the address within `reach` bytes, for "n bytes past the end of x".
  const Tensor* near(uint64_t address, uint64_t reach) const;
  /// "x" or, without a name, "GM allocation 3 (4096 bytes)".
  static std::string describe(const Tensor& tensor);
  template <typename F>
  void each(F&& f) {
    for (auto& [begin, tensor] : tensors_) f(tensor);
  }

 private:
  std::map<uint64_t, Tensor> tensors_;
  mutable const Tensor* last_ = nullptr;
  uint32_t next_number_ = 1;
};

}  // namespace ascsan::machine
