#include "machine/fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <boost/context/detail/fcontext.hpp>
#include <cstdio>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__)
#define ASCSAN_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASCSAN_ASAN 1
#endif
#endif
#ifdef ASCSAN_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace ascsan::machine {
namespace {
size_t page_bytes() {
  static const size_t bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}
}  // namespace

StackPool::~StackPool() {
  for (std::byte* stack : all_) munmap(stack - page_bytes(), bytes_ + page_bytes());
}

std::byte* StackPool::take() {
  if (!free_.empty()) {
    std::byte* stack = free_.back();
    free_.pop_back();
    return stack;
  }
  void* memory = mmap(nullptr, bytes_ + page_bytes(), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) {
    std::fprintf(stderr, "ascsan: no memory for a core's stack of %zu bytes; lower the number of cores\n", bytes_);
    std::abort();
  }
  mprotect(memory, page_bytes(), PROT_NONE);
  all_.push_back(static_cast<std::byte*>(memory) + page_bytes());
  return all_.back();
}

bool StackPool::in_guard(const void* address) const {
  const auto* at = static_cast<const std::byte*>(address);
  for (const std::byte* stack : all_)
    if (at >= stack - page_bytes() && at < stack) return true;
  return false;
}

struct Fiber::Switch {
  static void entered(boost::context::detail::transfer_t from) {
    Fiber* self = static_cast<Fiber*>(from.data);
    self->outside_ = from.fctx;
    Fiber::start(self);
  }
};

Fiber::Fiber(StackPool& pool, Entry entry, void* argument)
    : pool_(pool), stack_(pool.take()), entry_(entry), argument_(argument) {
#ifdef ASCSAN_ASAN
  __asan_unpoison_memory_region(stack_, pool.bytes());  // a former fiber may have been abandoned here
#endif
  inside_ = boost::context::detail::make_fcontext(stack_ + pool.bytes(), pool.bytes(), &Switch::entered);
}

Fiber::~Fiber() {
  pool_.give_back(stack_);
}

void Fiber::start(Fiber* self) {
#ifdef ASCSAN_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &self->outside_bottom_, &self->outside_bytes_);
#endif
  self->entry_(self->argument_);
  self->finished_ = true;
#ifdef ASCSAN_ASAN
  __sanitizer_start_switch_fiber(nullptr, self->outside_bottom_, self->outside_bytes_);
#endif
  boost::context::detail::jump_fcontext(self->outside_, self);
  std::abort();  // a finished fiber is never resumed
}

void Fiber::resume() {
#ifdef ASCSAN_ASAN
  __sanitizer_start_switch_fiber(&fake_outside_, stack_, pool_.bytes());
#endif
  const auto back = boost::context::detail::jump_fcontext(inside_, this);
#ifdef ASCSAN_ASAN
  __sanitizer_finish_switch_fiber(fake_outside_, nullptr, nullptr);
#endif
  inside_ = back.fctx;
}

void Fiber::suspend() {
#ifdef ASCSAN_ASAN
  __sanitizer_start_switch_fiber(&fake_inside_, outside_bottom_, outside_bytes_);
#endif
  const auto back = boost::context::detail::jump_fcontext(outside_, this);
#ifdef ASCSAN_ASAN
  __sanitizer_finish_switch_fiber(fake_inside_, &outside_bottom_, &outside_bytes_);
#endif
  outside_ = back.fctx;
}

}  // namespace ascsan::machine
