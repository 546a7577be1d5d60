// A fiber holds the scalar program of one core: a stack of its own and a point to come back to. Switching costs a few
// nanoseconds (Boost.Context). A fiber may be abandoned: its stack is reused without unwinding, which is what a hang or
// a restart needs (destructors of user objects on that stack do not run).
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace ascsan::machine {

/// Stacks with a guard page below, kept for reuse between launches.
class StackPool {
 public:
  explicit StackPool(size_t stack_bytes) : bytes_(stack_bytes) {}
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;
  /// Lowest usable address of a stack of bytes() bytes. Aborts with a message when memory is exhausted.
  std::byte* take();
  void give_back(std::byte* stack) { free_.push_back(stack); }
  size_t bytes() const { return bytes_; }
  /// True if the address lies in the guard page of one of the stacks: the kernel overflowed its stack.
  bool in_guard(const void* address) const;

 private:
  size_t bytes_;
  std::vector<std::byte*> all_, free_;
};

class Fiber {
 public:
  using Entry = void (*)(void*);
  /// Prepares entry(argument) on a stack of the pool; nothing runs yet.
  Fiber(StackPool& pool, Entry entry, void* argument);
  ~Fiber();  ///< abandons what is left of it
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs the fiber until it suspends or its entry returns. Called from outside only.
  void resume();
  /// Back to the caller of resume(). Called on the fiber only.
  void suspend();
  bool finished() const { return finished_; }

 private:
  struct Switch;
  static void start(Fiber* self);
  friend struct Switch;
  StackPool& pool_;
  std::byte* stack_;
  Entry entry_;
  void* argument_;
  void* inside_ = nullptr;   // context of the suspended fiber
  void* outside_ = nullptr;  // context of the one who resumed
  bool finished_ = false;
  // Only used in AddressSanitizer builds, which must be told about stacks.
  [[maybe_unused]] void* fake_inside_ = nullptr;
  [[maybe_unused]] void* fake_outside_ = nullptr;
  [[maybe_unused]] const void* outside_bottom_ = nullptr;
  [[maybe_unused]] size_t outside_bytes_ = 0;
};

}  // namespace ascsan::machine
