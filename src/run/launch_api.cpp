// The C functions of ascsan/launch_api.h: what tikicpulib.h and embedding programs call.
#include "ascsan/launch_api.h"

#include <cstdio>

#include "run/session.h"

using ascsan::run::Session;

extern "C" {

void* ascsan_gm_alloc(uint64_t bytes) {
  return Session::get().allocate(bytes);
}
void ascsan_gm_free(void* address) {
  Session::get().release(address);
}
void ascsan_set_kernel_mode(int mode) {
  Session::get().set_kernel_mode(mode);
}
void ascsan_set_tiling_key(uint64_t key) {
  Session::get().set_tiling_key(key);
}
uint64_t ascsan_tiling_key() {
  return Session::get().tiling_key();
}

void ascsan_launch(const char* kernel, uint32_t block_dim, void (*entry)(void*), void* closure,
                   const char* argument_text, const void* const* arguments, uint32_t argument_count) {
  Session::get().launch({kernel, block_dim, entry, closure, argument_text, arguments, argument_count});
}

int ascsan_tensor_name(const void* address, const char* name) {
  return Session::get().name_tensor(address, name) ? 0 : 1;
}

int ascsan_set_option(const char* name, const char* value) {
  const std::string error = Session::get().set_option(name, value);
  if (error.empty()) return 0;
  std::fprintf(stderr, "ascsan: %s\n", error.c_str());
  return 1;
}

void ascsan_stage(const char* name) {
  Session::get().mark_stage(name);
}

int ascsan_supervised() {
  return Session::get().supervised() ? 1 : 0;
}

}  // extern "C"
