// The host side of a launch as plain C functions of the core library. Used by tikicpulib.h and the runtime look-alikes;
// people who embed the tool may call them too. Rules: spec/launch-styles.md A.
#pragma once

#include <cstdint>

extern "C" {

/// GM allocation with red zones, zero filled, 512-byte aligned. 0 bytes give a unique address. Ends the program with a
/// message when memory is exhausted.
void* ascsan_gm_alloc(uint64_t bytes);
/// Frees what ascsan_gm_alloc returned; nullptr is allowed, anything else unknown is reported.
void ascsan_gm_free(void* address);

/// Cores of the following launches; `mode` is a KernelMode of tikicpulib.h.
void ascsan_set_kernel_mode(int mode);
/// Tiling key of the following launches; 0 before the first call.
void ascsan_set_tiling_key(uint64_t key);
uint64_t ascsan_tiling_key();

/// Runs `entry(closure)` once per core, each on that core's fiber, and returns when every core and pipe has finished.
/// kernel: its name. argument_text: the argument expressions as written, separated by commas. arguments: the value of
/// each pointer argument, nullptr for arguments that are no pointers, in the same order; used to name the GM tensors.
void ascsan_launch(const char* kernel, uint32_t block_dim, void (*entry)(void*), void* closure,
                   const char* argument_text, const void* const* arguments, uint32_t argument_count);

/// Names the GM allocation that contains `address` in reports. 0 = done, else no allocation contains it.
int ascsan_tensor_name(const void* address, const char* name);

/// Sets an option of the following launches ("schedule", "seed" ...). 0 = done, else the name or the value is unknown;
/// the reason is printed.
int ascsan_set_option(const char* name, const char* value);

/// The running core has come to the stage `name` of its kernel; see ascsan/stage.h.
void ascsan_stage(const char* name);

}  // extern "C"
